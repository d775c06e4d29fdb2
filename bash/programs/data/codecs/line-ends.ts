/** `dos2unix` and `unix2dos`: files are converted in place, standard input to standard output. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import type { Program, ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'

const options = {
  quiet: { names: ['-q', '--quiet'] },
  force: { names: ['-f', '--force'] },
  keepDate: { names: ['-k', '--keepdate'] },
  newFile: { names: ['-n', '--newfile'] },
  oldFile: { names: ['-o', '--oldfile'] },
  removeMark: { names: ['-r', '--remove-bom'] },
  addMark: { names: ['-m', '--add-bom'] },
} as const

function converter(name: string, format: string, convert: (bytes: Uint8Array) => Uint8Array<ArrayBuffer>): Program {
  return defineProgram({
    name,
    usage: '[options] [file ...] [-n infile outfile ...]',
    options,
    unsupported: ['-7', '-c', '--convmode', '-i', '--info', '-l', '--newline', '-s', '--safe', '-u', '--keep-utf16'],
    async run(io, given) {
      const change = (bytes: Uint8Array) => {
        const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
        const dropsMark = marked && (name === 'dos2unix' || given.has('removeMark')) && !given.has('addMark')
        const converted = convert(dropsMark ? bytes.subarray(3) : bytes)
        if (!given.has('addMark') || marked) return converted
        return Uint8Array.from([0xef, 0xbb, 0xbf, ...converted])
      }
      const { operands } = given
      if (operands.length === 0) {
        await io.stdout.write(change(await readAll(io.stdin)))
        return 0
      }
      const pairs = given.has('newFile')
      if (pairs && operands.length % 2 !== 0) throw new ProgramError('target of file missing in new-file mode')
      let status = 0
      for (let index = 0; index < operands.length; index += pairs ? 2 : 1) {
        const from = operands[index] as string
        const to = pairs ? (operands[index + 1] as string) : from
        if (!(await convertFile(io, from, to, format, change, given))) status = 1
      }
      return status
    },
  })
}

async function convertFile(
  io: ProgramIo,
  from: string,
  to: string,
  format: string,
  change: (bytes: Uint8Array) => Uint8Array<ArrayBuffer>,
  given: { has(key: keyof typeof options): boolean },
): Promise<boolean> {
  try {
    const bytes = await io.fs.readFile(from)
    if (!given.has('force') && isBinary(bytes)) {
      if (!given.has('quiet')) await io.error(`Skipping binary file ${from}`)
      return true
    }
    const { modifiedMs } = await io.fs.stat(from)
    await io.fs.writeFile(to, change(bytes))
    if (given.has('keepDate') && modifiedMs !== undefined) await io.fs.setModified(to, modifiedMs)
    const target = from === to ? '' : ` to file ${to}`
    if (!given.has('quiet')) await io.error(`converting file ${from}${target} to ${format} format...`)
    return true
  } catch (error) {
    if (!isFsError(error)) throw error
    await io.error(`${from}: ${describeError(error)}`)
    return false
  }
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13)
}

function withoutReturns(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const output = new Uint8Array(bytes.length)
  let to = 0
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === 13 && bytes[at + 1] === 10) continue
    output[to] = bytes[at] as number
    to += 1
  }
  return output.subarray(0, to)
}

function withReturns(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const output = new Uint8Array(bytes.length * 2)
  let to = 0
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === 10 && bytes[at - 1] !== 13) {
      output[to] = 13
      to += 1
    }
    output[to] = bytes[at] as number
    to += 1
  }
  return output.subarray(0, to)
}

export const lineEndPrograms: readonly Program[] = [
  converter('dos2unix', 'Unix', withoutReturns),
  converter('unix2dos', 'DOS', withReturns),
]
