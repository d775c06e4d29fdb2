/**
 * Many wildcard patterns as one automaton that reads a path once, character by character, without backtracking: time is bounded by the
 * length of the path times the size of the patterns. A regular expression guarantees no such thing.
 *
 * Nodes form a non-deterministic automaton. Sets of nodes reached while reading are cached as states, so that a character usually costs one
 * table lookup.
 */

/** A set of code points. Patterns with a common prefix share nodes where the sets are the same object. */
export interface CharacterSet {
  has(code: number): boolean
  /** Its character, if it has only one. */
  only?: number
}

export interface Node {
  readonly id: number
  readonly moves: { on: CharacterSet; to: Node }[]
  /** Nodes reached without reading a character. */
  readonly free: Node[]
  /** The last rule that ends here, -1 for none; and the last that is not for directories only. */
  directoryRule: number
  fileRule: number
  /** A rule matches whatever follows. */
  holdsBelow: boolean
}

/** The automaton after reading some text. */
export interface State {
  readonly nodes: readonly Node[]
  /** The last rule that matches the text as a directory; -1 for none. */
  readonly directoryRule: number
  /** The last rule that matches the text as anything else; -1 for none. */
  readonly fileRule: number
  /** Nothing that follows can match. */
  readonly isDead: boolean
  /** A rule matches whatever follows. */
  readonly holdsBelow: boolean
  ascii: (State | undefined)[] | undefined
  others: Map<number, State> | undefined
}

export interface Automaton {
  /** The state before any text. */
  readonly start: State
  advance(from: State, text: string): State
}

export const slash = 0x2f

const singles = Array.from({ length: 128 }, (_, code) => setOfOne(code))

function setOfOne(code: number): CharacterSet {
  return { has: (other) => other === code, only: code }
}

/** Every character. */
export const anything: CharacterSet = { has: () => true }
/** Every character of a name. */
export const withinName: CharacterSet = { has: (code) => code !== slash }
/** Every first character of a name that is not hidden. */
export const visibleStart: CharacterSet = { has: (code) => code !== slash && code !== 0x2e }

/** One character. */
export function single(code: number): CharacterSet {
  return singles[code] ?? setOfOne(code)
}

/** One character in either case. */
export function singleFolded(code: number): CharacterSet {
  const folded = fold(code)
  if (code < 128 && folded === code && !(code >= 0x61 && code <= 0x7a)) return single(code)
  return foldedSingles[folded] ?? { has: (other) => fold(other) === folded }
}

const foldedSingles = singles.map((_, code): CharacterSet => ({ has: (other) => fold(other) === code }))

/** A character in lower case, where that is one character too. */
export function fold(code: number): number {
  if (code < 128) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code
  const lower = String.fromCodePoint(code).toLowerCase()
  const folded = lower.codePointAt(0) as number
  return lower.length === (folded > 0xffff ? 2 : 1) ? folded : code
}

/** Builds an automaton. Functions return the node reached; patterns with a common prefix share nodes. */
export interface Builder {
  readonly root: Node
  readonly nodeCount: number
  fresh(): Node
  /** Reads one character of the set. */
  read(from: Node, on: CharacterSet): Node
  /** Reads any number of characters of the set. */
  repeat(from: Node, on: CharacterSet): Node
  /** Reads one character of the set, and continues at an existing node. */
  link(from: Node, on: CharacterSet, to: Node): void
  /** Continues at another node without reading. */
  skip(from: Node, to: Node): void
  /** Reads any number of directories, `(name/)*`; `first` is the set of first characters of their names. */
  directories(from: Node, first: CharacterSet): Node
  build(): Automaton
}

