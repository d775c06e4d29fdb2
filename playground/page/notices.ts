import type { NoticeAction, Notices } from './app.js'
import { button, h, iconButton } from './dom.js'

/** How long a message of kind `done` stays. */
const shownMs = 4000

/** Messages in a corner of the page; failures stay until dismissed. */
export function createNotices(): Notices & { element: HTMLElement } {
  const element = h('div', { class: 'notices', role: 'status', 'aria-live': 'polite' })

  function add(message: string, kind: string, action?: NoticeAction): { text: HTMLElement; remove(): void } {
    const text = h('span', {}, message)
    const notice = h(
      'div',
      { class: `notice ${kind}` },
      text,
      action &&
        button(action.label, () => {
          notice.remove()
          action.run()
        }),
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
