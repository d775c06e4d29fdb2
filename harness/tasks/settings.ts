/** What `task.toml` says: Harbor's settings, and ours in `[metadata.polyfs]`. */
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { dialectNames, isDialectName, loadDialect } from '../../src/dialects/registry.js'
import { resolve } from '../../src/fs/path.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { selectTools } from '../../src/tools/select.js'
import type { Limits } from '../../src/workspace/limits.js'
import { reasonOf } from '../infra-error.js'
import type { Budget, EpisodeOptions } from '../types.js'
import type { TaskProblem } from './task-error.js'
import { isTable, type TomlFile, type TomlPath } from './toml.js'

export interface TaskSettings {
  options: Omit<EpisodeOptions, 'files' | 'task' | 'onEvent'>
  /** The working directory that the task asks for. */
  root?: string
  agentTimeoutMs?: number
  verifierTimeoutMs?: number
  verifierEnv: Readonly<Record<string, string>>
  solutionEnv: Readonly<Record<string, string>>
  /** Why the task can't be run here, if it can't. */
  needs?: string
}

const budgetKeys = { calls: 'calls', turns: 'turns', tokens: 'tokens', bytes: 'bytes' } satisfies Names<Budget>

const limitKeys = {
  max_file_bytes: 'maxFileBytes',
  max_output_bytes: 'maxOutputBytes',
  max_watched_files: 'maxWatchedFiles',
  command_timeout_ms: 'commandTimeoutMs',
  max_command_timeout_ms: 'maxCommandTimeoutMs',
  max_history_bytes: 'maxHistoryBytes',
  max_history_ms: 'maxHistoryMs',
  max_undo_bytes: 'maxUndoBytes',
} satisfies Names<Limits>

type Names<Type> = Readonly<Record<string, keyof Type & string>>

const ownKeys = [
  'root',
  'dialect',
  'tools',
  'seed',
  'start_ms',
  'step_ms',
  'budget',
  'limits',
  'env',
  'max_bytes',
] as const

/** Collects problems in `problems`; what it returns counts only if there are none. */
export async function readSettings(toml: TomlFile, problems: TaskProblem[]): Promise<TaskSettings> {
  const read = reader(toml, problems)
  const agentTimeout = read.positive(['agent', 'timeout_sec'])
  const verifierTimeout = read.positive(['verifier', 'timeout_sec'])
  const own: TomlPath = ['metadata', 'polyfs']
  read.onlyKeys(own, ownKeys)
  const root = read.text([...own, 'root']) ?? read.text(['environment', 'workdir'])
  const env = { ...read.texts(['environment', 'env']), ...read.texts([...own, 'env']) }
  const needs = needsOf(toml)
  const dialect = await readDialect(toml, [...own, 'dialect'], read, problems)
  const tools = readTools(toml, [...own, 'tools'], dialect, problems)
  const numbers = {
    seed: read.whole([...own, 'seed']),
    startMs: read.whole([...own, 'start_ms']),
    stepMs: read.whole([...own, 'step_ms']),
    maxBytes: read.whole([...own, 'max_bytes']),
  }
  return {
    options: {
      ...present(numbers),
      ...(dialect && { dialect }),
      ...(tools !== undefined && { tools }),
      ...(read.has([...own, 'budget']) && { budget: read.counts<Budget>([...own, 'budget'], budgetKeys) }),
      ...(read.has([...own, 'limits']) && { limits: read.counts<Limits>([...own, 'limits'], limitKeys) }),
      ...(Object.keys(env).length > 0 && { env }),
    },
    ...(root !== undefined && { root: resolve('/', root) }),
    ...(agentTimeout !== undefined && { agentTimeoutMs: agentTimeout * 1000 }),
    ...(verifierTimeout !== undefined && { verifierTimeoutMs: verifierTimeout * 1000 }),
    verifierEnv: read.texts(['verifier', 'env']),
    solutionEnv: read.texts(['solution', 'env']),
    ...(needs !== undefined && { needs }),
  }
}

