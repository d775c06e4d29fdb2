/** The turns of a conversation on the screen, one below the other. */
import { h } from '../page/dom.js'

export interface ConversationLog {
  readonly element: HTMLElement
  /** Adds a turn, into which goes what is added from now on. */
  beginTurn(prompt: string): void
  add(child: HTMLElement): void
  /** Adds what the user said while the agent was at work. */
  addSteering(text: string): void
  /** Follows the end, unless the user reads further up. */
  keepInView(): void
  clear(): void
}

export function conversationLog(): ConversationLog {
  const element = h('div', { class: 'conversation', role: 'log', 'aria-label': 'Conversation', tabindex: 0 })
  let turn = h('section')
  /** What is added does not scroll by itself, so this is where the user has scrolled to. */
  let isAtEnd = true
  element.addEventListener('scroll', () => {
    isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 60
  })
  // What appears above or below takes space.
  new ResizeObserver(keepInView).observe(element)

  function keepInView(): void {
    if (isAtEnd) element.scrollTop = element.scrollHeight
  }

  function add(child: HTMLElement): void {
    turn.append(child)
    keepInView()
  }

  return {
    element,
    beginTurn(prompt) {
      element.querySelector('.agent-empty')?.remove()
      turn = h('section', { class: 'turn', 'aria-label': 'Turn' }, said(prompt, 'You'))
      element.append(turn)
      isAtEnd = true
      keepInView()
    },
    add,
    addSteering: (text) => add(said(text, 'You, in the middle')),
    keepInView,
    clear: () => element.replaceChildren(),
  }
}

function said(text: string, who: string): HTMLElement {
  return h('div', { class: 'prompt' }, h('span', { class: 'unseen' }, `${who}: `), text)
}
