/** Guesses what a program looks at next: it goes through a directory as it is listed, or by name. */
import type { Entry } from '../../src/fs/types.js'

export interface ListingOrder {
  /** Takes note that an entry is looked at. */
  note(name: string): void
  /** The names that come next, if entries are looked at in order. */
  next(): readonly string[]
}

/** How far ahead, shared by directories that are gone through one after the other. */
export interface Pace {
  ahead: number
  /** How many were given the last time, and how many were looked at since. */
  given: number
  used: number
}

/** How many entries are looked at ahead, at first and at most. */
const fewAhead = 2
const mostAhead = 64
/** Names that a program may leave out, and is still taken to go from one to the next. */
const mostSkipped = 4

export function newPace(): Pace {
  return { ahead: fewAhead, given: 0, used: 0 }
}

interface Order {
  names: readonly string[]
  places: ReadonlyMap<string, number>
}

/**
 * At most twice as many names as were looked at before. With a pace that is shared, also at the first entry of a directory. `ofOneEnding`: where names
 * are left out, only names that end as the last one.
 */
export function listingOrder(
  entries: readonly Entry[],
  { pace = newPace(), ofOneEnding = false }: { pace?: Pace; ofOneEnding?: boolean } = {},
): ListingOrder {
  const orders: Order[] = []
  let last: string | undefined
  /** The names after the last one, in the order in which they are looked at. */
  let place: { names: readonly string[]; after: number } | undefined
  let ending: string | undefined

  function ordersOf(): readonly Order[] {
    if (orders.length > 0) return orders
    const names = entries.map(({ name }) => name)
    for (const order of [names, [...names].sort()]) {
      orders.push({ names: order, places: new Map(order.map((name, index) => [name, index])) })
    }
    return orders
  }

  return {
    note(name) {
      const before = last
      last = name
      pace.used += 1
      if (before === name) return
      place = undefined
      if (before === undefined && pace.ahead <= fewAhead) return
      for (const { names, places } of ordersOf()) {
        const from = before === undefined ? -1 : (places.get(before) ?? entries.length)
        const skipped = (places.get(name) ?? -1) - from - 1
        if (skipped < 0 || skipped > mostSkipped) continue
        place = { names, after: from + skipped + 2 }
        if (skipped > 0 && ofOneEnding) ending = endingOf(name)
        return
      }
      pace.ahead = fewAhead
      pace.given = 0
    },
    next() {
      if (place === undefined) return []
      // Those of the last time may have been forgotten before they were needed.
      pace.ahead = pace.used < pace.given ? Math.max(fewAhead, pace.used) : Math.min(mostAhead, 2 * pace.ahead)
      pace.used = 0
      const { names, after } = place
      const following = ending === undefined ? names.slice(after, after + pace.ahead) : sameEnding(names, after)
      pace.given = following.length
      return following
    },
  }

  function sameEnding(names: readonly string[], after: number): string[] {
    const found: string[] = []
    for (let at = after; at < names.length && found.length < pace.ahead; at += 1) {
      const name = names[at] as string
      if (endingOf(name) === ending) found.push(name)
    }
    return found
  }
}

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
