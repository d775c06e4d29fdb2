/** Reads tasks in Harbor's format from any file system. */
import { isFsError } from '../../src/errors.js'
import { basename, dirname, join } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'
import { reasonOf } from '../infra-error.js'
import type { Scorer, Task } from '../types.js'
import { readChecks } from './checks-file.js'
import { buildEnvironment, type Environment } from './environment.js'
import { type Folder, kindOf, readFolder, textIn } from './folder.js'
import { testScript } from './scorers/test-script.js'
import { readSettings, type TaskSettings } from './settings.js'
import { solver } from './solution.js'
import { TaskError, type TaskProblem } from './task-error.js'
import { parseToml } from './toml.js'

/** A task, or why it can't be run here. */
export type LoadedTask = { id: string; task: Task } | SkippedTask

export interface SkippedTask {
  id: string
  /** What it needs that an episode does not have, with file and line. */
  skipped: string
}

/** The working directory unless a task names another one, as in most of Harbor's images. */
const defaultRoot = '/app'
const directoriesOfTasks = ['environment', 'tests', 'solution']
const filesOfTasks = ['environment/Dockerfile', 'tests/test.sh', 'tests/checks.toml', 'solution/solve.sh']
const kindNames = { file: 'a file', directory: 'a directory', other: 'a device or a socket' }
/** The time of all files unless a task names another one. */
const defaultStartMs = 1_767_225_600_000

/**
 * Reads the folder of a task: `task.toml`, `instruction.md`, `environment/`, `tests/` and `solution/`. Its name is the id. Fails with a
 * `TaskError` that lists everything that is wrong with it.
 */
export async function loadTask(fs: FileSystem, directory: string): Promise<LoadedTask> {
  const problems: TaskProblem[] = []
  try {
    return await readTask(fs, directory, problems)
  } catch (error) {
    if (!isFsError(error)) throw error
    const file = 'path' in error.facts && error.facts.path !== undefined ? error.facts.path : directory
    throw new TaskError([...problems, { file, message: `it can't be read: ${error.code}` }])
  }
}

async function readTask(fs: FileSystem, directory: string, problems: TaskProblem[]): Promise<LoadedTask> {
  const id = basename(directory)
  const name = (path: string) => join(directory, path)
  if (!isPlainName(id)) {
    const remedy = 'Use letters, digits, dots, dashes and underscores.'
    problems.push({ file: directory, message: 'a folder name that is not an id', remedy })
  }
  const text = await readText(fs, join(directory, 'task.toml'))
  if (text === undefined) {
    throw new TaskError([...problems, { file: name('task.toml'), message: 'the file is missing' }])
  }
  const toml = parseToml(name('task.toml'), text)
  const settings = await readSettings(toml, problems)
  if (settings.needs !== undefined && problems.length === 0) return { id, skipped: settings.needs }

  await expectKind(fs, name('instruction.md'), 'file', problems)
  const instruction = await readText(fs, join(directory, 'instruction.md'))
  if (instruction === undefined || instruction.trim() === '') {
    const message = instruction === undefined ? 'the file is missing' : 'the file is empty'
    problems.push({ file: name('instruction.md'), message, remedy: 'It tells the agent what to do.' })
  }
  for (const path of directoriesOfTasks) await expectKind(fs, name(path), 'directory', problems)
  for (const path of filesOfTasks) await expectKind(fs, name(path), 'file', problems)
  const environment = await environmentOf(fs, directory, settings, problems)
  if ('needs' in environment) {
    if (problems.length > 0) throw new TaskError(problems)
    return { id, skipped: environment.needs }
  }
  problems.push(...environment.problems)
  const tests = (await readFolder(fs, join(directory, 'tests'))) ?? new Map()
  const score = scorersOf({ tests, settings, name, problems })
  const solution = await readFolder(fs, join(directory, 'solution'))
  if (problems.length > 0) throw new TaskError(problems)
  return { id, task: assemble({ id, instruction: instruction ?? '', settings, environment, score, solution }) }
}

