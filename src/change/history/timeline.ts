/** What was at a path before some changes and after them, told by their steps alone. */
import { dirname, isWithin, join, relative } from '../../fs/path.js'
import { type ChangeRecord, type Image, pathsOf, type Step } from '../journal/record.js'

export interface Timeline {
  /** Every path that a step names, and where what is there came from and went to, with the directories above it. */
  paths(): Set<string>
  /** What was at a path before the first step. */
  before(path: string): Told
  /** What is at a path after the last step. */
  after(path: string): Told
  /** Where the place is after the last step that a path was before the first, whatever became of what is in it. */
  place(path: string): string
}

/** An image, or, of an entry that no step changes, its path at the other end. */
export type Told = { image: Image } | { at: string }

/** Of records in the order in which they were made. */
export function timeline(records: readonly ChangeRecord[]): Timeline {
  const steps = records.flatMap((record) => record.steps)
  /** Where in `steps` each path is named, in order. */
  const named = new Map<string, number[]>()
  for (const [index, step] of steps.entries()) {
    for (const path of pathsOf(step)) {
      const known = named.get(path)
      if (known === undefined) named.set(path, [index])
      else known.push(index)
    }
  }

  /** The next step, or in reverse the one before, that names a path or a directory above it. */
  function next(path: string, index: number, direction: 1 | -1): number | undefined {
    let found: number | undefined
    for (let at = path; ; at = dirname(at)) {
      const one = nearest(named.get(at) ?? [], index, direction)
      if (one !== undefined && (found === undefined || (one - found) * direction < 0)) found = one
      if (at === dirname(at)) return found
    }
  }

  function trace(path: string, start: number, direction: 1 | -1): Told {
    let at = path
    for (let index = next(at, start, direction); index !== undefined; index = next(at, index, direction)) {
      const met = meet(direction === 1 ? (steps[index] as Step) : reversed(steps[index] as Step), at)
      if ('image' in met) return met
      at = met.at
    }
    return { at }
  }

  /** Where the place itself goes, whatever becomes of what is in it. */
  function carry(path: string, start: number, direction: 1 | -1): string {
    let at = path
    for (let index = next(at, start, direction); index !== undefined; index = next(at, index, direction)) {
      const step = direction === 1 ? (steps[index] as Step) : reversed(steps[index] as Step)
      if (step.do === 'rename') at = moved(at, step.path, step.to)
    }
    return at
  }

  return {
    paths() {
      const found = new Set<string>()
      for (const [path, indices] of named) {
        found.add(path)
        for (const index of indices) found.add(carry(path, index, 1)).add(carry(path, index, -1))
      }
      return found
    },
    before: (path) => trace(path, -1, 1),
    after: (path) => trace(path, steps.length, -1),
    place: (path) => carry(path, -1, 1),
  }
}

/** What was at a path right before a step that names it or a directory above it; or where the step takes it. */
function meet(step: Step, at: string): Told {
  const absent = { image: { kind: 'absent' } } as const
  if (step.do === 'set') {
    if (step.path === at) return { image: step.before }
    return step.before.kind === 'directory' ? { at } : absent
  }
  if (step.path === at) return { image: step.before }
  if (isWithin(step.path, at)) return { at: moved(at, step.path, step.to) }
  return step.to === at ? { image: step.replaces } : absent
}

/** Seen from its end: nothing is left where something moved away from. */
function reversed(step: Step): Step {
  if (step.do === 'set') return { ...step, before: step.after, after: step.before }
  return { ...step, path: step.to, to: step.path, replaces: { kind: 'absent' } }
}

/** Where a path is once a directory has moved. */
function moved(path: string, from: string, to: string): string {
  return isWithin(from, path) ? join(to, relative(from, path)) : path
}

/** The first of ascending numbers past a given one, in either direction. */
function nearest(ascending: readonly number[], given: number, direction: 1 | -1): number | undefined {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const isPast = direction === 1 ? (ascending[middle] as number) > given : (ascending[middle] as number) >= given
    if (isPast) high = middle
    else low = middle + 1
  }
  return ascending[direction === 1 ? low : low - 1]
}