/** Settings of Harbor that only a container can meet. */
function needsOf({ root, file, problem }: TomlFile): string | undefined {
  const at = (path: TomlPath, what: string) => `${file}:${problem(path, '').line ?? 1}: ${what}`
  const { steps, environment, verifier } = root
  if (Array.isArray(steps) && steps.length > 0) return at(['steps'], 'tasks of several steps')
  if (isTable(environment)) {
    const { os, gpus, mcp_servers: servers, healthcheck } = environment
    if (os !== undefined && os !== 'linux') return at(['environment', 'os'], `the operating system ${os}`)
    if (typeof gpus === 'number' && gpus > 0) return at(['environment', 'gpus'], 'a GPU')
    if (Array.isArray(servers) && servers.length > 0) return at(['environment', 'mcp_servers'], 'other MCP servers')
    if (healthcheck !== undefined) return at(['environment', 'healthcheck'], 'a health check of a container')
  }
  if (!isTable(verifier)) return undefined
  const { environment_mode: mode, environment: own, collect } = verifier
  if (mode === 'separate' || own !== undefined) return at(['verifier'], 'a container of its own for the verifier')
  if (Array.isArray(collect) && collect.length > 0) return at(['verifier', 'collect'], 'hooks before the verifier')
  const fromHost = isTable(verifier.env)
    ? Object.entries(verifier.env).find(([, value]) => isTemplate(value))
    : undefined
  if (fromHost !== undefined) return at(['verifier', 'env', fromHost[0]], `the host's variable in ${fromHost[0]}`)
  return undefined
}

function isTemplate(value: unknown): boolean {
  return typeof value === 'string' && /\$\{\w+/.test(value)
}

async function readDialect(
  toml: TomlFile,
  at: TomlPath,
  read: ReturnType<typeof reader>,
  problems: TaskProblem[],
): Promise<EpisodeOptions['dialect'] | undefined> {
  const name = read.text(at)
  if (name === undefined) return undefined
  if (isDialectName(name)) return loadDialect(name)
  problems.push(
    toml.problem(at, `there is no dialect ${JSON.stringify(name)}`, `Use one of ${dialectNames.join(', ')}.`),
  )
  return undefined
}

function readTools(
  toml: TomlFile,
  at: TomlPath,
  dialect: Dialect | undefined,
  problems: TaskProblem[],
): string | string[] | undefined {
  const value = valueAt(toml.root, at)
  if (value === undefined) return undefined
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string')
  if (typeof value !== 'string' && !isList) {
    problems.push(
      toml.problem(at, 'tools has to be a text or a list of texts', 'For example tools = ["read", "edit"].'),
    )
    return undefined
  }
  try {
    selectTools(dialect ?? polyfs, value)
    return value
  } catch (error) {
    problems.push(toml.problem(at, reasonOf(error)))
    return undefined
  }
}

/** Reads values of one type each; undefined where there is none, or a wrong one, which is a problem. */
function reader(toml: TomlFile, problems: TaskProblem[]) {
  function checked<Value>(
    at: TomlPath,
    what: string,
    accept: (value: unknown) => Value | undefined,
  ): Value | undefined {
    const value = valueAt(toml.root, at)
    if (value === undefined) return undefined
    const accepted = accept(value)
    if (accepted === undefined) problems.push(toml.problem(at, `${at.at(-1)} has to be ${what}`))
    return accepted
  }

  const text = (at: TomlPath) => checked(at, 'a text', (value) => (typeof value === 'string' ? value : undefined))
  const whole = (at: TomlPath) => checked(at, 'a whole number from 0', (value) => (isWhole(value) ? value : undefined))
  const positive = (at: TomlPath) =>
    checked(at, 'a number above 0', (value) => (typeof value === 'number' && value > 0 ? value : undefined))

  function onlyKeys(at: TomlPath, known: readonly string[]): void {
    const table = checked(at, 'a table', (value) => (isTable(value) ? value : undefined)) ?? {}
    for (const key of Object.keys(table)) {
      if (known.includes(key)) continue
      problems.push(toml.problem([...at, key], `unknown key ${JSON.stringify(key)}`, `Known are ${known.join(', ')}.`))
    }
  }

  function texts(at: TomlPath): Record<string, string> {
    const table = checked(at, 'a table of texts', (value) => (isTable(value) ? value : undefined)) ?? {}
    const pairs = Object.keys(table).map((key) => [key, text([...at, key])] as const)
    return Object.fromEntries(pairs.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
  }

  function counts<Type>(at: TomlPath, names: Names<Type>): Partial<Type> {
    onlyKeys(at, Object.keys(names))
    const pairs = Object.entries(names).map(([key, name]) => [name, whole([...at, key])] as const)
    return present(Object.fromEntries(pairs)) as Partial<Type>
  }

  return { text, whole, positive, onlyKeys, texts, counts, has: (at: TomlPath) => isTable(valueAt(toml.root, at)) }
}

export function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function valueAt(root: Readonly<Record<string, unknown>>, at: TomlPath): unknown {
  let value: unknown = root
  for (const key of at) {
    if (!isTable(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

function present<Type extends object>(values: Type): { [Key in keyof Type]?: Exclude<Type[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
