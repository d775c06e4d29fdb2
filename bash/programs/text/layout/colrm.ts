/** Removes columns from lines. */
import { decodeText } from '../../../io/byte-text.js'
import { lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { charWidth } from '../common/char-width.js'

const tabColumns = 8

export const colrm = defineProgram({
  name: 'colrm',
  usage: '[startcol [endcol]]',
  options: {},
  helpNames: ['-h', '--help'],
  async run(io, given) {
    const [first, last] = given.operands.map((text) => {
      if (!/^\d+$/.test(text)) throw new ProgramError(`first argument: '${text}': Invalid argument`)
      return Number(text)
    })
    for await (const lines of lineBatches(io.stdin)) {
      for (const line of lines) await io.stdout.write(without(decodeText(line), first ?? 0, last ?? 0))
    }
    return 0
  },
})

/** `last` 0: to the end of the line; `first` 0: nothing is removed. Of what is wider than a column, spaces stay. */
function without(line: string, first: number, last: number): string {
  const characters = [...line]
  const end = characters.at(-1) === '\n' ? (characters.pop() as string) : ''
  if (first === 0) return line
  let column = 0
  let at = 0
  let kept = ''
  for (; at < characters.length; at += 1) {
    const next = columnAfter(characters[at] as string, column)
    if (next >= first) break
    kept += characters[at]
    column = next
  }
  if (at === characters.length) return kept + end
  kept += ' '.repeat(Math.max(0, first - 1 - column))
  do {
    column = columnAfter(characters[at] as string, column)
    at += 1
  } while (at < characters.length && (last === 0 || column < last))
  if (at === characters.length) return kept + end
  return kept + ' '.repeat(Math.max(0, column - last)) + characters.slice(at).join('') + end
}

function columnAfter(character: string, column: number): number {
  if (character === '\t') return (Math.trunc(column / tabColumns) + 1) * tabColumns
  if (character === '\b') return Math.max(0, column - 1)
  return column + Math.max(0, charWidth(character.codePointAt(0) as number))
}
