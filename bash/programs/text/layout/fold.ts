/** Wraps lines at a width. */
import type { Bytes } from '../../../../src/fs/types.js'
import { lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ByteOutput } from '../common/byte-output.js'
import { forEachInput } from '../common/inputs.js'
import { requireNumber } from '../common/numbers.js'

const lineFeed = 10
const tabColumns = 8

export const fold = defineProgram({
  name: 'fold',
  usage: '[OPTION]... [FILE]...',
  options: {
    bytes: { names: ['-b', '--bytes'] },
    spaces: { names: ['-s', '--spaces'] },
    width: { names: ['-w', '--width'], value: 'required' },
  },
  rewrite: (args) => args.flatMap((arg) => (/^-\d+$/.test(arg) ? ['-w', arg.slice(1)] : [arg])),
  async run(io, given) {
    const width = requireNumber(given.value('width') ?? '80', 'invalid number of columns', 1)
    const output = new ByteOutput(io.stdout)
    const advance = given.has('bytes') ? (column: number) => column + 1 : nextColumn
    return forEachInput(io, given.operands, async ({ reader }) => {
      for await (const lines of lineBatches(reader)) {
        for (const line of lines) wrap(line, width, given.has('spaces'), advance, output)
        if (output.isFull) await output.drain()
      }
      await output.flush()
    })
  },
})

function nextColumn(column: number, byte: number): number {
  if (byte === 8) return Math.max(0, column - 1)
  if (byte === 13) return 0
  return byte === 9 ? column + tabColumns - (column % tabColumns) : column + 1
}

function wrap(
  line: Bytes,
  width: number,
  breaksAtSpaces: boolean,
  advance: (column: number, byte: number) => number,
  output: ByteOutput,
): void {
  let start = 0
  let column = 0
  let at = 0
  while (at < line.length) {
    const byte = line[at] as number
    if (byte === lineFeed) {
      at += 1
      break
    }
    const next = advance(column, byte)
    if (next <= width || at === start) {
      column = next
      at += 1
      continue
    }
    const end = breaksAtSpaces ? afterLastBlank(line, start, at) : at
    output.bytes(line, start, end)
    output.byte(lineFeed)
    start = end
    column = 0
    for (let again = start; again < at; again += 1) column = advance(column, line[again] as number)
  }
  output.bytes(line, start, at)
}

/** Just after the last blank, or `end` when there is none. */
function afterLastBlank(line: Bytes, start: number, end: number): number {
  for (let at = end - 1; at >= start; at -= 1) if (line[at] === 32 || line[at] === 9) return at + 1
  return end
}
