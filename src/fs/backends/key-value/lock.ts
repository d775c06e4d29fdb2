/** A lock in the store, between processes that change the same workspace. */
import { FsError } from '../../../errors.js'
import { randomHex } from '../../../text/random-hex.js'
import type { Bytes } from '../../types.js'
import type { KeyValueFileSystem } from './file-system.js'
import { isSame } from './head.js'
import { guarded, StoreFailure } from './store.js'

export interface KeyValueLockOptions {
  /** A holder that has not renewed its lease for so long has crashed, and others take the lock; 2 seconds by default. */
  leaseMs?: number
  /** The longest wait, after which a call fails with `BUSY`; 60 seconds by default. */
  maxWaitMs?: number
}

/** Fits the `locks` of a workspace, whatever the scopes. */
export interface KeyValueLock {
  hold<Result>(scopes: readonly { path: string }[], run: () => Promise<Result>): Promise<Result>
}

/** Calls of one process share the lock for so long, then others get their turn. */
const togetherMs = 100
const [firstPauseMs, longestPauseMs] = [1, 10]

/**
 * Lets one process at a time change a workspace, and the others wait. It is not needed to keep the tree right: a holder that stalls and
 * loses the lock finds that the head was replaced. Undefined where the store has no conditional writes.
 */
export function keyValueLock(
  { place }: Pick<KeyValueFileSystem, 'place'>,
  { leaseMs = 2000, maxWaitMs = 60_000 }: KeyValueLockOptions = {},
): KeyValueLock | undefined {
  const { replace, get } = guarded(place.store, Math.max(leaseMs, 5000))
  if (replace === undefined) return undefined
  const key = `${place.prefix}lock`
  const owner = randomHex(8)
  let count = 0
  let mine: Bytes | undefined
  let users = 0
  let takenMs = 0
  let changing: Promise<void> | undefined
  let renewal: unknown

  const isOwn = (value: Bytes) => decoder.decode(value).startsWith(`${owner} `)
  const next = () => encoder.encode(`${owner} ${(count += 1)}`)

  /** Takes the lock when it is free, or when its value has not changed for a lease. No clock is compared with another's. */
  async function take(untilMs: number, path: string): Promise<void> {
    let seen: Bytes | undefined
    let sinceMs = performance.now()
    for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
      const value = await get(key)
      if (value === undefined || seen === undefined || !isSame(value, seen)) sinceMs = performance.now()
      seen = value
      // One of its own is left from a release that failed.
      if (value === undefined || isOwn(value) || performance.now() - sinceMs > leaseMs) {
        const wanted = next()
        if (await (replace as NonNullable<typeof replace>)(key, value, wanted)) {
          mine = wanted
          takenMs = performance.now()
          renew()
          return
        }
        // The answer to a request that was sent again says nothing.
        const found = await get(key)
        if (found !== undefined && isSame(found, wanted)) continue
      }
      if (performance.now() > untilMs) throw new FsError('BUSY', { path })
      await sleep(pause)
    }
  }

  function renew(): void {
    renewal = setTimeout(() => {
      const [value, wanted] = [mine, next()]
      if (value === undefined) return
      const renewed = replace?.(key, value, wanted).then((isStillMine) => {
        if (isStillMine && mine === value) mine = wanted
      })
      // Who has lost the lock can't replace the head either.
      renewed?.catch(() => {}).then(renew)
      pendingRenewal = renewed?.catch(() => {})
    }, leaseMs / 4)
  }
  let pendingRenewal: Promise<void> | undefined

  async function release(): Promise<void> {
    clearTimeout(renewal)
    await pendingRenewal
    clearTimeout(renewal)
    const value = mine
    mine = undefined
    if (value !== undefined) await replace?.(key, value, undefined).catch(() => {})
  }

  async function join(path: string): Promise<void> {
    const untilMs = performance.now() + maxWaitMs
    for (;;) {
      if (changing !== undefined) await changing.catch(() => {})
      else if (mine === undefined) {
        changing = take(untilMs, path).finally(() => {
          changing = undefined
        })
        await changing
      } else if (users === 0 || performance.now() - takenMs < togetherMs) {
        users += 1
        return
      } else await new Promise<void>((resume) => left.push(resume))
    }
  }
  const left: (() => void)[] = []

  async function leave(): Promise<void> {
    users -= 1
    if (users > 0) return
    const isCut = left.length > 0
    changing = release()
      // Others look every few milliseconds.
      .then(() => (isCut ? sleep(longestPauseMs + 5) : undefined))
      .finally(() => {
        changing = undefined
      })
    for (const resume of left.splice(0)) resume()
    if (!isCut) await changing
  }

  return {
    async hold(scopes, run) {
      const path = scopes[0]?.path ?? '/'
      try {
        await join(path)
      } catch (error) {
        throw error instanceof StoreFailure ? error.at(path) : error
      }
      try {
        return await run()
      } finally {
        await leave()
      }
    },
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms))
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
