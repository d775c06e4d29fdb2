/** Writes files of commits to the working tree, and removes files from it. */
import type { Draft } from '../../change/draft.js'
import type { Streamed } from '../../change/streamed-content.js'
import { FsError } from '../../errors.js'
import { foldedName } from '../../fs/folded-name.js'
import { decodeTarget } from '../../fs/link-target.js'
import { dirname, join, relative } from '../../fs/path.js'
import type { Bytes } from '../../fs/types.js'
import { limits, tooLarge } from '../limits.js'
import { type Blob, modes } from '../objects/tree.js'
import type { Repository } from '../repository.js'
import { lineEndingsInWorkTree } from './convert.js'
import { toWorkTree } from './line-endings.js'
import { parentsOf } from './work-tree.js'

/**
 * Drafts the files of the given blobs and the removal of others, together with directories that become empty. An entry
 * at the same path is replaced; any other untracked entry in the way makes it fail, and so do files of more than `maxBytes` together.
 */
export async function writeFiles(
  repository: Repository,
  draft: Draft,
  written: ReadonlyArray<[string, Blob]>,
  removed: readonly string[],
  { maxBytes = limits.checkedOutBytes as number } = {},
): Promise<void> {
  const { root, fs } = repository
  const contentOf = contentOfBlobs(repository, maxBytes)
  refuseCaseCollisions(repository, written)
  for (const path of removed) await removeFile(repository, draft, path)
  const blobs = new Map(written)
  const endingsOf = lineEndingsInWorkTree(repository, (directory) => attributesIn(repository, draft, blobs, directory))
  for (const [i, [path, { mode, oid }]] of written.entries()) {
    repository.checkAborted()
    if (i % 64 === 0) repository.progress(i, written.length)
    const full = join(root, path)
    for (const parent of parentsOf(path)) await refuseFile(repository, draft, join(root, parent))
    if (mode === modes.submodule) {
      await clearFor(repository, draft, full, 'directory')
      await draft.makeParents(join(full, 'x'))
      continue
    }
    const isLink = mode === modes.link && fs.capabilities.symlinks
    await clearFor(repository, draft, full, isLink ? 'absent' : 'file')
    await draft.makeParents(full)
    if (isLink) await draft.link(full, decodeTarget(await targetOf(repository, oid)))
    else {
      const content = await contentOf(oid)
      const endings = await endingsOf(path)
      const size = content instanceof Uint8Array ? content.length : (content.size ?? Infinity)
      const isPlain = endings === undefined || size > maxConvertedBytes
      const bytes = isPlain ? content : toWorkTree(await repository.objects.readBlob(oid), endings)
      await draft.write(full, bytes, await modeFor(repository, draft, full, mode))
    }
  }
  repository.progress(written.length, written.length)
}

/** Content held in memory until the change is committed; content beyond this is read when its file is written. */
const maxHeldBytes = 32 * 1024 * 1024
const maxHeldFileBytes = 1024 * 1024

/** Larger files are not text that anyone edits; git has such a limit too. */
const maxConvertedBytes = 64 * 1024 * 1024

function contentOfBlobs({ objects }: Repository, maxBytes: number): (oid: string) => Promise<Bytes | Streamed> {
  let total = 0
  let held = 0
  return async (oid) => {
    const blob = await objects.streamBlob(oid)
    total += blob.size
    if (total > maxBytes) throw tooLarge('what would be written', maxBytes)
    if (blob.size > maxHeldFileBytes || held + blob.size > maxHeldBytes) return blob
    held += blob.size
    return objects.readBlob(oid)
  }
}

async function targetOf({ objects }: Repository, oid: string): Promise<Bytes> {
  if ((await objects.blobSize(oid)) > limits.pathLength) throw tooLarge('the target of a link', limits.pathLength)
  return objects.readBlob(oid)
}

/** The attributes after the checkout: written `.gitattributes` files take precedence. */
async function attributesIn(
  { root, objects }: Repository,
  draft: Draft,
  written: ReadonlyMap<string, Blob>,
  directory: string,
): Promise<string | undefined> {
  const path = directory === '' ? '.gitattributes' : `${directory}/.gitattributes`
  const blob = written.get(path)
  if (blob !== undefined)
    return blob.mode === modes.link ? undefined : new TextDecoder().decode(await objects.readBlob(blob.oid))
  const { image } = await draft.entry(join(root, path))
  return image.kind === 'file' ? new TextDecoder().decode(await draft.read(join(root, path))) : undefined
}

async function refuseFile({ root }: Repository, draft: Draft, directory: string): Promise<void> {
  const { kind } = (await draft.entry(directory)).image
  if (kind === 'absent' || kind === 'directory') return
  throw new FsError('GIT_REFUSED', { reason: 'in-the-way', paths: [relative(root, directory)] })
}

/** Removes an entry of another kind. A directory is removed only if it contains no file. */
async function clearFor(
  repository: Repository,
  draft: Draft,
  path: string,
  wanted: 'file' | 'directory' | 'absent',
): Promise<void> {
  const { kind } = (await draft.entry(path)).image
  if (kind === 'absent' || kind === wanted) return
  if (kind === 'directory') await clearDirectory(repository, draft, path)
  await draft.remove(path)
}

async function clearDirectory(repository: Repository, draft: Draft, directory: string): Promise<void> {
  for (const { name } of await repository.fs.exact.readDir(directory)) {
    const path = join(directory, name)
    const { kind } = (await draft.entry(path)).image
    if (kind === 'absent') continue
    if (kind !== 'directory') {
      throw new FsError('GIT_REFUSED', { reason: 'in-the-way', paths: [relative(repository.root, path)] })
    }
    await clearDirectory(repository, draft, path)
    await draft.remove(path)
  }
}

async function modeFor({ fs }: Repository, draft: Draft, path: string, mode: number): Promise<{ mode?: number }> {
  if (!fs.capabilities.modeBits) return {}
  const { image } = await draft.entry(path)
  const bits = image.kind === 'file' ? image.mode : undefined
  if (mode === modes.executable) return { mode: (bits ?? 0o644) | 0o111 }
  return bits === undefined ? {} : { mode: bits & ~0o111 }
}

async function removeFile({ root, fs }: Repository, draft: Draft, path: string): Promise<void> {
  const full = join(root, path)
  const { kind } = (await draft.entry(full)).image
  if (kind === 'file' || kind === 'symlink') await draft.remove(full)
  for (let at = dirname(full); at !== root && !fs.isRoot(at); at = dirname(at)) {
    if ((await draft.entry(at)).image.kind !== 'directory') return
    for (const { name } of await fs.readDir(at)) {
      if ((await draft.entry(join(at, name))).image.kind !== 'absent') return
    }
    await draft.remove(at)
  }
}

/** On a system that ignores case, two names of one tree could be the same file. */
function refuseCaseCollisions({ fs }: Repository, written: ReadonlyArray<[string, Blob]>): void {
  if (fs.capabilities.caseSensitive) return
  const seen = new Set<string>()
  for (const [path] of written) {
    const folded = foldedName(path)
    if (seen.has(folded)) throw new FsError('GIT_REFUSED', { reason: 'unsafe-tree', subject: path })
    seen.add(folded)
  }
}
