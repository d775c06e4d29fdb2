/** Prints the printable sequences of files. */
import { entryOf } from '../../../../src/text/entry-of.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'

interface Encoding {
  width: number
  bigEndian: boolean
  eightBit: boolean
}

const encodings: Readonly<Record<string, Encoding>> = {
  s: { width: 1, bigEndian: false, eightBit: false },
  S: { width: 1, bigEndian: false, eightBit: true },
  b: { width: 2, bigEndian: true, eightBit: false },
  l: { width: 2, bigEndian: false, eightBit: false },
  B: { width: 4, bigEndian: true, eightBit: false },
  L: { width: 4, bigEndian: false, eightBit: false },
}
const radixes: Readonly<Record<string, number>> = { o: 8, d: 10, x: 16 }

export const strings = defineProgram({
  name: 'strings',
  usage: '[option(s)] [file(s)]',
  usageHint: 'Usage: strings [option(s)] [file(s)]',
  options: {
    all: { names: ['-a', '--all'] },
    data: { names: ['-d', '--data'] },
    fileName: { names: ['-f', '--print-file-name'] },
    bytes: { names: ['-n', '--bytes'], value: 'required' },
    radix: { names: ['-t', '--radix'], value: 'required' },
    octal: { names: ['-o'] },
    whitespace: { names: ['-w', '--include-all-whitespace'] },
    encoding: { names: ['-e', '--encoding'], value: 'required' },
    separator: { names: ['-s', '--output-separator'], value: 'required' },
  },
  unsupported: ['-T', '--target', '-U', '--unicode'],
  rewrite: (args) => args.map((arg) => (/^-\d+$/.test(arg) ? `-n${arg.slice(1)}` : arg)),
  async run(io, given) {
    const least = Number(given.value('bytes') ?? 4)
    if (!Number.isInteger(least) || least < 1) {
      throw new ProgramError(`invalid minimum string length ${given.value('bytes')}`)
    }
    const radixName = given.has('octal') ? 'o' : given.value('radix')
    const radix = radixName === undefined ? undefined : entryOf(radixes, radixName)
    if (radixName !== undefined && radix === undefined) throw new ProgramError(`invalid radix '${radixName}'`)
    const encoding = entryOf(encodings, given.value('encoding') ?? 's')
    if (encoding === undefined) throw new ProgramError(`invalid encoding '${given.value('encoding')}'`)
    const options = {
      least,
      radix,
      encoding,
      whitespace: given.has('whitespace'),
      separator: given.value('separator') ?? '\n',
    }
    let status = 0
    for (const name of given.operands.length > 0 ? given.operands : ['-']) {
      const label = given.has('fileName') ? `${name === '-' ? '{standard input}' : name}: ` : ''
      if (!(await printStrings(io, name, label, options))) status = 1
    }
    return status
  },
})

interface StringOptions {
  least: number
  radix: number | undefined
  encoding: Encoding
  whitespace: boolean
  separator: string
}

async function printStrings(io: ProgramIo, name: string, label: string, options: StringOptions): Promise<boolean> {
  const { least, radix, encoding, separator } = options
  let run: number[] = []
  let start = 0
  let offset = 0
  let rest = new Uint8Array()

  async function end(): Promise<void> {
    if (run.length >= least) {
      const at = radix === undefined ? '' : `${start.toString(radix).padStart(7)} `
      await io.stdout.write(`${label}${at}`)
      await io.stdout.write(Uint8Array.from(run))
      await io.stdout.write(separator)
    }
    run = []
  }

  try {
    const reader = name === '-' ? io.stdin : await io.fs.openRead(name)
    for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
      const bytes = rest.length > 0 ? joined(rest, chunk) : chunk
      let at = 0
      while (at + encoding.width <= bytes.length) {
        const value = valueAt(bytes, at, encoding)
        if (isPrintable(value, options)) {
          if (run.length === 0) start = offset
          run.push(value)
          at += encoding.width
          offset += encoding.width
          continue
        }
        if (run.length > 0) await end()
        at += 1
        offset += 1
      }
      rest = bytes.slice(at) as Uint8Array<ArrayBuffer>
      io.step()
    }
    await end()
    return true
  } catch (error) {
    await io.error(describe(name, error))
    return false
  }
}

function describe(name: string, error: unknown): string {
  const text = describeError(error)
  if (text === 'No such file or directory') return `'${name}': No such file`
  if (text === 'Is a directory') return `Warning: '${name}' is a directory`
  return `${name}: ${text}`
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function valueAt(bytes: Uint8Array, at: number, { width, bigEndian }: Encoding): number {
  if (width === 1) return bytes[at] as number
  let value = 0
  for (let index = 0; index < width; index += 1) {
    value = value * 256 + (bytes[at + (bigEndian ? index : width - 1 - index)] as number)
  }
  return value
}

function isPrintable(value: number, { encoding, whitespace }: StringOptions): boolean {
  if (value === 9 || (value >= 32 && value < 127)) return true
  if (whitespace && value >= 10 && value <= 13) return true
  return encoding.eightBit && value > 127 && value < 256
}
