/**
 * Faults by a schedule. Whether an operation fails depends on the seed, the number of the call, the operation, its path, and how often it
 * was tried in this call: never on the order in which concurrent operations arrive, nor on random names of temporary files. Only `most`
 * counts in order of arrival.
 */
import { type ErrorFacts, FsError } from '../../src/errors.js'
import { basename, isWithin, relative } from '../../src/fs/path.js'
import { isStagedName } from '../../src/fs/staged-name.js'
import type { FileSystem } from '../../src/fs/types.js'
import { compileGlobs, defaultGlobRules } from '../../src/search/patterns/glob.js'
import { isRecord } from '../../src/text/is-record.js'
import { type FaultCode, type FileOperation, faultCodes, faulty, type OperationName } from '../faults.js'
import type { FaultSchedule } from '../types.js'

/** A fault that was injected, as the trace reports it. */
export interface InjectedFault {
  operation: OperationName
  path: string
  code: FaultCode
}

export interface FaultInjector {
  /** `fs` with the faults. It has no synchronous reads and no open files: every access passes the injector. */
  wrap(fs: FileSystem): FileSystem
  /** Has to be called before each call of a tool. Only in a call operations fail: what scorers and hosts do for themselves does not. */
  beginCall(): void
  /** Ends the call; returns its faults, sorted. */
  taken(): InjectedFault[]
  /** An injector of its own that goes on as this one would have, unless the seed is another. */
  fork(options?: { seed?: number }): FaultInjector
}

export interface FaultInjectorOptions {
  /** That of the episode, for a schedule without one. */
  seed: number
  /** The directory that patterns without a leading slash count from. Default: `/`. */
  root?: string
}

/** Fails with an `Error` that says what is wrong with the schedule. */
export function faultInjector(schedule: FaultSchedule, { seed, root = '/' }: FaultInjectorOptions): FaultInjector {
  const plan = planOf(checkFaultSchedule(schedule), root)
  return injector(plan, seed, { calls: 0, isInCall: false, injected: 0, tries: new Map(), taken: [] })
}

interface Plan {
  seed: number | undefined
  rate: number
  codes: readonly FaultCode[]
  operations: ReadonlySet<OperationName>
  matches(path: string): boolean
  after: number
  most: number
  effect: NonNullable<FaultSchedule['effect']>
}

/** All that changes while an episode runs. */
interface State {
  calls: number
  isInCall: boolean
  injected: number
  /** How often each operation was tried on each path in this call. */
  tries: Map<string, number>
  taken: InjectedFault[]
}

function injector(plan: Plan, episodeSeed: number, state: State): FaultInjector {
  const seed = plan.seed ?? episodeSeed
  /** Staged files whose write has been decided about already. */
  const decided = new Set<string>()

  function fail(given: FileOperation): FsError | undefined {
    if (!state.isInCall || state.calls <= plan.after) return undefined
    const operation = seenByAgent(given)
    if (operation === undefined) return undefined
    const code = decide(operation)
    if (code === undefined) return undefined
    state.injected += 1
    state.taken.push({ operation: operation.name, path: operation.path, code })
    return faultOf(code, operation.path)
  }

  /**
   * The operation without the engine's temporary files: each write and each removal counts once, with the path that it is about. Undefined
   * for what the engine does with a temporary file only.
   */
  function seenByAgent({ name, path, to, staged, replaces }: FileOperation): Seen | undefined {
    if (staged) {
      // The path of a new file is known only when it is renamed into place.
      if (replaces === undefined) return undefined
      decided.add(path)
      return { name: 'writeFile', path: replaces }
    }
    if (!isStaged(path)) {
      if (name === 'rename' && to !== undefined && isStaged(to)) return { name: 'remove', path }
      return { name, path, ...(to !== undefined && { to }) }
    }
    if (name !== 'rename' || to === undefined || decided.delete(path)) return undefined
    return { name: 'writeFile', path: to }
  }

  function decide({ name, path, to }: Seen): FaultCode | undefined {
    if (!plan.operations.has(name)) return undefined
    if (!plan.matches(path) && (to === undefined || !plan.matches(to))) return undefined
    const codes = plan.codes.filter((code) => mutations.has(name) || !onlyOfMutations.has(code))
    if (codes.length === 0) return undefined
    const key = `${name} ${path}`
    const tries = (state.tries.get(key) ?? 0) + 1
    state.tries.set(key, tries)
    if (state.injected >= plan.most) return undefined
    const what = `${seed} ${state.calls} ${tries} ${key}`
    if (chance(`fails ${what}`) >= plan.rate) return undefined
    return codes[Math.floor(chance(`code ${what}`) * codes.length)]
  }

  return {
    wrap(fs) {
      // An open file would be read without the injector; without `open`, ranged reads take its place.
      const { open: _, ...rest } = fs
      return faulty(rest, { fail, effect: plan.effect })
    },
    beginCall() {
      state.calls += 1
      state.isInCall = true
      state.tries.clear()
      decided.clear()
    },
    taken() {
      const taken = state.taken
      state.taken = []
      state.isInCall = false
      return taken.sort(byText)
    },
    fork: (options = {}) =>
      injector(plan, options.seed ?? episodeSeed, {
        ...state,
        tries: new Map(state.tries),
        taken: [...state.taken],
      }),
  }
}

