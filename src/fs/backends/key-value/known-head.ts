/** The newest head of a workspace that this process has seen. */
import type { Head, Heads } from './head.js'
import { emptyList } from './list.js'
import { emptyRef } from './loaded-parts.js'
import { StoreFailure } from './store.js'

export interface KnownHead {
  /** Absent until the store has one. */
  readonly stored: Head | undefined
  /** The same, or an empty one. */
  readonly newest: Head
  /** Sees everything that was finished before this call. Calls at the same time share a request that begins after all of them. */
  refresh(): Promise<void>
  /** The same, unless what was read before may be relied on. */
  look(): Promise<void>
  /** To be called with a head that this process has stored. */
  replace(head: Head): void
  /** This process has removed the workspace. */
  forget(): void
}

export interface KnownHeadOptions {
  heads: Heads
  now: () => number
  clock: () => number
  staleMs: number
  settleMs: number
}

export function knownHead({ heads, now, clock, staleMs, settleMs }: KnownHeadOptions): KnownHead {
  let known: Head | undefined
  let lookedMs = -Infinity
  let looking: Promise<void> | undefined
  let lookingNext: Promise<void> | undefined
  const empty = emptyHead(now())

  async function load(): Promise<void> {
    const beganMs = clock()
    const found = await heads.read()
    adopt(found)
    lookedMs = beganMs
  }

  function adopt(found: Head | undefined): void {
    if (found === undefined) {
      if (known !== undefined && settleMs === 0) {
        throw new StoreFailure('other', 'the workspace was removed from the store by another program')
      }
      return
    }
    if (known !== undefined && known.version === found.version && known.nonce !== found.nonce) {
      throw new StoreFailure(
        'other',
        'another process has changed the workspace at the same time, which this store can not keep apart: let one process write',
      )
    }
    // A store may return an older value than before.
    if (known === undefined || found.version > known.version) known = found
  }

  function refresh(): Promise<void> {
    if (looking === undefined) {
      looking = load().finally(() => {
        looking = undefined
      })
      return looking
    }
    lookingNext ??= looking
      .catch(() => {})
      .then(() => {
        lookingNext = undefined
        return refresh()
      })
    return lookingNext
  }

  async function look(): Promise<void> {
    if (known === undefined || staleMs === 0 || clock() - lookedMs > staleMs) await refresh()
  }

  return {
    get stored() {
      return known
    },
    get newest() {
      return known ?? empty
    },
    refresh,
    look,
    replace(head) {
      known = head
    },
    forget() {
      known = undefined
      lookedMs = -Infinity
    },
  }
}

function emptyHead(at: number): Head {
  const times = { modifiedMs: at, createdMs: at, changedMs: at }
  return {
    version: 0,
    nonce: '',
    generation: 0,
    root: { kind: 'directory', mode: 0o755, ...times, child: emptyRef },
    history: emptyList,
    pending: [],
    garbage: emptyList,
    garbageBytes: 0,
    garbageCount: 0,
  }
}
