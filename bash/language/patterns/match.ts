/**
 * Matches patterns without going back: the set of places that a pattern's beginning can reach is taken from element to
 * element. So no pattern takes longer than its length times that of the text, except for `!(…)`.
 */
import type { Element } from './elements.js'

/** All places, in ascending order, where a match that begins at one of `starts` can end. */
export function findEnds(elements: readonly Element[], text: string, starts: readonly number[]): readonly number[] {
  let places = starts
  for (let index = 0; index < elements.length; index += 1) {
    if (places.length === 0) return places
    const element = elements[index] as Element
    const next = elements[index + 1]
    if (element.type === 'star' && next?.type === 'literal') {
      places = placesAfter(text, next.text, places[0] as number)
      index += 1
    } else places = advance(element, text, places)
  }
  return places
}

/** The first and the last of `findEnds`. */
export function findExtremes(elements: readonly Element[], text: string, start: number): readonly number[] {
  if (elements[elements.length - 1]?.type !== 'star') return findEnds(elements, text, [start])
  const ends = findEnds(elements.slice(0, -1), text, [start])
  return ends.length === 0 ? ends : [ends[0] as number, text.length]
}

/** Where the occurrences of a literal end. */
function placesAfter(text: string, literal: string, from: number): number[] {
  const places: number[] = []
  for (let at = text.indexOf(literal, from); at >= 0; at = text.indexOf(literal, at + 1))
    places.push(at + literal.length)
  return places
}

function advance(element: Element, text: string, places: readonly number[]): readonly number[] {
  switch (element.type) {
    case 'literal': {
      const { text: literal } = element
      const next: number[] = []
      for (const place of places) if (text.startsWith(literal, place)) next.push(place + literal.length)
      return next
    }
    case 'any': {
      const next: number[] = []
      for (const place of places) if (place < text.length) next.push(place + widthAt(text, place))
      return next
    }
    case 'set': {
      const next: number[] = []
      for (const place of places) {
        if (place < text.length && isIn(element, characterAt(text, place))) next.push(place + widthAt(text, place))
      }
      return next
    }
    case 'star':
      return placesFrom(text, places[0] as number)
    case 'group':
      return advanceGroup(element, text, places)
  }
}

function advanceGroup(
  { kind, alternatives }: Element & { type: 'group' },
  text: string,
  places: readonly number[],
): readonly number[] {
  switch (kind) {
    case '@':
      return findAny(alternatives, text, places)
    case '?':
      return union(places, findAny(alternatives, text, places))
    case '+':
      return repeat(alternatives, text, findAny(alternatives, text, places))
    case '*':
      return repeat(alternatives, text, places)
    case '!': {
      let all: readonly number[] = []
      for (const place of places) {
        const excluded = new Set(findAny(alternatives, text, [place]))
        all = union(
          all,
          placesFrom(text, place).filter((end) => !excluded.has(end)),
        )
      }
      return all
    }
  }
}

function findAny(alternatives: readonly Element[][], text: string, places: readonly number[]): readonly number[] {
  let all: readonly number[] = []
  for (const alternative of alternatives) all = union(all, findEnds(alternative, text, places))
  return all
}

/** `places` and all that further repetitions reach. */
function repeat(alternatives: readonly Element[][], text: string, places: readonly number[]): readonly number[] {
  const seen = new Set(places)
  let fresh = places
  while (fresh.length > 0) {
    fresh = findAny(alternatives, text, fresh).filter((place) => !seen.has(place))
    for (const place of fresh) seen.add(place)
  }
  return [...seen].sort((left, right) => left - right)
}

function union(left: readonly number[], right: readonly number[]): readonly number[] {
  if (left.length === 0) return right
  if (right.length === 0) return left
  return [...new Set([...left, ...right])].sort((first, second) => first - second)
}

function isIn({ test, negated }: Element & { type: 'set' }, character: string): boolean {
  return test(character) !== negated
}

function placesFrom(text: string, start: number): number[] {
  const places: number[] = []
  for (let place = start; place < text.length; place += widthAt(text, place)) places.push(place)
  places.push(text.length)
  return places
}

export function widthAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit < 0xdc00 && (text.codePointAt(at) as number) > 0xffff ? 2 : 1
}

function characterAt(text: string, at: number): string {
  return widthAt(text, at) === 2 ? text.slice(at, at + 2) : (text[at] as string)
}

/** Whether all of a text matches a pattern without groups: after a mismatch only the last star takes more. */
export function matchesSimple(elements: readonly Element[], text: string): boolean {
  let index = 0
  let at = 0
  let starIndex = -1
  let starAt = 0
  for (;;) {
    const element = elements[index]
    if (element === undefined && at === text.length) return true
    if (element?.type === 'star') {
      if (index === elements.length - 1) return true
      starIndex = index
      starAt = at
      index += 1
      continue
    }
    const width = element === undefined ? 0 : widthOf(element, text, at)
    if (width > 0) {
      index += 1
      at += width
      continue
    }
    if (starIndex < 0 || starAt >= text.length) return false
    starAt += widthAt(text, starAt)
    at = starAt
    index = starIndex + 1
  }
}

/** The length of what an element other than a star matches at a place, or 0. */
function widthOf(element: Element, text: string, at: number): number {
  if (element.type === 'literal') return text.startsWith(element.text, at) ? element.text.length : 0
  if (at >= text.length) return 0
  if (element.type === 'set' && !isIn(element, characterAt(text, at))) return 0
  return widthAt(text, at)
}
