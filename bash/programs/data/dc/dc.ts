/** A calculator that works on a stack. */
import type { Bytes } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { Dc, type DcHost } from './run.js'

export const dc = defineProgram({
  name: 'dc',
  usage: '[OPTION] [file ...]',
  helpNames: ['-h', '--help'],
  options: {
    expression: { names: ['-e', '--expression'], value: 'required' },
    file: { names: ['-f', '--file'], value: 'required' },
  },
  async run(io, { given, operands }) {
    const input = stdinLines(io)
    const runner = new Dc({
      write: (text) => io.stdout.write(bytesOf(text)),
      async error(text) {
        await io.stderr.write(text)
      },
      step: () => io.step(),
      account: (bytes) => io.account(bytes),
      line: input.line,
      lineLength: lineLengthOf(io.env.get('DC_LINE_LENGTH')),
    } satisfies DcHost)
    const programs = [...given.map(({ key, value = '' }) => ({ key, value })), ...operands.map(fileNamed)]
    if (programs.length === 0) programs.push(fileNamed('-'))
    for (const { key, value } of programs) {
      if (key === 'expression') {
        await input.load()
        if (await runner.run(charactersIn(encodeText(value)), true)) return 0
        continue
      }
      const text = value === '-' ? await input.rest() : await fileText(io, value)
      if (value !== '-') await input.load()
      // One that a file ends has the status of a program that did not come to its end.
      if (text !== undefined && (await runner.run(text))) return 1
    }
    return 0
  },
})

const fileNamed = (value: string) => ({ key: 'file' as const, value })

function lineLengthOf(given: string | undefined): number {
  const length = Number(given ?? 70)
  return length === 0 || length > 1 ? length : 70
}

async function fileText(io: ProgramIo, name: string): Promise<string | undefined> {
  try {
    return charactersIn(await readAll(await io.fs.openRead(name)))
  } catch (error) {
    const reason = describeError(error)
    await io.error(reason === 'Is a directory' ? `${name}: ${reason}` : `Could not open file ${name}`)
    return undefined
  }
}

/** Standard input for `?`, which takes a line of it; a program on it is all that is left. */
function stdinLines(io: ProgramIo) {
  let text: string | undefined
  return {
    async load() {
      text ??= charactersIn(await readAll(io.stdin))
    },
    async rest() {
      const all = text ?? charactersIn(await readAll(io.stdin))
      text = ''
      return all
    },
    line() {
      if (text === undefined || text === '') return undefined
      const end = text.indexOf('\n')
      const line = end === -1 ? text : text.slice(0, end)
      text = end === -1 ? '' : text.slice(end + 1)
      return line
    },
  }
}

function charactersIn(bytes: Bytes): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}

function bytesOf(text: string): Bytes {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
