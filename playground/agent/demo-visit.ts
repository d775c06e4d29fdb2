/** The demo: a script at work on a sample of its own, which is visited meanwhile. The user's files come back when it ends. */
import type { ApprovalRules } from '../../agent/approvals.js'
import type { App } from '../page/app.js'
import { button, h } from '../page/dom.js'
import type { Visit } from '../page/visits.js'
import { samplePlace } from '../page/workspace-places.js'
import { demoPrompt } from './demo.js'
import type { Session } from './session.js'

export interface DemoVisit {
  /** Stands above the conversation of the demo. */
  readonly bar: HTMLElement
  /** The conversation of the demo, until that is closed. */
  readonly session: Session | undefined
  /** The workspace is changed for the demo, not by the user. */
  readonly isMoving: boolean
  start(): Promise<void>
  /** Goes back to the user's own conversation and files. */
  end(): Promise<void>
  /** The user has opened another workspace. */
  drop(): void
  draw(): void
}

export interface DemoVisitOptions {
  newSession(rules: ApprovalRules, beforeFiles: () => Promise<void>): Session
  onState(): void
}

export function demoVisit(app: App, { newSession, onState }: DemoVisitOptions): DemoVisit {
  let demo: { session: Session; visit: Visit } | undefined
  let isMoving = false
  const bar = h('div', { class: 'banner', hidden: true })

  async function moving<Result>(go: () => Promise<Result>): Promise<Result> {
    isMoving = true
    return go().finally(() => {
      isMoving = false
    })
  }

  async function end(): Promise<void> {
    const ended = demo
    if (ended === undefined) return
    ended.session.agent.stop()
    demo = undefined
    await moving(() => ended.visit.leave())
    await ended.visit.close()
    onState()
  }

  function barOf({ session, visit }: { session: Session; visit: Visit }): HTMLElement[] {
    if (session.agent.isRunning) {
      return [h('span', {}, 'The demo works on a sample of its own. Your files come back when it ends.')]
    }
    return [
      h('span', {}, visit.isHere ? 'These are the demo’s files.' : 'The demo has ended, and your files are back.'),
      visit.isHere
        ? button('Back to your files', () => void moving(() => visit.leave()).then(onState))
        : button('Look at the demo’s files', () => void moving(() => visit.enter()).then(onState)),
      button('Close the demo', () => void end()),
    ]
  }

  return {
    bar,
    get session() {
      return demo?.session
    },
    get isMoving() {
      return isMoving
    },
    async start() {
      await end()
      const place = { ...samplePlace(), title: 'Demo' }
      const visit = await moving(() => app.attempt('start the demo', () => app.visit(place)))
      if (visit === undefined) return
      const allowed: ApprovalRules = { kinds: { read: 'allow', add: 'allow', change: 'allow' }, tools: {} }
      const session = newSession(allowed, () => moving(() => visit.enter()))
      demo = { session, visit }
      onState()
      await session.send(demoPrompt)
      await moving(() => visit.leave())
      onState()
    },
    end,
    drop() {
      demo?.session.agent.stop()
      demo = undefined
    },
    draw() {
      bar.hidden = demo === undefined
      if (demo !== undefined) bar.replaceChildren(...barOf(demo))
    },
  }
}
