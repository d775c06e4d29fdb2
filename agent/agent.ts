/** The loop of an agent: asks a model, makes its calls, and goes on until it calls nothing any more. Nothing here knows a page or a terminal. */

import { type Answer, type AskOptions, askModel, UnfinishedError } from '../models/ask-model.js'
import type { AnswerPart, Message, Model, ModelError } from '../models/model.js'
import { addUsage } from '../models/usage.js'
import type { Overlaps, UndoOverlap } from '../src/errors.js'
import type { Approve } from './approvals.js'
import {
  afterInterruption,
  type Call,
  type Conversation,
  conversationBefore,
  messagesOf,
  openCalls,
  type Turn,
  type TurnEnd,
  type WrittenCall,
} from './conversation.js'
import { type CallSurroundings, makeCall, messageOf } from './make-call.js'
import type { AgentHistory, AgentTools } from './tools.js'

export interface AgentOptions {
  model: Model
  tools: AgentTools
  /** Instructions before the conversation. */
  system?: string
  /** Asked before each call. Default: everything is allowed. */
  approve?: Approve
  /** Makes turns undoable: a checkpoint before each, and the changes of each call. */
  history?: AgentHistory
  /** A conversation to continue. Where it ends in the middle of a turn, `continueTurn` goes on with that. */
  conversation?: Conversation
  /** How many answers a turn may take. Default: 100. */
  maxSteps?: number
  /** A model that sends nothing for so long has failed. Default: 120,000. */
  stallMs?: number
  /** How often a request is repeated that failed for a passing reason. Default: 3. */
  retries?: number
  /** Before the first repetition; doubles each time, unless the model's host names a time. Default: 1000. */
  retryDelayMs?: number
  onEvent?: (event: AgentEvent) => void
  /**
   * Awaited before each call that is made. Who stores the conversation here can be sure that no call is made twice: one that was stored as running
   * when the program ended is not repeated.
   */
  beforeCall?: (call: Call) => Promise<void>
  /** Default: the clock of the machine. */
  now?: () => number
}

export type AgentEvent =
  | { type: 'turn'; turn: Turn }
  /** More of the answer. */
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** The model is writing a call; `text` is what was added to its arguments. */
  | { type: 'writing'; id: string; tool: string; text: string }
  /** A call is in another state. */
  | { type: 'call'; call: Call }
  /** The model gets what the user said in the middle. */
  | { type: 'steered'; text: string }
  /** What was written since the last request is dropped, and the request repeated. */
  | { type: 'retry'; failure: ModelError; delayMs: number }
  /** An answer is complete; the turn has its usage. */
  | { type: 'answer'; turn: Turn }
  | { type: 'end'; turn: Turn }

/** A conversation that was left. Its calls say which changes of the files belong to it. */
export interface Branch {
  conversation: Conversation
}

