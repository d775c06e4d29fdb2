/** How entries of an overlay get into its upper layer, and out of both. */
import { FsError } from '../../errors.js'
import { statIfThere } from '../if-there.js'
import { lowestWhere } from '../lowest-above.js'
import { dirname, join } from '../path.js'
import { stagedName } from '../staged-name.js'
import type { FileSystem, WriteOptions } from '../types.js'
import type { Located, OverlayLayers } from './overlay-layers.js'
import type { OverlayLinks } from './overlay-links.js'

export interface OverlayCopies {
  /** Creates every missing directory down to `path` in `upper`. */
  raiseDirectory(path: string): Promise<void>
  /** Copies an entry of `lower` to `upper`, so that it can be changed. */
  raise(path: string): Promise<void>
  /** Copies a tree to a staged name beside `to`, so that a failed copy leaves nothing behind. Returns its path. */
  copyBeside(from: string, to: string): Promise<string>
  /** Removes an entry from both layers. */
  drop(path: string): Promise<void>
}

export function overlayCopies(layers: OverlayLayers, links: OverlayLinks): OverlayCopies {
  const { lower, upper, locate, list, inLower } = layers

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
  async function copy(from: Located, path: string, to: string): Promise<void> {
    const { kind, mode, modifiedMs } = from.stat
    if (kind === 'directory') await upper.makeDir(to)
    else if (kind === 'symlink') await copyLink(from.fs, path, to)
    else await upper.writeFile(to, await from.fs.readFile(path), withMode(mode))
    if (kind === 'directory' && mode !== undefined) await upper.setMode?.(to, mode)
    if (kind === 'file' && modifiedMs !== undefined) await upper.setModified?.(to, modifiedMs)
  }

  async function copyLink(fs: FileSystem, path: string, to: string): Promise<void> {
    const { target, verbatim } = await links.describe(fs, path)
    await links.make(target, to, { verbatim })
  }

  async function copyTree(path: string, to: string): Promise<void> {
    const from = await locate(path)
    await copy(from, path, to)
    if (from.stat.kind !== 'directory') return
    for (const { name } of await list(path)) await copyTree(join(path, name), join(to, name))
  }

  async function raise(path: string): Promise<void> {
    const found = await locate(path)
    if (found.stat.kind === 'symlink') throw new FsError('IS_LINK', { path })
    if (found.fs === upper) return
    await raiseDirectory(dirname(path))
    await copy(found, path, path)
  }

  async function drop(path: string): Promise<void> {
    const isInLower = (await inLower(path)) !== undefined
    if ((await statIfThere(upper, path)) !== undefined) await removeTree(upper, path)
    links.drop(path)
    if (isInLower) layers.hide(path)
  }

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

  return { raiseDirectory, raise, copyBeside, drop }
}

export function withMode(mode: number | undefined): WriteOptions {
  return mode === undefined ? {} : { mode }
}

async function removeTree(fs: FileSystem, path: string): Promise<void> {
  if ((await fs.stat(path)).kind === 'directory') {
    for (const { name } of await fs.readDir(path)) await removeTree(fs, join(path, name))
  }
  await fs.remove(path)
}
