/** Runs one case on one target. */
import { type ErrorCode, FsError } from '../../src/errors.js'
import { join } from '../../src/fs/path.js'
import type { Bytes, Entry, FileSystem, Kind, Stat } from '../../src/fs/types.js'
import { describeBytes, describeContent, isContent, toBytes } from './content.js'
import { clear, differences, linkText, octal, plant } from './tree.js'
import type {
  Abilities,
  Call,
  Content,
  ContractCase,
  ContractTarget,
  ExpectedSource,
  ExpectedStat,
  Failure,
  MethodName,
  OneOf,
  Step,
  Together,
  Watch,
} from './types.js'

/**
 * Builds the tree, runs the steps, compares the tree, cleans up. Throws an error that says what was expected and what
 * happened. Does not check whether the case applies to the target; see `unmetNeed`.
 */
export async function runCase(target: ContractTarget, contractCase: ContractCase): Promise<void> {
  const { fs, base, root = '/', seed = fs } = target
  const { tree = {}, steps, after = tree } = contractCase
  try {
    await plant(seed, { base, root }, tree)
    const at = (path: string) => (path.startsWith('/') ? join(root, path.slice(1)) : join(base, path))
    const run: Run = { fs, at, root, startedMs: Date.now() }
    for (const step of steps) await takeStep(run, step)
    const lines = await differences(fs, { base, root }, after)
    if (lines.length > 0) throw new Error(`the tree afterwards:\n  ${lines.slice(0, 20).join('\n  ')}`)
  } catch (error) {
    // Cleaning up after a failure may fail as well; the first failure is the one to report.
    await clear(seed, base).catch(() => {})
    throw error
  }
  await clear(seed, base)
}

interface Run {
  fs: FileSystem
  /** The path a call is made with. */
  at(path: string): string
  root: string
  startedMs: number
}

type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown }

async function takeStep(run: Run, step: Step): Promise<void> {
  if ('do' in step) await takeCall(run, step)
  else if ('together' in step) await takeTogether(run, step)
  else if ('watch' in step) await takeWatch(run, step)
  else checkAbilities(run, step)
}

async function takeCall(run: Run, call: Call): Promise<void> {
  judge(run, call, await attempt(run, call))
}

async function takeTogether(run: Run, { together, succeed }: Together): Promise<void> {
  const outcomes = await Promise.all(together.map((call) => attempt(run, call)))
  if (succeed === undefined) {
    for (const [index, call] of together.entries()) judge(run, call, outcomes[index] as Outcome)
    return
  }
  const succeeded = outcomes.filter(({ ok }) => ok).length
  if (succeeded !== succeed) {
    throw mismatch(`${together.length} calls at once`, `${succeed} succeed`, `${succeeded} did`)
  }
  for (const [index, call] of together.entries()) {
    const outcome = outcomes[index] as Outcome
    if (!outcome.ok) judge(run, call, outcome)
  }
}

async function takeWatch(run: Run, step: Watch): Promise<void> {
  const watched = run.at(step.watch)
  const missing = new Set<string>()
  const heardAfterEnd: string[] = []
  const unwatch = await required(run.fs, 'watch')(watched, ({ path }) => missing.delete(path))
  try {
    if (step.besideAnEndedOne) {
      const end = await required(run.fs, 'watch')(watched, ({ path }) => heardAfterEnd.push(path))
      end()
      heardAfterEnd.length = 0
    }
    for (let time = 1; time <= (step.times ?? 1); time += 1) {
      for (const path of step.reports) missing.add(run.at(path))
      for (const call of step.during) await takeCall(run, call)
      const deadline = Date.now() + patienceMs
      while (missing.size > 0 && Date.now() < deadline) await pause()
      if (missing.size > 0) throw mismatch(`watch ${watched}`, `a report of ${[...missing].join(' and ')}`, 'none came')
    }
  } finally {
    unwatch()
  }
  if (heardAfterEnd.length > 0) throw mismatch(`watch ${watched}`, 'silence once ended', `heard of ${heardAfterEnd[0]}`)
}

function checkAbilities({ fs }: Run, { has = [], lacks = [] }: Abilities): void {
  for (const method of has) {
    if (typeof fs[method] !== 'function') throw mismatch(method, 'a method', typeof fs[method])
  }
  for (const method of lacks) {
    if (fs[method] !== undefined) throw mismatch(method, 'absent', typeof fs[method])
  }
}

/** Long enough for a loaded machine; the wait ends as soon as a report arrives. */
const patienceMs = 20_000

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5))
}