/** What becomes of files in which others have changed the same since. Default: `refuse`, which fails with `CONFLICT` and changes nothing. */
export interface BackOptions {
  overlaps?: Overlaps
}

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
  const { model, tools, system, approve = () => ({ allow: true }), history, maxSteps = 100, now = Date.now } = options
  const { stallMs = 120_000, retries = 3, retryDelayMs = 1000, onEvent = () => {} } = options
  const { beforeCall } = options
  let turns: Turn[] = [...afterInterruption(options.conversation ?? { turns: [] }).turns]
  let running: AbortController | undefined
  let waiting: string[] = []
  const undone = new Set<string>(options.conversation?.undone)

  /** The last turn, with some of it replaced. */
  function update(change: Partial<Turn>): Turn {
    const turn = { ...current(), ...change }
    turns = [...turns.slice(0, -1), turn]
    return turn
  }

  function current(): Turn {
    const turn = turns.at(-1)
    if (turn === undefined) throw new Error('No turn has begun')
    return turn
  }

  function add(message: Message): void {
    update({ messages: [...current().messages, message] })
  }

  function put(call: Call): void {
    const { calls } = current()
    const isKnown = calls.some(({ id }) => id === call.id)
    update({ calls: isKnown ? calls.map((each) => (each.id === call.id ? call : each)) : [...calls, call] })
    onEvent({ type: 'call', call })
  }

  function send(prompt: string): Promise<Turn> {
    return work(async (signal) => {
      leaveOpenTurn()
      const id = nextTurnId()
      const point = await history?.checkpoint(checkpointName(prompt))
      const turn: Turn = {
        id,
        prompt,
        ...(point !== undefined && { point }),
        startedMs: now(),
        messages: [{ role: 'user', text: prompt }],
        calls: [],
      }
      turns = [...turns, turn]
      onEvent({ type: 'turn', turn })
      return () => steps(signal)
    })
  }

  function continueTurn(): Promise<Turn> {
    return work(async (signal) => {
      const turn = turns.at(-1)
      if (turn === undefined || turn.end !== undefined) throw new Error('No turn was interrupted: begin one')
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
      const turn = update({ end: { ...end, atMs: now() } })
      isEnded = true
      return turn
    } finally {
      running = undefined
      waiting = []
      if (isEnded) onEvent({ type: 'end', turn: current() })
    }
  }

  /** Ends a turn that was cut off and is not continued. Every call needs a result: a model's API refuses a conversation without. */
  function leaveOpenTurn(): void {
    const turn = turns.at(-1)
    if (turn === undefined || turn.end !== undefined) return
    const results = openCalls(turn).map(({ id, tool }) => {
      const { output, state } = turn.calls.find((call) => call.id === id) ?? {}
      return { id, tool, text: output ?? notCalled, isError: state !== 'done' }
    })
    for (const call of turn.calls) {
      if (call.endedMs === undefined) put({ ...call, state: 'stopped', output: notCalled, endedMs: now() })
    }
    if (results.length > 0) add({ role: 'tools', results })
    onEvent({ type: 'end', turn: update({ end: { reason: 'interrupted', atMs: now() } }) })
  }

  /** `open`: calls of the last answer, to begin with. */
  async function steps(signal: AbortSignal, open: readonly WrittenCall[] = []): Promise<Ending> {
    const offered = await tools.listTools()
    const surroundings: CallSurroundings = {
      tools,
      offered,
      approve,
      now,
      signal,
      onCall: put,
      ...(history && { history }),
      ...(beforeCall && { beforeCall }),
    }
    if (open.length > 0) {
      await makeCalls(open, 'done', surroundings)
      if (signal.aborted) return { reason: 'stopped' }
      takeWaiting()
    }
    for (let step = 0; step < maxSteps; step += 1) {
      const answer = named(await ask(offered, signal))
      accept(answer)
      const calls = answer.parts.filter((part) => part.type === 'call')
      if (calls.length > 0) await makeCalls(calls, answer.end, surroundings)
      if (signal.aborted) return { reason: 'stopped' }
      const isSteered = takeWaiting()
      if (calls.length === 0 && !isSteered) return { reason: answer.end }
    }
    return { reason: 'steps' }
  }

  function ask(offered: Awaited<ReturnType<AgentTools['listTools']>>, signal: AbortSignal): Promise<Answer> {
    const request = { messages: messagesOf({ turns }), tools: offered, signal, ...(system !== undefined && { system }) }
    const asking: AskOptions = {
      stallMs,
      retries,
      retryDelayMs,
      onPart(part) {
        if (part.type === 'text' || part.type === 'reasoning') onEvent({ type: part.type, text: part.text })
        else if (part.type === 'writing') onEvent(part)
      },
      onRetry: (failure, delayMs) => onEvent({ type: 'retry', failure, delayMs }),
    }
    return askModel(model, request, asking).catch((error) => {
      if (!(error instanceof UnfinishedError)) throw error
      // Calls that were not made have no results, and a model's API refuses a conversation with such calls.
      accept({ ...error.answer, parts: error.answer.parts.filter(({ type }) => type !== 'call') })
      throw error.reason
    })
  }

  function accept({ parts, usage: more }: Answer): void {
    // Reasoning alone is not a message: it belongs to what follows it.
    if (parts.some(({ type }) => type !== 'reasoning')) add({ role: 'assistant', parts })
    const { usage } = current()
    const sum = more && usage ? addUsage(usage, more) : (more ?? usage)
    onEvent({ type: 'answer', turn: update(sum ? { usage: sum } : {}) })
  }

  /** One after another: a later call may rely on what an earlier one did. */
  async function makeCalls(
    calls: readonly WrittenCall[],
    end: Answer['end'],
    surroundings: CallSurroundings,
  ): Promise<void> {
    const results = []
    for (const call of calls) {
      const made = current().calls.find(({ id, endedMs }) => id === call.id && endedMs !== undefined)
      const { id, tool, output = '', state } = made ?? (await makeCall(call, end, surroundings))
      results.push({ id, tool, text: output, isError: state !== 'done' })
    }
    add({ role: 'tools', results })
  }

  function takeWaiting(): boolean {
    const said = waiting
    waiting = []
    for (const text of said) {
      add({ role: 'user', text })
      onEvent({ type: 'steered', text })
    }
    return said.length > 0
  }

  /** Some servers give every call the same id, or none. */
  function named(answer: Answer): Answer {
    const known = new Set(turns.flatMap(({ calls }) => calls.map(({ id }) => id)))
    const parts = answer.parts.map((part): AnswerPart => {
      if (part.type !== 'call') return part
      const id = part.id !== '' && !known.has(part.id) ? part.id : `${current().id}-${known.size + 1}`
      known.add(id)
      return { ...part, id }
    })
    return { ...answer, parts }
  }

  function nextTurnId(): string {
    const numbers = turns.map(({ id }) => Number(id.slice('turn-'.length))).filter(Number.isInteger)
    return `turn-${Math.max(0, ...numbers) + 1}`
  }

  function requireIdle(): void {
    if (running !== undefined) throw new Error('The agent is at work: stop it first, or wait')
  }

  async function undo(calls: readonly Call[], options: BackOptions = {}): Promise<readonly UndoOverlap[]> {
    requireIdle()
    if (history === undefined) throw new Error('The agent has no history, so nothing can be undone')
    const changes = standing(calls)
    const { overlaps, left } = await history.undo(changes, options)
    for (const id of changes) if (!left.includes(id)) undone.add(id)
    return overlaps
  }

  /** The changes of calls that were not undone here, oldest first. */
  function standing(calls: readonly Call[]): string[] {
    return calls.flatMap(({ changes }) => changes).filter((id) => !undone.has(id))
  }

  /** Takes back what only the current turns changed, and does again what only the others did. */
  async function goTo({ turns: others }: Conversation, options: BackOptions = {}): Promise<Branch> {
    requireIdle()
    const isIn = (some: readonly Turn[]) => (turn: Turn) => some.some((each) => isSameTurn(each, turn))
    const changesOf = (some: readonly Turn[]) => standing(some.flatMap(({ calls }) => calls))
    const left = changesOf(turns.filter((turn) => !isIn(others)(turn)))
    const entered = changesOf(others.filter((turn) => !isIn(turns)(turn)))
    if (left.length + entered.length > 0) await history?.undo(left, { ...options, redo: entered })
    const branch = { conversation: whole() }
    turns = [...others]
    return branch
  }

  function whole(): Conversation {
    return { turns, ...(undone.size > 0 && { undone: [...undone] }) }
  }

  return {
    get conversation() {
      return whole()
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
      if (running === undefined) throw new Error('The agent is not at work: begin a turn')
      waiting = [...waiting, text]
    },
    stop: () => running?.abort(new Error('Stopped by the user')),
    undoCall: async (callId, options) =>
      undo(
        turns.flatMap(({ calls }) => calls).filter(({ id }) => id === callId),
        options,
      ),
    undoTurn: async (turnId, options) => undo(turns.find(({ id }) => id === turnId)?.calls ?? [], options),
    isUndoable: (callId) =>
      history !== undefined &&
      turns.some(({ calls }) =>
        calls.some(({ id, changes }) => id === callId && changes.some((each) => !undone.has(each))),
      ),
    async rewind(turnId, options) {
      requireIdle()
      return goTo(conversationBefore({ turns }, turnId), options)
    },
    async resume({ conversation }, options) {
      requireIdle()
      for (const id of conversation.undone ?? []) undone.add(id)
      return goTo(afterInterruption(conversation), options)
    },
  }
}

const notCalled = 'Not called: the program ended before.'

/** Whether the model had written its last answer, without calls. */
function isAnswered({ messages }: Turn): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.parts.every(({ type }) => type !== 'call')
}

/** Turns of two branches may have the same id. */
function isSameTurn(one: Turn, other: Turn): boolean {
  return one.id === other.id && one.point === other.point && one.startedMs === other.startedMs
}

type Ending = { reason: Exclude<TurnEnd['reason'], 'failed'> } | { reason: 'failed'; message: string }

function ended({ aborted }: AbortSignal, error: unknown): Ending {
  return aborted ? { reason: 'stopped' } : { reason: 'failed', message: messageOf(error) }
}

/** One line, for the list of changes. */
function checkpointName(prompt: string): string {
  const line = prompt.trim().split('\n', 1)[0] ?? ''
  return `agent: ${line.length > 60 ? `${line.slice(0, 60)}…` : line}`
}
