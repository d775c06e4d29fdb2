/** `polyfs eval check`: the solution of a task scores 1, doing nothing scores 0, and the same calls give the same transcript. */
import { oracle } from '../../../harness/agents/oracle.js'
import { nop } from '../../../harness/agents/scripted.js'
import { counted } from '../../../harness/report/format.js'
import { runEpisode } from '../../../harness/run-episode.js'
import type { EpisodeResult } from '../../../harness/run-types.js'
import type { EpisodeAgent, Task } from '../../../harness/types.js'
import { printable } from '../../../src/text/printable.js'
import type { WorkspaceOptions } from '../../../src/workspace/workspace-options.js'
import { terminalStatus } from '../../terminal/status-line.js'
import { UsageError } from '../../terminal/usage-error.js'
import type { EvalCommand } from '../command.js'
import { parseFlags, tierOf } from '../flags.js'
import { sharedShell } from '../runner.js'
import { loadSuites } from '../suites.js'

export { checkHelp as help } from '../help.js'

/** What is wrong with a task. `missing` when it is not known. */
interface Finding {
  text: string
  missing: boolean
}

export const run: EvalCommand = async (argv, { write, commandWorker }) => {
  const { positionals: suites, values } = parseFlags(argv, { tier: 'string' })
  if (suites.length === 0) throw new UsageError('no suite to check; name a directory with tasks')
  const { tasks, skipped } = await loadSuites(suites)
  const shell = sharedShell({ commandWorker, parallel: 1, ...tierOf(values.tier) })
  const all: Finding[] = []
  const status = terminalStatus()
  for (const [index, task] of tasks.entries()) {
    status.draw(`${index}/${tasks.length}  checking ${printable(task.id)}`)
    const findings = await checkTask(task, shell)
    status.erase()
    write(`${findings.length === 0 ? 'ok      ' : 'WRONG   '}${printable(task.id)}\n`)
    for (const { text } of findings) write(`          ${printable(text)}\n`)
    all.push(...findings)
  }
  for (const { id, skipped: reason } of skipped) write(`skipped ${printable(id)}: ${printable(reason)}\n`)
  write(`${counted(tasks.length, 'task')} checked, ${counted(all.length, 'problem')}, ${skipped.length} skipped\n`)
  if (all.some(({ missing }) => missing)) return 3
  return all.length > 0 ? 1 : 0
}

async function checkTask(task: Task, shell: NonNullable<WorkspaceOptions['shell']>): Promise<Finding[]> {
  const trial = (agent: EpisodeAgent, number: number): Promise<EpisodeResult> => {
    const job = { run: 'check', task: task.id, agent: agent.name, trial: number, seed: 1 }
    return runEpisode({ task, agent, job, shell, retries: 0 })
  }
  if (task.solve === undefined) return [{ text: 'there is no solution: add solution/solve.sh', missing: false }]
  const [first, second, nothing] = [await trial(oracle, 1), await trial(oracle, 2), await trial(nop, 1)]
  return [
    ...valueFinding('the solution', first, 1),
    ...valueFinding('doing nothing', nothing, 0),
    // Programs of the machine may say something else each time.
    ...(first.outcome !== 'infra' && first.tier === undefined && first.transcriptHash !== second.transcriptHash
      ? [{ text: `two runs of the solution differ: ${difference(first, second)}`, missing: false }]
      : []),
  ]
}

function valueFinding(who: string, { outcome, value, reason = '' }: EpisodeResult, expected: number): Finding[] {
  if (value === undefined) return [{ text: `${who} has no result: ${reason}`, missing: true }]
  if (value === expected) return []
  const because = reason === '' || expected === 0 ? '' : `: ${reason}`
  const how = outcome === 'agent-error' ? 'failed' : `scores ${value}, not ${expected}`
  return [{ text: `${who} ${how}${because}`, missing: false }]
}

/** Where two transcripts part. */
function difference(first: EpisodeResult, second: EpisodeResult): string {
  const [one, two] = [first, second].map(({ trace = '' }) => trace.split('\n').map(withoutTimes))
  const line = one?.findIndex((text, index) => text !== two?.[index]) ?? -1
  return `line ${line + 1} of the trace is ${excerpt(one?.[line])}, then ${excerpt(two?.[line])}`
}

function withoutTimes(line: string): string {
  return line.replace(/,?"wallMs":[\d.]+/, '')
}

function excerpt(line = 'missing'): string {
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}
