/** A calculator of any precision. */
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { BcInterpreter } from './run.js'

export const bc = defineProgram({
  name: 'bc',
  usage: '[options] [file ...]',
  helpNames: ['-h', '--help'],
  usageHint: 'usage: bc [options] [file ...]',
  options: {
    library: { names: ['-l', '--mathlib'] },
    // No banner is printed here, and nothing is warned of.
    quiet: { names: ['-q', '--quiet'] },
    standard: { names: ['-s', '--standard'] },
    warn: { names: ['-w', '--warn'] },
    interactive: { names: ['-i', '--interactive'] },
  },
  async run(io, { has, operands }) {
    const length = Number(io.env.get('BC_LINE_LENGTH') ?? 70)
    const interpreter = new BcInterpreter(
      {
        write: (text) => io.stdout.write(text),
        error: async (text) => io.stderr.write(text),
        step: () => io.step(),
        lineLength: length === 0 || length > 2 ? length : 70,
      },
      has('library'),
    )
    for (const name of operands) {
      let source: string
      try {
        source = decodeText(await readAll(await io.fs.openRead(name)))
      } catch (error) {
        throw new ProgramError(`File ${name} is unavailable: ${describeError(error)}`, 1)
      }
      if (await interpreter.run(source, name)) return 0
    }
    await interpreter.run(decodeText(await readAll(io.stdin)), 'standard_in')
    return 0
  },
})
