/** `less` and `more` without a terminal: they print their files. Options for the keyboard and the screen change nothing. */
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import type { ByteReader } from '../../../io/streams.js'
import { defineProgram, rawProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'

async function copy(io: ProgramIo, reader: ByteReader): Promise<void> {
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    io.step()
    const waiting = io.stdout.write(chunk)
    if (waiting !== undefined) await waiting
  }
}

/** Those of less with a value, which may be the next argument. */
const valuedLetters = 'bhjkoOpPtTxyzD#"'

export const less = rawProgram({
  name: 'less',
  usage: '[options] [file...]',
  async run(io) {
    const names: string[] = []
    for (let at = 0; at < io.args.length; at += 1) {
      const arg = io.args[at] as string
      if (arg === '--') {
        names.push(...io.args.slice(at + 1))
        break
      }
      if (arg === '-' || !/^[-+]/.test(arg)) names.push(arg)
      else if (
        /^--(?!quit|chop|line|LINE|raw|RAW|squeeze|no-init|ignore|IGNORE|tabs|pattern|window|silent|quiet|QUIET|mouse|wordwrap)|^-%/.test(
          arg,
        )
      ) {
        throw new ProgramError(`There is no ${arg.replace(/^-+/, '')} option ("less --help" for help)`)
      } else if (/^-[^-]/.test(arg) && valuedLetters.includes(arg.at(-1) as string)) at += 1
    }
    if (names.length === 0) await copy(io, io.stdin)
    for (const name of names) await page(io, name)
    return 0
  },
})

/** less prints what is wrong with a file where its content would be. */
async function page(io: ProgramIo, name: string): Promise<void> {
  let reader: ByteReader
  try {
    reader = name === '-' ? io.stdin : await io.fs.openRead(name)
  } catch (error) {
    const reason = describeError(error)
    await io.stdout.write(reason === 'Is a directory' ? `${name} is a directory\n` : `${name}: ${reason}\n`)
    return
  }
  await copy(io, reader)
}

const frame = '::::::::::::::'

export const more = defineProgram({
  name: 'more',
  usage: '[options] <file>...',
  helpNames: ['-h', '--help'],
  options: {
    silent: { names: ['-d', '--silent'] },
    logical: { names: ['-f', '--logical'] },
    pause: { names: ['-l', '--no-pause'] },
    printOver: { names: ['-c', '--print-over'] },
    clean: { names: ['-p', '--clean-print'] },
    exit: { names: ['-e', '--exit-on-eof'] },
    squeeze: { names: ['-s', '--squeeze'] },
    plain: { names: ['-u', '--plain'] },
    lines: { names: ['-n', '--lines'], value: 'required' },
  },
  rewrite: (args) => args.filter((arg) => !/^-\d+$|^\+./.test(arg)),
  async run(io, { operands }) {
    if (operands.length === 0) await copy(io, io.stdin)
    for (const name of operands) {
      let reader: ByteReader
      try {
        reader = await io.fs.openRead(name)
      } catch (error) {
        const reason = describeError(error)
        if (reason === 'Is a directory') await io.stdout.write(`\n*** ${name}: directory ***\n\n`)
        else await io.error(`cannot open ${name}: ${reason}`)
        continue
      }
      await io.stdout.write(`${frame}\n${name}\n${frame}\n`)
      await copy(io, reader)
    }
    return 0
  },
})
