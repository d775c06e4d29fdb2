import { dialects } from '../src/dialects/index.js'
import { isFsError } from '../src/errors.js'
import { memory } from '../src/fs/memory.js'
import { sampleProject } from '../src/sample-project.js'
import { version } from '../src/version.js'
import { createWorkspace, type Workspace } from '../src/workspace.js'
import { help, parseArguments, type ServeArguments, UsageError } from './arguments.js'
import { serveHttp } from './http.js'
import { serveStdio } from './stdio.js'
import { openDirectories } from './workspace.js'

/** A command line that can't be served ends with one line on stderr and this code. */
const usageExitCode = 2

try {
  await main()
} catch (error) {
  process.stderr.write(`polyfs: ${explain(error)}\n`)
  process.exitCode = usageExitCode
}

async function main(): Promise<void> {
  const parsed = parseArguments(process.argv.slice(2))
  if (parsed.command === 'help') process.stdout.write(help)
  else if (parsed.command === 'version') process.stdout.write(`${version}\n`)
  else await serve(parsed)
}

async function serve(given: ServeArguments): Promise<void> {
  const dialect = dialects[given.dialect]
  if (dialect === undefined) throw new UsageError(`unknown dialect '${given.dialect}'`)
  const served = { workspace: openWorkspace(given), dialect, onFault: logFault }
  // One call's fault is never the end of the others.
  process.on('uncaughtException', logFault)
  process.on('unhandledRejection', logFault)

  const server = given.http === undefined ? serveStdio(served) : await serveHttp({ ...served, ...given.http })
  const stop = () => void server.close().then(() => process.exit(0))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  if ('url' in server) process.stdout.write(announce(server.url, given))
  else void server.closed.then(() => process.exit(0))
}

function openWorkspace(given: ServeArguments): Workspace {
  const options = {
    readOnly: given.readOnly,
    protect: { git: !given.allowGitWrites, config: given.protectConfig },
  }
  const [first, ...rest] = given.directories
  if (first === undefined) return createWorkspace({ ...options, fs: memory(sampleProject) })
  return openDirectories([first, ...rest], options)
}

function announce(url: string, given: ServeArguments): string {
  const what = given.memory
    ? 'a sample project in memory'
    : given.directories.map(({ directory }) => directory).join(', ')
  const configuration = JSON.stringify({ mcpServers: { polyfs: { type: 'http', url } } }, null, 2)
  return `polyfs ${version} serves ${what} at ${url} (dialect ${given.dialect})

Paste this into the configuration of an MCP client:

${configuration}

Stop with Ctrl-C.
`
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} (polyfs --help shows the options)`
  if (isFsError(error, 'NOT_FOUND')) return `no such directory: ${error.facts.path}`
  if (isFsError(error, 'NOT_A_DIRECTORY')) return `not a directory: ${error.facts.path}`
  if (isFsError(error, 'DENIED')) return `no permission to read: ${error.facts.path}`
  return error instanceof Error ? error.message : String(error)
}

function logFault(fault: unknown): void {
  process.stderr.write(`polyfs: ${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}\n`)
}
