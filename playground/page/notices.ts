import { button, h, iconButton } from './dom.js'

/** A button in a notification. */
export interface NoticeAction {
  label: string
  run(): void
}

export interface Notices {
  /** Returns a function that removes the message. */
  notify(message: string, kind: 'done' | 'failed', action?: NoticeAction): () => void
  /** Shows a message while something is in progress. */
  progress(message: string): { update(message: string): void; end(): void }
}

/** How long a message of kind `done` stays. */
const shownMs = 4000
/** How many failures are shown; of earlier ones only the number. */
const maxFailures = 3

/** Messages in a corner of the page; failures stay until dismissed. */
export function createNotices(): Notices & { element: HTMLElement } {
  const element = h('div', { class: 'notices', role: 'status', 'aria-live': 'polite' })
  const earlier = h('span')
  const more = h(
    'div',
    { class: 'notice more', hidden: true },
    earlier,
    button('Dismiss all', () => {
      for (const failed of failures()) failed.remove()
      limit()
    }),
  )
  element.append(more)

  function failures(): HTMLElement[] {
    return [...element.querySelectorAll<HTMLElement>('.notice.failed')]
  }

  /** Shows only the newest failures, so that they do not cover the page. */
  function limit(): void {
    const all = failures()
    const hidden = Math.max(0, all.length - maxFailures)
    all.forEach((failed, index) => {
      failed.hidden = index < hidden
    })
    more.hidden = hidden === 0
    earlier.textContent = `${hidden} earlier ${hidden === 1 ? 'message' : 'messages'}`
  }

  function add(message: string, kind: string, action?: NoticeAction): { text: HTMLElement; remove(): void } {
    const text = h('span', {}, message)
    const notice = h(
      'div',
      { class: `notice ${kind}` },
      text,
      action &&
        button(action.label, () => {
          remove()
          action.run()
        }),
      iconButton('×', 'Dismiss', () => remove()),
    )
    const remove = () => {
      notice.remove()
      limit()
    }
    element.append(notice)
    limit()
    return { text, remove }
  }

  function isShown(message: string): boolean {
    return [...element.querySelectorAll('.failed > span')].some((each) => each.textContent === message)
  }

  return {
    element,
    notify(message, kind, action) {
      if (kind === 'failed' && isShown(message)) return () => {}
      const { remove } = add(message, kind, action)
      if (kind === 'done') setTimeout(remove, shownMs)
      return remove
    },
    progress(message) {
      const { text, remove } = add(message, 'busy')
      return {
        update(next) {
          text.textContent = next
        },
        end: remove,
      }
    },
  }
}
