/** Calls that wait for the user. */

import type { CallDecision } from '../../src/engine/ui-protocol.js'
import { FsError } from '../../src/errors.js'

export interface Questions {
  /** Fulfilled when the user has decided, or nobody has in time. Fails when the call is cancelled. */
  ask(call: string, question: Question): Promise<{ allowed: true } | { refused: string }>
  answer(call: string, decision: CallDecision): void
}

export interface Question {
  tool: string
  hasPage(): boolean
  signal: AbortSignal | undefined
}

export function questions(askMs: number): Questions {
  const waiting = new Map<string, (decision: CallDecision) => void>()
  return {
    ask(call, { tool, hasPage, signal }) {
      return new Promise((resolve, reject) => {
        const finish = () => {
          clearTimeout(timer)
          waiting.delete(call)
          signal?.removeEventListener('abort', cancel)
        }
        const cancel = () => {
          finish()
          reject(new FsError('ABORTED', {}))
        }
        const timer = setTimeout(() => {
          finish()
          resolve({ refused: unanswered(tool, askMs, hasPage()) })
        }, askMs)
        if (signal?.aborted) return cancel()
        signal?.addEventListener('abort', cancel, { once: true })
        waiting.set(call, (decision) => {
          finish()
          resolve(decision.allow ? { allowed: true } : { refused: denied(tool, decision.word) })
        })
      })
    },
    answer: (call, decision) => waiting.get(call)?.(decision),
  }
}

const nothingDone = 'Nothing was done.'

function denied(tool: string, word: string | undefined): string {
  const said = word === undefined || word === '' ? 'Ask the user what to do instead.' : `The user says: ${word}`
  return `The user did not allow this call of ${tool}. ${nothingDone} ${said}`
}

function unanswered(tool: string, askMs: number, hasPage: boolean): string {
  const seconds = Math.round(askMs / 1000)
  const time = seconds === 1 ? '1 second' : `${seconds} seconds`
  const where = hasPage ? 'on the page that polyfs has open' : 'on a page, which they open with the command `polyfs ui`'
  return `This call of ${tool} needs the user's approval, and nobody answered within ${time}, so it was refused. ${nothingDone} Ask the user to allow it ${where}, then call again.`
}
