/** `tests/checks.toml`: checks without a script. */
import { isFsError } from '../../src/errors.js'
import { resolve } from '../../src/fs/path.js'
import type { Scorer } from '../types.js'
import type { Folder } from './folder.js'
import { commandSucceeds } from './scorers/command-succeeds.js'
import { type FileCondition, fileChecks } from './scorers/file-checks.js'
import { isPointer } from './scorers/json-pointer.js'
import { type CheckOptions, expectedTree, onlyChanged } from './scorers/tree-checks.js'
import type { TaskProblem } from './task-error.js'
import { isTable, parseToml, type TomlFile, type TomlPath } from './toml.js'

export interface ChecksContext {
  /** The folder `tests`, which checks refer to. */
  tests: Folder
  env: Readonly<Record<string, string>>
  timeoutMs?: number
}

const common = ['name', 'weight', 'gate']
/** The key that decides what kind of check it is, and the other keys of that kind. */
const kinds = {
  file: ['present', 'absent', 'text', 'without', 'regex', 'pointer', 'value', 'equal_to', 'equals'],
  only_changed: [],
  expected_tree: ['directory', 'ignore'],
  command: ['stdout'],
} satisfies Record<string, readonly string[]>
const conditions = ['present', 'absent', 'text', 'without', 'regex', 'pointer', 'equal_to', 'equals']

/** Adds to `problems` what is wrong; the scorers count only if there is nothing. */
export function readChecks(file: string, text: string, context: ChecksContext, problems: TaskProblem[]): Scorer[] {
  const toml = parseToml(file, text)
  const { check, ...rest } = toml.root
  for (const key of Object.keys(rest)) {
    problems.push(toml.problem([key], `unknown key ${JSON.stringify(key)}`, 'Every check begins with [[check]].'))
  }
  if (!Array.isArray(check) || check.length === 0) {
    problems.push(toml.problem(['check'], 'there are no checks', 'Every check begins with [[check]].'))
    return []
  }
  return check.flatMap((each: unknown, index) => {
    const scorer = readCheck({ toml, at: ['check', index], context, problems }, each)
    return scorer === undefined ? [] : [scorer]
  })
}

interface Place {
  toml: TomlFile
  at: TomlPath
  context: ChecksContext
  problems: TaskProblem[]
}

function readCheck(place: Place, given: unknown): Scorer | undefined {
  const { toml, at, problems } = place
  const complain = (key: string, message: string, remedy?: string) => {
    problems.push(toml.problem([...at, key], message, remedy))
    return undefined
  }
  if (!isTable(given)) return complain('', 'a check has to be a table', 'Every check begins with [[check]].')
  const found = Object.keys(kinds).filter((kind) => Object.hasOwn(given, kind)) as (keyof typeof kinds)[]
  const [kind] = found
  if (kind === undefined || found.length > 1) {
    return complain('', 'a check needs exactly one of file, only_changed, expected_tree, command')
  }
  const known = [kind, ...common, ...kinds[kind]]
  const unknown = Object.keys(given).filter((key) => !known.includes(key))
  for (const key of unknown) {
    complain(key, `unknown key ${JSON.stringify(key)} in a check of ${kind}`, `Known are ${known.join(', ')}.`)
  }
  const options = readOptions(given, complain)
  if (unknown.length > 0 || options === undefined) return undefined
  try {
    return makers[kind](given, options, place, complain)
  } catch (error) {
    // Patterns are compiled here, before anything runs.
    if (!isFsError(error, 'INVALID_PATTERN', 'PATTERN_TOO_COMPLEX', 'INVALID_PATH', 'OUTSIDE')) throw error
    const { facts } = error
    return complain(
      kind === 'file' ? 'regex' : kind,
      'reason' in facts ? `a bad pattern: ${facts.reason}` : error.message,
    )
  }
}

type Complain = (key: string, message: string, remedy?: string) => undefined
type Table = Readonly<Record<string, unknown>>
type Maker = (given: Table, options: CheckOptions, place: Place, complain: Complain) => Scorer | undefined

