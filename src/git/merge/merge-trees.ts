/** Merges two trees with their common ancestor. */

import { FsError } from '../../errors.js'
import { decodeText, encodeText } from '../../text/byte-text.js'
import { findRenames, type RenameCandidate } from '../../text/diff/renames.js'
import { lastValue } from '../config.js'
import { comparePaths, objectId } from '../objects/object-id.js'
import { type Blob, modes } from '../objects/tree.js'
import type { Repository } from '../repository.js'
import { indexEntry } from '../work-tree/index-file.js'
import { type MergeLabels, type MergeStyle, mergeTexts } from './merge-with-markers.js'

export interface MergeInput {
  base: string | undefined
  ours: string | undefined
  theirs: string | undefined
  labels: MergeLabels
  favor?: MergeStyle['favor']
}

export interface Conflict {
  path: string
  /** The common ancestor, ours and theirs. */
  stages: readonly [Blob | undefined, Blob | undefined, Blob | undefined]
}

export interface MergeResult {
  /** The files of the result; a conflicted file has its markers. */
  files: Map<string, Blob>
  conflicts: Conflict[]
  /** What git prints about it. */
  messages: string[]
}

type Files = ReadonlyMap<string, Blob>

export async function mergeTrees(
  repository: Repository,
  { base, ours, theirs, labels, favor }: MergeInput,
): Promise<MergeResult> {
  const flatten = async (tree: string | undefined): Promise<Files> =>
    tree === undefined ? new Map() : repository.objects.flatten(tree)
  const [b, o, t] = [await flatten(base), await flatten(ours), await flatten(theirs)]
  const named = lastValue(repository.config, 'merge.conflictstyle')
  const style = named === 'diff3' || named === 'zdiff3' ? named : 'merge'
  const merger = new Merger(repository, { labels, style, ...(favor && { favor }) })
  const renames = { ours: await renamesOf(repository, b, o), theirs: await renamesOf(repository, b, t) }
  refuseDirectoryRenames(b, o, t, renames.ours)
  refuseDirectoryRenames(b, t, o, renames.theirs)
  const { sources, done } = await merger.renamed(b, o, t, renames)
  for (const path of [...new Set([...b.keys(), ...o.keys(), ...t.keys()])].sort(comparePaths)) {
    if (done.has(path)) continue
    await merger.merge(path, sources.get(path) ?? b.get(path), o.get(path), t.get(path))
  }
  merger.refuseFileAndDirectory()
  return merger.result()
}

type Renames = ReadonlyMap<string, string>

/** New paths by the old ones. */
async function renamesOf(repository: Repository, before: Files, after: Files): Promise<Renames> {
  const missing = (files: Files, others: Files): RenameCandidate[] =>
    [...files]
      .filter(([path, { oid }]) => !others.has(path) && oid !== emptyBlob)
      .sort(([a], [b]) => comparePaths(a, b))
      .map(([path, blob]) => candidate(repository, path, blob))
  const renamed = await findRenames(missing(before, after), missing(after, before))
  return new Map(renamed.map(({ from, to }) => [from.path, to.path]))
}

function candidate({ objects }: Repository, path: string, { mode, oid }: Blob): RenameCandidate {
  const isFile = (mode & 0o170000) === 0o100000
  const submodule = () => Promise.resolve(new TextEncoder().encode(`Subproject commit ${oid}\n`))
  const read = mode === modes.submodule ? submodule : () => objects.readBlob(oid)
  return { path, id: oid, ...(!isFile && { type: mode }), read }
}

const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

function unsupported(subject: string): FsError {
  return new FsError('GIT_REFUSED', { reason: 'unsupported-merge', subject })
}

