/** The files that grep searches, in the order in which directories list them. */
import { isFsError } from '../../../src/errors.js'
import type { Entry } from '../../../src/fs/types.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import type { ByteReader } from '../../io/streams.js'

/** Files and directories that are opened ahead. */
const filesAhead = 64
const directoriesAhead = 8

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

  async function walk(path: string, name: string, listed?: Promise<Entry[]>): Promise<void> {
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
      entries = await (listed ?? io.fs.readDir(path))
    } catch (error) {
      await options.fail(`${name === '' ? path : name}: ${describeError(error)}`)
      return
    }
    const pathsOf = (takes: (entry: Entry) => boolean) => entries.filter(takes).map((entry) => below(path, entry.name))
    const next: Ahead = {
      file: inAdvance(pathsOf(isTakenFile), filesAhead, io.fs.openRead),
      directory: inAdvance(pathsOf(isTakenDirectory), directoriesAhead, io.fs.readDir),
    }
    for (const entry of entries) {
      io.step()
      await visit(entry, below(path, entry.name), below(name, entry.name), next)
    }
    if (options.followsLinks) ancestors.pop()
  }

  function isTakenFile({ kind, name }: Entry): boolean {
    return kind === 'file' && options.takesFile(name)
  }

  function isTakenDirectory({ kind, name }: Entry): boolean {
    return kind === 'directory' && options.takesDirectory(name)
  }

  async function visit(entry: Entry, path: string, name: string, next: Ahead): Promise<void> {
    const shown = name === '' ? path : name
    if (isTakenFile(entry)) await options.visit(shown, next.file())
    else if (isTakenDirectory(entry)) await walk(path, name, next.directory())
    if (entry.kind !== 'symlink') return
    const kind = await linkKind(path, name)
    if (kind === 'directory' && options.takesDirectory(entry.name)) await walk(path, name)
    else if (kind === 'file' && options.takesFile(entry.name)) await options.visit(shown, io.fs.openRead(path))
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

interface Ahead {
  file(): Promise<ByteReader>
  directory(): Promise<Entry[]>
}

/** Opens things before it is their turn: the next ones are read while one is searched. */
function inAdvance<Opened>(
  paths: readonly string[],
  most: number,
  open: (path: string) => Promise<Opened>,
): () => Promise<Opened> {
  const waiting: Array<Promise<Opened>> = []
  let next = 0
  return () => {
    if (waiting.length <= most >> 1) {
      for (; next < paths.length && waiting.length < most; next += 1) {
        const opening = open(paths[next] as string)
        // A failure is reported when it is its turn.
        opening.catch(() => {})
        waiting.push(opening)
      }
    }
    return waiting.shift() as Promise<Opened>
  }
}

function below(directory: string, name: string): string {
  if (directory === '') return name
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`
}
