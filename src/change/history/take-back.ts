/** Undoes changes as one draft. What others changed since stays: it is merged, or named as an overlap. */
import { FsError, type Overlaps, type UndoOverlap } from '../../errors.js'
import { statIfThere } from '../../fs/if-there.js'
import { isWithin } from '../../fs/path.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import { openText } from '../../text/decode/document.js'
import type { Draft } from '../draft.js'
import { entryStateAt } from '../entry-image.js'
import { type ChangeRecord, inverse, type Step, scopesOf } from '../journal/record.js'
import type { Scope } from '../locks/locks.js'
import { required } from '../steps.js'
import { follow, type Move, movesOf, pairsOf, standingMoves } from './later-moves.js'
import type { Obstacle, StepMeans } from './merge-step.js'
import { unitsOf } from './units.js'
import { sameLines, type Version, whoChanged } from './who-changed.js'

export interface TakeBack {
  draft: Draft
  /** The current tree. */
  fs: FileSystem
  /** Newest first. */
  undo: readonly ChangeRecord[]
  /** All changes since the oldest of them, oldest first. */
  since: readonly ChangeRecord[]
  /** Content that a record stores. */
  content(id: string, hash: string): Promise<Bytes | undefined>
  overlaps: Overlaps
}

export interface TakenBack {
  overlaps: UndoOverlap[]
  /** Directories that stay, because others use them by now. */
  kept: string[]
  /** The changes, by their ids: those of which nothing was left out, and the others. */
  whole: string[]
  partly: string[]
}

