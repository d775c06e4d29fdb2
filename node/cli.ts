import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Dialect } from '../src/dialects/dialect.js'
import { isFsError } from '../src/errors.js'
import { memory } from '../src/fs/memory.js'
import { describeTool } from '../src/mcp/server.js'
import { sampleProject } from '../src/sample-project.js'
import { version } from '../src/version.js'
import { createWorkspace, type Workspace } from '../src/workspace.js'
import { type AnyDirectory, anyDirectory } from './any-directory.js'
import { help, parseArguments, type ServeArguments, UsageError } from './arguments.js'
import { serveHttp } from './http.js'
import { isSearchWorker } from './search-worker.js'
import { serveStdio } from './stdio.js'
import { type DirectoryWorkspace, openDirectories } from './workspace.js'

const longestEndMs = 3000

/** A command line that can't be served ends with one line on stderr and this code. */
const usageExitCode = 2

// The threads that search start from this file too, and have begun by now.
if (!isSearchWorker()) {
  try {
    await main()
  } catch (error) {
    process.stderr.write(`polyfs: ${explain(error)}\n`)
    process.exitCode = usageExitCode
  }
}

async function main(): Promise<void> {
  const parsed = parseArguments(process.argv.slice(2))
  if (parsed.command === 'help') process.stdout.write(help)
  else if (parsed.command === 'version') process.stdout.write(`${version}\n`)
  else if (parsed.command === 'tools') process.stdout.write(listTools(parsed))
  else await serve(parsed)
}

/** The tools as a client would be told of them; as text, one a line. */
function listTools({ dialect, json }: { dialect: Dialect; json: boolean }): string {
  const tools = dialect.tools.map(describeTool)
  if (json) return `${JSON.stringify(tools, null, 2)}\n`
  return tools.map(({ name, description }) => `${name}  ${description}\n`).join('')
}

async function serve(given: ServeArguments): Promise<void> {
  const { dialect, warnings } = given
  for (const warning of warnings) process.stderr.write(`${warning}\n`)
  const served = { workspace: await openWorkspace(given), dialect, onFault: logFault }
  // One call's fault is never the end of the others.
  process.on('uncaughtException', logFault)
  process.on('unhandledRejection', logFault)

  const server = given.http === undefined ? serveStdio(served) : await serveHttp({ ...served, ...given.http })
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    await server.close()
    await changesEnd(served.workspace)
    process.exit(0)
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  if ('url' in server) process.stdout.write(announce(server.url, given))
  else void server.closed.then(stop)
}

/** Changes under way are made to their end. What takes longer is cut off, as by a crash, and dealt with at the next start. */
async function changesEnd(served: Workspace | AnyDirectory): Promise<void> {
  const workspaces = 'chosen' in served ? served.chosen : [served]
  const ends = Promise.all(workspaces.map(({ changes }) => changes.recover()))
  await Promise.race([ends, sleep(longestEndMs)]).catch(logFault)
}

async function openWorkspace(given: ServeArguments): Promise<Workspace> {
  const options = {
    // A dialect that only reads needs neither a journal nor the right to write.
    readOnly: given.readOnly || !given.dialect.tools.some(({ mutates }) => mutates),
    commands: given.commands,
    limits: given.limits,
    protect: { git: !given.allowGitWrites, config: given.protectConfig },
    searchWorker: fileURLToPath(import.meta.url),
  }
  if (given.memory) return createWorkspace({ ...options, fs: memory(sampleProject) })
  const [first, ...rest] = given.directories
  const workspace = first
    ? await openDirectories([first, ...rest], options)
    : anyDirectory({ ...options, onChosen: tellOfFaults })
  // Commands left in the background end with the server, however it ends.
  process.once('exit', () => workspace.close())
  if ('durable' in workspace) tellOfFaults(workspace)
  return workspace
}

/** What keeps changes from being kept, or from being recovered. */
function tellOfFaults({ stateFault, ready }: DirectoryWorkspace): void {
  ready.catch(logFault)
  if (stateFault) process.stderr.write(`polyfs: no history, and no recovery after a crash: ${stateFault.message}\n`)
}

function announce(url: string, given: ServeArguments): string {
  const directories = given.directories.map(({ directory }) => directory).join(', ')
  const what = given.memory ? 'a sample project in memory' : directories || 'any directory the agent chooses'
  const configuration = JSON.stringify({ mcpServers: { polyfs: { type: 'http', url } } }, null, 2)
  return `polyfs ${version} serves ${what} at ${url} (dialect ${given.dialect.name})

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
