/**
 * Finds the longest match from a given place, and its groups: of all ways to that end the first, where repetitions
 * prefer more and alternatives their order. Every instruction is tried once for each place of the text, so that the time
 * is that of the pattern times the text; only back-references make it depend on more.
 */
import { type CodePoints, contains } from '../../src/search/patterns/regex/code-points.js'
import { gnuCaseKey } from './gnu-case.js'
import { type Instructions, Op } from './instructions.js'
import { RegexError } from './regex-error.js'

export interface LongestMatcher {
  /** The positions of the groups, two for each, -1 for none; those of the match come first. */
  match(text: string, start: number): Int32Array | undefined
}

const fuelWithReferences = 20_000_000
const maxMemoWords = 1 << 26
/** In the stack, an entry that restores a slot rather than tries an instruction. */
const restore = -1

export function longestMatcher(instructions: Instructions): LongestMatcher {
  const { ops, a, b, sets, memo, memoSlots } = instructions
  const refers = ops.includes(Op.reference)
  const tables = sets.map(asciiTable)
  let seen = new Uint32Array(64)
  const touched: number[] = []

  return { match }

  function has(set: number, code: number): boolean {
    return code < 128 ? (tables[set] as Uint8Array)[code] === 1 : contains(sets[set] as CodePoints, code)
  }

  function makeRoom(places: number): void {
    const words = Math.ceil((memoSlots * places) / 32) + 1
    if (words <= seen.length) return
    if (words > maxMemoWords) throw new RegexError('the text is too long for this regular expression')
    seen = new Uint32Array(Math.max(words, seen.length * 2))
  }

  function match(text: string, start: number): Int32Array | undefined {
    const slots = new Int32Array(instructions.slots).fill(-1)
    let best: Int32Array | undefined
    let bestEnd = -1
    let fuel = refers ? fuelWithReferences : Infinity
    const stack: number[] = [0, start, 0]
    makeRoom(text.length - start + 1)

    search: while (stack.length > 0) {
      const old = stack.pop() as number
      let place = stack.pop() as number
      let at = stack.pop() as number
      if (at === restore) {
        slots[place] = old
        continue
      }
      for (;;) {
        const slot = memo[at] as number
        if (slot >= 0) {
          const bit = (place - start) * memoSlots + slot
          const word = bit >>> 5
          const before = seen[word] as number
          const after = before | (1 << (bit & 31))
          if (before >>> 0 === after >>> 0) continue search
          if (before === 0) touched.push(word)
          seen[word] = after
        } else if (refers && --fuel < 0) {
          clear()
          throw new RegexError('this regular expression takes too long')
        }
        switch (ops[at]) {
          case Op.accept: {
            if (place > bestEnd) {
              bestEnd = place
              best = slots.slice()
              best[0] = start
              best[1] = place
            }
            if (place === text.length) break search
            continue search
          }
          case Op.set: {
            if (place >= text.length) continue search
            const code = text.codePointAt(place) as number
            if (!has(a[at] as number, code)) continue search
            place += code > 0xffff ? 2 : 1
            at += 1
            continue
          }
          case Op.split:
            stack.push(b[at] as number, place, 0)
            at = a[at] as number
            continue
          case Op.jump:
            at = a[at] as number
            continue
          case Op.edge:
            if (!isEdge(text, place, a[at] as number)) continue search
            at += 1
            continue
          case Op.wordEdge: {
            const isWordEdge = hasBefore(text, place, a[at] as number) !== hasAfter(text, place, a[at] as number)
            if (isWordEdge === (b[at] === 1)) continue search
            at += 1
            continue
          }
          case Op.ahead:
            if (hasAfter(text, place, a[at] as number) === (b[at] === 1)) continue search
            at += 1
            continue
          case Op.behind:
            if (hasBefore(text, place, a[at] as number) === (b[at] === 1)) continue search
            at += 1
            continue
          case Op.save: {
            const saved = a[at] as number
            stack.push(restore, saved, slots[saved] as number)
            slots[saved] = place
            at += 1
            continue
          }
          case Op.progress:
            if (slots[a[at] as number] === place) continue search
            at += 1
            continue
          default: {
            const group = 2 * (a[at] as number)
            const from = slots[group] as number
            const to = slots[group + 1] as number
            if (from < 0 || to < from) continue search
            const length = to - from
            if (!isSame(text, from, place, length, b[at] === 1)) continue search
            place += length
            at += 1
          }
        }
      }
    }
    clear()
    return best
  }

  function clear(): void {
    for (const word of touched) seen[word] = 0
    touched.length = 0
  }

  function hasAfter(text: string, place: number, set: number): boolean {
    return place < text.length && has(set, text.codePointAt(place) as number)
  }

  function hasBefore(text: string, place: number, set: number): boolean {
    if (place === 0) return false
    const unit = text.charCodeAt(place - 1)
    if (unit < 0xdc00 || unit > 0xdfff || place === 1) return has(set, unit)
    const whole = text.codePointAt(place - 2) as number
    return has(set, whole > 0xffff ? whole : unit)
  }
}

function isEdge(text: string, place: number, kind: number): boolean {
  if (kind === 0) return place === 0
  if (kind === 1) return place === text.length
  if (kind === 2) return place === 0 || text.charCodeAt(place - 1) === 0x0a
  return place === text.length || text.charCodeAt(place) === 0x0a
}

function isSame(text: string, from: number, place: number, length: number, ignoreCase: boolean): boolean {
  if (place + length > text.length) return false
  if (!ignoreCase) return text.startsWith(text.slice(from, from + length), place)
  const one = Array.from(text.slice(from, from + length))
  const other = Array.from(text.slice(place, place + length))
  return one.length === other.length && one.every((character, index) => key(character) === key(other[index] as string))
}

function key(character: string): number {
  return gnuCaseKey(character.codePointAt(0) as number)
}

function asciiTable(set: CodePoints): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (contains(set, code) ? 1 : 0))
}
