/** Splits a file where lines match. */
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { concat, lineBatches } from '../../../io/streams.js'
import { compileRegex, RegexError, type ShellRegex } from '../../../regex/index.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { misuse, requireInput } from '../common/inputs.js'
import { withoutDelimiter } from '../common/line-reader.js'

interface Pattern {
  /** As given. */
  text: string
  line?: number
  regex?: ShellRegex
  offset: number
  /** Lines before the match are left out. */
  isSkip: boolean
  /** How often again; infinite for `{*}`. */
  repeats: number
}

export const csplit = defineProgram({
  name: 'csplit',
  usage: '[OPTION]... FILE PATTERN...',
  options: {
    format: { names: ['-b', '--suffix-format'], value: 'required' },
    prefix: { names: ['-f', '--prefix'], value: 'required' },
    keep: { names: ['-k', '--keep-files'] },
    suppress: { names: ['--suppress-matched'] },
    digits: { names: ['-n', '--digits'], value: 'required' },
    quiet: { names: ['-s', '-q', '--quiet', '--silent'] },
    elide: { names: ['-z', '--elide-empty-files'] },
  },
  async run(io, given) {
    const [name, ...patternTexts] = given.operands
    if (name === undefined) throw misuse(io, 'missing operand')
    if (patternTexts.length === 0) throw misuse(io, `missing operand after ${quoted(name)}`)
    const nameOf = fileNames(given.value('prefix') ?? 'xx', given.value('format'), given.value('digits') ?? '2')
    const patterns = parsePatterns(patternTexts)
    await checkLineNumbers(io, patterns)
    const reader = await requireInput(io, name, (reason) => `cannot open ${quotedName(name)} for reading: ${reason}`)
    const lines: Bytes[] = []
    for await (const batch of lineBatches(reader)) {
      for (const line of batch) {
        lines.push(line)
        io.account(line.length + 64)
      }
    }
    const written: string[] = []

    async function write(start: number, end: number): Promise<void> {
      const data = end > start ? concat(lines.slice(start, end)) : new Uint8Array()
      if (data.length === 0 && given.has('elide')) return
      const file = nameOf(written.length)
      await io.fs.writeFile(file, data)
      written.push(file)
      if (!given.has('quiet')) await io.stdout.write(`${data.length}\n`)
    }

    try {
      await splitLines(lines, patterns, given.has('suppress'), write)
    } catch (error) {
      if (error instanceof ProgramError && !given.has('keep')) for (const file of written) await io.fs.remove(file)
      throw error
    }
    return 0
  },
})

