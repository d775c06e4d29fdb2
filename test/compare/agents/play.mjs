/** Plays the script of a task on a server, and judges what came of it. */
import { openSession } from './session.mjs'

/**
 * @typedef {object} Step
 * @property {string} why what the agent wants to know or do
 * @property {[name: string, args: Record<string, unknown>]} call
 * @property {true} [fails] the call is known to fail; the next step is what a sensible agent does then
 * @property {true} [guess] the call names something that the agent has not seen
 * @property {Record<string, RegExp | ((text: string, taken: Record<string, string>) => string | undefined)>} [takes] facts
 *   that the agent takes from the result: the first group of a pattern, or what a function finds
 *
 * @typedef {object} Script
 * @property {Step[]} steps
 * @property {string} [answer] the last message; `{name}` stands for a fact that a step took
 */

/** @param {{ start: (root: string) => string[], task: any, script: Script }} play */
export async function play({ start, task, script }) {
  const session = await openSession(start)
  try {
    const taken = {}
    const transcript = []
    for (const step of script.steps) {
      const reply = await session.call(...step.call)
      transcript.push({ step, reply })
      for (const [name, find] of Object.entries(step.takes ?? {})) taken[name] = fact(find, reply.text, taken)
    }
    const answer = (script.answer ?? '').replaceAll(/\{(\w+)\}/g, (_, name) => taken[name] ?? 'unknown')
    const fault = await task.check({ root: session.root, answer })
    const surprises = transcript
      .filter(({ step, reply }) => reply.isError !== (step.fails ?? false))
      .map(({ step, reply }) => `${step.why}: ${reply.text.slice(0, 500)}`)
    return { fault, surprises, transcript, tools: session.tools, ...session.counts }
  } finally {
    session.close()
  }
}

function fact(find, text, taken) {
  return typeof find === 'function' ? find(text, taken) : find.exec(text)?.[1]
}
