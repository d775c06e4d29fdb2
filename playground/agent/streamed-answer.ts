/** The answer that the model is writing, drawn at most once for each frame. */
import { h } from '../page/dom.js'
import type { ConversationLog } from './conversation-log.js'
import { prose } from './prose.js'

export interface StreamedAnswer {
  write(type: 'text' | 'reasoning', piece: string): void
  /** It is complete: what comes next is another one. */
  end(): void
  /** Takes it off the screen, because the model begins again. */
  drop(): void
}

export function streamedAnswer(log: ConversationLog): StreamedAnswer {
  let answer: { text: string; reasoning: string; element: HTMLElement } | undefined
  let isDrawPlanned = false

  function draw(): void {
    if (answer === undefined) return
    answer.element.replaceChildren(...partsOf(answer))
    log.keepInView()
  }

  return {
    write(type, piece) {
      if (answer === undefined) {
        answer = { text: '', reasoning: '', element: h('div', { class: 'answer' }) }
        log.add(answer.element)
      }
      answer[type] += piece
      if (isDrawPlanned) return
      isDrawPlanned = true
      requestAnimationFrame(() => {
        isDrawPlanned = false
        draw()
      })
    },
    end() {
      draw()
      answer = undefined
    },
    drop() {
      answer?.element.remove()
      answer = undefined
    },
  }
}

function partsOf({ text, reasoning }: { text: string; reasoning: string }): HTMLElement[] {
  if (reasoning === '') return prose(text)
  return [h('details', { class: 'reasoning' }, h('summary', {}, 'Thoughts'), h('p', {}, reasoning)), ...prose(text)]
}
