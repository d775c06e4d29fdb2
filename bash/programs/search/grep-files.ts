/** The files that grep searches, in the order in which directories list them. */
import { type FsError, isFsError } from '../../../src/errors.js'
import type { Entry } from '../../../src/fs/types.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import type { ByteReader } from '../../io/streams.js'

/** Files that are opened ahead, and how few of them are left when the next ones are. */
const filesAhead = 256
const fewAhead = 128
/** Directories that are listed ahead, and names that are known before they are needed. */
const directoriesAhead = 32
const namesAhead = 2000

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
  /** Below links nothing is asked for ahead. */
  const direct: Source = { list: io.fs.readDir, open: io.fs.openRead }
  const ahead = aheadOf(io, { isTakenFile, isTakenDirectory })
  void ahead.explore(directory)
  try {
    await walk(directory, shown, ahead)
  } finally {
    ahead.stop()
  }

  async function walk(path: string, name: string, from: Source): Promise<void> {
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
      entries = await from.list(path)
    } catch (error) {
      await options.fail(`${name === '' ? path : name}: ${describeError(error)}`)
      return
    }
    for (const entry of entries) {
      io.step()
      await visit(entry, below(path, entry.name), below(name, entry.name), from)
    }
    if (options.followsLinks) ancestors.pop()
  }

  function isTakenFile({ kind, name }: Entry): boolean {
    return kind === 'file' && options.takesFile(name)
  }

  function isTakenDirectory({ kind, name }: Entry): boolean {
    return kind === 'directory' && options.takesDirectory(name)
  }

  async function visit(entry: Entry, path: string, name: string, from: Source): Promise<void> {
    const shown = name === '' ? path : name
    if (isTakenFile(entry)) await options.visit(shown, from.open(path))
    else if (isTakenDirectory(entry)) await walk(path, name, from)
    if (entry.kind !== 'symlink') return
    const kind = await linkKind(path, name)
    if (kind === 'directory' && options.takesDirectory(entry.name)) await walk(path, name, direct)
    else if (kind === 'file' && options.takesFile(entry.name)) await options.visit(shown, direct.open(path))
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

/** Where a walk gets what it visits. */
interface Source {
  list(directory: string): Promise<Entry[]>
  open(file: string): Promise<ByteReader>
}

interface FilesOf {
  directory: string
  names: string[]
}

/** Files that are opened together; those before `from` were opened earlier. */
interface Batch extends FilesOf {
  from: number
  opened: Promise<Array<ByteReader | FsError>>
}

interface Ahead extends Source {
  /** Goes through a directory ahead of the walk, so that many files are asked for at once: a request takes longer than to read a small file. */
  explore(directory: string): Promise<void>
  stop(): void
}

function aheadOf(io: ProgramIo, takes: Record<'isTakenFile' | 'isTakenDirectory', (entry: Entry) => boolean>): Ahead {
  /** Each is used twice: by the one that explores and by the walk. */
  const listings = new Map<string, { listed: Promise<Entry[]>; isUsed: boolean }>()
  /** Files that are not opened yet, in the order of the walk: those of one directory together. */
  const found: FilesOf[] = []
  /** Counts what is in `found`. */
  let names = 0
  /** What is opened and not yet used, and its place among those that are opened with it. */
  const opened = new Map<string, { batch: Batch; index: number }>()
  /** What the walk has opened before it was found here. */
  const passed = new Set<string>()
  let isOver = false
  let goOn: (() => void) | undefined

  function listing(directory: string): { listed: Promise<Entry[]>; isUsed: boolean } {
    const known = listings.get(directory)
    if (known !== undefined) return known
    const one = { listed: quiet(io.fs.readDir(directory)), isUsed: false }
    listings.set(directory, one)
    return one
  }

  function list(directory: string): Promise<Entry[]> {
    const one = listing(directory)
    if (one.isUsed) listings.delete(directory)
    one.isUsed = true
    return one.listed
  }

  function listAhead(directories: readonly string[]): void {
    for (const directory of directories) {
      if (listings.size >= directoriesAhead) return
      listing(directory)
    }
  }

  function add(directory: string, name: string): void {
    if (passed.size > 0 && passed.delete(below(directory, name))) return
    names += 1
    const last = found.at(-1)
    if (last?.directory === directory && last.names.length < filesAhead) last.names.push(name)
    else found.push({ directory, names: [name] })
  }

  function openAhead(): void {
    while (opened.size < filesAhead) {
      const next = found.shift()
      if (next === undefined) return
      names -= next.names.length
      const batch: Batch = { ...next, from: 0, opened: quiet(io.fs.openAll(next.directory, next.names)) }
      for (const [index, name] of next.names.entries()) opened.set(below(next.directory, name), { batch, index })
    }
  }

  async function taken(batch: Batch, index: number): Promise<ByteReader> {
    let one = (await batch.opened)[index - batch.from]
    if (one === undefined) {
      // It did not fit in the answer.
      batch.from = index
      batch.opened = quiet(io.fs.openAll(batch.directory, batch.names.slice(index)))
      one = (await batch.opened)[0]
    }
    if (isFsError(one)) throw one
    return one as ByteReader
  }

  async function explore(directory: string): Promise<void> {
    let entries: Entry[]
    try {
      entries = await list(directory)
    } catch {
      // It is reported when it is its turn.
      return
    }
    const directories = entries.filter(takes.isTakenDirectory).map(({ name }) => below(directory, name))
    listAhead(directories)
    for (const entry of entries) {
      if (names >= namesAhead) {
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
      }
      if (isOver) return
      if (takes.isTakenFile(entry)) add(directory, entry.name)
      else if (takes.isTakenDirectory(entry)) {
        await explore(directories.shift() as string)
        listAhead(directories)
      }
    }
  }

  return {
    explore,
    list,
    open(file) {
      if (opened.size <= fewAhead) openAhead()
      const known = opened.get(file)
      if (known === undefined) {
        passed.add(file)
        return io.fs.openRead(file)
      }
      opened.delete(file)
      if (names < namesAhead) goOn?.()
      return taken(known.batch, known.index)
    },
    stop() {
      isOver = true
      goOn?.()
    },
  }
}

/** A failure is reported when it is its turn. */
function quiet<Found>(promise: Promise<Found>): Promise<Found> {
  promise.catch(() => {})
  return promise
}

function below(directory: string, name: string): string {
  if (directory === '') return name
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`
}
