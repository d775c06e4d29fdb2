/** The actions of `find`. */

import { encodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ByteWriter } from '../../../io/streams.js'
import { ProgramError } from '../../program-error.js'
import { escapedCharacter, isUnprintable, quoted } from '../../quoting.js'
import { ask } from '../shared/ask.js'
import { allocatedOf, inodeOf, linkCount, modeText, modifiedOf, statIfThere, userName } from '../shared/facts.js'
import { timeText } from '../shared/times.js'
import { type Found, nameOf, type Search, searchError, type Test } from './found.js'
import { sizeOfFound } from './tests.js'

/** Where an action writes: stdout, or the file that is named. */
export type Write = (text: string, search: Search) => Promise<void> | undefined

export const toStdout: Write = (text, { io }) => io.stdout.write(text)

/** Files are created even if nothing is found; each is opened once. */
export function fileOutputs(search: Search): (path: string) => Promise<Write> {
  const open = new Map<string, ByteWriter>()
  return async (path) => {
    if (path === '/dev/stdout') return toStdout
    if (path === '/dev/stderr') return (text, { io }) => io.stderr.write(text)
    let writer = open.get(path)
    if (writer === undefined) {
      try {
        writer = await search.io.fs.openWrite(path)
      } catch (error) {
        throw new ProgramError(`${quoted(path)}: ${describeError(error)}`)
      }
      const opened = writer
      open.set(path, opened)
      search.atEnd.push(() => opened.close())
    }
    const known = writer
    return (text) => known.write(encodeText(text))
  }
}

export function printAction(write: Write, end: string): Test {
  return (found, search) => {
    const written = write(found.path + end, search)
    return written === undefined ? true : written.then(() => true)
  }
}

export function formatAction(write: Write, format: (found: Found, search: Search) => Promise<string>): Test {
  return async (found, search) => {
    await write(await format(found, search), search)
    return true
  }
}

const recentMs = 182.5 * 86_400_000

export function listAction(write: Write): Test {
  return async (found, search) => {
    const { io } = search
    const stat = await found.stat()
    const modified = modifiedOf(stat)
    const isRecent = modified > search.now - recentMs && modified <= search.now + 3_600_000
    const time = timeText(io, modified, isRecent ? '%b %e %H:%M' : '%b %e  %Y')
    const target = stat.kind === 'symlink' ? ` -> ${shown(await io.fs.readLink(found.path))}` : ''
    const fields = [
      String(inodeOf(io, found.path, stat)).padStart(9),
      String(allocatedOf(stat) / 1024).padStart(6),
      modeText(stat),
      String(await linkCount(io.fs, found.path, stat)).padStart(3),
      userName.padEnd(8),
      userName.padEnd(8),
      String(await sizeOfFound(found, search)).padStart(8),
      time,
    ]
    await write(`${fields.join(' ')} ${shown(found.path)}${target}\n`, search)
    return true
  }
}

function shown(name: string): string {
  return [...name]
    .map((character) => {
      if (character === ' ' || character === '\\' || character === '"') return `\\${character}`
      return isUnprintable(character) ? escapedCharacter(character) : character
    })
    .join('')
}

export const pruneAction: Test = (_, search) => {
  search.isPruned = true
  return true
}

export const quitAction: Test = (_, search) => {
  search.hasQuit = true
  return true
}

export const deleteAction: Test = async ({ path }, search) => {
  if (path === '.') return true
  try {
    await search.io.fs.remove(path)
    return true
  } catch (error) {
    await searchError(search, `cannot delete ${quoted(path)}: ${describeError(error)}`)
    return false
  }
}

interface Command {
  words: readonly string[]
  /** Runs in the directory of the file. */
  isInDirectory: boolean
  asks: boolean
}

/** `-exec … ;` */
export function commandAction({ words, isInDirectory, asks }: Command): Test {
  return async (found, search) => {
    const { io } = search
    const { cwd, argument } = place(found, search, isInDirectory)
    const argv = words.map((word) => word.replaceAll('{}', argument))
    if (asks && !(await ask(io, `< ${argv[0]} ... ${found.path} > ? `))) return false
    return (await runCommand(search, argv, cwd)) === 0
  }
}

/** Below the limits of real systems, so that a long list is split as there. */
const maxBatchBytes = 128 * 1024

/** `-exec … {} +`: as many files as fit, per directory for `-execdir`. */
export function batchAction({ words, isInDirectory }: Command, search: Search): Test {
  let batch: string[] = []
  let bytes = 0
  let directory: string | undefined

  async function flush(): Promise<void> {
    if (batch.length === 0) return
    const argv = [...words, ...batch]
    const cwd = directory
    batch = []
    bytes = 0
    const status = await runCommand(search, argv, cwd)
    if (status !== 0) search.status = 1
  }

  search.atEnd.push(flush)
  return async (found) => {
    const { cwd, argument } = place(found, search, isInDirectory)
    if (cwd !== directory || bytes + argument.length > maxBatchBytes) await flush()
    directory = cwd
    batch.push(argument)
    bytes += argument.length + 9
    search.io.account(argument.length * 2)
    return true
  }
}

function place(found: Found, { io }: Search, isInDirectory: boolean): { cwd?: string; argument: string } {
  if (!isInDirectory) return { argument: found.path }
  const name = nameOf(found)
  if (found.depth === 0 && !found.path.includes('/')) return { cwd: io.cwd, argument: `./${name}` }
  const cwd = io.path(`${found.path.replace(/(.)\/+$/, '$1')}/..`)
  return { cwd, argument: name === '/' ? '/' : `./${name}` }
}

async function runCommand(search: Search, argv: readonly string[], cwd: string | undefined): Promise<number> {
  const { io } = search
  const [name = ''] = argv
  if (!(await io.has(name))) {
    const isThere = name.includes('/') && (await statIfThere(io.fs, name)) !== undefined
    await io.error(`${quoted(name)}: ${isThere ? 'Permission denied' : 'No such file or directory'}`)
    return 127
  }
  return io.run(argv, cwd === undefined ? {} : { cwd })
}
