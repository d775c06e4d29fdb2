/** Replaces `$NAME` and `${NAME}` in its input by the values of exported variables. */
import { decodeText } from '../../../io/byte-text.js'
import { concat, lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'

const reference = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g

export const envsubst = defineProgram({
  name: 'envsubst',
  usage: '[OPTION] [SHELL-FORMAT]',
  helpNames: ['-h', '--help'],
  options: {
    variables: { names: ['-v', '--variables'] },
  },
  async run(io, given) {
    const [format, ...more] = given.operands
    if (more.length > 0) throw new ProgramError('too many arguments')
    if (given.has('variables')) {
      if (format === undefined) throw new ProgramError('missing arguments')
      for (const name of namesIn(format)) await io.stdout.write(`${name}\n`)
      return 0
    }
    const names = format === undefined ? undefined : new Set(namesIn(format))
    for await (const lines of lineBatches(io.stdin)) {
      io.step()
      const text = decodeText(concat(lines))
      await io.stdout.write(
        text.replace(reference, (written: string, braced?: string, plain?: string) => {
          const name = braced ?? plain ?? ''
          return names === undefined || names.has(name) ? (io.env.get(name) ?? '') : written
        }),
      )
    }
    return 0
  },
})

function namesIn(format: string): string[] {
  return [...format.matchAll(reference)].map(([, braced, plain]) => braced ?? plain ?? '')
}