/** The method is called before this returns, so calls that are begun together begin in their order. */
function attempt(run: Run, call: Call): Promise<Outcome> {
  return perform(run, call).then(
    (value): Outcome => ({ ok: true, value }),
    (error: unknown): Outcome => ({ ok: false, error }),
  )
}

async function perform({ fs, at, root }: Run, call: Call): Promise<unknown> {
  const args = call.do
  switch (args[0]) {
    case 'stat':
    case 'readDir':
    case 'makeDir':
    case 'remove':
      return await fs[args[0]](at(args[1]))
    case 'readFile':
      return await (args[2] === undefined ? fs.readFile(at(args[1])) : fs.readFile(at(args[1]), args[2]))
    case 'writeFile': {
      const data = toBytes(args[2])
      await (args[3] === undefined ? fs.writeFile(at(args[1]), data) : fs.writeFile(at(args[1]), data, args[3]))
      return void scribble(data)
    }
    case 'rename':
      return await fs.rename(at(args[1]), at(args[2]))
    case 'symlink':
      return await required(fs, 'symlink')(linkText(root, args[1]), at(args[2]))
    case 'readLink':
      return await required(fs, 'readLink')(at(args[1]))
    case 'setMode':
      return await required(fs, 'setMode')(at(args[1]), args[2])
    case 'setModified':
      return await required(fs, 'setModified')(at(args[1]), args[2])
    case 'open': {
      const source = await required(fs, 'open')(at(args[1]))
      try {
        const reads: Bytes[] = []
        for (const range of args[2] ?? []) reads.push(await source.read(range))
        return { size: source.size, reads } satisfies Opened
      } finally {
        await source.close()
      }
    }
    case 'watch':
      return (await required(fs, 'watch')(at(args[1]), () => {}))()
  }
}

interface Opened {
  size: number
  reads: Bytes[]
}

function judge(run: Run, call: Call, outcome: Outcome): void {
  if (call.fails !== undefined) judgeFailure(run, call, call.fails, outcome)
  else if (outcome.ok) judgeValue(run, call, outcome.value)
  else throw mismatch(describeCall(run, call), 'success', describeError(outcome.error), outcome.error)
}

function judgeValue(run: Run, call: Call, value: unknown): void {
  const label = describeCall(run, call)
  if (is(call, 'stat')) judgeStat(run, label, call.gives, value as Stat)
  else if (is(call, 'readFile')) judgeBytes(label, call.gives, value as Bytes)
  else if (is(call, 'readDir')) judgeEntries(label, call.gives, value as Entry[])
  else if (is(call, 'readLink')) judgeLinkText(label, call.gives && linkText(run.root, call.gives), value as string)
  else if (is(call, 'open')) judgeOpened(label, call.gives, value as Opened)
}

function judgeFailure({ at }: Run, call: Call, failure: Failure, outcome: Outcome): void {
  const label = describeCall({ at }, call)
  const { codes, facts } = expectedFailure(failure)
  const wanted = `${codes.join(' or ')}${facts === undefined ? '' : ` with ${JSON.stringify(facts)}`}`
  if (outcome.ok) throw mismatch(label, wanted, 'success')
  const { error } = outcome
  if (!(error instanceof FsError)) throw mismatch(label, wanted, describeError(error), error)
  if (!codes.includes(error.code)) throw mismatch(label, wanted, describeError(error), error)
  const actualFacts: Record<string, unknown> = { ...error.facts }
  const { path, ...otherFacts } = facts ?? {}
  for (const [name, value] of Object.entries(otherFacts)) {
    if (actualFacts[name] !== value) throw mismatch(`${label} ${name}`, value, String(actualFacts[name]), error)
  }
  const paths = (path === undefined ? pathsOf(call) : [path]).map(at)
  if (!paths.includes(String(actualFacts.path))) {
    throw mismatch(`${label} ${error.code} path`, paths.join(' or '), String(actualFacts.path), error)
  }
}

function expectedFailure(failure: Failure): { codes: ErrorCode[]; facts?: Record<string, string> } {
  if (typeof failure === 'string') return { codes: [failure] }
  if (Array.isArray(failure)) return { codes: failure }
  return { codes: [failure.code], facts: failure.facts }
}

/** The paths an error may name: of a rename, either. */
function pathsOf(call: Call): string[] {
  if (is(call, 'rename')) return [call.do[1], call.do[2]]
  return is(call, 'symlink') ? [call.do[2]] : [call.do[1]]
}