/** Such as `xx00`, or by a format such as `%03d.txt`. */
function fileNames(prefix: string, format: string | undefined, digits: string): (number: number) => string {
  if (!/^\d+$/.test(digits)) throw new ProgramError(`invalid number: ${quoted(digits)}`)
  if (format === undefined) return (number) => prefix + String(number).padStart(Number(digits), '0')
  const pieces = /^((?:[^%]|%%)*)%([-0#' +]*)(\d*)(?:\.(\d+))?([diuoxX])((?:[^%]|%%)*)$/.exec(format)
  if (pieces === null) {
    if (!format.replaceAll('%%', '').includes('%'))
      throw new ProgramError('missing % conversion specification in suffix')
    throw new ProgramError(`invalid conversion specifier in suffix: ${format}`)
  }
  const [, before = '', flags = '', width = '', precision, kind = 'd', after = ''] = pieces
  return (number) => {
    const radix = kind === 'o' ? 8 : kind.toLowerCase() === 'x' ? 16 : 10
    const plain = number.toString(radix).padStart(Number(precision ?? 0), '0')
    const shown = kind === 'X' ? plain.toUpperCase() : plain
    const size = Number(width || 0)
    const padded = flags.includes('-')
      ? shown.padEnd(size)
      : shown.padStart(size, flags.includes('0') && precision === undefined ? '0' : ' ')
    return prefix + before.replaceAll('%%', '%') + padded + after.replaceAll('%%', '%')
  }
}

function parsePatterns(texts: readonly string[]): Pattern[] {
  const patterns: Pattern[] = []
  for (const text of texts) {
    const [, repeats] = /^\{(\d+|\*)\}$/.exec(text) ?? []
    const previous = patterns.at(-1)
    if (repeats !== undefined && previous !== undefined) {
      previous.repeats = repeats === '*' ? Number.POSITIVE_INFINITY : Number(repeats)
      continue
    }
    patterns.push(parsePattern(text))
  }
  return patterns
}

function parsePattern(text: string): Pattern {
  const [mark = ''] = text
  if (mark !== '/' && mark !== '%') {
    if (!/^\d+$/.test(text)) throw new ProgramError(`${text}: invalid pattern`)
    if (Number(text) === 0) throw new ProgramError(`${text}: line number must be greater than zero`)
    return { text, line: Number(text), offset: 0, isSkip: false, repeats: 0 }
  }
  const end = text.lastIndexOf(mark)
  if (end === 0) throw new ProgramError(`${text}: closing delimiter ${quoted(mark)} missing`)
  const offset = text.slice(end + 1)
  if (offset !== '' && !/^[+-]?\d+$/.test(offset)) throw new ProgramError(`${text}: integer expected after delimiter`)
  try {
    const regex = compileRegex(text.slice(1, end), { syntax: 'basic', lines: true, captures: false })
    return { text, regex, offset: Number(offset), isSkip: mark === '%', repeats: 0 }
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new ProgramError(`${text}: invalid regular expression: ${error.message}`)
  }
}

/** Line numbers have to grow. */
async function checkLineNumbers(io: ProgramIo, patterns: readonly Pattern[]): Promise<void> {
  let last = 0
  for (const { line, text } of patterns) {
    if (line === undefined) continue
    if (line < last)
      throw new ProgramError(`line number ${quoted(text)} is smaller than preceding line number, ${last}`)
    if (line === last) await io.error(`warning: line number ${quoted(text)} is the same as preceding line number`)
    last = line
  }
}

/** `write` gets the lines from `start` to `end`, from 0, without `end`. */
async function splitLines(
  lines: readonly Bytes[],
  patterns: readonly Pattern[],
  isSuppressed: boolean,
  write: (start: number, end: number) => Promise<void>,
): Promise<void> {
  /** The first line that was not written. */
  let next = 0
  /** The next match is looked for from here. */
  let from = 0

  async function toLine(pattern: Pattern, repetition: number): Promise<void> {
    const end = (pattern.line as number) * (repetition + 1) - 1
    const where = repetition === 0 ? '' : ` on repetition ${repetition}`
    if (end > lines.length) {
      await write(next, Math.max(next, lines.length))
      throw new ProgramError(`${quoted(pattern.text)}: line number out of range${where}`)
    }
    await write(next, Math.max(next, end))
    next = Math.max(next, end) + (isSuppressed ? 1 : 0)
    from = Math.max(from, next)
    if (from >= lines.length && !isSuppressed) {
      throw new ProgramError(`${quoted(pattern.text)}: line number out of range${where}`)
    }
  }

  async function toMatch(pattern: Pattern, repetition: number): Promise<boolean> {
    let match = from
    while (match < lines.length && !pattern.regex?.test(decodeText(withoutDelimiter(lines[match] as Bytes)))) match += 1
    if (match >= lines.length) {
      if (pattern.repeats === Number.POSITIVE_INFINITY) {
        if (!pattern.isSkip) await write(next, lines.length)
        return false
      }
      if (!pattern.isSkip) await write(next, lines.length)
      const where = repetition === 0 ? '' : ` on repetition ${repetition}`
      throw new ProgramError(`${quoted(pattern.text)}: match not found${where}`)
    }
    const end = match + pattern.offset
    if (end < next || end > lines.length) {
      if (!pattern.isSkip) await write(next, end < next ? next : lines.length)
      throw new ProgramError(`${quoted(pattern.text)}: line number out of range`)
    }
    if (!pattern.isSkip) await write(next, end)
    next = isSuppressed ? end + 1 : end
    from = Math.max(match + 1, next)
    return true
  }

  for (const pattern of patterns) {
    for (let repetition = 0; repetition <= pattern.repeats; repetition += 1) {
      if (pattern.line === undefined) {
        if (!(await toMatch(pattern, repetition))) return
        continue
      }
      await toLine(pattern, repetition)
    }
  }
  await write(next, lines.length)
}
