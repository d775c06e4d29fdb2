/** One call as a card: what it is about, what it did, and the question whether it may be made. */
import type { Call } from '../../agent/conversation.js'
import type { App } from '../page/app.js'
import { button, h } from '../page/dom.js'
import { callBody, previewOf, subjectOf } from './call-body.js'
import { partialObject } from './partial-json.js'

export interface CallCard {
  readonly element: HTMLElement
  readonly tool: string
  /** More of the arguments was written. */
  write(text: string): void
  /** The call is in another state. */
  show(call: Call): void
  /** Shows what the call did, once that is known. */
  showBody(body: readonly HTMLElement[]): void
  /** Asks whether the call may be made; undefined takes the question away. */
  ask(question: HTMLElement | undefined): void
  /** Offers to undo the call, or says that it is undone. */
  offerUndo(undo: (() => void) | 'undone' | undefined): void
}

const icons: Record<string, string> = {
  bash: '$',
  grep: '⌕',
  glob: '⌕',
  read_file: '≡',
  list_dir: '≡',
  delete: '✕',
  git: '⎇',
  history: '↶',
}

export function callCard(app: App, tool: string): CallCard {
  let written = ''
  let isDrawPlanned = false
  const subject = h('span', { class: 'call-subject' })
  const state = h('span', { class: 'call-state' }, 'writing…')
  const undoPlace = h('span')
  const args = h('pre', { tabindex: 0 })
  const folded = h('details', { class: 'call-args' }, h('summary', {}, 'Arguments'), args)
  const body = h('div', { class: 'call-body' })
  const question = h('div', {})
  const element = h(
    'article',
    { class: 'call writing', 'aria-label': `Call of ${tool}`, 'data-tool': tool },
    h(
      'header',
      {},
      h('span', { class: 'call-icon', 'aria-hidden': 'true' }, icons[tool] ?? '✎'),
      h('strong', {}, tool),
      subject,
      state,
      undoPlace,
    ),
    folded,
    body,
    question,
  )

  /** Once per frame, however many pieces arrive. */
  function planPreview(): void {
    if (isDrawPlanned) return
    isDrawPlanned = true
    requestAnimationFrame(() => {
      isDrawPlanned = false
      if (!element.classList.contains('writing')) return
      args.textContent = written
      preview(partialObject(written))
    })
  }

  function preview(given: Readonly<Record<string, unknown>>): void {
    subject.textContent = subjectOf(tool, given)
    body.replaceChildren(...previewOf(tool, given))
  }

  return {
    element,
    tool,
    write(text) {
      written += text
      planPreview()
    },
    show(call) {
      element.className = `call ${call.state}`
      args.textContent = call.args === undefined ? call.argsText : JSON.stringify(call.args, null, 2)
      state.textContent = describeState(call)
      if (call.endedMs === undefined) return preview(call.args ?? {})
      subject.textContent = subjectOf(tool, call.args ?? {})
      body.replaceChildren(...callBody(app, call))
    },
    showBody: (shown) => body.replaceChildren(...shown),
    ask: (asked) => question.replaceChildren(...(asked ? [asked] : [])),
    offerUndo(undo) {
      element.classList.toggle('undone', undo === 'undone')
      const offer =
        typeof undo === 'function'
          ? button('Undo', undo, { title: 'Undo this call', 'aria-label': `Undo this call of ${tool}` })
          : undo
      undoPlace.replaceChildren(...(offer === undefined ? [] : [offer]))
    },
  }
}

function describeState({ state, startedMs, endedMs }: Call): string {
  const took = endedMs === undefined ? '' : ` · ${formatDuration(endedMs - startedMs)}`
  const words = {
    asking: 'waits for you',
    running: 'running…',
    done: 'done',
    failed: 'failed',
    wrong: 'not called',
    denied: 'denied',
    stopped: 'stopped',
    interrupted: 'unknown whether it was done',
  }
  return `${words[state]}${state === 'done' || state === 'failed' ? took : ''}`
}

export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
