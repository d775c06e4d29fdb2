/** The command line as data: parsed here, acted on in `cli.ts`. */
import { parseArgs } from 'node:util'
import type { Dialect } from '../src/dialects/dialect.js'
import { dialects } from '../src/dialects/index.js'
import type { Limits } from '../src/workspace.js'
import { type Convention, ConventionError, type ConventionFlags, conventionOf } from './conventions.js'
import type { Directory } from './workspace.js'

export interface ServeArguments {
  dialect: Dialect
  directories: Directory[]
  memory: boolean
  readOnly: boolean
  protectConfig: boolean
  allowGitWrites: boolean
  commands: boolean
  limits: Partial<Limits>
  http?: { host?: string; port: number }
  /** What of the environment makes no sense and was passed over. */
  warnings: string[]
}

export type Arguments =
  | { command: 'help' }
  | { command: 'version' }
  | { command: 'tools'; dialect: Dialect; json: boolean }
  | ({ command: 'serve' } & ServeArguments)

/** A mistake on the command line; the message says what to do instead. */
export class UsageError extends Error {}

const options = {
  dialect: { type: 'string' },
  'read-only': { type: 'boolean' },
  'allow-read': { type: 'string', multiple: true },
  'allow-write': { type: 'string', multiple: true },
  memory: { type: 'boolean' },
  'protect-config': { type: 'boolean' },
  'allow-git-writes': { type: 'boolean' },
  'no-shell': { type: 'boolean' },
  http: { type: 'string' },
  workspace: { type: 'string' },
  'allow-outside-workspace': { type: 'boolean' },
  'allow-cwd': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const

export const help = `polyfs: file tools for AI agents, as an MCP server

Usage: polyfs [options] ROOT...
       polyfs tools [--dialect NAME] [--json]

  ROOT                 a directory the tools may read and write; without any, the agent chooses one of this machine,
                       in dialects that let it (${choosing()})
  --allow-write DIR    the same as ROOT
  --allow-read DIR     a directory the tools may only read
  --read-only          nothing can be changed, whatever else is said
  --memory             serve a sample project in memory instead of directories
  --dialect NAME       the tools' names and manners: ${Object.keys(dialects).join(', ')} (default ${defaultDialect()})
  --protect-config     keep editors' and agents' own configuration (.vscode, .mcp.json, ...) from being written
  --allow-git-writes   let file tools write inside .git, which is otherwise only readable
  --no-shell           offer no tool that runs commands; those that do are not confined to the directories
  --http [HOST:]PORT   serve over HTTP instead of standard input and output; 127.0.0.1 unless HOST is given
  -h, --help           show this
  -V, --version        show the version

Started as other servers are: --workspace DIR and --allow-outside-workspace with clarvis, --allow-cwd with fs-context.
'polyfs tools' prints the tools of a dialect, with --json their schemas too.

Without --http the server speaks MCP on standard input and output; nothing else is written there.
`

export function parseArguments(argv: readonly string[]): Arguments {
  const { values, tokens } = parse(argv)
  if (values.help) return { command: 'help' }
  if (values.version) return { command: 'version' }

  const directories: Directory[] = []
  // In the order given, because the first is where relative paths count from.
  for (const token of tokens) {
    if (token.kind === 'positional') directories.push({ directory: named(token.value), access: 'read-write' })
    if (token.kind !== 'option') continue
    if (token.name === 'allow-write') directories.push({ directory: named(token.value), access: 'read-write' })
    if (token.name === 'allow-read') directories.push({ directory: named(token.value), access: 'read-only' })
  }
  const { dialect: name = defaultDialect(), memory = false } = values
  const dialect = Object.hasOwn(dialects, name) ? dialects[name] : undefined
  if (dialect === undefined) {
    throw new UsageError(`unknown dialect '${name}'; there is ${Object.keys(dialects).join(', ')}`)
  }
  const [first] = tokens
  if (first?.kind === 'positional' && first.value === 'tools')
    return { command: 'tools', dialect, json: values.json ?? false }
  const convention = started(name, values, directories.length)
  directories.push(...convention.directories)
  if (memory && directories.length > 0) throw new UsageError('--memory takes no directories; leave one of the two out')
  if (!memory && directories.length === 0 && !dialect.choosesWorkspace) {
    throw new UsageError('no directory to serve; name one, or use --memory')
  }
  return {
    command: 'serve',
    dialect: convention.dialect ?? dialect,
    directories,
    memory,
    readOnly: values['read-only'] ?? convention.readOnly ?? false,
    protectConfig: values['protect-config'] ?? false,
    allowGitWrites: values['allow-git-writes'] ?? false,
    commands: !(values['no-shell'] ?? false),
    limits: convention.limits ?? {},
    warnings: convention.warnings ?? [],
    ...(values.http !== undefined && { http: parseAddress(values.http) }),
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, tokens: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // Node's advice on quoting positionals that look like options helps nobody here.
    throw new UsageError(error.message.replace(/\. To specify a positional.*$/s, ''))
  }
}

function started(dialect: string, flags: ConventionFlags, given: number): Convention {
  try {
    return conventionOf(dialect, flags, { given })
  } catch (error) {
    throw error instanceof ConventionError ? new UsageError(error.message) : error
  }
}

function named(directory: string | undefined): string {
  if (directory === undefined || directory === '') throw new UsageError('a directory name is empty')
  return directory
}

/** `8080`, `localhost:8080`, `[::1]:8080`. */
function parseAddress(address: string): { host?: string; port: number } {
  const match = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(address)
  const port = Number(match?.[2])
  if (match === null || port > 65535) throw new UsageError(`--http takes [HOST:]PORT, not '${address}'`)
  const host = match[1]?.replace(/^\[|\]$/g, '')
  return host === undefined ? { port } : { host, port }
}

function choosing(): string {
  return Object.values(dialects)
    .filter(({ choosesWorkspace }) => choosesWorkspace)
    .map(({ name }) => name)
    .join(', ')
}

function defaultDialect(): string {
  return 'clarvis'
}
