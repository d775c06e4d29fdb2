/** A question to the user that a rule demands, and its answer. */
import type { RuledKind } from '../errors.js'

/** What a call wants to do that a rule demands a yes for. */
export interface ApprovalQuestion {
  /** Absolute, with links followed. */
  path: string
  doing: RuledKind
  rule: string
}

/** `word` is what to do instead, for the agent. */
export type Approval = { allow: true } | { allow: false; word?: string }

export type ApprovePath = (question: ApprovalQuestion) => Promise<Approval> | Approval
