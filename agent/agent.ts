/** The loop of an agent: asks a model, makes its calls, and goes on until it calls nothing any more. Nothing here knows a page or a terminal. */
import type { UndoOverlap } from '../src/errors.js'
import { AgentError } from './agent-error.js'
import type { AgentOptions } from './agent-options.js'
import { type BackOptions, type Branch, branchesOf } from './branches.js'
import { afterInterruption, type Conversation, conversationBefore, openCalls, type Turn } from './conversation.js'
import { messageOf } from './make-call.js'
import { type Ending, stepsWith } from './steps.js'
import { turnsFrom } from './turns.js'

export interface Agent {
  readonly conversation: Conversation
  readonly isRunning: boolean
  /** What the user said in the middle and the model has not got yet. */
  readonly waiting: readonly string[]
  /** Begins a turn, and resolves when it has ended, however it ended. Fails while another one goes on. */
  send(prompt: string): Promise<Turn>
  /**
   * Goes on with a turn that was cut off with its program, and resolves as `send` does. Calls that have a result are not made again, and one that
   * was running is reported to the model as `interrupted`. `send` leaves such a turn as it is.
   */
  continueTurn(): Promise<Turn>
  /** Tells the model something in the middle: it gets it with the results of its calls, or when it would have ended. */
  steer(text: string): void
  /** Ends the turn. What was written and done stays. */
  stop(): void
  /** Undoes the changes of one call; what others changed since stays. Returns what was left out. */
  undoCall(callId: string, options?: BackOptions): Promise<readonly UndoOverlap[]>
  /** The same with all calls of a turn, as one change. */
  undoTurn(turnId: string, options?: BackOptions): Promise<readonly UndoOverlap[]>
  /** Whether a call has changes that were not undone here. */
  isUndoable(callId: string): boolean
  /** Goes back to before a turn, with the conversation and with what its calls changed. Returns what was left, for `resume`. */
  rewind(turnId: string, options?: BackOptions): Promise<Branch>
  /** Goes to another branch, and does again what its calls changed. Returns the one that was left. */
  resume(branch: Branch, options?: BackOptions): Promise<Branch>
}

export function createAgent(options: AgentOptions): Agent {
  const { history, now = Date.now, onEvent = () => {} } = options
  const given = afterInterruption(options.conversation ?? { turns: [] })
  const turns = turnsFrom(given.turns, { now, onEvent })
  const branches = branchesOf(turns, { history, undone: given.undone })
  const steps = stepsWith({ ...options, now, turns, takeWaiting })
  let running: AbortController | undefined
  let waiting: string[] = []

  function send(prompt: string): Promise<Turn> {
    return work(async (signal) => {
      turns.leaveOpen()
      const point = await history?.checkpoint(checkpointName(prompt))
      turns.begin({ prompt, ...(point !== undefined && { point }), startedMs: now() })
      return () => steps(signal)
    })
  }

  function continueTurn(): Promise<Turn> {
    return work(async (signal) => {
      const turn = turns.all().at(-1)
      if (turn === undefined || turn.end !== undefined) {
        throw new AgentError('NO_OPEN_TURN', 'No turn was interrupted: begin one')
      }
      return () => (isAnswered(turn) ? Promise.resolve({ reason: 'done' }) : steps(signal, openCalls(turn)))
    })
  }

  /** Runs a turn to its end. What `begin` throws is not an end of a turn. */
  async function work(begin: (signal: AbortSignal) => Promise<() => Promise<Ending>>): Promise<Turn> {
    requireIdle()
    const own = new AbortController()
    running = own
    let isEnded = false
    try {
      const run = await begin(own.signal)
      const end = await run().catch((error) => ended(own.signal, error))
      const turn = turns.update({ end: { ...end, atMs: now() } })
      isEnded = true
      return turn
    } finally {
      running = undefined
      waiting = []
      if (isEnded) onEvent({ type: 'end', turn: turns.current() })
    }
  }

  function takeWaiting(): boolean {
    const said = waiting
    waiting = []
    for (const text of said) {
      turns.add({ role: 'user', text })
      onEvent({ type: 'steered', text })
    }
    return said.length > 0
  }

  function requireIdle(): void {
    if (running !== undefined) throw new AgentError('AT_WORK', 'The agent is at work: stop it first, or wait')
  }

  return {
    get conversation() {
      return branches.whole()
    },
    get isRunning() {
      return running !== undefined
    },
    get waiting() {
      return waiting
    },
    send,
    continueTurn,
    steer(text) {
      if (running === undefined) throw new AgentError('NOT_AT_WORK', 'The agent is not at work: begin a turn')
      waiting = [...waiting, text]
    },
    stop: () => running?.abort(new Error('Stopped by the user')),
    async undoCall(callId, options) {
      requireIdle()
      const calls = turns.all().flatMap((turn) => turn.calls)
      return branches.undo(
        calls.filter(({ id }) => id === callId),
        options,
      )
    },
    async undoTurn(turnId, options) {
      requireIdle()
      return branches.undo(turns.all().find(({ id }) => id === turnId)?.calls ?? [], options)
    },
    isUndoable: branches.isUndoable,
    async rewind(turnId, options) {
      requireIdle()
      return branches.goTo(conversationBefore({ turns: turns.all() }, turnId), options)
    },
    async resume({ conversation }, options) {
      requireIdle()
      return branches.goTo(afterInterruption(conversation), options)
    },
  }
}

/** Whether the model had written its last answer, without calls. */
function isAnswered({ messages }: Turn): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.parts.every(({ type }) => type !== 'call')
}

function ended({ aborted }: AbortSignal, error: unknown): Ending {
  return aborted ? { reason: 'stopped' } : { reason: 'failed', message: messageOf(error) }
}

/** One line, for the list of changes. */
function checkpointName(prompt: string): string {
  const line = prompt.trim().split('\n', 1)[0] ?? ''
  return `agent: ${line.length > 60 ? `${line.slice(0, 60)}…` : line}`
}
