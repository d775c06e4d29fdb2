/** Which calls need a yes: by what their tool can do, and by what the user has said before. */
import type { ModelTool } from '../models/model.js'

/** `read` changes nothing, `add` only adds, `change` can change or delete what exists. From the hints of MCP. */
export type CallKind = 'read' | 'add' | 'change'

export type Rule = 'allow' | 'ask' | 'deny'

export interface CallToApprove {
  id: string
  tool: string
  kind: CallKind
  args: Readonly<Record<string, unknown>>
}

/** `word` is for the model: why not, or what to do instead. */
export type Decision = { allow: true } | { allow: false; word?: string }

/** Decides about one call. When `signal` aborts, the answer does not matter any more. */
export type Approve = (call: CallToApprove, signal: AbortSignal) => Promise<Decision> | Decision

/** A tool without hints may do anything: that is what MCP says. */
export function kindOf({ annotations = {} }: Pick<ModelTool, 'annotations'>): CallKind {
  if (annotations.readOnlyHint === true) return 'read'
  return annotations.destructiveHint === false ? 'add' : 'change'
}

export interface ApprovalRules {
  /** By kind. */
  kinds: Record<CallKind, Rule>
  /** By tool; stronger than by kind. */
  tools: Record<string, Rule>
}

/** Nothing is asked for reading; everything else is. */
export const cautiousRules: Readonly<Record<CallKind, Rule>> = { read: 'allow', add: 'ask', change: 'ask' }

export interface ApprovalsOptions {
  /** Read for each call, so that they can be changed while the agent works. */
  rules: ApprovalRules
  /** Asks the user. */
  ask: Approve
}

/** An `approve` that asks only where the rules say so. */
export function approvals({ rules, ask }: ApprovalsOptions): Approve {
  return (call, signal) => {
    const own = Object.hasOwn(rules.tools, call.tool) ? rules.tools[call.tool] : undefined
    const rule = own ?? rules.kinds[call.kind]
    if (rule === 'allow') return { allow: true }
    if (rule === 'deny') return { allow: false, word: `the user allows no calls of ${call.tool}` }
    return ask(call, signal)
  }
}
