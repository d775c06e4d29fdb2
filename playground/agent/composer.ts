/** Where the user writes to the agent: a prompt, or something in the middle of a turn. */
import type { Agent } from '../../agent/agent.js'
import { button, h } from '../page/dom.js'

export interface Composer {
  readonly element: HTMLElement
  /** What was said, and the agent gets next. */
  readonly waiting: HTMLElement
  /** What was written, without space around it. */
  text(): string
  clear(): void
  /** Writes a prompt for the user, who may change it. */
  fill(text: string): void
  focus(): void
  draw(agent: Agent): void
}

export function composer({ onSubmit, onStop }: { onSubmit(): void; onStop(): void }): Composer {
  const prompt = h('textarea', { rows: 2, 'aria-label': 'Message to the agent' })
  const send = h('button', { type: 'submit', class: 'primary' }, 'Send')
  const stop = button('Stop', onStop, { hidden: true })
  const waiting = h('p', { class: 'waiting', role: 'status', hidden: true })
  const element = h('form', { class: 'composer' }, prompt, h('div', { class: 'composer-buttons' }, stop, send))

  element.addEventListener('submit', (event) => {
    event.preventDefault()
    onSubmit()
  })
  prompt.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    onSubmit()
  })

  return {
    element,
    waiting,
    text: () => prompt.value.trim(),
    clear() {
      prompt.value = ''
    },
    fill(text) {
      prompt.value = text
      prompt.focus()
    },
    focus: () => prompt.focus(),
    draw(agent) {
      stop.hidden = !agent.isRunning
      send.textContent = agent.isRunning ? 'Steer' : 'Send'
      prompt.placeholder = agent.isRunning
        ? 'Tell it something in the middle…'
        : 'What should the agent do? (Enter sends)'
      waiting.hidden = agent.waiting.length === 0
      waiting.textContent = `Gets it next: ${agent.waiting.join(' / ')}`
    },
  }
}
