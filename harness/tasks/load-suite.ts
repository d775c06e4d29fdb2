/** A suite is a directory of tasks, or the folder of a single one. */
import { isFsError } from '../../src/errors.js'
import { basename, join } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'
import { reasonOf } from '../infra-error.js'
import type { Task } from '../types.js'
import { kindOf } from './folder.js'
import { loadTask, type SkippedTask } from './load-task.js'
import { TaskError, type TaskProblem } from './task-error.js'

export interface Suite {
  /** Sorted by id. */
  tasks: readonly Task[]
  /** Tasks that need more than an episode has. */
  skipped: readonly SkippedTask[]
}

const maxDepth = 6

/** Fails with one `TaskError` that lists what is wrong with any of the tasks, before anything runs. */
export async function loadSuite(fs: FileSystem, directories: string | readonly string[]): Promise<Suite> {
  const problems: TaskProblem[] = []
  const folders: string[] = []
  for (const directory of typeof directories === 'string' ? [directories] : directories) {
    const found = await taskFolders(fs, directory, maxDepth)
    folders.push(...found)
    if (found.length > 0) continue
    const remedy = 'A task is a folder with a file task.toml.'
    problems.push({ file: directory, message: 'there are no tasks', remedy })
  }
  const tasks: Task[] = []
  const skipped: SkippedTask[] = []
  for (const folder of distinct(folders, problems)) {
    try {
      const loaded = await loadTask(fs, folder)
      if ('task' in loaded) tasks.push(loaded.task)
      else skipped.push(loaded)
    } catch (error) {
      if (!(error instanceof TaskError)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw new TaskError(problems)
  return { tasks: tasks.sort(byId), skipped: skipped.sort(byId) }
}

/** Hidden folders and links are left out. Nothing is looked for inside the folder of a task. */
async function taskFolders(fs: FileSystem, directory: string, depth: number): Promise<string[]> {
  if ((await kindOf(fs, join(directory, 'task.toml'))) === 'file') return [directory]
  if (depth === 0 || (await kindOf(fs, directory)) !== 'directory') return []
  const found: string[] = []
  for (const { name, kind } of await listed(fs, directory)) {
    if (kind !== 'directory' || name.startsWith('.') || name === 'node_modules') continue
    found.push(...(await taskFolders(fs, join(directory, name), depth - 1)))
  }
  return found.sort()
}

async function listed(fs: FileSystem, directory: string) {
  try {
    return await fs.readDir(directory)
  } catch (error) {
    if (!isFsError(error)) throw error
    throw new TaskError([{ file: directory, message: `it can't be read: ${reasonOf(error)}` }])
  }
}

/** Ids name files of results, whose case some disks ignore. */
function distinct(folders: readonly string[], problems: TaskProblem[]): string[] {
  const seen = new Map<string, string>()
  return folders.filter((folder) => {
    const id = basename(folder).normalize('NFC').toLowerCase()
    const other = seen.get(id)
    seen.set(id, other ?? folder)
    if (other === undefined) return true
    const message = `the id ${JSON.stringify(basename(folder))} is that of ${other}, too`
    if (other !== folder) problems.push({ file: folder, message, remedy: 'Rename one of the folders.' })
    return false
  })
}

function byId(a: { id: string }, b: { id: string }): number {
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}
