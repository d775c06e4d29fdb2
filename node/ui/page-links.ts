/** The connections of this server to the pages of other processes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Asking } from '../../src/engine/ui-protocol.js'
import { type PageLink, type PageLinkOptions, pageLink, type Reached } from './page-link.js'
import { readPresence } from './presence.js'
import type { Unheard } from './questions.js'

export interface PageLinks {
  /** Joins the pages that these files describe, and leaves those that the user has ended. */
  join(files: readonly string[]): void
  /** See `PagesToHear`. `list` returns the files that there are at the moment. */
  hear(list: () => string[], signal: AbortSignal): Promise<Unheard | undefined>
  find(files: readonly string[], signal: AbortSignal): Promise<void>
}

const pauseMs = 300

export function pageLinks(options: PageLinkOptions): PageLinks {
  const links = new Map<string, PageLink>()

  function linkTo(file: string): PageLink {
    const known = links.get(file)
    if (known !== undefined) return known
    const link = pageLink(file, options)
    links.set(file, link)
    return link
  }

  /** Those that are linked too: a listing can miss a file that is being replaced. */
  function withLinked(files: readonly string[]): string[] {
    return [...new Set([...files, ...links.keys()])]
  }

  function withdraw(file: string): void {
    links.get(file)?.withdraw()
    links.delete(file)
  }

  /** What the page of this file asks for, as long as this server has not heard that from the page itself. */
  function unheardOf(file: string): { page: 'damaged' } | { page: PageLink; pid: number } | undefined {
    const presence = readPresence(file)
    if (presence === undefined) withdraw(file)
    if (presence === undefined) return undefined
    if (presence === 'damaged') return { page: 'damaged' }
    const { asking, pid } = presence
    const link = linkTo(file)
    return asking === null || hasHeard(link, asking) ? undefined : { page: link, pid }
  }

  async function hearOne(file: string, signal: AbortSignal): Promise<Unheard | undefined> {
    for (;;) {
      const unheard = unheardOf(file)
      if (unheard === undefined) return undefined
      if (unheard.page === 'damaged') return { page: 'gone' }
      const { page: link, pid } = unheard
      if (signal.aborted) return { page: 'silent', pid }
      const outcome = await until<Reached | 'answered'>(signal, link.heard === undefined ? link.reach() : link.next())
      if (outcome === 'gone') return { page: 'gone', pid }
      if (outcome === 'silent') await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  return {
    join(files) {
      for (const file of withLinked(files)) {
        if (readPresence(file) === undefined) withdraw(file)
        else void linkTo(file).reach()
      }
    },
    async hear(list, signal) {
      for (;;) {
        const files = withLinked(list()).filter((file) => unheardOf(file) !== undefined)
        // Meanwhile another page may have opened, so only a look at all of them at once counts.
        if (files.length === 0) return undefined
        const unheard = await Promise.all(files.map((file) => hearOne(file, signal)))
        const first = unheard.find((each) => each !== undefined)
        if (first !== undefined) return first
      }
    },
    async find(files, signal) {
      const reached = withLinked(files).map(async (file) => {
        if ((await linkTo(file).reach()) !== 'joined') throw new Error('Not reached')
      })
      await until(
        signal,
        Promise.any(reached).catch(() => {}),
      )
    },
  }
}

/** The page may have been set to ask again since. */
function hasHeard({ heard }: PageLink, asking: number): boolean {
  const said: Asking = heard ?? null
  return said !== null && said >= asking
}

/** Undefined when the signal aborts first. */
function until<Result>(signal: AbortSignal, promise: Promise<Result>): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const end = () => resolve(undefined)
    if (signal.aborted) return end()
    signal.addEventListener('abort', end, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
