/** Copy-on-write overlay: reads fall through to `lower`, writes stay in `upper`, deletions leave a whiteout. */
import { FsError } from '../../errors.js'
import { openFile } from '../open.js'
import { dirname, isWithin } from '../path.js'
import { serialQueue } from '../serial-queue.js'
import type { FileSystem, LinkOptions, WriteOptions } from '../types.js'
import { weakest } from './capabilities.js'
import { type OverlayChange, overlayChanges } from './overlay-changes.js'
import { overlayCopies, withMode } from './overlay-copies.js'
import { overlayLayers } from './overlay-layers.js'
import { overlayLinks } from './overlay-links.js'
import { layeredReads } from './overlay-reads.js'

export type { OverlayChange } from './overlay-changes.js'

export interface OverlayFileSystem extends FileSystem {
  /** Differences from `lower`, sorted by path. A file rewritten with the same bytes and mode counts only with `times`, if its time differs. */
  changes(options?: { times?: boolean }): Promise<OverlayChange[]>
}

/**
 * `lower` is never written. `upper` should be empty and belong to the overlay alone; whiteouts live as long as the overlay does.
 * Renaming a directory of `lower` copies it, so a rename is not atomic here.
 */
export function overlay(lower: FileSystem, upper: FileSystem): OverlayFileSystem {
  const layers = overlayLayers(lower, upper)
  const { locate, lookAtTarget, inLower, list } = layers
  const links = overlayLinks(upper)
  const { raiseDirectory, raise, copyBeside, drop } = overlayCopies(layers, links)
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
    else links.drop(to)
    await upper.rename(raised, to)
    links.move(raised, to)
    if (isCopied) await drop(from)
  }

  const sync = layeredReads({ ...layers, revision: () => revision })

  return {
    capabilities,
    changes: (options) =>
      takeTurn(() => overlayChanges(layers, links, { ...options, modeBits: capabilities.modeBits })),
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
          await links.make(target, path, options)
        }),
      readLink: async (path: string, options: LinkOptions = {}) => {
        const { fs, stat } = await locate(path)
        if (stat.kind !== 'symlink') throw new FsError('NOT_A_LINK', { path })
        return links.read(fs, path, options)
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