function judgeStat(run: Run, label: string, expected: ExpectedStat | undefined, actual: Stat): void {
  if (expected === undefined) return
  if (actual.kind !== expected.kind) throw mismatch(`${label} kind`, expected.kind, actual.kind)
  if (actual.size !== expected.size) throw mismatch(`${label} size`, expected.size ?? 'absent', actual.size ?? 'absent')
  const { mode, modifiedMs } = expected
  if (mode !== undefined && !fits(mode, actual.mode)) {
    throw mismatch(`${label} mode`, typeof mode === 'number' ? octal(mode) : mode, octal(actual.mode))
  }
  const modifiedFits =
    modifiedMs === 'now'
      ? isNow(run, actual.modifiedMs)
      : modifiedMs === undefined || fits(modifiedMs, actual.modifiedMs)
  if (!modifiedFits) throw mismatch(`${label} modifiedMs`, modifiedMs ?? 'any', actual.modifiedMs ?? 'absent')
}

function fits(expected: number | 'absent' | 'known', actual: number | undefined): boolean {
  if (expected === 'absent') return actual === undefined
  return expected === 'known' ? actual !== undefined && Number.isFinite(actual) : actual === expected
}

function isNow({ startedMs }: Run, modifiedMs: number | undefined): boolean {
  return modifiedMs !== undefined && modifiedMs > startedMs - clockSlackMs && modifiedMs < Date.now() + clockSlackMs
}

/** File systems stamp with a coarser clock than `Date.now`, some to two seconds. */
const clockSlackMs = 2_500

function judgeBytes(label: string, expected: Content | OneOf | undefined, actual: Bytes): void {
  if (!(actual instanceof Uint8Array)) throw mismatch(label, 'a Uint8Array', typeof actual)
  if (expected !== undefined && !isContent(actual, expected)) {
    throw mismatch(label, describeContent(expected), describeBytes(actual))
  }
  scribble(actual)
}

/** Overwrites a buffer, so that a backend which kept it fails. */
function scribble(bytes: Bytes): void {
  bytes.fill(0x23)
}

function judgeEntries(label: string, expected: Record<string, Kind> | undefined, actual: Entry[]): void {
  if (expected === undefined) return
  const found = new Set(actual.map(({ name, kind }) => `${kind} ${JSON.stringify(name)}`))
  const due = new Set(Object.entries(expected).map(([name, kind]) => `${kind} ${JSON.stringify(name)}`))
  const lines = [
    ...[...due].filter((entry) => !found.has(entry)).map((entry) => `missing: ${entry}`),
    ...[...found].filter((entry) => !due.has(entry)).map((entry) => `too many: ${entry}`),
    ...(found.size < actual.length ? [`${actual.length - found.size} listed twice`] : []),
  ]
  if (lines.length > 0) throw new Error(`${label}\n  ${lines.slice(0, 20).join('\n  ')}`)
}

function judgeLinkText(label: string, expected: string | undefined, actual: string): void {
  if (expected !== undefined && actual !== expected)
    throw mismatch(label, JSON.stringify(expected), JSON.stringify(actual))
}

function judgeOpened(label: string, expected: ExpectedSource | undefined, actual: Opened): void {
  if (expected === undefined) return
  if (actual.size !== expected.size) throw mismatch(`${label} size`, expected.size, actual.size)
  for (const [index, read] of actual.reads.entries()) judgeBytes(`${label} read ${index}`, expected.reads[index], read)
}

function is<Method extends MethodName>(
  call: Call,
  method: Method,
): call is Extract<Call, { do: [Method, ...unknown[]] }> {
  return call.do[0] === method
}

/** `needs` skips cases on targets that lack the method, unless a capability flag is wrong. */
function required<Method extends MethodName>(fs: FileSystem, method: Method): NonNullable<FileSystem[Method]> {
  const found = fs[method]
  if (found === undefined) throw new Error(`${method} is absent, against what the capabilities say`)
  return found
}

function describeCall({ at }: Pick<Run, 'at'>, call: Call): string {
  return `${call.do[0]} ${pathsOf(call)
    .map((path) => shorten(JSON.stringify(at(path))))
    .join(' ')}`
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function describeError(error: unknown): string {
  if (error instanceof FsError) return `FsError ${error.code} ${shorten(JSON.stringify(error.facts))}`
  return error instanceof Error ? `${error.name} that is not an FsError: ${error.message}` : String(error)
}

function mismatch(what: string, expected: string | number, actual: string | number, cause?: unknown): Error {
  return new Error(`${what}\n  expected: ${expected}\n  actual:   ${actual}`, cause === undefined ? {} : { cause })
}
