/** The files that grep searches, in the order in which directories list them. */
import { isFsError } from '../../../errors.js'
import type { Entry } from '../../../fs/types.js'
import type { ByteReader } from '../../io/streams.js'
import { describeError } from '../describe-error.js'
import type { ProgramIo } from '../program.js'

/** Files that are opened ahead. */
const ahead = 8

export interface WalkOptions {
  /** Links inside directories are followed too. */
  followsLinks: boolean
  takesFile(name: string): boolean
  takesDirectory(name: string): boolean
  /** Called for every file, with the name as it is printed, and a promise of its content. */
  visit(name: string, opened: Promise<ByteReader>): Promise<void>
  fail(message: string): Promise<void>
}

/** Walks a directory that is named `shown`, or has no name in what is printed when that is empty. */
export async function walkFiles(io: ProgramIo, directory: string, shown: string, options: WalkOptions): Promise<void> {
  const ancestors: string[] = []
  await walk(directory, shown)

  async function walk(path: string, name: string): Promise<void> {
    let entries: Entry[]
    try {
      if (options.followsLinks) {
        const real = await io.fs.realPath(path)
        if (ancestors.includes(real)) {
          await options.fail(`warning: ${name}: recursive directory loop`)
          return
        }
        ancestors.push(real)
      }
      entries = await io.fs.readDir(path)
    } catch (error) {
      await options.fail(`${name === '' ? path : name}: ${describeError(error)}`)
      return
    }
    const opened = openedAhead(entries.filter(isTakenFile).map((entry) => below(path, entry.name)))
    for (const entry of entries) {
      io.step()
      await visit(entry, below(path, entry.name), below(name, entry.name), opened)
    }
    if (options.followsLinks) ancestors.pop()
  }

  function isTakenFile({ kind, name }: Entry): boolean {
    return kind === 'file' && options.takesFile(name)
  }

  /** Opens files before it is their turn: the next one is read while one is searched. */
  function openedAhead(paths: readonly string[]): () => Promise<ByteReader> {
    const waiting: Array<Promise<ByteReader>> = []
    let next = 0
    return () => {
      while (next < paths.length && waiting.length < ahead) {
        const opening = io.fs.openRead(paths[next] as string)
        // A failure is reported when it is the file's turn.
        opening.catch(() => {})
        waiting.push(opening)
        next += 1
      }
      return waiting.shift() as Promise<ByteReader>
    }
  }

  async function visit(entry: Entry, path: string, name: string, opened: () => Promise<ByteReader>): Promise<void> {
    if (isTakenFile(entry)) {
      await options.visit(name === '' ? path : name, opened())
      return
    }
    const kind = entry.kind === 'symlink' ? await linkKind(path, name) : entry.kind
    if (kind === 'directory') {
      if (options.takesDirectory(entry.name)) await walk(path, name)
    } else if (entry.kind === 'symlink' && kind === 'file' && options.takesFile(entry.name)) {
      await options.visit(name === '' ? path : name, io.fs.openRead(path))
    }
  }

  async function linkKind(path: string, name: string): Promise<string | undefined> {
    if (!options.followsLinks) return undefined
    try {
      return (await io.fs.stat(path)).kind
    } catch (error) {
      if (!isFsError(error)) throw error
      await options.fail(`${name}: ${describeError(error)}`)
      return undefined
    }
  }
}

function below(directory: string, name: string): string {
  if (directory === '') return name
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`
}
