/** What was at a path before and after a series of changes, derived from their steps alone. */
import { dirname, isWithin, join, relative } from '../../fs/path.js'
import { type ChangeRecord, type Image, pathsOf, type Step } from '../journal/record.js'

export interface Timeline {
  /** Every path that a step names, with its paths before the first and after the last step as directories above it moved. */
  paths(): Set<string>
  /** What was at a path before the first step. */
  before(path: string): Traced
  /** What is at a path after the last step. */
  after(path: string): Traced
  /** The path after the last step of what was `path` before the first: follows moved directories, even if the entry itself is gone. */
  place(path: string): string
}

/** An image, or for an entry that no step changes its path at the other end of the timeline. */
export type Traced = { image: Image } | { at: string }

/** Takes records in the order in which they were made. */
export function timeline(records: readonly ChangeRecord[]): Timeline {
  const steps = records.flatMap((record) => record.steps)
  const named: Named = new Map()
  const renamed: Named = new Map()
  for (const [index, step] of steps.entries()) {
    for (const path of pathsOf(step)) {
      note(named, path, index)
      if (step.do === 'rename') note(renamed, path, index)
    }
  }

  /** The nearest step after the index, or before it in reverse, that names the path or a directory above it. */
  function next(among: Named, path: string, index: number, direction: 1 | -1): number | undefined {
    let found: number | undefined
    for (let at = path; ; at = dirname(at)) {
      const one = nearest(among.get(at) ?? [], index, direction)
      if (one !== undefined && (found === undefined || (one - found) * direction < 0)) found = one
      if (at === dirname(at)) return found
    }
  }

  function trace(path: string, start: number, direction: 1 | -1): Traced {
    let at = path
    for (
      let index = next(named, at, start, direction);
      index !== undefined;
      index = next(named, at, index, direction)
    ) {
      const met = meet(direction === 1 ? (steps[index] as Step) : reversed(steps[index] as Step), at)
      if ('image' in met) return met
      at = met.at
    }
    return { at }
  }

  /** Where a path leads that meets a rename, by both and the direction: paths that meet it later lead to the same place. */
  const known = { 1: new Map<string, string>(), [-1]: new Map<string, string>() }

  /** Follows renames only, whatever happens to the entry itself. */
  function carry(path: string, start: number, direction: 1 | -1): string {
    const met: string[] = []
    let at = path
    for (
      let index = next(renamed, at, start, direction);
      index !== undefined;
      index = next(renamed, at, index, direction)
    ) {
      const meeting = `${index} ${at}`
      const end = known[direction].get(meeting)
      if (end !== undefined) {
        at = end
        break
      }
      met.push(meeting)
      const step = direction === 1 ? (steps[index] as Step) : reversed(steps[index] as Step)
      if (step.do === 'rename') at = moved(at, step.path, step.to)
    }
    for (const meeting of met) known[direction].set(meeting, at)
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

/** Ascending indices of the steps that name a path. */
type Named = Map<string, number[]>

function note(named: Named, path: string, index: number): void {
  const indices = named.get(path)
  if (indices === undefined) named.set(path, [index])
  else indices.push(index)
}

/** The image at a path right before a step that names it or a directory above it; or the path to which the step moves it. */
function meet(step: Step, at: string): Traced {
  const absent = { image: { kind: 'absent' } } as const
  if (step.do === 'set') {
    if (step.path === at) return { image: step.before }
    return step.before.kind === 'directory' ? { at } : absent
  }
  if (step.path === at) return { image: step.before }
  if (isWithin(step.path, at)) return { at: moved(at, step.path, step.to) }
  return step.to === at ? { image: step.replaces } : absent
}

/** The step in reverse. A rename leaves nothing at its source. */
function reversed(step: Step): Step {
  if (step.do === 'set') return { ...step, before: step.after, after: step.before }
  return { ...step, path: step.to, to: step.path, replaces: { kind: 'absent' } }
}

/** The path after a directory has moved. */
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
