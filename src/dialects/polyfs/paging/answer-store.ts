/**
 * Stores answers of calls that changed something. A cursor of such a call reads the rest of its answer from here, so that the call is never
 * repeated. The store is bounded; a cursor of a dropped answer is refused.
 */

import type { StateKind } from '../../../call-memory.js'
import { FsError } from '../../../errors.js'
import { randomHex } from '../../../text/random-hex.js'
import type { Workspace } from '../../../workspace/workspace.js'
import type { Reply } from '../reply.js'
import { type Call, readCursor, writeCursor } from './cursor.js'

export interface AnswerBounds {
  answers: number
  /** Size of all answers together, in UTF-16 units. */
  units: number
  ageMs: number
}

const defaultBounds: AnswerBounds = { answers: 32, units: 8_000_000, ageMs: 30 * 60_000 }

export interface Answers {
  /** Returns the name of the stored answer; undefined for one that is larger than the store. */
  store(reply: Reply): string | undefined
  /** Undefined when it is no longer stored. */
  find(name: string): Reply | undefined
  /** Those stored now, oldest first. */
  all(): readonly [string, Stored][]
}

interface Stored {
  reply: Reply
  units: number
  atMs: number
}

export function createAnswers(
  bounds: Partial<AnswerBounds> = {},
  now: () => number = Date.now,
  newName: () => string = () => randomHex(9),
  given: readonly [string, Stored][] = [],
): Answers {
  const { answers: mostAnswers, units: mostUnits, ageMs } = { ...defaultBounds, ...bounds }
  const stored = new Map(given)
  let total = given.reduce((sum, [, { units }]) => sum + units, 0)

  function drop(name: string, { units }: Stored): void {
    stored.delete(name)
    total -= units
  }

  /** Drops the oldest answers first. */
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
      const name = newName()
      stored.set(name, { reply, units, atMs: now() })
      total += units
      dropOld()
      return name
    },
    find(name) {
      dropOld()
      return stored.get(name)?.reply
    },
    all: () => [...stored],
  }
}

/** Cost of a row besides its characters. */
const unitsPerRow = 16

function unitsOf({ rows }: Reply): number {
  return (rows?.all ?? []).reduce((sum, row) => sum + row.length + unitsPerRow, 0)
}

const storeOf: StateKind<Answers, Workspace> = {
  create: (workspace) => createAnswers({}, workspace.now, namesFor(workspace)),
  copy: (answers, workspace) => createAnswers({}, workspace.now, namesFor(workspace), answers.all()),
}

export function answersOf(workspace: Workspace): Answers {
  return workspace.internals.callMemory.of(storeOf, workspace)
}

/** Unpredictable, so that a cursor only opens the answer it was made for; repeatable where the workspace's randomness is. */
function namesFor({ random }: Workspace): () => string {
  return random === Math.random ? () => randomHex(9) : () => random().toString(36).slice(2)
}

/** The answer that a cursor belongs to, and the row to continue at. */
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
