/** A model does the tasks with each server. */
import fs from 'node:fs'
import { outcomeTable, totalTable } from '../table.mjs'
import { providers } from './providers.mjs'
import { post } from './request.mjs'
import { runTrial } from './trial.mjs'

/**
 * Runs all trials, prints the tables, and returns the exit code: 0 if the model answered in every trial, right or wrong.
 *
 * @param {object} run
 * @param {any} run.options as `readOptions` returns them
 * @param {import('../tasks/task.mjs').Task[]} run.tasks
 * @param {Record<string, (root: string) => string[]>} run.starts from the name of a server to its command line
 * @param {NodeJS.ProcessEnv} [run.env]
 * @param {(text: string) => void} [run.print]
 * @param {(text: string) => void} [run.report]
 * @param {number} [run.pauseMs] the first pause before a request is repeated
 */
export async function runModel({
  options,
  tasks,
  starts,
  env = process.env,
  print = console.log,
  report = console.error,
  pauseMs,
}) {
  const { maxCalls, maxTokens } = options
  const { name, provider, baseUrl } = options.model
  const key = env.POLYFS_MODEL_KEY || env[providers[provider].keyVariable]
  if (!key && baseUrl === undefined) {
    report(`compare agents: set POLYFS_MODEL_KEY or ${providers[provider].keyVariable}`)
    return 2
  }
  const hide = (text) => (key ? text.replaceAll(key, '[key]') : text)
  const model = reach({ ...options.model, key, timeoutMs: options.timeoutMs, pauseMs })
  const outcomes = []
  for (const { task, trial, server, start } of trials({ tasks, count: options.trials, starts })) {
    const startedAt = new Date().toISOString()
    const { tools, error, ...outcome } = await runTrial({ start, task, model, maxCalls, maxTokens })
    outcomes.push({ task: task.title, server, tools, ...outcome, fault: outcome.fault && hide(outcome.fault), error })
    const bound =
      outcome.stopped === 'calls' || outcome.stopped === 'tokens' ? `, stopped by --max-${outcome.stopped}` : ''
    report(`${task.id} ${trial} ${server}: ${hide(outcome.fault ?? 'right')}, ${outcome.calls} calls${bound}`)
    const right = outcome.fault === undefined
    append(options.out, { task: task.id, trial, server, model: name, provider, startedAt, right, ...outcome }, hide)
    if (error?.isFinal) break
  }
  print(`${outcomeTable(outcomes)}\n\n${totalTable(outcomes)}`)
  return outcomes.some(({ error }) => error !== undefined) ? 1 : 0
}

/** Servers take turns, so that an API that slows down hits both. */
function* trials({ tasks, count, starts }) {
  for (const task of tasks) {
    for (let trial = 1; trial <= count; trial += 1) {
      for (const [server, start] of Object.entries(starts)) yield { task, trial, server, start }
    }
  }
}

/** Adds the transcript of a trial to a file, without the key. */
function append(file, transcript, hide) {
  if (file === undefined) return
  const line = JSON.stringify(transcript, (_, value) => (typeof value === 'string' ? hide(value) : value))
  fs.appendFileSync(file, `${line}\n`)
}

/** A model behind an API: opens conversations in its format, and asks it to go on. */
export function reach({ name, provider, baseUrl, key, timeoutMs, pauseMs }) {
  const { open, path, headers, baseUrl: usualUrl } = providers[provider]
  const url = `${(baseUrl ?? usualUrl).replace(/\/+$/, '')}${path}`
  return {
    open: (given) => open({ model: name, ...given }),
    ask: (body) => post({ url, headers: headers(key), body, timeoutMs, ...(pauseMs !== undefined && { pauseMs }) }),
  }
}
