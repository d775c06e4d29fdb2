import type { EpisodeAgent } from '../types.js'

/** Runs the solution that comes with the task. A task that it does not pass is broken. */
export const oracle: EpisodeAgent = {
  name: 'oracle',
  async run({ episode, task }) {
    if (task === undefined) throw new Error('the oracle needs the task: run({ episode, task, … })')
    if (task.solve === undefined) throw new Error(`the task ${task.id} has no solution: add solution/solve.sh`)
    await task.solve(episode)
    return { answer: '' }
  },
}
