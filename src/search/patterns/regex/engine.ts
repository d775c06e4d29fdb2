/**
 * A backtracking matcher that memoizes failures. It finds what a RegExp finds: the leftmost match, alternatives in order. Without
 * back-references its time is proportional to pattern times text; with them it stops when its fuel is used up.
 */
import { contains } from './code-points.js'
import { type MatchStartsOptions, matchStarts } from './match-starts.js'
import { before, isEdge, isRepeated } from './places.js'
import { Operation, type Program } from './program.js'
import { setTests } from './set-tests.js'

export interface Span {
  start: number
  end: number
}

export interface Engine {
  /** The first match at or after `from`. `fuel` is the number of steps it may take; `stop` is called now and then. */
  find(text: string, from: number, fuel: number, stop?: () => boolean): Span | undefined | 'out-of-fuel' | 'stopped'
  /** Steps of the last search. */
  readonly steps: number
}

export interface EngineOptions extends MatchStartsOptions {
  /** False: backtracks as a RegExp does, to measure what a pattern would cost there. True unless given. */
  memoize?: boolean
}

// Local names, so that bundlers can inline the constants.
const {
  accept,
  set,
  setBack,
  split,
  jump,
  edge,
  wordEdge,
  look: lookAround,
  save,
  clear,
  reference,
  progress,
} = Operation

