/** The files and the journal of a workspace in one pack of the browser's storage. */

import { type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import { loadTree, type MirrorOptions } from '../../src/fs/backends/mirror.js'
import { createPack, openPack, type Pack, type Turns } from '../../src/fs/backends/pack/pack.js'
import type { FileSystem } from '../../src/fs/types.js'
import { storedEntries } from '../fs-access/stored-entries.js'
import { opfsSegments } from './opfs-segments.js'
import { packPrefix } from './storage-names.js'

export interface PackedTrees extends Omit<Pack, 'trees' | 'share'> {
  trees: { files: FileSystem; journal: FileSystem }
  share(): Promise<void>
}

export interface PackedTreesOptions extends Pick<MirrorOptions, 'maxBytes' | 'onProgress' | 'signal'> {
  /** Where the workspace is, or was, stored file by file. */
  plain: { files: FileSystemDirectoryHandle; journal: FileSystemDirectoryHandle }
  /** Nobody else has the workspace open. */
  isAlone: boolean
  /** Makes a pack of a workspace that is stored file by file, if this is alone. */
  create: boolean
  /** The files of a pack that is made of nothing. */
  seed?: MemoryTree
  onFault?: (fault: unknown) => void
}

/** While this file exists, the pack is complete and plain files that it was made of have to be removed. */
const leftovers = '/leftovers'

/** Undefined if the workspace is stored file by file. The caller holds the lock that keeps who is alone alone. */
export async function packedTrees(name: string, options: PackedTreesOptions): Promise<PackedTrees | undefined> {
  const { plain, isAlone, create, onFault } = options
  const directory = await packDirectory(name, { create: create && isAlone })
  if (directory === undefined) return undefined
  const segments = await opfsSegments(directory)
  const turns: Turns = (action) => navigator.locks.request(`polyfs:pack:${name}`, action) as Promise<never>
  const open = () =>
    openPack(segments, {
      now: Date.now,
      trees: 3,
      ...(onFault && { onFault }),
      ...(!isAlone && { shared: turns }),
    })
  let pack = await open()
  if (pack === undefined) {
    if (!create || !isAlone) return undefined
    await createPack(segments, await nodesOf(options))
    pack = await open()
  }
  if (pack === undefined) return undefined
  const opened = pack
  const [files, journal, about] = opened.trees as [FileSystem, FileSystem, FileSystem]
  const removal = isAlone ? removeLeftovers(plain, about).catch((error) => onFault?.(error)) : undefined
  return {
    ...opened,
    trees: { files, journal },
    share: () => opened.share(turns),
    async close() {
      await removal
      await opened.close()
    },
    get waiting() {
      return opened.waiting
    },
  }
}

async function packDirectory(
  name: string,
  options: { create: boolean },
): Promise<FileSystemDirectoryHandle | undefined> {
  const top = await navigator.storage.getDirectory()
  return top.getDirectoryHandle(`${packPrefix}${name}`, options).catch((error) => {
    if (error.name === 'NotFoundError') return undefined
    throw error
  })
}

/** The trees of a workspace that is stored file by file, as the nodes of a pack. */
async function nodesOf({ plain, maxBytes, onProgress, signal, seed }: PackedTreesOptions) {
  const given = {
    ...(maxBytes !== undefined && { maxBytes }),
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  }
  const trees = [memory(), memory()]
  for (const [index, directory] of [plain.files, plain.journal].entries()) {
    await loadTree(() => storedEntries(directory), trees[index] as FileSystem, given)
  }
  if (seed !== undefined && trees[0]?.snapshot().children.places.size === 0) trees[0] = memory(seed)
  return [...trees, memory({ [leftovers]: '' })].map((tree) => tree.snapshot())
}

/** Once: what is stored there later is somebody else's. */
async function removeLeftovers(plain: PackedTreesOptions['plain'], about: FileSystem): Promise<void> {
  if (!(await about.readDir('/')).some(({ name }) => `/${name}` === leftovers)) return
  for (const directory of [plain.files, plain.journal]) {
    const names: string[] = []
    for await (const name of directory.keys()) names.push(name)
    for (const name of names) await directory.removeEntry(name, { recursive: true })
  }
  await about.remove(leftovers)
}