interface Seen {
  name: OperationName
  path: string
  to?: string
}

function isStaged(path: string): boolean {
  return isStagedName(basename(path))
}

function byText(a: InjectedFault, b: InjectedFault): number {
  const [left, right] = [`${a.path} ${a.operation} ${a.code}`, `${b.path} ${b.operation} ${b.code}`]
  return left < right ? -1 : left > right ? 1 : 0
}

/** From 0 up to 1, determined by the text. */
function chance(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  hash ^= hash >>> 16
  return (hash >>> 0) / 2 ** 32
}

function faultOf(code: FaultCode, path: string): FsError {
  const facts: ErrorFacts['IO'] = { path, detail: 'EIO' }
  return code === 'IO' ? new FsError(code, facts) : new FsError(code, { path })
}

function planOf(schedule: FaultSchedule, root: string): Plan {
  const { seed, rate, codes = ['IO'], operations = ['readFile', 'writeFile'], paths } = schedule
  const { after = 0, most = Infinity, effect = 'none' } = schedule
  return {
    seed,
    rate,
    // Checked before.
    codes: codes as readonly FaultCode[],
    operations: new Set(operations),
    matches: paths === undefined ? () => true : matcherOf(paths, root),
    after,
    most,
    effect,
  }
}

/** Patterns with a leading slash count from the top of the tree, others from `root`. */
function matcherOf(paths: readonly string[], root: string): (path: string) => boolean {
  const isAbsolute = (pattern: string) => pattern.startsWith('/')
  const fromTop = compileGlobs(paths.filter(isAbsolute), defaultGlobRules)
  const fromRoot = compileGlobs(
    paths.filter((pattern) => !isAbsolute(pattern)),
    defaultGlobRules,
  )
  return (path) =>
    fromTop.matches(path.slice(1)) || (path !== root && isWithin(root, path) && fromRoot.matches(relative(root, path)))
}

const operationNames: readonly OperationName[] = [
  'stat',
  'readFile',
  'writeFile',
  'readDir',
  'makeDir',
  'remove',
  'rename',
  'symlink',
  'readLink',
  'setMode',
  'setModified',
]
const mutations: ReadonlySet<OperationName> = new Set<OperationName>([
  'writeFile',
  'makeDir',
  'remove',
  'rename',
  'symlink',
  'setMode',
  'setModified',
])
const onlyOfMutations: ReadonlySet<FaultCode> = new Set<FaultCode>(['NO_SPACE', 'READ_ONLY'])
const effects = ['none', 'all', 'part']
const keys = ['seed', 'rate', 'codes', 'operations', 'paths', 'after', 'most', 'effect']

/** The value as a schedule. Fails with an `Error` that names the field and what it may be. */
export function checkFaultSchedule(value: unknown): FaultSchedule {
  if (!isRecord(value)) throw new Error(`A fault schedule must be an object, not ${shown(value)}.`)
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) throw new Error(`A fault schedule has no field ${shown(key)}, only ${keys.join(', ')}.`)
  }
  const { seed, rate, codes, operations, paths, after, most, effect } = value
  if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1)) wrong('rate', 'a number from 0 to 1', rate)
  if (seed !== undefined && !Number.isSafeInteger(seed)) wrong('seed', 'a whole number', seed)
  for (const [field, count] of Object.entries({ after, most })) {
    if (count !== undefined && !(Number.isSafeInteger(count) && Number(count) >= 0))
      wrong(field, 'a whole number from 0', count)
  }
  oneOrMoreOf('codes', codes, faultCodes)
  oneOrMoreOf('operations', operations, operationNames)
  if (effect !== undefined && !effects.includes(String(effect))) wrong('effect', oneOf(effects), effect)
  if (paths !== undefined) {
    if (!isListOfTexts(paths)) return wrong('paths', 'a list of globs', paths)
    checkGlobs(paths)
  }
  // Every field was checked above.
  return value as unknown as FaultSchedule
}

function checkGlobs(paths: readonly string[]): void {
  for (const pattern of paths) {
    try {
      compileGlobs([pattern], defaultGlobRules)
    } catch (error) {
      if (!(error instanceof FsError) || !('reason' in error.facts)) throw error
      throw new Error(`paths of a fault schedule: ${shown(pattern)} is not a glob: ${error.facts.reason}.`)
    }
  }
}

function oneOrMoreOf(field: string, value: unknown, allowed: readonly string[]): void {
  if (value === undefined) return
  const isFine = isListOfTexts(value) && value.length > 0 && value.every((one) => allowed.includes(one))
  if (!isFine) wrong(field, `a list of one or more of ${allowed.join(', ')}`, value)
}

function oneOf(allowed: readonly string[]): string {
  return `one of ${allowed.join(', ')}`
}

function wrong(field: string, expected: string, value: unknown): never {
  throw new Error(`${field} of a fault schedule must be ${expected}, not ${shown(value)}.`)
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
