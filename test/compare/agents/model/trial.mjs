/** One trial: a model does a task with the tools of a server, and what came of it is judged. */
import { openSession } from '../session.mjs'
import { introduction } from '../tasks/index.mjs'
import { NoAnswer } from './request.mjs'

/** Longer results are cut, as hosts of agents do: a model can't take in 18 MB. */
const maxResultBytes = 100_000

/**
 * @param {object} trial
 * @param {(root: string) => string[]} trial.start
 * @param {import('../tasks/task.mjs').Task} trial.task
 * @param {{ open: (given: any) => any, ask: (body: unknown) => Promise<any> }} trial.model
 * @param {number} trial.maxCalls
 * @param {number} trial.maxTokens
 */
export async function runTrial({ start, task, model, maxCalls, maxTokens }) {
  const session = await openSession(start, { maxResultBytes })
  try {
    const talk = await converse({ session, task, model, maxCalls, maxTokens })
    const fault = talk.error
      ? `no answer from the model: ${talk.error.message}`
      : await task.check({ root: session.root, answer: talk.answer })
    return { fault, ...talk, ...session.counts, tools: session.tools }
  } finally {
    session.close()
  }
}

/** Until the model calls no tool any more, or a bound is reached. What it has done by then is judged all the same. */
async function converse({ session, task, model, maxCalls, maxTokens }) {
  const conversation = model.open({ system: introduction, prompt: task.prompt, tools: session.tools })
  const messages = [{ role: 'user', text: task.prompt }]
  const tokens = { input: 0, output: 0 }
  const end = (stopped, rest = {}) => ({ stopped, answer: '', messages, tokens, ...rest })
  for (;;) {
    let turn
    try {
      turn = conversation.take(await model.ask(conversation.body()))
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      return end('error', { error })
    }
    tokens.input += turn.tokens.input
    tokens.output += turn.tokens.output
    messages.push({
      role: 'assistant',
      text: turn.text,
      calls: turn.calls.map(({ name, written }) => ({ name, written })),
    })
    if (turn.calls.length === 0) return end('answered', { answer: turn.text })
    const results = []
    for (const call of turn.calls) {
      if (session.counts.calls >= maxCalls) return end('calls')
      const { isError, text } = await perform(session, call)
      results.push({ id: call.id, isError, text })
      messages.push({ role: 'tool', name: call.name, isError, text })
    }
    if (tokens.input + tokens.output >= maxTokens) return end('tokens')
    conversation.add(results)
  }
}

function perform(session, { name, written, args }) {
  if (args === undefined)
    return session.reject(written, `The arguments are not a JSON object: ${written.slice(0, 200)}`)
  return session.call(name, args)
}
