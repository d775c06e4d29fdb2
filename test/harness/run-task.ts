/** Runs agents on tasks, as a harness does. */

import { openEpisode } from '../../harness/episode/episode.js'
import { type RunScore, scoreRun } from '../../harness/tasks/score-run.js'
import type { Episode, EpisodeAgent, Task } from '../../harness/types.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { built } from '../node/cli/built.js'

export const shell = emulatedShell({ worker: built('node/emulated-worker.js') })

export async function openTask(task: Task): Promise<Episode> {
  return openEpisode({ shell, ...task.options, files: task.files, task: task.id })
}

/** The score of a run, and the episode that was left. */
export async function runTask(
  task: Task,
  agent: EpisodeAgent,
): Promise<RunScore & { episode: Episode; answer: string }> {
  const episode = await openTask(task)
  const { instruction } = task
  const { answer } = await agent.run({ episode, instruction, signal: new AbortController().signal, task })
  return { ...(await scoreRun({ episode, task, trace: episode.trace, answer })), episode, answer }
}
