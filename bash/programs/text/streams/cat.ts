/** Concatenates files. */
import type { Bytes } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import { sizeIfOutput } from '../../../io/written-input.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { shownName } from '../../quoting.js'
import { ByteOutput } from '../common/byte-output.js'
import { forEachInput } from '../common/inputs.js'

const options = {
  all: { names: ['-A', '--show-all'] },
  numberNonblank: { names: ['-b', '--number-nonblank'] },
  endsAndControls: { names: ['-e'] },
  ends: { names: ['-E', '--show-ends'] },
  number: { names: ['-n', '--number'] },
  squeeze: { names: ['-s', '--squeeze-blank'] },
  tabsAndControls: { names: ['-t'] },
  tabs: { names: ['-T', '--show-tabs'] },
  unbuffered: { names: ['-u'] },
  controls: { names: ['-v', '--show-nonprinting'] },
} as const

interface Style {
  number: 'all' | 'nonblank' | undefined
  squeeze: boolean
  ends: boolean
  tabs: boolean
  controls: boolean
}

const tab = 9
const lineFeed = 10
const carriageReturn = 13

export const cat = defineProgram({
  name: 'cat',
  usage: '[OPTION]... [FILE]...',
  options,
  async run(io, given) {
    const style = styleOf(given)
    const isPlain = !Object.values(style).some(Boolean)
    const output = new ByteOutput(io.stdout)
    const show = isPlain ? undefined : shower(style, output)
    let repeated = 0
    const status = await forEachInput(io, given.operands, async ({ name, reader }) => {
      if (((await sizeIfOutput(io, name, reader)) ?? 0) > 0) {
        await io.error(`${shownName(name)}: input file is output file`)
        repeated = 1
        return
      }
      for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
        if (show === undefined) {
          await io.stdout.write(chunk)
          // Whoever waits for lines gets them before the next are read.
          await io.stdout.flush()
          continue
        }
        show.chunk(chunk)
        await output.flush()
      }
    })
    show?.end()
    await output.flush()
    return status || repeated
  },
})

function styleOf(given: ParsedArguments<typeof options>): Style {
  const has = (...keys: Array<keyof typeof options>) => keys.some((key) => given.has(key))
  return {
    number: has('numberNonblank') ? 'nonblank' : has('number') ? 'all' : undefined,
    squeeze: has('squeeze'),
    ends: has('ends', 'all', 'endsAndControls'),
    tabs: has('tabs', 'all', 'tabsAndControls'),
    controls: has('controls', 'all', 'endsAndControls', 'tabsAndControls'),
  }
}

/** Writes chunks in a style. Lines and their numbers go on from one file to the next. */
function shower(style: Style, output: ByteOutput): { chunk(chunk: Bytes): void; end(): void } {
  let line = 0
  let atStart = true
  let blanks = 0
  let heldReturn = false

  function startLine(isBlank: boolean): void {
    atStart = false
    if (style.number === 'all' || (style.number === 'nonblank' && !isBlank)) {
      line += 1
      output.ascii(`${String(line).padStart(6)}\t`)
    }
  }

  function endLine(): void {
    blanks = atStart ? blanks + 1 : 0
    if (atStart) {
      if (style.squeeze && blanks > 1) return
      startLine(true)
    }
    if (style.ends) output.byte(0x24)
    output.byte(lineFeed)
    atStart = true
  }

  /** A carriage return before a line feed is shown with the end of the line. */
  function releaseReturn(isEnd: boolean): void {
    heldReturn = false
    if (isEnd) output.text('^M')
    else output.byte(carriageReturn)
  }

  function show(byte: number): void {
    if (heldReturn) releaseReturn(byte === lineFeed)
    if (byte === lineFeed) {
      endLine()
      return
    }
    blanks = 0
    if (atStart) startLine(false)
    if (byte === tab && style.tabs) output.bytes(visible[tab] as Bytes)
    else if (byte === carriageReturn && style.ends && !style.controls) heldReturn = true
    else if (byte !== tab && style.controls) output.bytes(visible[byte] as Bytes)
    else output.byte(byte)
  }

  return {
    chunk(chunk) {
      for (const byte of chunk) show(byte)
    },
    end() {
      if (heldReturn) releaseReturn(false)
    },
  }
}

/** `^A` for controls, `M-a` for bytes from 128. */
function visibleText(byte: number): string {
  if (byte >= 128) return `M-${visibleText(byte - 128)}`
  if (byte === 127) return '^?'
  return byte < 32 ? `^${String.fromCharCode(byte + 64)}` : String.fromCharCode(byte)
}

const visible = Array.from({ length: 256 }, (_, byte) => encodeText(visibleText(byte)))