/** Git would move a file that the other side adds to a renamed directory. */
function refuseDirectoryRenames(base: Files, renamer: Files, other: Files, renames: Renames): void {
  const directory = (path: string) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '')
  const left = new Set([...renamer.keys()].map(directory))
  const moved = new Set(
    [...renames]
      .filter(([from, to]) => directory(from) !== directory(to) && !left.has(directory(from)))
      .map(([from]) => directory(from)),
  )
  if (moved.size === 0) return
  for (const path of other.keys()) {
    if (!base.has(path) && moved.has(directory(path)))
      throw unsupported(`a merge that adds '${path}' to a renamed directory`)
  }
}

class Merger {
  readonly #repository: Repository
  readonly #style: MergeStyle
  readonly #files = new Map<string, Blob>()
  readonly #conflicts: Conflict[] = []
  readonly #messages: { path: string; text: string }[] = []

  constructor(repository: Repository, style: MergeStyle) {
    this.#repository = repository
    this.#style = style
  }

  result(): MergeResult {
    const messages = [...this.#messages].sort((a, b) => comparePaths(a.path, b.path)).map(({ text }) => text)
    const conflicts = [...this.#conflicts].sort((a, b) => comparePaths(a.path, b.path))
    return { files: this.#files, conflicts, messages }
  }

  #say(path: string, text: string): void {
    this.#messages.push({ path, text })
  }

  /** Handles files that a side has renamed. `sources` are ancestors of files under their new name; `done` needs nothing more. */
  async renamed(
    b: Files,
    o: Files,
    t: Files,
    renames: { ours: Renames; theirs: Renames },
  ): Promise<{ sources: Map<string, Blob>; done: Set<string> }> {
    const sources = new Map<string, Blob>()
    const done = new Set<string>()
    const { labels } = this.#style
    for (const [from, to] of renames.ours) {
      const also = renames.theirs.get(from)
      const source = b.get(from) as Blob
      if (also !== undefined && also !== to) throw unsupported(`a merge in which both sides rename '${from}'`)
      if (also === to) {
        sources.set(to, source)
        done.add(from)
      } else
        await this.#renamedByOne(
          from,
          to,
          source,
          { renamer: o, other: t, isOurs: true, name: labels.ours, otherName: labels.theirs },
          done,
        )
    }
    for (const [from, to] of renames.theirs) {
      if (renames.ours.has(from)) continue
      await this.#renamedByOne(
        from,
        to,
        b.get(from) as Blob,
        { renamer: t, other: o, isOurs: false, name: labels.theirs, otherName: labels.ours },
        done,
      )
    }
    return { sources, done }
  }

