import type { Notices } from './app.js'
import { h, iconButton } from './dom.js'

/** How long a message stays that needs no answer. */
const shownMs = 4000

/** Messages in a corner of the page; failures stay until they are dismissed. */
export function createNotices(): Notices & { element: HTMLElement } {
  const element = h('div', { class: 'notices', role: 'status', 'aria-live': 'polite' })

  function add(message: string, kind: string): { text: HTMLElement; remove(): void } {
    const text = h('span', {}, message)
    const notice = h(
      'div',
      { class: `notice ${kind}` },
      text,
      iconButton('×', 'Dismiss', () => notice.remove()),
    )
    element.append(notice)
    return { text, remove: () => notice.remove() }
  }

  function isShown(message: string): boolean {
    return [...element.querySelectorAll('.failed > span')].some((each) => each.textContent === message)
  }

  return {
    element,
    notify(message, kind) {
      if (kind === 'failed' && isShown(message)) return () => {}
      const { remove } = add(message, kind)
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
