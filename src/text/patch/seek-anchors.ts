import { lastAtMost } from '../lines/lines.js'
import { type LineSeeker, likenessRules } from './seek-lines.js'

/** Finds lines named by `@@`, with a cache, as hunks often name the same ones. */
export interface AnchorSeeker {
  /** The lines of the innermost anchor: below each place of the outermost, the first of the next, and so on. */
  places(anchors: readonly string[]): readonly number[]
  /** The lines right below. */
  placesBelow(anchored: readonly number[]): readonly number[]
}

export function anchorSeeker(texts: () => readonly string[], seeker: LineSeeker): AnchorSeeker {
  const single = new Map<string, readonly number[]>()
  const nested = new Map<string, readonly number[]>()
  const shifted = new Map<readonly number[], readonly number[]>()

  function placesOf(anchor: string): readonly number[] {
    const places = single.get(anchor) ?? placesOfAnchor(texts, seeker, anchor)
    single.set(anchor, places)
    return places
  }

  function placesOfNested([first = '', ...inner]: readonly string[]): readonly number[] {
    let outer = placesOf(first)
    for (const anchor of inner) {
      const next = placesOf(anchor)
      seeker.spend(outer.length * stepsPerNested)
      if (seeker.isSpent || outer.length === 0) return []
      outer = [...new Set(outer.flatMap((at) => next[lastAtMost(next, at) + 1] ?? []))]
    }
    return outer
  }

  return {
    places(anchors) {
      const key = anchors.join('\n')
      const places = nested.get(key) ?? placesOfNested(anchors)
      nested.set(key, places)
      return places
    },
    placesBelow(anchored) {
      const places = shifted.get(anchored) ?? anchored.map((at) => at + 1)
      shifted.set(anchored, places)
      return places
    },
  }
}

/** The cost of a lookup, and of comparing the start of a line. */
const stepsPerNested = 100
const stepsPerLine = 10

/** As a last resort an anchor may be the start of a line (`@@ class Parser`); Codex requires the whole line. */
function placesOfAnchor(texts: () => readonly string[], seeker: LineSeeker, anchor: string): readonly number[] {
  for (const rule of likenessRules) {
    const places = seeker.seek([anchor], rule)
    if (places.length > 0 || seeker.isSpent) return places
  }
  seeker.spend(texts().length * stepsPerLine)
  const wanted = anchor.trim()
  return texts().flatMap((text, at) => (text.trimStart().startsWith(wanted) ? [at] : []))
}
