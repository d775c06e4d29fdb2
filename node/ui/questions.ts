/** Calls that wait for the user. */

import type { CallDecision } from '../../src/engine/ui-protocol.js'
import { FsError } from '../../src/errors.js'

/** A page that has to be asked and can't be: it was killed, or does not answer. */
export interface Unheard {
  page: 'gone' | 'silent'
  /** Of the process that served it. */
  pid?: number
}

export interface Questions {
  /** Fulfilled when the user has decided, or nobody has in time. Fails when the call is cancelled. */
  ask(call: string, question: Question): Promise<{ allowed: true } | { refused: string }>
  answer(call: string, decision: CallDecision): void
}

export interface Question {
  tool: string
  hasPage(): boolean
  /** Aborts when the time is over, or when the call is cancelled. */
  until: AbortSignal
  isCancelled(): boolean
}

export function questions(askMs: number): Questions {
  const waiting = new Map<string, (decision: CallDecision) => void>()
  return {
    ask(call, { tool, hasPage, until, isCancelled }) {
      return new Promise((resolve, reject) => {
        const finish = () => {
          waiting.delete(call)
          until.removeEventListener('abort', end)
        }
        const end = () => {
          finish()
          if (isCancelled()) reject(new FsError('ABORTED', {}))
          else resolve({ refused: unanswered(tool, askMs, hasPage()) })
        }
        if (until.aborted) return end()
        until.addEventListener('abort', end, { once: true })
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

/** Nobody can be asked, because of a page or because none is open. */
export function unheard(tool: string, missed?: Unheard): string {
  const needs = `This call of ${tool} needs the user's approval`
  const process = missed?.pid === undefined ? '' : ` (process ${missed.pid})`
  if (missed === undefined) {
    return `${needs}, and no page is open to ask on, so it was refused. ${nothingDone} Ask the user to open one with the command \`polyfs ui\`, then call again.`
  }
  if (missed.page === 'silent') {
    return `${needs}, and the page that polyfs has open${process} does not answer, so it was refused. ${nothingDone} Ask the user to see to it, or to end it and start \`polyfs ui\` again, then call again.`
  }
  return `${needs}: the page of polyfs that is to be asked${process} has ended without being stopped, so it was refused. ${nothingDone} Ask the user to start \`polyfs ui\` for this directory again, then call again.`
}
