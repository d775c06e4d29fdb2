/** A pattern as instructions for the matcher that finds the longest match. */
import { minLength, type Node, some } from '../../src/search/patterns/regex/ast.js'
import type { CodePoints } from '../../src/search/patterns/regex/code-points.js'
import { messages, RegexError } from './regex-error.js'

export const Op = {
  accept: 0,
  /** a: set. */
  set: 1,
  /** a: tried first, b: tried next. */
  split: 2,
  /** a: target. */
  jump: 3,
  /** a: 0 text start, 1 text end, 2 line start, 3 line end. */
  edge: 4,
  /** a: set of word characters, b: 1 when negated. */
  wordEdge: 5,
  /** a: set, b: 1 when negated. */
  ahead: 6,
  behind: 7,
  /** a: slot. */
  save: 8,
  /** a: group, b: 1 ignoring case. */
  reference: 9,
  /** a: slot with the place where an iteration began. Fails when nothing was consumed since. */
  progress: 10,
} as const

export interface Instructions {
  ops: Uint8Array
  a: Int32Array
  b: Int32Array
  sets: readonly CodePoints[]
  /** The memo slot of instructions that are reached in several ways; -1 for all others. */
  memo: Int32Array
  memoSlots: number
  /** Slots for the groups, and for loops that must not turn for nothing. */
  slots: number
}

const maxInstructions = 100_000
const edges = ['text-start', 'text-end', 'line-start', 'line-end']

export function instructionsOf(root: Node, groups: number, keepsGroups: boolean): Instructions {
  const ops: number[] = []
  const a: number[] = []
  const b: number[] = []
  const sets: CodePoints[] = []
  const refers = some(root, ({ kind }) => kind === 'back-reference')
  const saves = keepsGroups || refers
  let slots = 2 * (groups + 1)
  emit(root)
  add(Op.accept)
  return {
    ops: Uint8Array.from(ops),
    a: Int32Array.from(a),
    b: Int32Array.from(b),
    sets,
    slots,
    ...memoOf(ops, a, b),
  }

  function add(op: number, first = 0, second = 0): number {
    if (ops.length >= maxInstructions) throw new RegexError(messages.tooBig)
    a.push(first)
    b.push(second)
    return ops.push(op) - 1
  }

  function emit(node: Node): void {
    switch (node.kind) {
      case 'set':
        add(Op.set, indexOf(node.set))
        return
      case 'sequence':
        node.items.forEach(emit)
        return
      case 'choice':
        emitChoice(node.options)
        return
      case 'repeat':
        emitRepeat(node.body, node.min, node.max)
        return
      case 'capture':
        if (saves) add(Op.save, 2 * node.group)
        emit(node.body)
        if (saves) add(Op.save, 2 * node.group + 1)
        return
      case 'edge':
        add(Op.edge, edges.indexOf(node.at))
        return
      case 'word-edge':
        add(Op.wordEdge, indexOf(node.word), node.negated ? 1 : 0)
        return
      case 'look':
        if (node.body.kind === 'set') {
          add(node.behind ? Op.behind : Op.ahead, indexOf(node.body.set), node.negated ? 1 : 0)
        }
        return
      case 'back-reference':
        add(Op.reference, node.group, node.ignoreCase ? 1 : 0)
    }
  }

  function emitChoice(options: readonly Node[]): void {
    const ends: number[] = []
    options.forEach((option, index) => {
      const isLast = index === options.length - 1
      const split = isLast ? -1 : add(Op.split, ops.length + 1)
      emit(option)
      if (isLast) return
      ends.push(add(Op.jump))
      b[split] = ops.length
    })
    for (const end of ends) a[end] = ops.length
  }

  function emitRepeat(body: Node, min: number, max: number): void {
    for (let count = 0; count < min; count += 1) emit(body)
    const exits: number[] = []
    if (max === Infinity) {
      const split = add(Op.split, ops.length + 1)
      exits.push(split)
      emitIteration(body)
      add(Op.jump, split)
    } else {
      for (let count = min; count < max; count += 1) {
        exits.push(add(Op.split, ops.length + 1))
        emit(body)
      }
    }
    for (const exit of exits) b[exit] = ops.length
  }

  /**
   * An iteration that consumes nothing comes back to a place that was tried already, which ends it; where nothing is
   * remembered, it is checked.
   */
  function emitIteration(body: Node): void {
    if (!refers || minLength(body) > 0) {
      emit(body)
      return
    }
    const slot = slots++
    add(Op.save, slot)
    emit(body)
    add(Op.progress, slot)
  }

  function indexOf(set: CodePoints): number {
    const known = sets.indexOf(set)
    return known >= 0 ? known : sets.push(set) - 1
  }
}

/** Before a reference what follows depends on the groups too, so that nothing can be remembered there. */
function memoOf(ops: number[], a: number[], b: number[]): Pick<Instructions, 'memo' | 'memoSlots'> {
  const ways = new Int32Array(ops.length)
  const refers = new Uint8Array(ops.length)
  const targets = ops.map((op, at) => {
    if (op === Op.accept) return []
    if (op === Op.split) return [a[at] as number, b[at] as number]
    return op === Op.jump ? [a[at] as number] : [at + 1]
  })
  for (const list of targets) for (const target of list) ways[target] = (ways[target] ?? 0) + 1
  ops.forEach((op, at) => {
    if (op === Op.reference) refers[at] = 1
  })
  for (let changed = refers.includes(1); changed; ) {
    changed = false
    for (let at = ops.length - 1; at >= 0; at -= 1) {
      if (refers[at] === 0 && targets[at]?.some((target) => refers[target] === 1)) {
        refers[at] = 1
        changed = true
      }
    }
  }
  let memoSlots = 0
  const memo = Int32Array.from(ops, (_, at) => ((ways[at] ?? 0) < 2 || refers[at] === 1 ? -1 : memoSlots++))
  return { memo, memoSlots }
}
