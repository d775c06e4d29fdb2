/** One call of a model, from the text it wrote to the answer it gets. Whatever is wrong with a call, the model gets an answer and can go on. */

import type { AnswerEnd, ModelTool } from '../models/model.js'
import { parseArguments } from '../models/parse-arguments.js'
import { textOf } from '../src/tools/result-text.js'
import { type Approve, kindOf } from './approvals.js'
import type { Call, WrittenCall } from './conversation.js'
import type { AgentHistory, AgentTools } from './tools.js'

export interface CallSurroundings {
  tools: AgentTools
  offered: readonly ModelTool[]
  approve: Approve
  history?: AgentHistory
  now(): number
  signal: AbortSignal
  /** Called whenever the call is in another state. */
  onCall(call: Call): void
  /** Awaited before an allowed call is made. */
  beforeCall?: (call: Call) => Promise<void>
}

/** How many names an answer to a call of an unknown tool has. */
const maxNames = 60

/** Returns the call in its last state, with its output. */
export async function makeCall(
  written: WrittenCall,
  end: AnswerEnd,
  surroundings: CallSurroundings,
): Promise<Call & { output: string }> {
  const { offered, approve, signal, now, onCall } = surroundings
  const tool = offered.find(({ name }) => name === written.tool)
  const given = parseArguments(written.args)
  const begun: Call = {
    id: written.id,
    tool: written.tool,
    kind: tool === undefined ? 'read' : kindOf(tool),
    argsText: written.args,
    ...('args' in given && { args: given.args }),
    state: 'asking',
    changes: [],
    startedMs: now(),
  }
  const finish = (state: Call['state'], output: string, changes: readonly string[] = []) => {
    const call = { ...begun, state, output, changes, endedMs: now() }
    onCall(call)
    return call
  }
  if (tool === undefined) return finish('wrong', noSuchTool(written.tool, offered))
  if ('fault' in given) return finish('wrong', wrongArguments(written.tool, given.fault, end))
  if (signal.aborted) return finish('stopped', stoppedBefore)
  onCall(begun)
  const decision = await decided(
    approve,
    { id: begun.id, tool: begun.tool, kind: begun.kind, args: given.args },
    signal,
  )
  if (decision === 'stopped') return finish('stopped', stoppedBefore)
  if (!decision.allow) return finish('denied', denial(written.tool, decision.word))
  return run({ ...begun, args: given.args, state: 'running' }, surroundings, finish)
}

async function run<Finished>(
  call: Call & { args: Readonly<Record<string, unknown>> },
  { tools, history, signal, onCall, beforeCall }: CallSurroundings,
  finish: (state: Call['state'], output: string, changes: readonly string[]) => Finished,
): Promise<Finished> {
  onCall(call)
  await beforeCall?.(call)
  if (signal.aborted) return finish('stopped', stoppedBefore, [])
  const changes: string[] = []
  const unwatch = history?.watch((id) => changes.push(id))
  try {
    const result = await untilAborted(tools.callTool(call.tool, call.args, { signal }), signal)
    return finish(result.isError === true ? 'failed' : 'done', textOf(result), changes)
  } catch (error) {
    if (signal.aborted) return finish('stopped', stoppedWhile, changes)
    return finish('failed', `${call.tool} failed: ${messageOf(error)}`, changes)
  } finally {
    unwatch?.()
  }
}

/** A tool that ignores its signal is not waited for; what it still does is in the history. */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
  })
}

async function decided(approve: Approve, call: Parameters<Approve>[0], signal: AbortSignal) {
  try {
    return await untilAborted(Promise.resolve(approve(call, signal)), signal)
  } catch (error) {
    if (signal.aborted) return 'stopped'
    throw error
  }
}

const stoppedBefore = 'Not called: the user stopped the agent.'
const stoppedWhile =
  'The user stopped the agent while this ran. It may have been done in part; look before you repeat it.'

function denial(tool: string, word = ''): string {
  const reason = word.trim() === '' ? '' : ` They say: ${word.trim()}`
  return `Not called: the user does not allow this call of ${tool}.${reason}`
}

function noSuchTool(name: string, offered: readonly ModelTool[]): string {
  const names = offered.slice(0, maxNames).map((tool) => tool.name)
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}. The tools are: ${names.join(', ')}.`
}

function wrongArguments(tool: string, fault: string, end: AnswerEnd): string {
  const cause = end === 'length' ? ' Your answer reached its limit of length: make several smaller calls.' : ''
  return `${tool} was not called: ${fault}.${cause} Correct the call and try again.`
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
