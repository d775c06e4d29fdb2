/**
 * Answers of calls that changed something. A cursor of such a call reads the rest of its answer from here, and the call is never made
 * again for it. What is stored is bounded; an answer that had to go is refused, not made anew.
 */
import { FsError } from '../../../errors.js'
import type { Workspace } from '../../../workspace.js'
import type { Reply } from '../define-tool.js'
import { type Call, readCursor, writeCursor } from './cursor.js'

export interface AnswerBounds {
  answers: number
  /** Of all answers together, in UTF-16 units. */
  units: number
  ageMs: number
}

const defaultBounds: AnswerBounds = { answers: 32, units: 8_000_000, ageMs: 30 * 60_000 }

export interface Answers {
  /** The name to ask for it by; undefined for an answer that is longer than all that may be stored. */
  store(reply: Reply): string | undefined
  /** Undefined when it is not stored any more. */
  find(name: string): Reply | undefined
}

interface Stored {
  reply: Reply
  units: number
  atMs: number
}

export function createAnswers(bounds: Partial<AnswerBounds> = {}, now: () => number = Date.now): Answers {
  const { answers: mostAnswers, units: mostUnits, ageMs } = { ...defaultBounds, ...bounds }
  const stored = new Map<string, Stored>()
  let total = 0

  function drop(name: string, { units }: Stored): void {
    stored.delete(name)
    total -= units
  }

  /** The oldest come first. */
  function dropOld(): void {
    for (const [name, answer] of stored) {
      const isTooOld = now() - answer.atMs > ageMs
      if (!isTooOld && stored.size <= mostAnswers && total <= mostUnits) return
      drop(name, answer)
    }
  }

  return {
    store(reply) {
      const units = unitsOf(reply)
      if (units > mostUnits) return undefined
      const name = randomName()
      stored.set(name, { reply, units, atMs: now() })
      total += units
      dropOld()
      return name
    },
    find(name) {
      dropOld()
      return stored.get(name)?.reply
    },
  }
}

/** What a row costs besides its characters. */
const unitsPerRow = 16

function unitsOf({ rows }: Reply): number {
  return (rows?.all ?? []).reduce((sum, row) => sum + row.length + unitsPerRow, 0)
}

/** Nobody can guess it, so a cursor opens no answer but the one it was given with. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte.toString(36).padStart(2, '0')).join('')
}

/** They live as long as their workspace, which need not know of them. */
const ofWorkspaces = new WeakMap<Workspace, Answers>()

export function answersOf(workspace: Workspace): Answers {
  const answers = ofWorkspaces.get(workspace) ?? createAnswers()
  ofWorkspaces.set(workspace, answers)
  return answers
}

/** The answer that a cursor was given with, and where in its rows to go on. */
export function recall(
  call: Call,
  cursor: string,
  workspace: Workspace,
): { name: string; reply: Reply; start: number } {
  const [name, start] = readCursor(cursor, call)
  const reply = typeof name === 'string' ? answersOf(workspace).find(name) : undefined
  if (typeof name !== 'string' || typeof start !== 'number' || reply === undefined) throw new FsError('ANSWER_GONE', {})
  return { name, reply, start }
}

export function answerCursor(call: Call, name: string, end: number): string {
  return writeCursor(call, [name, end])
}