async function environmentOf(
  fs: FileSystem,
  directory: string,
  { root = defaultRoot, options }: TaskSettings,
  problems: TaskProblem[],
): Promise<Environment | { needs: string }> {
  const path = join(directory, 'environment')
  const atMs = options.startMs ?? defaultStartMs
  try {
    const folder = (await readFolder(fs, path)) ?? new Map()
    return await buildEnvironment({ folder, name: path, root, atMs })
  } catch (error) {
    if (!isFsError(error)) throw error
    problems.push({ file: path, message: `it can't be read: ${reasonOf(error)}` })
    return { needs: path }
  }
}

/**
 * What exists but can't be used would otherwise count as missing: an empty tree, tests that don't run. A link is not followed, because
 * the hash of a suite, by which results of two machines are compared, has the files in the folder of the task and no others.
 */
async function expectKind(
  fs: FileSystem,
  path: string,
  wanted: 'directory' | 'file',
  problems: TaskProblem[],
): Promise<void> {
  // Below a link that was refused itself, everything looks missing or belongs to another place.
  if ((await kindOf(fs, dirname(path))) !== 'directory') return
  const kind = await kindOf(fs, path)
  if (kind === undefined || kind === wanted) return
  const message = `it has to be a ${wanted}, not ${kind === 'symlink' ? 'a symbolic link' : kindNames[kind]}`
  const remedy =
    kind === 'symlink' ? `Put the ${wanted} itself there; links inside environment/ are kept.` : `Make it a ${wanted}.`
  problems.push({ file: path, message, remedy })
}

interface Parts {
  tests: Folder
  settings: TaskSettings
  name: (path: string) => string
  problems: TaskProblem[]
}

function scorersOf({ tests, settings, name, problems }: Parts): Scorer[] {
  const { verifierEnv: env, verifierTimeoutMs: timeoutMs } = settings
  const given = { tests, env, ...(timeoutMs !== undefined && { timeoutMs }) }
  const scorers: Scorer[] = []
  if (tests.get('test.sh')?.kind === 'file') scorers.push(testScript(given))
  const checks = textIn(tests, 'checks.toml')
  if (checks !== undefined)
    scorers.push(...collect(problems, () => readChecks(name('tests/checks.toml'), checks, given, problems)))
  if (scorers.length === 0 && checks === undefined) {
    const remedy = 'Add tests/test.sh or tests/checks.toml.'
    problems.push({ file: name('tests'), message: 'nothing scores the task', remedy })
  }
  return scorers
}

/** The problems of a file that can't be parsed are reported with all others. */
function collect(problems: TaskProblem[], read: () => Scorer[]): Scorer[] {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    problems.push(...error.problems)
    return []
  }
}

interface Assembly {
  id: string
  instruction: string
  settings: TaskSettings
  environment: Environment
  score: Scorer[]
  solution: Folder | undefined
}

function assemble({ id, instruction, settings, environment, score, solution }: Assembly): Task {
  const { options, solutionEnv, agentTimeoutMs } = settings
  const env = { ...environment.env, ...options.env }
  return {
    id,
    instruction: withoutCanary(instruction),
    files: environment.files,
    score,
    ...(solution?.get('solve.sh')?.kind === 'file' && { solve: solver(solution, solutionEnv) }),
    ...(agentTimeoutMs !== undefined && { timeoutMs: agentTimeoutMs }),
    options: {
      ...options,
      root: settings.root ?? environment.root,
      ...(Object.keys(env).length > 0 && { env }),
    },
  }
}

/** Benchmarks mark their files with lines that models must not train on; they are not for the agent. */
function withoutCanary(text: string): string {
  return text.replace(/^(?:[ \t]*(?:<!--.*canary.*-->|#.*canary.*)[ \t]*\r?\n)+/i, '').trimStart()
}

/** Ids become names of files. */
function isPlainName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.+-]{0,99}$/u.test(name)
}

async function readText(fs: FileSystem, path: string): Promise<string | undefined> {
  return (await kindOf(fs, path)) === 'file' ? new TextDecoder().decode(await fs.readFile(path)) : undefined
}
