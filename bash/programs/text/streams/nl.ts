/** Numbers lines. */

import type { Bytes } from '../../../../src/fs/types.js'
import { entryOf } from '../../../../src/text/entry-of.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { lineBatches } from '../../../io/streams.js'
import { compileRegex, RegexError, type ShellRegex } from '../../../regex/index.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { ByteOutput } from '../common/byte-output.js'
import { forEachInput, misuse } from '../common/inputs.js'
import { withoutDelimiter } from '../common/line-reader.js'
import { requireNumber } from '../common/numbers.js'

const space = 32

type Section = 'header' | 'body' | 'footer'

/** Which lines get a number. */
type Style = 'all' | 'filled' | 'none' | ShellRegex

const styles: Readonly<Record<string, Style>> = { a: 'all', t: 'filled', n: 'none' }

export const nl = defineProgram({
  name: 'nl',
  usage: '[OPTION]... [FILE]...',
  options: {
    body: { names: ['-b', '--body-numbering'], value: 'required' },
    delimiter: { names: ['-d', '--section-delimiter'], value: 'required' },
    footer: { names: ['-f', '--footer-numbering'], value: 'required' },
    header: { names: ['-h', '--header-numbering'], value: 'required' },
    increment: { names: ['-i', '--line-increment'], value: 'required' },
    joinBlank: { names: ['-l', '--join-blank-lines'], value: 'required' },
    format: { names: ['-n', '--number-format'], value: 'required' },
    noRenumber: { names: ['-p', '--no-renumber'] },
    separator: { names: ['-s', '--number-separator'], value: 'required' },
    start: { names: ['-v', '--starting-line-number'], value: 'required' },
    width: { names: ['-w', '--number-width'], value: 'required' },
  },
  async run(io, given) {
    const number = (
      key: 'increment' | 'joinBlank' | 'start' | 'width',
      usual: number,
      what: string,
      least?: number,
    ) => {
      const text = given.value(key)
      return text === undefined ? usual : requireNumber(text, `invalid ${what}`, least ?? Number.MIN_SAFE_INTEGER)
    }
    const section = (key: Section, usual: Style): Style => {
      const text = given.value(key)
      if (text === undefined) return usual
      if (text.startsWith('p')) return expression(text.slice(1))
      const style = entryOf(styles, text)
      if (style === undefined) throw misuse(io, `invalid ${key} numbering style: ${quoted(text)}`)
      return style
    }
    const sections: Record<Section, Style> = {
      header: section('header', 'none'),
      body: section('body', 'filled'),
      footer: section('footer', 'none'),
    }
    const start = number('start', 1, 'starting line number')
    const increment = number('increment', 1, 'line number increment')
    const blankGroup = number('joinBlank', 1, 'line number of blank lines', 1)
    const width = number('width', 6, 'line number field width', 1)
    const separator = encodeText(given.value('separator') ?? '\t')
    const show = numberFormat(given.value('format') ?? 'rn', width)
    if (show === undefined) throw misuse(io, `invalid line numbering format: ${quoted(given.value('format') ?? '')}`)
    const indent = width + separator.length
    const marks = sectionMarks(given.value('delimiter'))
    const output = new ByteOutput(io.stdout)
    let current: Section = 'body'
    let next = start
    let blanks = 0

    function isNumbered(line: Bytes): boolean {
      const style = sections[current]
      if (style === 'none') return false
      if (style === 'filled') return line.length > 0
      if (style !== 'all') return style.test(decodeText(line))
      blanks += 1
      if (line.length === 0 && blanks < blankGroup) return false
      blanks = 0
      return true
    }

    function prefix(line: Bytes): void {
      if (!isNumbered(line)) {
        output.fill(space, indent)
        return
      }
      output.ascii(show?.(next) ?? '')
      output.bytes(separator)
      next += increment
    }

    const status = await forEachInput(io, given.operands, async ({ reader }) => {
      for await (const lines of lineBatches(reader)) {
        for (const whole of lines) {
          const line = withoutDelimiter(whole)
          const entered = line.length <= 12 ? marks.get(decodeText(line)) : undefined
          if (entered !== undefined) {
            current = entered
            if (!given.has('noRenumber')) next = start
          } else {
            prefix(line)
            output.bytes(line)
          }
          output.byte(10)
        }
        if (output.isFull) await output.drain()
      }
      await output.flush()
    })
    return status
  },
})

function expression(source: string): ShellRegex {
  try {
    return compileRegex(source, { syntax: 'basic', lines: true, captures: false })
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new ProgramError(error.message)
  }
}

function numberFormat(format: string, width: number): ((number: number) => string) | undefined {
  if (format === 'rn') return (number) => String(number).padStart(width)
  if (format === 'ln') return (number) => String(number).padEnd(width)
  if (format !== 'rz') return undefined
  return (number) => (number < 0 ? `-${String(-number).padStart(width - 1, '0')}` : String(number).padStart(width, '0'))
}

/** Lines that begin a header, body or footer. */
function sectionMarks(given: string | undefined): Map<string, Section> {
  if (given === '') return new Map()
  const mark = given === undefined ? '\\:' : [...given].length === 1 ? `${given}:` : given
  return new Map([
    [mark.repeat(3), 'header'],
    [mark.repeat(2), 'body'],
    [mark, 'footer'],
  ])
}