  async #renamedByOne(
    from: string,
    to: string,
    source: Blob,
    {
      renamer,
      other,
      isOurs,
      name,
      otherName,
    }: { renamer: Files; other: Files; isOurs: boolean; name: string; otherName: string },
    done: Set<string>,
  ): Promise<void> {
    const now = renamer.get(to) as Blob
    const theirs = other.get(from)
    if (other.has(to)) throw unsupported(`a merge that renames '${from}' to a file that the other side has`)
    done.add(from)
    done.add(to)
    if (theirs !== undefined) {
      await this.merge(
        to,
        source,
        isOurs ? now : theirs,
        isOurs ? theirs : now,
        isOurs
          ? { ours: `${name}:${to}`, theirs: `${otherName}:${from}`, base: '' }
          : { ours: `${otherName}:${from}`, theirs: `${name}:${to}`, base: '' },
      )
      return
    }
    this.#files.set(to, now)
    this.#conflicts.push({ path: to, stages: isOurs ? [source, now, undefined] : [source, undefined, now] })
    this.#say(to, `CONFLICT (rename/delete): ${from} renamed to ${to} in ${name}, but deleted in ${otherName}.`)
    if (now.oid !== source.oid)
      this.#say(
        to,
        `CONFLICT (modify/delete): ${to} deleted in ${otherName} and modified in ${name}.  Version ${name} of ${to} left in tree.`,
      )
  }

  async merge(
    path: string,
    base: Blob | undefined,
    ours: Blob | undefined,
    theirs: Blob | undefined,
    names?: MergeLabels,
  ): Promise<void> {
    const same = (x: Blob | undefined, y: Blob | undefined) => x?.oid === y?.oid && x?.mode === y?.mode
    const take = (blob: Blob | undefined) => {
      if (blob !== undefined) this.#files.set(path, { mode: blob.mode, oid: blob.oid })
    }
    if (same(ours, theirs) || same(base, theirs)) return take(ours)
    if (same(base, ours)) return take(theirs)
    if (ours !== undefined && theirs !== undefined) return this.#content(path, base, ours, theirs, names)
    const { labels } = this.#style
    const [kept, [winner, loser]] =
      ours === undefined ? [theirs, [labels.theirs, labels.ours]] : [ours, [labels.ours, labels.theirs]]
    take(kept)
    this.#conflicts.push({ path, stages: [base, ours, theirs] })
    this.#say(
      path,
      `CONFLICT (modify/delete): ${path} deleted in ${loser} and modified in ${winner}.  Version ${winner} of ${path} left in tree.`,
    )
  }

  async #content(path: string, base: Blob | undefined, ours: Blob, theirs: Blob, names?: MergeLabels): Promise<void> {
    const isText = [ours, theirs, ...(base ? [base] : [])].every(
      ({ mode }) => mode === modes.file || mode === modes.executable,
    )
    const mode = base !== undefined && ours.mode === base.mode ? theirs.mode : ours.mode
    const conflict = () => {
      this.#conflicts.push({ path, stages: [base, ours, theirs] })
      this.#say(path, `CONFLICT (${base === undefined ? 'add/add' : 'content'}): Merge conflict in ${path}`)
    }
    if (!isText) {
      if ((ours.mode & 0o170000) !== (theirs.mode & 0o170000))
        throw unsupported(`a merge of different types of '${path}'`)
      this.#files.set(path, ours)
      return conflict()
    }
    if (ours.oid === theirs.oid || base?.oid === theirs.oid) return void this.#files.set(path, { mode, oid: ours.oid })
    if (base?.oid === ours.oid) return void this.#files.set(path, { mode, oid: theirs.oid })
    const { objects } = this.#repository
    const [o, t] = [await objects.readBlob(ours.oid), await objects.readBlob(theirs.oid)]
    const b = base === undefined ? new Uint8Array() : await objects.readBlob(base.oid)
    this.#say(path, `Auto-merging ${path}`)
    const { favor } = this.#style
    if ([o, t, b].some(hasNul)) {
      if (favor === 'ours' || favor === 'theirs')
        return void this.#files.set(path, { mode, oid: favor === 'ours' ? ours.oid : theirs.oid })
      this.#say(
        path,
        `warning: Cannot merge binary files: ${path} (${this.#style.labels.ours} vs. ${this.#style.labels.theirs})`,
      )
      this.#files.set(path, { mode, oid: ours.oid })
      return conflict()
    }
    const labels = names === undefined ? this.#style.labels : { ...names, base: this.#style.labels.base }
    const merged = mergeTexts(decodeText(b), decodeText(o), decodeText(t), { ...this.#style, labels })
    const bytes = encodeText(merged.text)
    const oid = await objectId('blob', bytes)
    objects.writeBlob(bytes, oid)
    this.#files.set(path, { mode, oid })
    if (merged.conflicts > 0) conflict()
  }

  refuseFileAndDirectory(): void {
    for (const path of this.#files.keys()) {
      for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
        if (this.#files.has(path.slice(0, slash)))
          throw unsupported(`a merge of a file and a directory at '${path.slice(0, slash)}'`)
      }
    }
  }
}

/** The tree of merged files; only without conflicts. */
export async function treeOfFiles(repository: Repository, files: Files): Promise<string> {
  const entries = [...files]
    .sort(([a], [b]) => comparePaths(a, b))
    .map(([path, { mode, oid }]) => indexEntry(path, mode, oid, undefined))
  return repository.objects.writeTree(entries)
}

/** How git knows a binary file. */
function hasNul(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0)
}
