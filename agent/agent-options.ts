import type { Model, ModelError } from '../models/model.js'
import type { Approve } from './approvals.js'
import type { Call, Conversation, Turn } from './conversation.js'
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