export function createEngine(program: Program, options: EngineOptions = {}): Engine {
  const { operations, a, b, depths, memory, captureSlots } = program
  const levels = program.maxDepth + 1
  const { sets } = program
  const { ascii, has } = setTests(sets)
  const nextStart = matchStarts(options)
  const memoize = options.memoize ?? true
  const captures = new Int32Array(captureSlots)
  /** A bit for each state at each offset, offset by offset; all 0 between searches. */
  let memo = new Uint32Array(0)
  const states = program.memorySlots * levels
  let text = ''
  let origin = 0
  /** The range of offsets with marks in `memo`. */
  let lowest = 0
  let highest = -1
  let fuel = 0
  let granted = 0
  let shouldStop: (() => boolean) | undefined
  /** Marks set inside look-around, which are cleared when it succeeds: only failures may be memoized. */
  const trail: number[] = []
  let looking = 0
  const stack: number[] = []

  return {
    get steps() {
      return granted - fuel
    },
    find(searched, from, allowed, stop) {
      text = searched
      // Look-behind may read before `from`.
      origin = looksBehind(program) ? 0 : from
      granted = allowed
      fuel = allowed
      shouldStop = stop
      const words = Math.ceil((states * (text.length - origin + 1)) / 32)
      if (words > maxMemoryWords) {
        fuel = 0
        return 'out-of-fuel'
      }
      if (memoize && memo.length < words) memo = new Uint32Array(words)
      lowest = from
      highest = -1
      try {
        return findFrom(from)
      } finally {
        forget()
      }
    },
  }

  function findFrom(from: number): ReturnType<Engine['find']> {
    for (let start = nextStart(text, from); start >= 0; start = nextStart(text, start + 1)) {
      captures.fill(-1)
      const end = run(0, start)
      if (end === outOfFuel) return fuel <= 0 ? 'out-of-fuel' : 'stopped'
      if (end >= 0) return { start, end }
    }
    return undefined
  }

  /** Clears what was marked, and no more: a long text may have many matches. */
  function forget(): void {
    if (highest < 0) return
    memo.fill(0, ((lowest - origin) * states) >>> 5, (((highest - origin + 1) * states) >>> 5) + 1)
  }

  /** The end of a match from here; -1 for none. */
  function run(first: number, position: number): number {
    const base = stack.length
    let at = first
    let pos = position
    let level = 0
    const subject = text
    const { length } = subject
    const marks = memo
    for (;;) {
      fuel -= 1
      if (fuel <= 0 || ((fuel & 0xffff) === 0 && shouldStop?.() === true)) {
        stack.length = base
        return outOfFuel
      }
      let alive = true
      const slot = memory[at]!
      if (slot >= 0 && memoize) {
        if (pos > highest) highest = pos
        const bit = (pos - origin) * states + slot * levels + level
        const mask = 1 << (bit & 31)
        if ((marks[bit >>> 5]! & mask) !== 0) alive = false
        else {
          marks[bit >>> 5]! |= mask
          if (looking > 0) trail.push(bit)
        }
      }
      if (alive) {
        switch (operations[at]) {
          case accept:
            stack.length = base
            return pos
          case set: {
            let code = pos < length ? subject.charCodeAt(pos) : -1
            if (code < 0x80) alive = code >= 0 && ascii[(a[at]! << 7) + code] === 1
            else {
              code = subject.codePointAt(pos)!
              alive = contains(sets[a[at]!]!, code)
            }
            if (alive) {
              pos += code > 0xffff ? 2 : 1
              level = depths[at]!
              at += 1
            }
            break
          }
          case setBack: {
            const code = before(subject, pos)
            alive = code >= 0 && has(a[at]!, code)
            if (alive) {
              pos -= code > 0xffff ? 2 : 1
              if (pos < lowest) lowest = pos
              level = depths[at]!
              at += 1
            }
            break
          }
          case split:
            stack.push(b[at]!, pos, level)
            at = a[at]!
            break
          case jump:
            at = a[at]!
            break
          case edge:
            alive = isEdge(subject, a[at]!, pos)
            at += 1
            break
          case wordEdge: {
            const left = before(subject, pos)
            const inside = pos < length && has(a[at]!, subject.codePointAt(pos)!)
            alive = ((left >= 0 && has(a[at]!, left)) !== inside) !== (b[at] === 1)
            at += 1
            break
          }
          case lookAround: {
            const found = look(at, pos)
            if (found === outOfFuel) {
              stack.length = base
              return outOfFuel
            }
            alive = found >= 0 !== (b[at] === 1)
            at = a[at]!
            break
          }
          case save:
            saveSlot(a[at]!)
            captures[a[at]!] = pos
            at += 1
            break
          case clear:
            for (let slot = a[at]!; slot < b[at]!; slot += 1) {
              saveSlot(slot)
              captures[slot] = -1
            }
            at += 1
            break
          case reference: {
            const next = afterReference(a[at]!, b[at]!, pos)
            alive = next >= 0
            if (alive && next !== pos) level = depths[at]!
            pos = next
            if (alive && pos < lowest) lowest = pos
            at += 1
            break
          }
          case progress:
            alive = level >= a[at]!
            level = a[at]! - 1
            at += 1
            break
        }
      }
      while (!alive) {
        if (stack.length === base) return -1
        level = stack.pop()!
        pos = stack.pop()!
        at = stack.pop()!
        // A negative instruction restores the previous bound of a group.
        if (at < 0) captures[-1 - at] = pos
        else alive = true
      }
    }
  }

  function saveSlot(slot: number): void {
    stack.push(-1 - slot, captures[slot]!, 0)
  }

  function look(at: number, pos: number): number {
    const mark = trail.length
    const negated = b[at] === 1
    const saved = captureSlots > 0 ? captures.slice() : undefined
    looking += 1
    const found = run(at + 1, pos)
    looking -= 1
    if (found >= 0) for (let i = mark; i < trail.length; i += 1) memo[trail[i]! >>> 5]! &= ~(1 << (trail[i]! & 31))
    if (found >= 0 || looking === 0) trail.length = mark
    if (saved !== undefined) {
      if (negated || found < 0) captures.set(saved)
      // Groups set inside are visible to later parts, and are restored when those fail.
      else
        for (let slot = 0; slot < captureSlots; slot += 1)
          if (saved[slot] !== captures[slot]) stack.push(-1 - slot, saved[slot]!, 0)
    }
    return found
  }

  function afterReference(group: number, how: number, pos: number): number {
    const start = captures[2 * group]!
    const end = captures[2 * group + 1]!
    if (start < 0 || end < 0) return pos
    const length = end - start
    fuel -= length
    const from = how >= 2 ? pos - length : pos
    if (!isRepeated(text, from, { start, length, ignoreCase: how % 2 === 1 })) return -1
    return how >= 2 ? from : pos + length
  }
}

const outOfFuel = -2

/** 32 MiB. */
const maxMemoryWords = 1 << 23

function looksBehind(program: Program): boolean {
  return program.operations.includes(setBack)
}
