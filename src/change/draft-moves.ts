/** How a draft moves entries: a directory by one rename as long as nothing in it changes, all else one by one. */
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { basename, dirname, isWithin, join } from '../fs/path.js'
import type { DraftEntries, PendingRenames } from './draft-entries.js'
import type { Originals } from './draft-originals.js'
import type { Image, Step } from './journal/record.js'

export type Rename = Step & { do: 'rename' }

export interface DraftMoves extends PendingRenames {
  /** Moves an entry, of which the image is given, to a free path. */
  move(from: string, to: string, image: Image): Promise<void>
  /** Directories that are moved by one rename. */
  pending(): readonly Rename[]
  /** Forgets them. */
  clear(): void
}

export function draftMoves(gate: ConfinedFileSystem, originals: Originals, entries: DraftEntries): DraftMoves {
  const { after, entry, set } = entries
  let renames: Rename[] = []

  /** Splits the rename of a directory into renames of its entries, because more than the rename is drafted for it. */
  async function untangle(concerns: (rename: Rename) => boolean): Promise<void> {
    const tangled = renames.filter(concerns)
    renames = renames.filter((rename) => !tangled.includes(rename))
    for (const { path, to } of tangled) await moveEach(path, to)
  }

  async function moveDirectory(from: string, to: string, image: Image): Promise<void> {
    await untangle((one) => isWithin(from, one.path) || isWithin(from, one.to))
    const touched = [...after.keys()].some((path) => isWithin(from, path) || isWithin(to, path))
    if (touched || !isWithinRoot(from, to)) await moveEach(from, to)
    else renames.push({ do: 'rename', path: from, to, before: image, replaces: { kind: 'absent' } })
  }

  async function moveEach(from: string, to: string): Promise<void> {
    const { image } = await entry(from)
    if (image.kind === 'file') return moveFile(from, to)
    await set(to, image)
    if (image.kind === 'directory') {
      for (const name of await namesIn(from)) await moveEach(join(from, name), join(to, name))
    }
    await set(from, { kind: 'absent' })
  }

  /** A file that was not read is renamed from its original place. */
  async function moveFile(from: string, to: string): Promise<void> {
    const { image, bytes, stat } = await entry(from)
    const { from: origin = from, streamed, modifiedMs } = after.get(from) ?? {}
    const content =
      streamed === undefined ? { from: origin } : { streamed, ...(modifiedMs !== undefined && { modifiedMs }) }
    await set(to, image, { ...(bytes === undefined ? content : { bytes }), ...(stat && { stat }) })
    // Roots may be different file systems, between which nothing can be renamed.
    if (after.get(to)?.from !== undefined && !isWithinRoot(origin, to)) await entries.writeInstead(to)
    await set(from, { kind: 'absent' })
  }

  function isWithinRoot(from: string, to: string): boolean {
    return gate.rootOf(from).path === gate.rootOf(to).path
  }

  async function namesIn(directory: string): Promise<string[]> {
    const wasDirectory = (await originals.at(directory)).image.kind === 'directory'
    const names = new Set(wasDirectory ? (await gate.exact.readDir(directory)).map(({ name }) => name) : [])
    for (const path of after.keys()) if (path !== '/' && dirname(path) === directory) names.add(basename(path))
    const there: string[] = []
    for (const name of names) {
      if ((await entry(join(directory, name))).image.kind !== 'absent') there.push(name)
    }
    return there
  }

  return {
    move: (from, to, image) => (image.kind === 'directory' ? moveDirectory(from, to, image) : moveEach(from, to)),
    areNone: () => renames.length === 0,
    untangle: (path) => untangle((one) => isWithin(one.path, path) || isWithin(one.to, path)),
    pending: () => renames,
    clear() {
      renames = []
    },
  }
}
