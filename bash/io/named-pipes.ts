/**
 * FIFOs in the files of a command. In the tree each is an empty file, which keeps its name, its mode and its times; what it is, only the
 * shell knows. No file system of ours stores one.
 */
import { FsError, isFsError } from '../../src/errors.js'
import { basename, dirname, isWithin, join } from '../../src/fs/path.js'
import type { Entry, Stat } from '../../src/fs/types.js'
import type { BufferedTree } from './command-tree.js'
import { type Fifo, fifo } from './fifo.js'
import { type ByteReader, type ByteWriter, readAll } from './streams.js'

export interface TreeWithPipes extends BufferedTree {
  /** The paths of all FIFOs. */
  pipes(): string[]
  /** Those that something waits for: whoever waits fails. */
  endPipes(error: unknown): string[]
}

const fifoMark = Symbol('fifo')

/** Whether a stat is that of a FIFO. Its kind is `other`. */
export function isPipe(stat: Stat | undefined): boolean {
  return stat !== undefined && fifoMark in stat
}

/** `known`: the FIFOs that earlier commands have left, by their paths without links. */
export function namedPipes(tree: BufferedTree, known: readonly string[] = []): TreeWithPipes {
  const pipes = new Map<string, Fifo>(known.map((path) => [path, fifo()]))

  /** The path without links, but for the last name. */
  async function entryPath(path: string): Promise<string> {
    return join(await tree.realPath(dirname(path)), basename(path))
  }

  async function at(path: string, place: (path: string) => Promise<string>): Promise<Fifo | undefined> {
    if (pipes.size === 0) return undefined
    try {
      return pipes.get(await place(path))
    } catch (error) {
      if (isFsError(error)) return undefined
      throw error
    }
  }

  const entry = (path: string) => at(path, entryPath)
  const target = (path: string) => at(path, tree.realPath)

  function asPipe(stat: Stat): Stat {
    return Object.assign({ ...stat, kind: 'other' as const, size: 0 }, { [fifoMark]: true })
  }

  async function requireRight(path: string, right: number): Promise<void> {
    const { mode } = await tree.stat(path)
    if (mode !== undefined && (mode & right) === 0) throw new FsError('DENIED', { path })
  }

  async function openRead(path: string): Promise<ByteReader | undefined> {
    const pipe = await target(path)
    if (pipe === undefined) return undefined
    await requireRight(path, 0o400)
    return pipe.openRead()
  }

  async function openWrite(path: string): Promise<ByteWriter | undefined> {
    const pipe = await target(path)
    if (pipe === undefined) return undefined
    await requireRight(path, 0o200)
    return pipe.openWrite()
  }

  async function look(path: string, stat: (path: string) => Promise<Stat>, find: typeof entry): Promise<Stat> {
    const found = await stat(path)
    return found.kind === 'file' && (await find(path)) !== undefined ? asPipe(found) : found
  }

  async function list(directory: string): Promise<Entry[]> {
    const entries = await tree.readDir(directory)
    const real = await tree.realPath(directory)
    return entries.map((one) => (pipes.has(join(real, one.name)) ? { ...one, kind: 'other' as const } : one))
  }

  function moved(from: string, to: string | undefined): void {
    if (to !== undefined) pipes.delete(to)
    for (const [path, pipe] of [...pipes]) {
      if (!isWithin(from, path)) continue
      pipes.delete(path)
      if (to !== undefined) pipes.set(to + path.slice(from.length), pipe)
    }
  }

  return {
    ...tree,
    async makePipe(path, mode) {
      const place = await entryPath(path)
      await tree.writeFile(path, new Uint8Array(), { mode, exclusive: true })
      pipes.set(place, fifo())
    },
    async openPipe(path) {
      return (await target(path))?.openBoth()
    },
    pipes: () => [...pipes.keys()],
    endPipes(error) {
      const waited = [...pipes].filter(([, pipe]) => pipe.isWaitedFor())
      for (const pipe of pipes.values()) pipe.fail(error)
      return waited.map(([path]) => path)
    },
    stat: (path) => (pipes.size === 0 ? tree.stat(path) : look(path, tree.stat, target)),
    lstat: (path) => (pipes.size === 0 ? tree.lstat(path) : look(path, tree.lstat, entry)),
    readDir: (path) => (pipes.size === 0 ? tree.readDir(path) : list(path)),
    openRead: async (path) => (await openRead(path)) ?? tree.openRead(path),
    openWrite: async (path, options) => (await openWrite(path)) ?? tree.openWrite(path, options),
    async readFile(path, range) {
      const reader = await openRead(path)
      if (reader === undefined) return tree.readFile(path, range)
      try {
        return (await readAll(reader)).subarray(range?.start, range?.end)
      } finally {
        reader.close()
      }
    },
    async writeFile(path, data, options) {
      const writer = options?.exclusive ? undefined : await openWrite(path)
      if (writer === undefined) return tree.writeFile(path, data, options)
      try {
        await writer.write(data)
      } finally {
        await writer.close()
      }
    },
    async remove(path) {
      const place = pipes.size === 0 ? undefined : await entryPath(path)
      await tree.remove(path)
      if (place !== undefined) pipes.delete(place)
    },
    async rename(from, to) {
      const places = pipes.size === 0 ? undefined : await Promise.all([entryPath(from), entryPath(to)])
      await tree.rename(from, to)
      if (places !== undefined && places[0] !== places[1]) moved(...places)
    },
  }
}
