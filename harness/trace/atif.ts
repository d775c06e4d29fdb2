/** Traces in the Agent Trajectory Interchange Format, which other harnesses and converters read. */
import { textOf } from '../../src/dialects/tool-definitions.js'
import type { Trace, TraceCall, TraceEvent, TraceMessage, TraceUsage } from '../types.js'
import type { ParsedTrace } from './trace.js'

export const atifVersion = 'ATIF-v1.7'

export interface AtifTrajectory {
  schema_version: typeof atifVersion
  session_id: string
  agent: { name: string; version: string; model_name?: string; extra?: Record<string, unknown> }
  steps: AtifStep[]
  notes?: string
  final_metrics: {
    total_prompt_tokens: number
    total_completion_tokens: number
    total_cost_usd?: number
    total_steps: number
  }
  extra: Record<string, unknown>
}

export interface AtifStep {
  /** From 1. */
  step_id: number
  source: 'system' | 'user' | 'agent'
  message: string
  model_name?: string
  tool_calls?: { tool_call_id: string; function_name: string; arguments: Record<string, unknown> }[]
  observation?: { results: { source_call_id: string; content: string }[] }
  metrics?: { prompt_tokens: number; completion_tokens: number; cost_usd?: number }
  extra?: Record<string, unknown>
}

/**
 * A trace as an ATIF v1.7 trajectory. Calls belong to the agent's message before them; calls of an agent that writes no messages are steps of
 * their own. Images are only named. There are no timestamps, because a trace has none.
 */
export function toAtif({ header, events }: Pick<Trace | ParsedTrace, 'header' | 'events'>): AtifTrajectory {
  const steps: AtifStep[] = []
  for (const event of events) {
    if (event.type === 'message') steps.push(messageStep(event, steps.length + 1))
    if (event.type === 'call') addCall(agentStep(steps), event)
  }
  const end = events.find((event) => event.type === 'end')
  const scores = events.filter((event) => event.type === 'score').map(({ type: _, ...score }) => score)
  const model = steps.find(({ model_name: name }) => name !== undefined)?.model_name
  return {
    schema_version: atifVersion,
    session_id: `${header.task ?? 'episode'}-${header.seed}`,
    agent: {
      name: header.agent ?? 'agent',
      version: header.version,
      ...(model !== undefined && { model_name: model }),
      extra: { dialect: header.dialect, toolsHash: header.toolsHash },
    },
    steps,
    final_metrics: { ...totals(events), total_steps: steps.length },
    extra: {
      ...(header.task !== undefined && { task: header.task }),
      stateHash: header.stateHash,
      scores,
      ...(end && { outcome: end.outcome, ...(end.reason !== undefined && { reason: end.reason }) }),
    },
  }
}

function messageStep({ role, text, model, usage }: TraceMessage, id: number): AtifStep {
  return {
    step_id: id,
    source: role === 'assistant' ? 'agent' : role,
    message: text,
    ...(model !== undefined && { model_name: model }),
    ...(usage && { metrics: metricsOf(usage) }),
  }
}

function metricsOf({ inputTokens, outputTokens, cost }: TraceUsage): NonNullable<AtifStep['metrics']> {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    ...(cost !== undefined && { cost_usd: cost }),
  }
}

/** The last step if it is the agent's, or a new one. */
function agentStep(steps: AtifStep[]): AtifStep {
  const last = steps.at(-1)
  if (last?.source === 'agent') return last
  const step: AtifStep = { step_id: steps.length + 1, source: 'agent', message: '' }
  steps.push(step)
  return step
}

function addCall(step: AtifStep, { step: number, tool, args, result, stateHash }: TraceCall): void {
  const id = `call-${number}`
  step.tool_calls ??= []
  step.tool_calls.push({ tool_call_id: id, function_name: tool, arguments: asObject(args) })
  step.observation ??= { results: [] }
  step.observation.results.push({ source_call_id: id, content: contentOf(result) })
  const failed = 'protocolError' in result || result.isError === true
  const calls = { ...(step.extra?.calls as object | undefined), [id]: { stateHash, ...(failed && { failed }) } }
  step.extra = { ...step.extra, calls }
}

function contentOf(result: TraceCall['result']): string {
  return 'protocolError' in result ? result.protocolError.message : textOf(result)
}

/** Arguments have to be an object. */
function asObject(args: unknown): Record<string, unknown> {
  if (typeof args === 'object' && args !== null && !Array.isArray(args)) return { ...args }
  return args === undefined ? {} : { value: args }
}

function totals(events: readonly TraceEvent[]) {
  const usages = events.flatMap((event) => (event.type === 'message' && event.usage ? [event.usage] : []))
  const costs = usages.flatMap(({ cost }) => (cost === undefined ? [] : [cost]))
  return {
    total_prompt_tokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    total_completion_tokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    ...(costs.length > 0 && { total_cost_usd: costs.reduce((sum, cost) => sum + cost, 0) }),
  }
}
