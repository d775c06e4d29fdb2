/** GNU make: reads makefiles, and makes what is older than what it is made of. */
import { isFsError } from '../../../src/errors.js'
import { resolve } from '../../../src/fs/path.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { rawProgram } from '../define-program.js'
import { notice, versionText } from '../originals.js'
import { type Given, noOptions, readArguments, WrongOption, wordsOfFlags } from './arguments.js'
import { inDirectory } from './directory-io.js'
import { makeOnce } from './make-once.js'
import { usage } from './texts.js'

const wrongUsage = 2
/** Makefiles that are made anew each time they are read would never end. */
const mostRestarts = 100

export const make = rawProgram({
  name: 'make',
  async run(io) {
    const given: Given = { options: noOptions(), goals: [], assignments: [], asksFor: undefined }
    try {
      for (const name of ['GNUMAKEFLAGS', 'MAKEFLAGS']) {
        readArguments(wordsOfFlags(io.env.get(name) ?? ''), given, true)
      }
      // A directory is meant for one make, not for those that it runs.
      given.options.directories = []
      readArguments(io.args, given)
    } catch (error) {
      if (!(error instanceof WrongOption)) throw error
      await io.stderr.write(`${io.name}: ${error.message}\n${usage}${notice}`)
      return wrongUsage
    }
    if (given.asksFor !== undefined) {
      await io.stdout.write(given.asksFor === 'version' ? versionText('make') : `${usage}${notice}`)
      return 0
    }
    return start(io, given)
  },
})

async function start(io: ProgramIo, given: Given): Promise<number> {
  const { options } = given
  const level = Number(/^[0-9]+$/.exec(io.env.get('MAKELEVEL') ?? '')?.[0] ?? 0)
  const title = level === 0 ? io.name : `${io.name}[${level}]`
  let directory = io.cwd
  for (const name of options.directories) {
    directory = resolve(directory, name)
    const problem = await problemOf(io, directory)
    if (problem !== undefined) {
      await io.stderr.write(`${title}: *** ${name}: ${problem}.  Stop.\n`)
      return wrongUsage
    }
  }
  const isElsewhere = options.directories.length > 0
  if (options.printsDirectory === undefined && !options.isSilent && (isElsewhere || level > 0)) {
    options.printsDirectory = true
  }
  const inside = isElsewhere ? inDirectory(io, directory) : io
  const cwd = await inside.fs.realPath('.').catch(() => directory)
  const prints = options.printsDirectory === true
  if (prints) await io.stdout.write(`${title}: Entering directory '${cwd}'\n`)
  await nextTick(inside)
  let status: number | 'again' = 'again'
  for (let restarts = 0; status === 'again'; restarts += 1) {
    if (restarts > mostRestarts) {
      await io.stderr.write(`${title}: *** makefiles are remade without an end.  Stop.\n`)
      status = wrongUsage
    } else status = await makeOnce({ io: inside, given, level, title, cwd, restarts })
  }
  if (prints) await io.stdout.write(`${title}: Leaving directory '${cwd}'\n`)
  await nextTick(inside)
  return status
}

async function problemOf(io: ProgramIo, directory: string): Promise<string | undefined> {
  try {
    return (await io.fs.stat(directory)).kind === 'directory' ? undefined : 'Not a directory'
  } catch (error) {
    if (!isFsError(error)) throw error
    return describeError(error)
  }
}

/** What is written from here on is newer than what was written before: times have milliseconds only. */
async function nextTick(io: ProgramIo): Promise<void> {
  const before = Math.floor(io.now())
  while (Math.floor(io.now()) <= before) await io.clock.timer(1).due
}
