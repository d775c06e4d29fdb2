/** What of the files belongs to a conversation: undo of its calls, and the way to another branch. */
import type { Overlaps, UndoOverlap } from '../src/errors.js'
import { AgentError } from './agent-error.js'
import type { Call, Conversation, Turn } from './conversation.js'
import type { AgentHistory } from './tools.js'
import type { Turns } from './turns.js'

/** A conversation that was left. Its calls say which changes of the files belong to it. */
export interface Branch {
  conversation: Conversation
}

/** What becomes of files in which others have changed the same since. Default: `refuse`, which fails with `CONFLICT` and changes nothing. */
export interface BackOptions {
  overlaps?: Overlaps
}

export interface Branches {
  /** The conversation with what was undone in it. */
  whole(): Conversation
  undo(calls: readonly Call[], options?: BackOptions): Promise<readonly UndoOverlap[]>
  isUndoable(callId: string): boolean
  /** Takes back what only the current turns changed, and does again what only the others did. Returns what was left. */
  goTo(conversation: Conversation, options?: BackOptions): Promise<Branch>
}

export function branchesOf(
  turns: Turns,
  { history, undone: given = [] }: { history?: AgentHistory | undefined; undone?: readonly string[] | undefined },
): Branches {
  const undone = new Set<string>(given)

  /** The changes of calls that were not undone here, oldest first. */
  function standing(calls: readonly Call[]): string[] {
    return calls.flatMap(({ changes }) => changes).filter((id) => !undone.has(id))
  }

  function whole(): Conversation {
    return { turns: turns.all(), ...(undone.size > 0 && { undone: [...undone] }) }
  }

  return {
    whole,

    async undo(calls, options = {}) {
      if (history === undefined) {
        throw new AgentError('NO_HISTORY', 'The agent has no history, so nothing can be undone')
      }
      const changes = standing(calls)
      const { overlaps, left } = await history.undo(changes, options)
      for (const id of changes) if (!left.includes(id)) undone.add(id)
      return overlaps
    },

    isUndoable: (callId) =>
      history !== undefined &&
      turns.all().some(({ calls }) => calls.some((call) => call.id === callId && standing([call]).length > 0)),

    async goTo({ turns: others, undone: undoneThere = [] }, options = {}) {
      for (const id of undoneThere) undone.add(id)
      const own = turns.all()
      const isIn = (some: readonly Turn[]) => (turn: Turn) => some.some((each) => isSameTurn(each, turn))
      const changesOf = (some: readonly Turn[]) => standing(some.flatMap(({ calls }) => calls))
      const left = changesOf(own.filter((turn) => !isIn(others)(turn)))
      const entered = changesOf(others.filter((turn) => !isIn(own)(turn)))
      if (left.length + entered.length > 0) await history?.undo(left, { ...options, redo: entered })
      const branch = { conversation: whole() }
      turns.replaceAll(others)
      return branch
    },
  }
}

/** Turns of two branches may have the same id. */
function isSameTurn(one: Turn, other: Turn): boolean {
  return one.id === other.id && one.point === other.point && one.startedMs === other.startedMs
}
