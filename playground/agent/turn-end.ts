/** What stands below a turn: how it ended, and what can be done with it. */
import type { Turn } from '../../agent/conversation.js'
import { button, h } from '../page/dom.js'
import { formatDuration } from './call-card.js'

export interface TurnEndOptions {
  /** The words that end the line, such as the cost. */
  describeUsage(turn: Turn): string
  undo(id: string): void
  retry(id: string, prompt: string): void
}

const endings = {
  done: '',
  length: 'the answer reached its limit of length',
  refused: 'the model’s host refused to go on',
  steps: 'the limit of steps was reached',
  stopped: 'stopped',
  interrupted: 'interrupted',
  failed: 'failed',
} as const

export function turnEnd(turn: Turn, { describeUsage, undo, retry }: TurnEndOptions): HTMLElement {
  const { id, prompt, end, startedMs } = turn
  const took = end === undefined ? '' : formatDuration(end.atMs - startedMs)
  const failure = end?.reason === 'failed' ? h('p', { class: 'remark failed' }, end.message) : undefined
  const words = end === undefined ? '' : endings[end.reason]
  const line = [words, describeUsage(turn), took].filter((part) => part !== '').join(' · ')
  return h(
    'footer',
    { class: 'turn-end' },
    failure,
    h('span', { class: 'turn-facts' }, line),
    button('Undo this turn', () => undo(id), { 'data-turn': id }),
    button('Try again from here', () => retry(id, prompt), {
      title: 'Go back to before this prompt, with the conversation and the files',
    }),
  )
}

/** The same for a turn that ended with its page. */
export function cutOffEnd(goOn: () => void): HTMLElement {
  return h(
    'footer',
    { class: 'turn-end cut-off' },
    h('span', { class: 'turn-facts' }, 'interrupted: the page was closed or loaded again'),
    button('Continue', goOn),
  )
}
