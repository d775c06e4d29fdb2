/** The files and links of a merge. */
import type { EntryState } from '../entry-image.js'
import { sameImage } from '../journal/record.js'
import { mergeContent, mergeMode, modeOf, sameContent, textsOf } from './merge-content.js'
import { invalid, type MergeState } from './merge-state.js'
import type { LeafPart } from './parts.js'
import type { Places } from './places.js'
import { type Put, putLeaf } from './put-leaf.js'
import { gitDirectoryOf } from './repositories.js'
import { type Content, contentOfSide, contentOfText } from './side-content.js'
import type { MergeConflict, MergeResolution } from './types.js'

type BothThere = Required<LeafPart>

const absent: EntryState = { image: { kind: 'absent' } }

export function leafMerge(leaves: readonly LeafPart[], places: Places, state: MergeState) {
  const { draft, merged } = state
  const puts: Put[] = []
  const removals: { path: string; remove(): Promise<void> }[] = []

  async function decide(part: LeafPart): Promise<void> {
    const { start, theirs } = part
    if (start === undefined) return
    const path = places.ofBase(start.path)
    const ours = await state.ours(path)
    if (theirs === undefined) decideRemoval(path, start.state, ours)
    else if (ours.image.kind === 'absent' || ours.image.kind === 'directory') decideGone(path, { start, theirs }, ours)
    else decideBoth(path, { start, theirs }, ours)
  }

  function decideRemoval(path: string, base: EntryState, ours: EntryState): void {
    if (ours.image.kind === 'absent' || ours.image.kind === 'directory') return
    const rows: MergeConflict[] = [{ path, reason: 'removed-in-theirs', ...textsOf({ base, ours, theirs: absent }) }]
    const isSame = sameImage(base.image, ours.image) && !isMovedInOurs.has(path)
    const resolution = isSame ? 'theirs' : state.resolve(path, rows)
    if (resolution === 'theirs') remove(path, 'deleted')
    else if (typeof resolution === 'object')
      puts.push({ path, from: path, ours, content: contentOfText(resolution, path, [ours]) })
  }

  /** Of ours nothing is left, or a directory is in its place. */
  function decideGone(at: string, { start, theirs }: BothThere, ours: EntryState): void {
    const path = theirs.path
    const key = start.path === theirs.path ? at : path
    const rows: MergeConflict[] = [
      { path: key, reason: 'removed-in-ours', ...textsOf({ base: start.state, ours: absent, theirs: theirs.state }) },
    ]
    const resolution = state.resolve(key, rows)
    if (resolution === undefined || resolution === 'ours') return
    const mode = modeOf(theirs.state)
    puts.push({
      path: start.path === theirs.path ? at : path,
      ours: ours.image.kind === 'directory' ? ours : absent,
      content: typeof resolution === 'object' ? contentOfText(resolution, key, [theirs.state]) : contentOfSide(theirs),
      ...(mode !== undefined && { mode }),
    })
  }

  function decideBoth(at: string, { start, theirs }: BothThere, ours: EntryState): void {
    const versions = { base: start.state, ours, theirs: theirs.state }
    const isMoved = theirs.path !== start.path
    const areBothMoved = isMoved && at !== start.path && at !== theirs.path
    const put = combined(at, versions, theirs, {
      ...(isMoved && { to: theirs.path }),
      ...(areBothMoved && { clash: { path: at, reason: 'moved' as const, theirPath: theirs.path } }),
    })
    if (put === undefined) return
    puts.push({ ...put, from: at })
    if (put.path !== at && put.ours.bytes !== undefined) removeQuietly(at)
    else if (put.path !== at && put.ours.image.kind === 'symlink') removeQuietly(at)
  }

  /** The content and mode of both; undefined for a conflict. */
  function combined(
    at: string,
    versions: { base: EntryState; ours: EntryState; theirs: EntryState },
    theirs: NonNullable<LeafPart['theirs']>,
    { to, clash }: { to?: string; clash?: MergeConflict } = {},
  ): Put | undefined {
    const content = mergeContent(versions)
    const mode = mergeMode(versions)
    const rows: MergeConflict[] = clash === undefined ? [] : [clash]
    if (content.from === 'conflict') {
      const elsewhere = theirs.path === at ? {} : { theirPath: theirs.path }
      rows.push(...content.rows.map((row) => ({ path: at, ...row, ...elsewhere })))
    }
    if (mode === undefined) rows.push({ path: at, reason: 'mode' })
    const areLines = content.from === 'conflict' && content.favored !== undefined
    const resolution = rows.length === 0 ? 'ours' : state.resolve(at, rows, { areLines })
    if (resolution === undefined) return undefined
    const side = typeof resolution === 'object' ? 'ours' : resolution
    const taken = takenContent(at, content, versions, { theirs, resolution })
    const both = mode === undefined ? modeOf(side === 'theirs' ? versions.theirs : versions.ours) : mode.mode
    const stays = to === undefined || (clash !== undefined && side !== 'theirs')
    return {
      path: stays ? at : to,
      ours: versions.ours,
      ...(taken && { content: taken }),
      ...(both !== undefined && { mode: both }),
    }
  }

  function takenContent(
    at: string,
    content: ReturnType<typeof mergeContent>,
    { ours, theirs: other }: { ours: EntryState; theirs: EntryState },
    { theirs, resolution }: { theirs: NonNullable<LeafPart['theirs']>; resolution: MergeResolution },
  ): Content | undefined {
    if (content.from === 'merged') return { bytes: content.bytes }
    if (content.from !== 'conflict') return content.from === 'ours' ? undefined : contentOfSide(theirs)
    if (typeof resolution === 'object') return contentOfText(resolution, at, [ours, other])
    if (content.favored !== undefined) return { bytes: content.favored(resolution) }
    return resolution === 'theirs' ? contentOfSide(theirs) : undefined
  }

  /** An entry that the fork has made. What ours has in its place by now is looked at once everything that goes is gone. */
  async function add(theirs: NonNullable<LeafPart['theirs']>): Promise<void> {
    const path = places.ofNew(theirs.path)
    const ours = await state.ours(path)
    if (ours.image.kind === 'directory' || ours.image.kind === 'absent') {
      const mode = modeOf(theirs.state)
      const put = { path, ours, content: contentOfSide(theirs), ...(mode !== undefined && { mode }) }
      return putLeaf(put, state)
    }
    if (sameContent(ours.image, theirs.state.image) && modeOf(ours) === modeOf(theirs.state)) return
    const put = combined(path, { base: absent, ours, theirs: theirs.state }, theirs)
    if (put !== undefined) await putLeaf({ ...put, from: path }, state)
  }

  function remove(path: string, change: 'deleted'): void {
    merged.push({ path, change })
    removeQuietly(path)
  }

  function removeQuietly(path: string): void {
    removals.push({ path, remove: () => draft.remove(path) })
  }

  const isMovedInOurs = new Set(
    leaves.flatMap(({ start }) => {
      const at = start && places.ofBase(start.path)
      return at === undefined || at === start?.path ? [] : [at]
    }),
  )
  const inGit = leaves.filter((part) => gitDirectoryOf(pathOf(part)) !== undefined)
  const others = leaves.filter((part) => gitDirectoryOf(pathOf(part)) === undefined)

  return {
    async decide() {
      for (const part of others) await decide(part)
      await decideRepositories()
    },
    removals: () => removals,
    async put() {
      for (const put of puts) await putLeaf(put, state)
      for (const { start, theirs } of others) if (start === undefined && theirs !== undefined) await add(theirs)
    },
  }

  /** A repository is merged as far as both changed other files of it; else it is taken from one side. */
  async function decideRepositories(): Promise<void> {
    for (const directory of new Set(inGit.map((part) => gitDirectoryOf(pathOf(part)) as string))) {
      const parts = inGit.filter((part) => gitDirectoryOf(pathOf(part)) === directory)
      const looked = await Promise.all(parts.map(async (part) => ({ part, ours: await state.ours(pathOf(part)) })))
      const clashes = looked.some(({ part: { start = { state: absent }, theirs = { state: absent } }, ours }) => {
        return !sameContent(start.state.image, ours.image) && !sameContent(theirs.state.image, ours.image)
      })
      if (clashes && !takesTheirs(directory)) continue
      for (const { part, ours } of looked) takeTheirs(part, ours)
    }
  }

  function takesTheirs(directory: string): boolean {
    const resolution = state.resolve(directory, [{ path: directory, reason: 'repository' }])
    if (typeof resolution === 'object') throw invalid(directory, 'a repository: "ours" or "theirs"')
    return resolution === 'theirs'
  }

  function takeTheirs({ start, theirs }: LeafPart, ours: EntryState): void {
    const isThere = ours.image.kind !== 'absent'
    if (start !== undefined && theirs === undefined && isThere) remove(start.path, 'deleted')
    if (theirs === undefined || sameImage(ours.image, theirs.state.image)) return
    const mode = modeOf(theirs.state)
    const path = theirs.path
    puts.push({
      path,
      ...(isThere && { from: path }),
      ours,
      content: contentOfSide(theirs),
      ...(mode !== undefined && { mode }),
    })
  }
}

function pathOf({ start, theirs }: LeafPart): string {
  return start?.path ?? (theirs?.path as string)
}
