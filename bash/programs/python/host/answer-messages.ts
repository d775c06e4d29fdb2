/** Hands answers to a thread as messages. */
import type { AnswersGiven } from '../../threads/answer-memory.js'
import { WithBytes } from '../../threads/shared-memory.js'
import type { ToPython } from '../wire.js'

/** A message is whole. */
export function answerMessages(post: (message: ToPython) => void): AnswersGiven {
  return {
    give(answer) {
      const given =
        answer instanceof WithBytes ? { value: answer.value, bytes: answer.bytes } : { value: answer ?? null }
      post({ kind: 'answer', answer: given })
    },
    fail: (error) => post({ kind: 'answer', answer: { error } }),
    more() {},
  }
}
