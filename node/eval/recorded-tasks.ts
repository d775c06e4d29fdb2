/** The tasks that a recorded run belongs to, as they are now. */
import path from 'node:path'
import type { Task } from '../../harness/types.js'
import { UsageError } from '../terminal/usage-error.js'
import { hasRun, readRun } from './results/run-directory.js'
import { loadSuites } from './suites.js'

/** By id. `suite` replaces where the run had its tasks. */
export async function tasksOf(directory: string, suite: string | undefined): Promise<ReadonlyMap<string, Task>> {
  const suites = suite === undefined ? readRun(directory).file.settings.suites : [suite]
  const { tasks } = await loadSuites(suites)
  return new Map(tasks.map((task) => [task.id, task]))
}

/** The directory of the run that a trace belongs to. */
export function runOf(trace: string, suite: string | undefined): string {
  const directory = path.dirname(path.dirname(path.resolve(trace)))
  if (suite === undefined && !hasRun(directory)) {
    throw new UsageError(`${trace} is not in the directory of a run; name the tasks with --suite`)
  }
  return directory
}