const makers: Record<keyof typeof kinds, Maker> = {
  file(given, options, { context }, complain) {
    const { file } = given
    if (typeof file !== 'string' || file === '') return complain('file', 'file has to be a path')
    const condition = readCondition(given, context.tests, complain)
    return condition && fileChecks([{ path: file, ...condition, ...options }])
  },

  only_changed({ only_changed: globs }, options, _place, complain) {
    if (!isTexts(globs) || globs.length === 0) return complain('only_changed', 'only_changed has to be a list of globs')
    return onlyChanged(globs, options)
  },

  expected_tree(given, options, { context }, complain) {
    const { expected_tree: source, directory = '.', ignore = [] } = given
    if (typeof source !== 'string') return complain('expected_tree', 'expected_tree has to be a directory in tests/')
    if (typeof directory !== 'string') return complain('directory', 'directory has to be a path')
    if (!isTexts(ignore)) return complain('ignore', 'ignore has to be a list of globs')
    const files = below(context.tests, source)
    if (files === undefined) return complain('expected_tree', `there is no directory tests/${source}`)
    return expectedTree(files, { directory, ignore, ...options })
  },

  command({ command, stdout }, options, { context }, complain) {
    if (typeof command !== 'string' || command === '') return complain('command', 'command has to be a text')
    if (stdout !== undefined && typeof stdout !== 'string') return complain('stdout', 'stdout has to be a text')
    const { tests, env, timeoutMs } = context
    return commandSucceeds(command, {
      tests,
      env,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(stdout !== undefined && { stdout }),
      ...options,
    })
  },
}

function readCondition(given: Table, tests: Folder, complain: Complain): FileCondition | undefined {
  const found = conditions.filter((key) => Object.hasOwn(given, key))
  const [key] = found
  if (key === undefined || found.length > 1) {
    return complain('file', `a check of a file needs exactly one of ${conditions.join(', ')}`)
  }
  const value = given[key]
  if (key === 'present' || key === 'absent') {
    if (value !== true) return complain(key, `${key} has to be true`)
    return key === 'present' ? { present: true } : { absent: true }
  }
  if (typeof value !== 'string') return complain(key, `${key} has to be a text`)
  if (key === 'text') return { text: value }
  if (key === 'without') return { without: value }
  if (key === 'regex') return { regex: value }
  if (key === 'equals') return { equals: value }
  if (key === 'pointer') {
    if (!isPointer(value)) return complain(key, 'pointer has to be a JSON pointer', 'For example "/scripts/test".')
    if (!Object.hasOwn(given, 'value')) return complain(key, 'pointer needs a value', 'Add value = …')
    return { pointer: value, value: given.value }
  }
  const entry = tests.get(resolve('/', value).slice(1))
  return entry?.kind === 'file' ? { equals: entry.bytes } : complain(key, `there is no file tests/${value}`)
}

function readOptions({ name, weight, gate }: Table, complain: Complain): CheckOptions | undefined {
  if (name !== undefined && typeof name !== 'string') return complain('name', 'name has to be a text')
  if (weight !== undefined && !(typeof weight === 'number' && weight >= 0 && Number.isFinite(weight))) {
    return complain('weight', 'weight has to be a number from 0')
  }
  if (gate !== undefined && typeof gate !== 'boolean') return complain('gate', 'gate has to be true or false')
  return { ...(name !== undefined && { name }), ...(weight !== undefined && { weight }), ...(gate && { gate }) }
}

/** The part of a folder below one of its directories. */
function below(folder: Folder, directory: string): Folder | undefined {
  const path = resolve('/', directory).slice(1)
  if (path === '') return folder
  if (folder.get(path)?.kind !== 'directory') return undefined
  const inside = [...folder].filter(([key]) => key.startsWith(`${path}/`))
  return new Map(inside.map(([key, entry]) => [key.slice(path.length + 1), entry]))
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
