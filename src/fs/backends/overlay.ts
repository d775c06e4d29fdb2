/** Copy-on-write overlay: reads fall through to `lower`, writes stay in `upper`, deletions leave a whiteout. */
import { FsError, isFsError, relocate } from '../../errors.js'
import { find, statIfThere } from '../if-there.js'
import { lowestWhere } from '../lowest-above.js'
import { openFile } from '../open.js'
import { dirname, isWithin, join } from '../path.js'
import { createPathSet } from '../path-set.js'
import { serialQueue } from '../serial-queue.js'
import { stagedName } from '../staged-name.js'
import type { Entry, FileSystem, Kind, LinkOptions, Stat, WriteOptions } from '../types.js'
import { weakest } from './capabilities.js'
import { foreignLinks } from './foreign-links.js'
import { layeredReads, merged } from './overlay-reads.js'

/** One difference from the lower tree. A rename is a deletion and an addition. */
export interface OverlayChange {
  path: string
  kind: Kind
  change: 'added' | 'modified' | 'deleted'
}

export interface OverlayFileSystem extends FileSystem {
  /** Differences from `lower`, sorted by path. A file rewritten with the same bytes and mode counts only with `times`, if its time differs. */
  changes(options?: { times?: boolean }): Promise<OverlayChange[]>
}

interface Located {
  fs: FileSystem
  stat: Stat
}

/**
 * `lower` is never written. `upper` should be empty and belong to the overlay alone; whiteouts live as long as the overlay does.
 * Renaming a directory of `lower` copies it, so a rename is not atomic here.
 */