/** An automaton without patterns. */
export function automatonBuilder(): Builder {
  let nodeCount = 0
  const repeats = new Map<Node, Map<CharacterSet, Node>>()
  const passages = new Map<Node, Map<CharacterSet, Node>>()

  function fresh(): Node {
    nodeCount += 1
    return { id: nodeCount, moves: [], free: [], directoryRule: -1, fileRule: -1, holdsBelow: false }
  }

  function shared(known: Map<Node, Map<CharacterSet, Node>>, from: Node, on: CharacterSet, make: () => Node): Node {
    const bySet = known.get(from) ?? new Map<CharacterSet, Node>()
    known.set(from, bySet)
    const node = bySet.get(on) ?? make()
    bySet.set(on, node)
    return node
  }

  const builder: Builder = {
    root: fresh(),
    get nodeCount() {
      return nodeCount
    },
    fresh,
    read(from, on) {
      for (const move of from.moves) if (move.on === on && move.to !== from) return move.to
      const to = fresh()
      from.moves.push({ on, to })
      return to
    },
    repeat: (from, on) =>
      shared(repeats, from, on, () => {
        const loop = fresh()
        loop.moves.push({ on, to: loop })
        from.free.push(loop)
        return loop
      }),
    link: (from, on, to) => {
      from.moves.push({ on, to })
    },
    skip: (from, to) => {
      from.free.push(to)
    },
    directories: (from, first) =>
      shared(passages, from, first, () => {
        const between = fresh()
        from.free.push(between)
        // A separate node, which patterns that continue from `between` can't share.
        const before = fresh()
        between.free.push(before)
        const name = fresh()
        before.moves.push({ on: first, to: name })
        name.moves.push({ on: withinName, to: name }, { on: single(slash), to: between })
        return between
      }),
    build: () => automatonFrom(builder.root, nodeCount),
  }
  return builder
}

/** States in the cache; beyond that each is computed again, which is slower but takes no more memory. */
const maxStates = 512
const maxOthers = 256

function automatonFrom(root: Node, nodeCount: number): Automaton {
  const states = new Map<string, State>()
  const seen = new Uint32Array(nodeCount + 1)
  let round = 0
  const dead = stateOf([])
  const start = stateOf([root])

  /** The state of some nodes and all that are reached from them without reading. Empties the list. */
  function stateOf(pending: Node[]): State {
    round += 1
    const nodes: Node[] = []
    const reading: Node[] = []
    let directoryRule = -1
    let fileRule = -1
    let holdsBelow = false
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (seen[node.id] === round) continue
      seen[node.id] = round
      nodes.push(node)
      if (node.moves.length > 0) reading.push(node)
      if (node.directoryRule > directoryRule) directoryRule = node.directoryRule
      if (node.fileRule > fileRule) fileRule = node.fileRule
      if (node.holdsBelow) holdsBelow = true
      for (const next of node.free) if (seen[next.id] !== round) pending.push(next)
    }
    const isDead = reading.length === 0
    const found: State = {
      nodes: reading,
      directoryRule,
      fileRule,
      isDead,
      holdsBelow,
      ascii: undefined,
      others: undefined,
    }
    if (states.size >= maxStates) return found
    const key = nodes
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join()
    const state = states.get(key) ?? found
    states.set(key, state)
    return state
  }

  function step(from: State, code: number): State {
    const reached: Node[] = []
    for (const node of from.nodes) {
      for (const { on, to } of node.moves) {
        if (on.only === undefined ? on.has(code) : on.only === code) reached.push(to)
      }
    }
    if (reached.length === 0) return dead
    // A cached state must not refer to one that is not cached.
    if (states.size >= maxStates) return stateOf(reached)
    return cache(from, code, stateOf(reached))
  }

  function cache(from: State, code: number, to: State): State {
    if (code < 128) {
      from.ascii ??= new Array<State | undefined>(128).fill(undefined)
      from.ascii[code] = to
    } else {
      from.others ??= new Map()
      if (from.others.size < maxOthers) from.others.set(code, to)
    }
    return to
  }

  return {
    start,
    advance(from, text) {
      let state = from
      for (let index = 0; index < text.length; index += 1) {
        if (state === dead) return dead
        let code = text.charCodeAt(index)
        if (code < 128) {
          state = state.ascii?.[code] ?? step(state, code)
          continue
        }
        if (code >= 0xd800 && code <= 0xdbff) {
          code = text.codePointAt(index) as number
          if (code > 0xffff) index += 1
        }
        state = state.others?.get(code) ?? step(state, code)
      }
      return state
    },
  }
}
