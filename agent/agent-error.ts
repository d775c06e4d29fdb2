/**
 * It needs an agent that is at rest, or one that is at work; every turn has ended; the conversation has no turn with this id; the agent was made
 * without a history.
 */
export type AgentErrorCode = 'AT_WORK' | 'NOT_AT_WORK' | 'NO_OPEN_TURN' | 'UNKNOWN_TURN' | 'NO_HISTORY'

/** What was asked of an agent does not fit what it does, or what it was given. Nothing was done. */
export class AgentError extends Error {
  override readonly name = 'AgentError'

  constructor(
    readonly code: AgentErrorCode,
    message: string,
  ) {
    super(message)
  }
}
