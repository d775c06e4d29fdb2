import { minLength, type Node, some } from './ast.js'
import type { CodePoints } from './code-points.js'

/** A pattern as instructions for the bounded engine, each an operation with up to two operands. */
export interface Program {
  operations: Uint8Array
  a: Int32Array
  b: Int32Array
  /** The number of enclosing repetitions that have to consume a character before they may repeat. */
  depths: Uint8Array
  maxDepth: number
  sets: readonly CodePoints[]
  /** The memo slot of instructions that can be reached in several ways; -1 for all others. */
  memory: Int32Array
  memorySlots: number
  /** Two per group if there are back-references; else none. */
  captureSlots: number
}

export const Operation = {
  accept: 0,
  /** a: set. Consumes the next character. */
  set: 1,
  /** a: set. Consumes the previous character, in look-behind. */
  setBack: 2,
  /** a: tried first, b: tried if that fails. */
  split: 3,
  /** a: target. */
  jump: 4,
  /** a: 0 text start, 1 text end, 2 line start, 3 line end. */
  edge: 5,
  /** a: set of word characters, b: 1 when negated. */
  wordEdge: 6,
  /** a: where to continue, b: 1 when negated. The body comes next and ends in accept. */
  look: 7,
  /** a: slot. */
  save: 8,
  /** a: first slot, b: past the last. */
  clear: 9,
  /** a: group, b: 1 ignoring case, plus 2 backwards. */
  reference: 10,
  /** a: depth. Fails unless the repetition of that depth consumed a character. */
  progress: 11,
} as const

/** Undefined when the pattern, with counted repetitions unrolled, has more than `maxInstructions`. */
export function assemble(root: Node, groups: number, maxInstructions: number): Program | undefined {
  const operations: number[] = []
  const a: number[] = []
  const b: number[] = []
  const depths: number[] = []
  const sets: CodePoints[] = []
  const captures = some(root, (node) => node.kind === 'back-reference')
  let depth = 0
  let maxDepth = 0
  let tooLong = false

  emit(root, false)
  add(Operation.accept)
  if (tooLong) return undefined
  const captureSlots = captures ? 2 * (groups + 1) : 0
  return {
    operations: Uint8Array.from(operations),
    a: Int32Array.from(a),
    b: Int32Array.from(b),
    depths: Uint8Array.from(depths),
    maxDepth,
    sets,
    ...memoryOf(operations, a, b),
    captureSlots,
  }

  function add(operation: number, first = 0, second = 0): number {
    if (operations.length >= maxInstructions) tooLong = true
    else {
      operations.push(operation)
      a.push(first)
      b.push(second)
      depths.push(depth)
    }
    return operations.length - 1
  }

  function emit(node: Node, backwards: boolean): void {
    if (tooLong) return
    switch (node.kind) {
      case 'set':
        add(backwards ? Operation.setBack : Operation.set, setIndex(node.set))
        return
      case 'sequence':
        for (const item of backwards ? [...node.items].reverse() : node.items) emit(item, backwards)
        return
      case 'choice':
        emitChoice(node.options, backwards)
        return
      case 'repeat':
        emitRepeat(node, backwards)
        return
      case 'capture': {
        if (captures) add(Operation.save, 2 * node.group + (backwards ? 1 : 0))
        emit(node.body, backwards)
        if (captures) add(Operation.save, 2 * node.group + (backwards ? 0 : 1))
        return
      }
      case 'look': {
        const look = add(Operation.look, 0, node.negated ? 1 : 0)
        const outer = depth
        depth = 0
        emit(node.body, node.behind)
        add(Operation.accept)
        depth = outer
        a[look] = operations.length
        return
      }
      case 'edge':
        add(Operation.edge, ['text-start', 'text-end', 'line-start', 'line-end'].indexOf(node.at))
        return
      case 'word-edge':
        add(Operation.wordEdge, setIndex(node.word), node.negated ? 1 : 0)
        return
      case 'back-reference':
        add(Operation.reference, node.group, (node.ignoreCase ? 1 : 0) + (backwards ? 2 : 0))
    }
  }

  function emitChoice(options: readonly Node[], backwards: boolean): void {
    const ends: number[] = []
    options.forEach((option, i) => {
      const last = i === options.length - 1
      const split = last ? -1 : add(Operation.split, operations.length + 1)
      emit(option, backwards)
      if (last) return
      ends.push(add(Operation.jump))
      b[split] = operations.length
    })
    for (const end of ends) a[end] = operations.length
  }

  function emitRepeat(node: Extract<Node, { kind: 'repeat' }>, backwards: boolean): void {
    const { body, min, max, greedy } = node
    for (let i = 0; i < min && !tooLong; i += 1) iteration()
    const exits: number[] = []
    if (max === Infinity) {
      const split = fork(exits)
      optionalIteration()
      add(Operation.jump, split)
    } else {
      for (let i = min; i < max && !tooLong; i += 1) {
        fork(exits)
        optionalIteration()
      }
    }
    for (const exit of exits) (greedy ? b : a)[exit] = operations.length

    function fork(exits: number[]): number {
      const next = operations.length + 1
      const split = greedy ? add(Operation.split, next, 0) : add(Operation.split, 0, next)
      exits.push(split)
      return split
    }

    function iteration(): void {
      const inside = captures ? groupsWithin(body) : []
      if (inside.length > 0) add(Operation.clear, 2 * Math.min(...inside), 2 * Math.max(...inside) + 2)
      emit(body, backwards)
    }

    /** As in ECMAScript, an iteration beyond the minimum that consumes nothing fails. */
    function optionalIteration(): void {
      const mayBeEmpty = minLength(body) === 0
      if (mayBeEmpty) {
        depth += 1
        maxDepth = Math.max(maxDepth, depth)
      }
      iteration()
      if (mayBeEmpty) {
        add(Operation.progress, depth)
        depth -= 1
      }
    }
  }

  function setIndex(set: CodePoints): number {
    const known = sets.indexOf(set)
    return known >= 0 ? known : sets.push(set) - 1
  }
}

function groupsWithin(node: Node): number[] {
  const groups: number[] = []
  some(node, (part) => {
    if (part.kind === 'capture') groups.push(part.group)
    return false
  })
  return groups
}

/**
 * An instruction gets a memo slot if it can be reached in more than one way: every other is reached only once from one of those. Before a
 * back-reference the result also depends on the groups, and is not memoized.
 */
function memoryOf(operations: number[], a: number[], b: number[]): { memory: Int32Array; memorySlots: number } {
  const next = operations.map((operation, at) => {
    if (operation === Operation.accept) return []
    if (operation === Operation.split) return [a[at]!, b[at]!]
    if (operation === Operation.jump) return [a[at]!]
    return operation === Operation.look ? [at + 1, a[at]!] : [at + 1]
  })
  const ways = new Int32Array(operations.length)
  ways[0] = 2
  for (const targets of next) for (const target of targets) ways[target]! += 1
  const refers = new Uint8Array(operations.map((operation) => (operation === Operation.reference ? 1 : 0)))
  for (let changed = true; changed; ) {
    changed = false
    for (let at = operations.length - 1; at >= 0; at -= 1) {
      if (refers[at] === 0 && next[at]!.some((target) => refers[target] === 1)) {
        refers[at] = 1
        changed = true
      }
    }
  }
  let memorySlots = 0
  const memory = Int32Array.from(operations, (_, at) => {
    if (ways[at]! < 2 || refers[at] === 1) return -1
    memorySlots += 1
    return memorySlots - 1
  })
  return { memory, memorySlots }
}
