/** The connection of this server to the page of another process. */
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FromMember, ToMember } from '../../src/engine/ui-protocol.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { Member, MemberLink } from './member.js'
import { type ReachPage, readPresence } from './presence.js'
import type { Socket } from './sockets.js'

/** `gone` when it was killed, `silent` when it may be there and does not answer. */
export type Reached = 'joined' | 'gone' | 'silent'

export interface PageLink {
  /** Joins, unless that was done. Fulfilled when the page has answered, or can't. */
  reach(): Promise<Reached>
  /** What the page has last said about all clients; undefined while it is not joined. */
  readonly heard: MemberLink['heard']
  /** Fulfilled when the page has said something, or the connection has ended. */
  next(): Promise<'answered'>
  /** The user has ended the page. */
  withdraw(): void
}

export interface PageLinkOptions {
  member: Member
  changes: Pick<Workspace['changes'], 'subscribe'>
  reachPage: ReachPage
}

const attemptMs = 5000
/** After a connection has ended. Calls that the page has to allow try it at once, and go on trying. */
const attempts = 3
const pauseMs = 300

export function pageLink(file: string, { member, changes, reachPage }: PageLinkOptions): PageLink {
  const waiting = new Set<() => void>()
  let reaching: Promise<Reached> | undefined
  let socket: Socket | undefined
  let link: MemberLink | undefined
  let isOver = false

  function heard(): MemberLink['heard'] {
    return socket && link?.heard
  }

  function wake(): void {
    for (const run of waiting) run()
    waiting.clear()
  }

  function reach(): Promise<Reached> {
    if (heard() !== undefined) return Promise.resolve('joined')
    reaching ??= attempt()
      .catch((): Reached => 'silent')
      .finally(() => {
        reaching = undefined
      })
    return reaching
  }

  async function attempt(): Promise<Reached> {
    const presence = readPresence(file)
    if (presence === undefined || presence === 'damaged') return 'gone'
    const reached = await reachPage(presence, attemptMs)
    if (reached === 'gone') forgetUnlessAsked()
    if (reached === 'gone' || reached === 'silent') return reached
    return join(reached)
  }

  /** One that asked stays until the user opens another: nobody has taken it back. It may have begun to ask while it was looked for. */
  function forgetUnlessAsked(): void {
    const presence = readPresence(file)
    if (presence !== 'damaged' && presence?.asking === null) fs.rmSync(file, { force: true })
  }

  function join(opened: Socket): Promise<Reached> {
    return new Promise((resolve) => {
      const report = (message: FromMember) => opened.send(JSON.stringify(message))
      const joined = member.join(file, report)
      const unsubscribe = changes.subscribe((changed) => report({ changed }))
      socket = opened
      link = joined
      opened.onMessage((data) => {
        joined.receive(JSON.parse(Buffer.from(data).toString('utf8')) as ToMember)
        resolve('joined')
        wake()
      })
      opened.onClose(() => {
        unsubscribe()
        joined.leave({ isWithdrawn: isOver })
        socket = undefined
        resolve('silent')
        wake()
        void joinAgain()
      })
      if (isOver) opened.close()
    })
  }

  async function joinAgain(): Promise<void> {
    for (let attempt = 0; attempt < attempts && !isOver; attempt += 1) {
      await sleep(pauseMs, undefined, { ref: false })
      if (isOver || readPresence(file) === undefined || (await reach()) === 'joined') return
    }
  }

  return {
    reach,
    get heard() {
      return heard()
    },
    next: () => new Promise((resolve) => void waiting.add(() => resolve('answered'))),
    withdraw() {
      isOver = true
      link?.leave({ isWithdrawn: true })
      socket?.close()
    },
  }
}
