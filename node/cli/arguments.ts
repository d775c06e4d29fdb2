/** The command line as data: parsed here, acted on in `cli.ts`. */
import { parseArgs } from 'node:util'
import { dialectNames, isDialectName, loadDialect } from '../../src/dialects/registry.js'
import type { NetworkRule } from '../../src/network/rule.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { selectTools } from '../../src/tools/select.js'
import { withStructuredResults } from '../../src/tools/structured-results.js'
import { defaultLimits, type Limits } from '../../src/workspace/limits.js'
import type { SandboxLimits } from '../shell/sandbox/limits.js'
import type { SandboxMode } from '../shell/sandbox/sandbox.js'
import { byteSize } from '../terminal/byte-size.js'
import { parseAddress } from '../terminal/parse-address.js'
import { UsageError } from '../terminal/usage-error.js'
import type { Directory } from '../workspace/directory-workspace.js'
import type { SqliteArguments, StoreArguments, WorkspaceArguments } from '../workspace/open-workspace.js'
import { type Convention, ConventionError, type ConventionFlags } from './convention.js'
import { conventionOf } from './conventions.js'
import { askRule, rulesOf, withAskRules } from './rule-arguments.js'
import { type UiArguments, uiOf } from './ui-arguments.js'

export interface ServeArguments extends WorkspaceArguments {
  dialect: Dialect
  /** The log file, one line for each call. */
  log?: string
  maxMessageBytes?: number
  http?: HttpArguments
  /** The page that shows the directories and what clients do. */
  ui?: UiArguments
  /** `polyfs ui` rather than `--ui`. */
  isUiCommand?: boolean
  /** Environment variables that are invalid and were ignored. */
  warnings: string[]
}

export interface HttpArguments {
  host?: string
  port: number
  /** Use any free port when that one is taken. */
  orAnyPort?: boolean
  /** The file that holds the token. */
  tokenFile?: string
  allowHosts: string[]
  allowOrigins: string[]
  maxSessions?: number
  sessionIdleMs?: number
}

export type Arguments =
  | { command: 'help' }
  | { command: 'version' }
  | { command: 'tools'; dialect: Dialect; json: boolean }
  | { command: 'doctor'; directories: Directory[]; json: boolean }
  | { command: 'purge'; root?: string; path?: string; confirmed: boolean }
  | { command: 'sqlite'; file: string; action: string; names: string[] }
  | { command: 'export'; from: SqliteArguments | StoreArguments; to: string }
  | ({ command: 'serve' } & ServeArguments)