export function overlay(lower: FileSystem, upper: FileSystem): OverlayFileSystem {
  /** A whiteout hides what `lower` has at its path and below. */
  const whiteouts = createPathSet()
  const hidden = whiteouts.covers
  /** The foreign links in `upper`. */
  const foreign = foreignLinks()
  const takeTurn = serialQueue()
  let revision = 0
  const capabilities = {
    ...weakest([lower.capabilities, upper.capabilities]),
    writable: upper.capabilities.writable,
    atomicRename: false,
    watch: false,
    sync: false,
  }

  /** Increments the revision before and after, so that nothing read during a mutation is used after it. */
  function mutate<Result>(run: () => Promise<Result>): Promise<Result> {
    return takeTurn(async () => {
      revision += 1
      try {
        return await run()
      } finally {
        revision += 1
      }
    })
  }

  async function inLower(path: string): Promise<Stat | undefined> {
    return hidden(path) ? undefined : statIfThere(lower, path)
  }

  /** The layer that has the entry, and its stat. */
  async function locate(path: string): Promise<Located> {
    const found = await look(path)
    if (found === undefined) throw new FsError('NOT_FOUND', { path })
    return found
  }

  /** Any error of `upper`, such as a file in place of a parent, hides the entry of `lower`. */
  async function look(path: string): Promise<Located | undefined> {
    const own = await find(upper, path)
    if (own !== undefined) return { fs: upper, stat: own }
    const other = hidden(path) ? undefined : await find(lower, path)
    return other && { fs: lower, stat: other }
  }

  /** The same before something is put there. */
  async function lookAtTarget(path: string): Promise<Located | undefined> {
    const found = await look(path)
    if (found === undefined) await refuseMissingParent(path)
    return found
  }

  async function refuseMissingParent(path: string): Promise<void> {
    try {
      const { stat } = await locate(dirname(path))
      if (stat.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
    } catch (error) {
      throw relocate(error, () => path)
    }
  }

  async function list(path: string): Promise<Entry[]> {
    const { fs, stat } = await locate(path)
    if (stat.kind === 'symlink') throw new FsError('IS_LINK', { path })
    if (stat.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
    if (fs === lower) return visible(path, await lower.readDir(path))
    const own = await upper.readDir(path)
    if ((await inLower(path))?.kind !== 'directory') return own
    return merged(own, visible(path, await lower.readDir(path)))
  }

  function visible(directory: string, entries: Entry[]): Entry[] {
    if (whiteouts.size === 0) return entries
    const isHidden = whiteouts.namesIn(directory)
    return entries.filter(({ name }) => !isHidden(name))
  }

  /** Creates every missing directory down to `path` in `upper`. */
  async function raiseDirectory(path: string): Promise<void> {
    const isRaised = async (at: string) => (await statIfThere(upper, at)) !== undefined
    for (let end = (await lowestWhere(path, isRaised)).length; end < path.length; ) {
      const next = path.indexOf('/', end + 1)
      end = next === -1 ? path.length : next
      const directory = path.slice(0, end)
      const { mode } = await lower.stat(directory)
      await upper.makeDir(directory)
      if (mode !== undefined) await upper.setMode?.(directory, mode)
    }
  }

  /** Copies one entry of either layer to a path in `upper`; a directory without its entries. */
  async function copy(from: { fs: FileSystem; stat: Stat }, path: string, to: string): Promise<void> {
    const { kind, mode, modifiedMs } = from.stat
    if (kind === 'directory') await upper.makeDir(to)
    else if (kind === 'symlink') await copyLink(from.fs, path, to)
    else await upper.writeFile(to, await from.fs.readFile(path), withMode(mode))
    if (kind === 'directory' && mode !== undefined) await upper.setMode?.(to, mode)
    if (kind === 'file' && modifiedMs !== undefined) await upper.setModified?.(to, modifiedMs)
  }

  async function copyLink(fs: FileSystem, path: string, to: string): Promise<void> {
    const { target, verbatim } = await linkIn(fs, path)
    await makeLink(target, to, { verbatim })
  }

  async function linkIn(fs: FileSystem, path: string): Promise<{ target: string; verbatim: boolean }> {
    const read = async (options: LinkOptions) => (await readLinkIn(fs, path, options)) ?? ''
    try {
      return { target: await read({}), verbatim: false }
    } catch (error) {
      if (!isFsError(error, 'OUTSIDE')) throw error
      return { target: await read({ verbatim: true }), verbatim: true }
    }
  }

  async function readLinkIn(fs: FileSystem, path: string, options: LinkOptions): Promise<string | undefined> {
    const text = fs === upper ? foreign.textAt(path) : undefined
    if (text === undefined) return fs.readLink?.(path, options)
    if (!options.verbatim) throw new FsError('OUTSIDE', { path })
    return text
  }

  async function makeLink(target: string, path: string, { verbatim = false }: LinkOptions): Promise<void> {
    await upper.symlink?.(target, path)
    if (verbatim) foreign.keep(path, target)
  }

  async function copyTree(path: string, to: string): Promise<void> {
    const from = await locate(path)
    await copy(from, path, to)
    if (from.stat.kind !== 'directory') return
    for (const { name } of await list(path)) await copyTree(join(path, name), join(to, name))
  }

  /** Copies an entry of `lower` to `upper`, so that it can be changed. */
  async function raise(path: string): Promise<void> {
    const found = await locate(path)
    if (found.stat.kind === 'symlink') throw new FsError('IS_LINK', { path })
    if (found.fs === upper) return
    await raiseDirectory(dirname(path))
    await copy(found, path, path)
  }

  /** Removes an entry from both layers. */
  async function drop(path: string): Promise<void> {
    const isInLower = (await inLower(path)) !== undefined
    if ((await statIfThere(upper, path)) !== undefined) await removeTree(upper, path)
    foreign.drop(path)
    if (!isInLower) return
    whiteouts.deleteWithin(path)
    whiteouts.add(path)
  }

  async function vacant(path: string): Promise<void> {
    if (path === '/' || (await lookAtTarget(path)) !== undefined) throw new FsError('EXISTS', { path })
  }

  async function write(path: string, data: Uint8Array, options: WriteOptions): Promise<void> {
    const previous = await lookAtTarget(path)
    if (previous?.stat.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (previous !== undefined && options.exclusive) throw new FsError('EXISTS', { path })
    if (previous?.stat.kind === 'symlink') throw new FsError('IS_LINK', { path })
    if (previous?.stat.kind === 'other') throw new FsError('SPECIAL_FILE', { path })
    await raiseDirectory(dirname(path))
    await upper.writeFile(path, data, { ...options, ...withMode(previous?.stat.mode ?? options.mode) })
  }

  async function move(from: string, to: string): Promise<void> {
    if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
    const source = await locate(from)
    if (from === to) return
    const isDirectory = source.stat.kind === 'directory'
    if (isDirectory && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
    const replaced = await lookAtTarget(to)
    if (replaced?.stat.kind === 'directory') {
      if (!isDirectory) throw new FsError('IS_A_DIRECTORY', { path: to })
      if ((await list(to)).length > 0) throw new FsError('NOT_EMPTY', { path: to })
    } else if (replaced !== undefined && isDirectory) throw new FsError('NOT_A_DIRECTORY', { path: to })

    await raiseDirectory(dirname(to))
    const isCopied = (await inLower(from)) !== undefined
    const raised = isCopied ? await copyBeside(from, to) : from
    if (isDirectory && replaced !== undefined) await drop(to)
    // A file is replaced at once: whoever looks meanwhile finds the old one or the new one.
    else foreign.drop(to)
    await upper.rename(raised, to)
    foreign.move(raised, to)
    if (isCopied) await drop(from)
  }

  /** Copies to a staged name first, so that a failed copy leaves nothing behind. */
  async function copyBeside(from: string, to: string): Promise<string> {
    const staged = join(dirname(to), stagedName())
    try {
      await copyTree(from, staged)
      return staged
    } catch (error) {
      await drop(staged)
      throw error
    }
  }

  /** Compares both trees where they can differ: entries in `upper`, and entries that whiteouts hide. */
  async function compare({ times = false } = {}): Promise<OverlayChange[]> {
    const found: OverlayChange[] = []
    for await (const { path, stat } of entriesAt(upper, '/')) {
      if (path === '/') continue
      const before = await statIfThere(lower, path)
      const change = before === undefined ? 'added' : 'modified'
      const isTouched = times && stat.kind === 'file' && before?.modifiedMs !== stat.modifiedMs
      if (before !== undefined && !isTouched && (await same(path, before, stat))) continue
      found.push({ path, kind: stat.kind, change })
    }
    for (const whiteout of whiteouts) {
      for await (const { path, stat } of entriesAt(lower, whiteout)) {
        if ((await statIfThere(upper, path)) === undefined) found.push({ path, kind: stat.kind, change: 'deleted' })
      }
    }
    return found.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  async function same(path: string, before: Stat, after: Stat): Promise<boolean> {
    if (before.kind !== after.kind || (capabilities.modeBits && before.mode !== after.mode)) return false
    if (after.kind === 'symlink') {
      const [old, now] = [await linkIn(lower, path), await linkIn(upper, path)]
      return old.target === now.target && old.verbatim === now.verbatim
    }
    if (after.kind !== 'file') return true
    if (before.size !== after.size) return false
    const [old, now] = [await lower.readFile(path), await upper.readFile(path)]
    return old.every((byte, index) => byte === now[index])
  }

  const sync = layeredReads({ lower, upper, hidden, visible, revision: () => revision })

  return {
    capabilities,
    changes: (options) => takeTurn(() => compare(options)),
    ...(sync && { sync }),
    stat: async (path) => (await locate(path)).stat,
    readFile: async (path, range) => (await locate(path)).fs.readFile(path, range),
    readDir: list,
    open: async (path) => openFile((await locate(path)).fs, path),
    writeFile: (path, data, options = {}) => mutate(() => write(path, data, options)),
    rename: (from, to) => mutate(() => move(from, to)),

    makeDir: (path) =>
      mutate(async () => {
        await vacant(path)
        await raiseDirectory(dirname(path))
        await upper.makeDir(path)
      }),

    remove: (path) =>
      mutate(async () => {
        if (path === '/') throw new FsError('IS_ROOT', { path })
        const { stat } = await locate(path)
        if (stat.kind === 'directory' && (await list(path)).length > 0) throw new FsError('NOT_EMPTY', { path })
        await drop(path)
      }),

    ...(capabilities.symlinks && {
      symlink: (target: string, path: string, options: LinkOptions = {}) =>
        mutate(async () => {
          await vacant(path)
          await raiseDirectory(dirname(path))
          await makeLink(target, path, options)
        }),
      readLink: async (path: string, options: LinkOptions = {}) => {
        const { fs, stat } = await locate(path)
        if (stat.kind !== 'symlink') throw new FsError('NOT_A_LINK', { path })
        return (await readLinkIn(fs, path, options)) ?? ''
      },
    }),
    ...(capabilities.modeBits && {
      setMode: (path: string, mode: number) =>
        mutate(async () => {
          await raise(path)
          await upper.setMode?.(path, mode)
        }),
    }),
    ...(capabilities.modified === 'write' && {
      setModified: (path: string, modifiedMs: number) =>
        mutate(async () => {
          await raise(path)
          await upper.setModified?.(path, modifiedMs)
        }),
    }),
  }
}

function withMode(mode: number | undefined): WriteOptions {
  return mode === undefined ? {} : { mode }
}

async function removeTree(fs: FileSystem, path: string): Promise<void> {
  if ((await fs.stat(path)).kind === 'directory') {
    for (const { name } of await fs.readDir(path)) await removeTree(fs, join(path, name))
  }
  await fs.remove(path)
}

async function* entriesAt(fs: FileSystem, start: string): AsyncGenerator<{ path: string; stat: Stat }> {
  const waiting = [start]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stat = await statIfThere(fs, path)
    if (stat === undefined) continue
    yield { path, stat }
    if (stat.kind === 'directory') for (const { name } of await fs.readDir(path)) waiting.push(join(path, name))
  }
}
