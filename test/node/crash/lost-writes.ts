/**
 * Files of one directory on a disk that forgets: what is written is seen at once, and is durable once its file is flushed, names once
 * the directory is. Of the rest a power cut leaves any part, in any order: writes that are there, missing, torn, or garbage.
 */
export type Files = Readonly<Record<string, Uint8Array>>

type DataOperation = { kind: 'write'; at: number; data: Uint8Array } | { kind: 'truncate'; size: number }

interface Inode {
  data: Uint8Array
  durable: Uint8Array
  /** Since the last flush. */
  pending: DataOperation[]
}

type NameOperation = { kind: 'set'; name: string; inode: Inode } | { kind: 'remove'; name: string }

export interface ForgetfulFiles {
  /** Called before every operation that changes or flushes something. */
  watch(onOperation: (() => void) | undefined): void
  /** What a power cut may leave right now: nothing of what is not flushed, all of it, and `count` others. */
  survivors(random: () => number, count: number): Files[]
  /** As the programs see them. */
  files(): Files
  has(name: string): boolean
  open(name: string): OpenFile
  remove(name: string): void
  flushNames(): void
}

export interface OpenFile {
  readonly data: Uint8Array
  write(at: number, data: Uint8Array): void
  truncate(size: number): void
  flush(): void
}

/** The unit in which a disk writes. */
const sector = 512

export function forgetfulFiles(initial: Files = {}): ForgetfulFiles {
  const names = new Map(Object.entries(initial).map(([name, data]) => [name, inodeOf(data)]))
  let durableNames = new Map(names)
  let pendingNames: NameOperation[] = []
  let onOperation: (() => void) | undefined

  function changeNames(operation: NameOperation): void {
    onOperation?.()
    applyName(names, operation)
    pendingNames.push(operation)
  }

  function survivor(fateOf: () => Fate, random: () => number): Files {
    const left = new Map(durableNames)
    for (const operation of pendingNames) if (fateOf() === 'kept') applyName(left, operation)
    return Object.fromEntries([...left].sort().map(([name, inode]) => [name, dataLeft(inode, fateOf, random)]))
  }

  return {
    watch(listener) {
      onOperation = listener
    },
    survivors(random, count) {
      const any = () => fates[Math.floor(random() * fates.length)] as Fate
      const others = Array.from({ length: count }, () => survivor(any, random))
      return [survivor(() => 'lost', random), survivor(() => 'kept', random), ...others]
    },
    files: () => Object.fromEntries([...names].map(([name, { data }]) => [name, data])),
    has: (name) => names.has(name),
    open(name) {
      const found = names.get(name)
      const inode = found ?? inodeOf(new Uint8Array())
      if (found === undefined) changeNames({ kind: 'set', name, inode })
      const change = (operation: DataOperation) => {
        onOperation?.()
        inode.data = applyData(inode.data, operation)
        inode.pending.push(operation)
      }
      return {
        get data() {
          return inode.data
        },
        write: (at, data) => change({ kind: 'write', at, data: data.slice() }),
        truncate: (size) => change({ kind: 'truncate', size }),
        flush() {
          onOperation?.()
          inode.durable = inode.data
          inode.pending = []
        },
      }
    },
    remove: (name) => changeNames({ kind: 'remove', name }),
    flushNames() {
      onOperation?.()
      durableNames = new Map(names)
      pendingNames = []
    },
  }
}

/** What becomes of an operation that was not flushed. Half of them are as if nothing had happened to them. */
type Fate = 'kept' | 'lost' | 'torn' | 'garbage'
const fates: readonly Fate[] = ['kept', 'kept', 'kept', 'lost', 'lost', 'lost', 'torn', 'garbage']

function inodeOf(data: Uint8Array): Inode {
  return { data, durable: data, pending: [] }
}

function applyName(names: Map<string, Inode>, operation: NameOperation): void {
  if (operation.kind === 'set') names.set(operation.name, operation.inode)
  else names.delete(operation.name)
}

/** Never changes the bytes it is given: they may be what is durable. */
function applyData(data: Uint8Array, operation: DataOperation): Uint8Array {
  const end = operation.kind === 'truncate' ? operation.size : operation.at + operation.data.length
  const result = new Uint8Array(operation.kind === 'truncate' ? end : Math.max(data.length, end))
  result.set(data.subarray(0, result.length))
  if (operation.kind === 'write') result.set(operation.data, operation.at)
  return result
}

function dataLeft({ durable, pending }: Inode, fateOf: () => Fate, random: () => number): Uint8Array {
  let data = durable
  for (const operation of pending) {
    const fate = fateOf()
    if (fate === 'lost') continue
    if (fate === 'kept' || operation.kind === 'truncate') data = applyData(data, operation)
    else if (fate === 'garbage')
      data = applyData(data, { ...operation, data: operation.data.map(() => random() * 256) })
    else for (const piece of sectorsOf(operation)) if (random() < 0.5) data = applyData(data, piece)
  }
  return data
}

/** The parts of a write that end up in different sectors of the disk. */
function sectorsOf({ at, data }: { at: number; data: Uint8Array }): DataOperation[] {
  const pieces: DataOperation[] = []
  for (let from = at; from < at + data.length; ) {
    const to = Math.min((Math.floor(from / sector) + 1) * sector, at + data.length)
    pieces.push({ kind: 'write', at: from, data: data.subarray(from - at, to - at) })
    from = to
  }
  return pieces
}

/** Numbers from 0 to 1, the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed * 7_919
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
