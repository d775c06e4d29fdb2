/** polyfs/agent: the loop of an agent for your own page or program, with approvals, undo and transcripts, and without a user interface. */

export type { OverlapReason, Overlaps, UndoOverlap } from '../src/errors.js'
export type { PrintableResult } from '../src/tools/result-text.js'
export { type Agent, createAgent } from './agent.js'
export { AgentError, type AgentErrorCode } from './agent-error.js'
export type { AgentEvent, AgentOptions } from './agent-options.js'
export {
  type ApprovalRules,
  type ApprovalsOptions,
  type Approve,
  approvals,
  type CallKind,
  type CallToApprove,
  cautiousRules,
  type Decision,
  kindOf,
  type Rule,
} from './approvals.js'
export type { BackOptions, Branch } from './branches.js'
export {
  type Call,
  type Conversation,
  conversationBefore,
  messagesOf,
  type Turn,
  type TurnEnd,
} from './conversation.js'
export {
  type AgentHistory,
  type AgentToolResult,
  type AgentTools,
  type LeftOut,
  type McpClient,
  mcpTools,
  type UndoOptions,
  workspaceHistory,
} from './tools.js'
export { type TranscriptOptions, toJsonl, toMarkdown } from './transcript.js'