const options = {
  dialect: { type: 'string' },
  tools: { type: 'string' },
  structured: { type: 'boolean' },
  'read-only': { type: 'boolean' },
  'allow-read': { type: 'string', multiple: true },
  'allow-write': { type: 'string', multiple: true },
  memory: { type: 'boolean' },
  sqlite: { type: 'string' },
  store: { type: 'string' },
  export: { type: 'string' },
  from: { type: 'string' },
  save: { type: 'string' },
  overlay: { type: 'boolean' },
  'patch-out': { type: 'string' },
  log: { type: 'string' },
  'max-file-bytes': { type: 'string' },
  'max-output-bytes': { type: 'string' },
  'max-message-bytes': { type: 'string' },
  'max-memory-bytes': { type: 'string' },
  'command-timeout': { type: 'string' },
  'protect-config': { type: 'boolean' },
  deny: { type: 'string', multiple: true },
  allow: { type: 'string', multiple: true },
  [askRule]: { type: 'string', multiple: true },
  'allow-git-writes': { type: 'boolean' },
  'no-shell': { type: 'boolean' },
  sandbox: { type: 'string' },
  'sandbox-processes': { type: 'string' },
  'sandbox-memory': { type: 'string' },
  'sandbox-file': { type: 'string' },
  'allow-network': { type: 'boolean' },
  network: { type: 'string', multiple: true },
  http: { type: 'string' },
  ui: { type: 'boolean' },
  shell: { type: 'boolean' },
  ask: { type: 'boolean' },
  'ask-timeout': { type: 'string' },
  open: { type: 'boolean' },
  'no-open': { type: 'boolean' },
  'or-any-port': { type: 'boolean' },
  'token-file': { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  'allow-origin': { type: 'string', multiple: true },
  'max-sessions': { type: 'string' },
  'session-idle': { type: 'string' },
  workspace: { type: 'string' },
  'allow-outside-workspace': { type: 'boolean' },
  'allow-cwd': { type: 'boolean' },
  'mcp-server': { type: 'boolean' },
  'deny-network': { type: 'boolean' },
  'sandbox-profile': { type: 'string' },
  verbose: { type: 'boolean', short: 'v' },
  'allow-purge': { type: 'boolean' },
  forks: { type: 'boolean' },
  path: { type: 'string' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const

/** Throws a `UsageError` for a command line that can't be served. */
export async function parseArguments(argv: readonly string[]): Promise<Arguments> {
  const { values, tokens } = parse(argv)
  if (values.help) return { command: 'help' }
  if (values.version) return { command: 'version' }

  const directories: Directory[] = []
  // In the order given: relative paths are resolved against the first.
  for (const token of tokens) {
    if (token.kind === 'positional') directories.push({ directory: nonEmpty(token.value), access: 'read-write' })
    if (token.kind !== 'option') continue
    if (token.name === 'allow-write') directories.push({ directory: nonEmpty(token.value), access: 'read-write' })
    if (token.name === 'allow-read') directories.push({ directory: nonEmpty(token.value), access: 'read-only' })
  }
  const { dialect: name = defaultDialect(), memory = false } = values
  const isUiCommand = tokens[0]?.kind === 'positional' && tokens[0].value === 'ui'
  if (isUiCommand) directories.shift()
  const isElsewhere = memory || values.sqlite !== undefined || values.store !== undefined
  if (isUiCommand && directories.length === 0 && !isElsewhere)
    directories.push({ directory: '.', access: 'read-write' })
  if (!isDialectName(name)) throw new UsageError(`unknown dialect '${name}'; there is ${dialectNames.join(', ')}`)
  const dialect = await allowingForks(await allowingPurge(await loadDialect(name), values), values)
  const [first] = tokens
  const { json = false } = values
  if (first?.kind === 'positional' && first.value === 'tools')
    return { command: 'tools', dialect: applySelection(dialect, values), json }
  if (first?.kind === 'positional' && first.value === 'doctor')
    return { command: 'doctor', directories: directories.slice(1), json }
  if (first?.kind === 'positional' && first.value === 'history') return purgeOf(directories, values)
  if (first?.kind === 'positional' && first.value === 'sqlite') return sqliteCommandOf(directories)
  if (values.path !== undefined || values.yes)
    throw new UsageError("--path and --yes are options of 'polyfs history purge'")
  const stored = storedOf(values, directories)
  if (stored !== undefined && values.export !== undefined) {
    return { command: 'export', from: stored, to: nonEmpty(values.export) }
  }
  // With --sqlite or --store, --workspace names a workspace in it, and no directory is served by default.
  const flags = stored === undefined ? values : { ...values, workspace: undefined }
  const convention = resolveConvention(name, flags, stored === undefined ? directories.length : 1)
  if (stored === undefined) directories.push(...convention.directories)
  const { overlay = false, from, save, 'patch-out': patchOut, log } = values
  if (memory && directories.length > 0) throw new UsageError('--memory takes no directories; leave out one of the two')
  if (from !== undefined && !memory && stored === undefined) {
    throw new UsageError('--from requires --memory, --sqlite or --store')
  }
  if (values['max-memory-bytes'] !== undefined && !memory) {
    throw new UsageError('--max-memory-bytes requires --memory')
  }
  if (save !== undefined && (!memory || values.http !== undefined)) {
    throw new UsageError('--save requires --memory, and excludes --http, where each client has its own tree')
  }
  if (overlay && directories.length === 0) throw new UsageError('--overlay requires a directory')
  if (patchOut !== undefined && !overlay) throw new UsageError('--patch-out requires --overlay')
  if (patchOut !== undefined && directories.length > 1) throw new UsageError('--patch-out takes one directory only')
  if (!memory && stored === undefined && directories.length === 0 && !dialect.choosesWorkspace) {
    throw new UsageError('no directory to serve; name one, or use --memory')
  }
  if (values.ui && !isElsewhere && directories.length === 0) throw new UsageError('--ui requires a directory')
  const sandbox = sandboxMode(convention.sandbox === undefined ? values.sandbox : values.sandbox || convention.sandbox)
  return {
    command: 'serve',
    dialect: applySelection((await convention.dialect?.()) ?? dialect, values),
    directories,
    memory,
    ...(stored && ('file' in stored ? { sqlite: stored } : { store: stored })),
    ...(from !== undefined && { from: nonEmpty(from) }),
    ...(save !== undefined && { save: nonEmpty(save) }),
    overlay,
    ...(patchOut !== undefined && { patchOut: nonEmpty(patchOut) }),
    readOnly: values['read-only'] ?? convention.readOnly ?? false,
    protectConfig: values['protect-config'] ?? false,
    rules: rulesOf(tokens),
    allowGitWrites: values['allow-git-writes'] ?? false,
    commands: !(values['no-shell'] ?? false) && convention.commands !== false,
    ...(convention.shellProgram !== undefined && { shellProgram: convention.shellProgram }),
    sandbox,
    sandboxLimits: sandboxLimitsOf(values, sandbox),
    allowNetwork: values['allow-network'] ?? convention.allowNetwork ?? false,
    ...(values.network && { network: await networkOf(values.network.map(nonEmpty)) }),
    limits: { ...convention.limits, ...limitsOf(values) },
    ...(log !== undefined && { log: nonEmpty(log) }),
    ...(values['max-message-bytes'] !== undefined && { maxMessageBytes: size('max-message-bytes', values) }),
    ...(values['max-memory-bytes'] !== undefined && { maxMemoryBytes: size('max-memory-bytes', values) }),
    warnings: convention.warnings ?? [],
    ...httpOf(isUiCommand ? { ...values, http: values.http ?? '0' } : values),
    ...uiOf(values, isUiCommand),
    ...(isUiCommand && { isUiCommand }),
  }
}

function purgeOf(given: readonly Directory[], { path, yes = false }: Values): Arguments {
  const [, action, root, ...more] = given.map(({ directory }) => directory)
  if (action !== 'purge') throw new UsageError("'polyfs history' takes purge, and then at most one directory")
  if (more.length > 0) throw new UsageError("'polyfs history purge' takes one directory at most")
  return {
    command: 'purge',
    ...(root !== undefined && { root }),
    ...(path !== undefined && { path: nonEmpty(path) }),
    confirmed: yes,
  }
}

function sqliteCommandOf(given: readonly Directory[]): Arguments {
  const [, file, action, ...names] = given.map(({ directory }) => directory)
  if (file === undefined || action === undefined) {
    throw new UsageError("'polyfs sqlite' takes a database file and what to do, such as list")
  }
  return { command: 'sqlite', file, action, names }
}

function storedOf(values: Values, directories: readonly Directory[]): SqliteArguments | StoreArguments | undefined {
  const { sqlite, store, workspace } = values
  const flag = sqlite === undefined ? '--store' : '--sqlite'
  if (sqlite === undefined && store === undefined) {
    if (values.export !== undefined) throw new UsageError('--export requires --sqlite or --store')
    return undefined
  }
  const others = { '--memory': values.memory, '--overlay': values.overlay, '--store': flag === '--sqlite' && store }
  for (const [other, given] of Object.entries(others)) if (given) throw new UsageError(`${flag} excludes ${other}`)
  if (directories.length > 0) throw new UsageError(`${flag} takes no directories; leave out one of the two`)
  const named = workspace === undefined ? {} : { workspace: nonEmpty(workspace) }
  return sqlite === undefined ? { address: nonEmpty(store), ...named } : { file: nonEmpty(sqlite), ...named }
}

/** Only the dialect polyfs has a tool that can remove something from the history. */
async function allowingPurge(dialect: Dialect, { 'allow-purge': isAllowed = false }: Values): Promise<Dialect> {
  if (!isAllowed) return dialect
  if (dialect.name !== 'polyfs') throw new UsageError('--allow-purge is an option of the dialect polyfs')
  const { purgingHistory } = await import('../../src/dialects/polyfs/tools/history.js')
  return { ...dialect, tools: dialect.tools.map((tool) => (tool.name === 'history' ? purgingHistory() : tool)) }
}

async function allowingForks(dialect: Dialect, { forks = false }: Values): Promise<Dialect> {
  if (!forks) return dialect
  if (dialect.name !== 'polyfs') throw new UsageError('--forks is an option of the dialect polyfs')
  const { withForks } = await import('../../src/dialects/polyfs/forks/with-forks.js')
  return withForks(dialect)
}

/** Rules, and files with rules. */
async function networkOf(given: readonly string[]): Promise<NetworkRule> {
  const { networkRule } = await import('../network/network-rule.js')
  try {
    return networkRule(given)
  } catch (error) {
    throw new UsageError(`--network: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function sandboxMode(given = 'off'): SandboxMode {
  if (given === 'auto' || given === 'require' || given === 'off') return given
  throw new UsageError(`--sandbox takes auto, require or off${given === '' ? '' : `, not '${given}'`}`)
}

/** Gives a `--sandbox` without a value, as the dialect replay has it, the empty value. */
function withSandboxValue(argv: readonly string[]): string[] {
  return argv.map((arg, i) => {
    const isBare = arg === '--sandbox' && (argv[i + 1]?.startsWith('-') ?? true) && !argv.slice(0, i).includes('--')
    return isBare ? '--sandbox=' : arg
  })
}

/** Rejects limits without a sandbox: ignoring them would look like enforcing them. */
function sandboxLimitsOf(values: Values, sandbox: SandboxMode): Partial<SandboxLimits> {
  const flags = ['sandbox-processes', 'sandbox-memory', 'sandbox-file'] as const
  const stray = flags.find((flag) => values[flag] !== undefined)
  if (stray !== undefined && sandbox === 'off') throw new UsageError(`--${stray} requires --sandbox auto or require`)
  return {
    ...(values['sandbox-processes'] !== undefined && { maxProcesses: wholeNumber('sandbox-processes', values) }),
    ...(values['sandbox-memory'] !== undefined && { maxMemoryBytes: size('sandbox-memory', values) }),
    ...(values['sandbox-file'] !== undefined && { maxFileBytes: size('sandbox-file', values) }),
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: withAskRules(withSandboxValue(argv)), options, allowPositionals: true, tokens: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // Removes Node's advice on quoting positionals that look like options.
    const fault = error.message.replace(/\. To specify a positional.*$/s, '')
    const isDirectory = /^Unknown option '--(root|dir|directory|path|workspace-root)'/.test(fault)
    throw new UsageError(isDirectory ? `${fault}: directories are given without an option, as in polyfs DIR` : fault)
  }
}

function applySelection(given: Dialect, { tools: spec, structured = false }: Values): Dialect {
  if (structured && !given.tools.some((tool) => tool.structured !== undefined)) {
    throw new UsageError(`--structured adds nothing to the results of ${given.name}`)
  }
  const dialect = structured ? withStructuredResults(given) : given
  if (spec === undefined) return dialect
  try {
    return selectTools(dialect, spec)
  } catch (error) {
    throw error instanceof Error ? new UsageError(error.message) : error
  }
}

function resolveConvention(dialect: string, flags: ConventionFlags, given: number): Convention {
  try {
    return conventionOf(dialect, flags, { given })
  } catch (error) {
    throw error instanceof ConventionError ? new UsageError(error.message) : error
  }
}

function nonEmpty(path: string | undefined): string {
  if (path === undefined || path === '') throw new UsageError('a path is empty')
  return path
}

type Values = ReturnType<typeof parse>['values']
type Flag =
  | 'max-file-bytes'
  | 'max-output-bytes'
  | 'max-message-bytes'
  | 'max-memory-bytes'
  | 'command-timeout'
  | 'sandbox-processes'
  | 'sandbox-memory'
  | 'sandbox-file'
  | 'max-sessions'
  | 'session-idle'

function limitsOf(values: Values): Partial<Limits> {
  const limits: Partial<Limits> = {}
  if (values['max-file-bytes'] !== undefined) limits.maxFileBytes = size('max-file-bytes', values)
  if (values['max-output-bytes'] !== undefined) limits.maxOutputBytes = size('max-output-bytes', values)
  if (values['command-timeout'] !== undefined) {
    limits.commandTimeoutMs = 1000 * wholeNumber('command-timeout', values)
    limits.maxCommandTimeoutMs = Math.max(limits.commandTimeoutMs, defaultLimits.maxCommandTimeoutMs)
  }
  return limits
}

function size(flag: Flag, values: Values): number {
  return byteSize(flag, values[flag])
}

function wholeNumber(flag: Flag, values: Values): number {
  const given = values[flag] ?? ''
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new UsageError(`--${flag} takes a whole number, not '${given}'`)
  return Number(given)
}

/** Rejects HTTP flags without `--http`: ignoring them would look like applying them. */
function httpOf(values: Values): { http?: HttpArguments } {
  const { http, 'token-file': tokenFile, 'allow-host': allowHosts = [], 'allow-origin': allowOrigins = [] } = values
  if (http === undefined) {
    const others = ['or-any-port', 'token-file', 'allow-host', 'allow-origin', 'max-sessions', 'session-idle'] as const
    const stray = others.find((flag) => values[flag] !== undefined)
    if (stray !== undefined) throw new UsageError(`--${stray} requires --http`)
    return {}
  }
  for (const origin of allowOrigins) {
    if (!/^[a-z][a-z0-9+.-]*:\/\/[^/*]+$/i.test(origin)) {
      throw new UsageError(`--allow-origin takes an origin such as https://app.example, not '${origin}'`)
    }
  }
  return {
    http: {
      ...parseAddress(http),
      ...(values['or-any-port'] === true && { orAnyPort: true }),
      ...(tokenFile !== undefined && { tokenFile: nonEmpty(tokenFile) }),
      allowHosts,
      allowOrigins,
      ...(values['max-sessions'] !== undefined && { maxSessions: wholeNumber('max-sessions', values) }),
      ...(values['session-idle'] !== undefined && { sessionIdleMs: 60_000 * wholeNumber('session-idle', values) }),
    },
  }
}

/** The dialect that is served unless `--dialect` names one. */
export function defaultDialect(): string {
  return 'polyfs'
}