/** Fails with `CONFLICT` for overlaps that are refused. */
export async function takeBack({ draft, fs, undo, since, content, overlaps: policy }: TakeBack): Promise<TakenBack> {
  // A page loads the merge with its first undo.
  const { mergeStep } = await import('./merge-step.js')
  const isOurs = new Set(undo.map(({ id }) => id))
  const moves = standingMoves(since)
  const unitOf = onFirstCall(() => unitsOf(undo, moves))
  const holding = holders([...since, ...undo])
  const overlaps: UndoOverlap[] = []
  let left = new Set<string>()
  const kept: string[] = []

  for (;;) {
    const found = await draftAll(left)
    overlaps.push(...found.overlaps)
    if (found.overlaps.length === 0) break
    if (policy === 'refuse') throw new FsError('CONFLICT', { path: overlaps[0]?.path ?? '/', overlaps })
    // A part of a file's changes without the others is nothing that anybody wanted: it is left out whole.
    left = found.left
    kept.length = 0
    draft.discard()
  }
  const isWhole = ({ steps }: ChangeRecord) => left.size === 0 || steps.every(({ path }) => !left.has(unitOf()(path)))
  const whole = undo.filter(isWhole).map(({ id }) => id)
  return { overlaps, kept, whole, partly: [...isOurs].filter((id) => !whole.includes(id)) }

  async function draftAll(leftOut: ReadonlySet<string>): Promise<{ overlaps: UndoOverlap[]; left: Set<string> }> {
    const found: UndoOverlap[] = []
    const units = new Set(leftOut)
    for (const record of undo) {
      const steps = inverse(record)
      const means = meansFor(record, steps, leftOut)
      for (const step of steps) {
        if (units.size > 0 && units.has(unitOf()(step.path))) continue
        const obstacle = await mergeStep(step, means)
        if (obstacle === undefined) continue
        units.add(unitOf()(step.path))
        found.push(await overlapOf(obstacle, step, record))
      }
    }
    return { overlaps: found, left: units }
  }

  function meansFor(record: ChangeRecord, steps: readonly Step[], leftOut: ReadonlySet<string>): StepMeans {
    const stands = ({ id, from }: Move) => id > record.id && (!isOurs.has(id) || leftOut.has(unitOf()(from)))
    const later = moves.filter(stands)
    const sources = pairsOf(steps)
    return {
      draft,
      fs,
      placeOf: (path, options) => (later.length === 0 ? path : follow(path, later, options)),
      contentOf,
      async wantedOf(path, hash) {
        const bytes = await content(record.id, hash)
        return record.undoable ? required(bytes, path) : bytes
      },
      isReplaced: (path) =>
        since.some(({ id, steps: made }) => id > record.id && !isOurs.has(id) && made.some(replaces(path))),
      sources,
      targets: new Map([...sources].map(([to, from]) => [from, to])),
      discards: policy === 'discard',
      carried: new Map(),
      kept,
    }
  }

  /** From a record since then, or from the file's current place. */
  async function contentOf(path: string, hash: string): Promise<Bytes | undefined> {
    const id = holding.get(hash)
    const stored = id === undefined ? undefined : await content(id, hash)
    if (stored !== undefined) return stored
    const now = await entryStateAt(fs, path)
    return now.image.kind === 'file' && now.image.hash === hash ? now.bytes : undefined
  }

  async function overlapOf(
    { path: drafted, reason, bytes, ranges }: Obstacle,
    step: Step,
    record: ChangeRecord,
  ): Promise<UndoOverlap> {
    const later = since.filter(({ id }) => id > record.id)
    // What is undone here may have moved it.
    const isThere = (await statIfThere(fs, drafted)) !== undefined
    const path = isThere
      ? drafted
      : follow(
          step.path,
          moves.filter(({ id }) => id > record.id),
          { isThere: true },
        )
    const others = later.filter(({ id, steps }) => !isOurs.has(id) && steps.some(concerns(path)))
    const newest = others.slice(-1).map(({ id }) => id)
    if (bytes === undefined || ranges === undefined || step.do === 'rename' || step.before.kind !== 'file')
      return { path, reason, changes: newest }
    const text = openText(bytes).text
    const now = await entryStateAt(fs, path)
    const current = now.bytes === undefined ? text : openText(now.bytes).text
    const versions = await versionsOf(step.path, step.before.hash, later)
    const named = whoChanged([...versions, { text: current }, { text }], ranges)
    const known = named.length > 0 ? named : versions.flatMap(({ by = [] }) => by).slice(-1)
    const lines = ranges
      .map((range) => sameLines(text, current, range))
      .map(({ start, end }) => ({ first: start + 1, last: end }))
    return { path, reason, lines, changes: known.length > 0 ? known : newest }
  }

  /** A file's content after a change, and after each later one that changed it. */
  async function versionsOf(path: string, hash: string, later: readonly ChangeRecord[]): Promise<Version[]> {
    const first = await contentOf(path, hash)
    const versions: Version[] = [{ text: first === undefined ? '' : openText(first).text }]
    let at = path
    for (const record of later) {
      const { id, steps } = record
      at = follow(at, movesOf([record]), { isThere: true })
      for (const step of steps) {
        if (step.do === 'rename' || step.path !== at || step.after.kind !== 'file') continue
        const bytes = await contentOf(at, step.after.hash)
        if (bytes !== undefined) versions.push({ text: openText(bytes).text, ...(!isOurs.has(id) && { by: id }) })
      }
    }
    return versions
  }
}

/** The scopes of the changes, and where later ones have moved their entries. */
export function scopesToTakeBack(records: readonly ChangeRecord[], since: readonly ChangeRecord[]): Scope[] {
  const isOurs = new Set(records.map(({ id }) => id))
  const moves = standingMoves(since).filter(({ id }) => !isOurs.has(id))
  const scopes = records.flatMap(scopesOf)
  if (moves.length === 0) return scopes
  const moved = records.flatMap((record) => {
    const later = moves.filter(({ id }) => id > record.id)
    return scopesOf(record).map((scope) => ({ ...scope, path: follow(scope.path, later, { isThere: true }) }))
  })
  return [...scopes, ...moved]
}

/** The id of the last record that stores each content, by hash. */
export function holders(records: readonly ChangeRecord[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const { id, steps, undoable } of records) {
    if (!undoable) continue
    for (const step of steps) if (step.do === 'set' && step.before.kind === 'file') found.set(step.before.hash, id)
  }
  return found
}

function replaces(path: string): (step: Step) => boolean {
  return (step) =>
    step.do === 'set' && step.path === path && (step.before.kind === 'absent' || step.after.kind === 'absent')
}

/** True for a step that changed the entry at a path, or moved it or a directory above it. */
function concerns(path: string): (step: Step) => boolean {
  return (step) => (step.do === 'set' ? step.path === path : isWithin(step.path, path) || isWithin(step.to, path))
}

function onFirstCall<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
