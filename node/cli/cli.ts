import { realpathSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isFsError } from '../../src/errors.js'
import { audited } from '../../src/tools/audit.js'
import { describeTool } from '../../src/tools/call-tool.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { boundedInFlight } from '../../src/tools/in-flight-limits.js'
import { observed } from '../../src/tools/observed.js'
import { version } from '../../src/version.js'
import { openCallLog } from '../serve/call-log.js'
import type { HttpServer } from '../serve/http.js'
import { pageWatch } from '../serve/page-watch.js'
import { serveStdio } from '../serve/stdio.js'
import { tokenFrom } from '../serve/token.js'
import type { StatusLine } from '../terminal/status-line.js'
import { UsageError } from '../terminal/usage-error.js'
import type { ServedPage } from '../ui/ui.js'
import type { Directory } from '../workspace/directory-workspace.js'
import {
  openServedWorkspace,
  type ServedWorkspace,
  type SqliteArguments,
  type StoreArguments,
} from '../workspace/open-workspace.js'
import type { PurgeRequest } from '../workspace/purge-states.js'
import type { ShowProgress } from '../workspace/seed.js'
import { type HttpArguments, parseArguments, type ServeArguments } from './arguments.js'
import { httpConfiguration, terminalHint } from './client-config.js'
import { isMachineBusy } from './machine-load.js'
import { addressForEachLine, announcePage, openPage, openWatched, ownToken, playgroundPage } from './page.js'

const shutdownMs = 3000

/** Where the build puts the workers. */
const commandWorker = fileURLToPath(new URL('./emulated-worker.js', import.meta.url))
const searchWorker = fileURLToPath(new URL('./search-worker.js', import.meta.url))
const episodeWorker = fileURLToPath(new URL('./episode-worker.js', import.meta.url))

/** Concurrent calls of all clients together. */
const inFlight = { calls: 256, ofOneTool: 192 }

/** A command line that can't be served ends with one line on stderr and this code. */
const usageExitCode = 2

// Not awaited: lazily loaded chunks import from this file, and a top-level await would deadlock them.
main().catch((error) => {
  warn(explain(error))
  process.exitCode = usageExitCode
})

async function main(): Promise<void> {
  const [first, ...rest] = process.argv.slice(2)
  if (first === undefined && process.stdin.isTTY) return explainItself()
  if (first === 'eval') return evaluate(rest)
  if (first === 'init') return enter(rest)
  const parsed = await parseArguments(process.argv.slice(2))
  if (parsed.command === 'help') process.stdout.write((await import('./help.js')).help)
  else if (parsed.command === 'version') process.stdout.write(`${version}\n`)
  else if (parsed.command === 'tools') process.stdout.write(listTools(parsed))
  else if (parsed.command === 'doctor') await diagnose(parsed)
  else if (parsed.command === 'purge') await purge(parsed)
  else if (parsed.command === 'sqlite') await onDatabase(parsed)
  else if (parsed.command === 'export') await exportFrom(parsed)
  else await serve(parsed)
}

/** No client can connect to a terminal. */
async function explainItself(): Promise<void> {
  const { startedWith, welcome } = await import('./welcome.js')
  process.stdout.write(welcome(startedWith(process.argv[1] ?? '', process.env)))
}

/** Has options of its own, and nothing in common with serving. */
async function evaluate(argv: readonly string[]): Promise<void> {
  const commands = await import('../eval/eval.js')
  process.exitCode = await commands.evaluate(argv, {
    commandWorker,
    episodeWorker,
    write: (text) => process.stdout.write(text),
    warn,
    show: (text) => process.stderr.write(text),
  })
}

async function enter(argv: readonly string[]): Promise<void> {
  const { runInit } = await import('../init/command.js')
  process.exitCode = await runInit(argv, (text) => process.stdout.write(text))
}

/** Exits with 1 when something that the server needs is broken. */
async function diagnose({ directories, json }: { directories: Directory[]; json: boolean }): Promise<void> {
  const { examine, report } = await import('./doctor.js')
  const findings = await examine(directories)
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : report(findings))
  if (findings.some(({ verdict }) => verdict === 'broken')) process.exitCode = 1
}

async function purge(given: Omit<PurgeRequest, 'write'>): Promise<void> {
  const { purgeStates } = await import('../workspace/purge-states.js')
  const isComplete = await purgeStates({ ...given, write: (line) => process.stdout.write(`${line}\n`) })
  if (!isComplete) process.exitCode = 1
}

async function onDatabase(given: { file: string; action: string; names: string[] }): Promise<void> {
  const { runSqliteCommand } = await import('./sqlite-command.js')
  runSqliteCommand({ ...given, write: (line) => process.stdout.write(`${line}\n`) })
}

async function exportFrom({ from, to }: { from: SqliteArguments | StoreArguments; to: string }): Promise<void> {
  const { exportStored } = await import('../workspace/open-workspace.js')
  await exportStored(from, { to, warn })
}

/** A server that took hardly any processor time for so long is waiting for its client. */
const idleMs = 20
const busyMicroseconds = 4000

/** Prepares the first calls, but not at the expense of those that come right after `initialize`. */
function prepareWhenIdle(dialect: Dialect, opened: ServedWorkspace): void {
  const start = process.cpuUsage()
  const timer = setTimeout(async () => {
    const { user, system } = process.cpuUsage(start)
    if (user + system > busyMicroseconds) {
      prepareWhenIdle(dialect, opened)
      return
    }
    // It would be done at the expense of others: where many servers start at once, most are hardly called.
    if (isMachineBusy()) return
    opened.prepare?.()
    const { prepareCalls } = await import('../serve/prepare-calls.js')
    await prepareCalls(dialect)
  }, idleMs)
  timer.unref()
}

/** The tools as `tools/list` returns them; as text, one per line. */
function listTools({ dialect, json }: { dialect: Dialect; json: boolean }): string {
  if (json) return `${JSON.stringify(dialect.tools.map(describeTool), null, 2)}\n`
  const rows = dialect.tools.map(({ name, description, unlistedBesideShell }) => {
    return `${name}  ${description}${unlistedBesideShell ? ' (Not listed beside a shell.)' : ''}\n`
  })
  return rows.join('')
}

async function serve(given: ServeArguments): Promise<void> {
  for (const warning of given.warnings) process.stderr.write(`${warning}\n`)
  const log = given.log === undefined ? undefined : openCallLog(given.log, logFault)
  const bounded = boundedInFlight(given.dialect, inFlight)
  const dialect = log === undefined ? bounded : audited(bounded, log.record)
  const status = given.from === undefined ? undefined : (await import('../terminal/status-line.js')).terminalStatus()
  const opening = {
    searchWorker,
    commandWorker,
    warn,
    canChange: given.dialect.tools.some(({ mutates }) => mutates),
    shared: given.http !== undefined,
    ...(status && { onProgress: progressOn(status) }),
  }
  const opened = await openServedWorkspace(given, opening).finally(() => status?.erase())
  const { workspace } = opened
  void workspace.ready.then(({ corrupt }) => {
    if (corrupt.length > 0) warn(corruptRecords(corrupt))
  }, logFault)
  const watch = pageWatch(opened.stateDirectories ?? [], (pages) => openWatched(given, opened, pages))
  const served = {
    workspace,
    dialect: observed(dialect, watch),
    onFault: logFault,
    onClient: watch.meet,
    onClientGone: watch.part,
    onInitialized: () => prepareWhenIdle(given.dialect, opened),
  }
  // Output of libraries must not mix with the messages on standard output.
  console.log = console.error
  console.info = console.error
  console.debug = console.error
  // An internal error of one call must not end the others.
  process.on('uncaughtException', logFault)
  process.on('unhandledRejection', logFault)
  process.once('exit', () => opened.close())

  const limits = given.maxMessageBytes === undefined ? {} : { maxMessageBytes: given.maxMessageBytes }
  const page = await openPage(given, { opened, watch, onFault: logFault })
  const server = given.http === undefined ? serveStdio(served, limits) : await overHttp(given.http, opened)
  const closePage = page && given.http === undefined ? await besideStdio(page) : undefined
  if (page && given.ui?.open) page.open()

  async function overHttp({ tokenFile, ...http }: HttpArguments, { fork, drop, openNamed }: ServedWorkspace) {
    const { serveHttp } = await import('../serve/http.js')
    const token = tokenFrom(tokenFile) ?? (given.isUiCommand ? ownToken() : undefined)
    const trees = {
      ...(fork && { openSession: fork }),
      ...(openNamed && { openNamed }),
      ...(drop && { closeSession: drop }),
    }
    const options = { ...http, ...limits, ...(token !== undefined && { token }), ...trees }
    if (page !== undefined) {
      const serving = await serveHttp({ ...served, ...options, page: page.ui.page, upgrade: page.ui.upgrade })
      await page.listening(new URL(serving.url).origin)
      return serving
    }
    const playground = given.memory ? await playgroundPage() : undefined
    return serveHttp({ ...served, ...options, ...(playground && { page: playground }) })
  }

  async function besideStdio(shown: ServedPage): Promise<() => Promise<void>> {
    const close = await (await import('../ui/ui.js')).servePageAlone(shown, logFault)
    warn(`the page is at ${shown.address()} (this address works once)`)
    return close
  }
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    watch.close()
    page?.close()
    await Promise.all([server.close(), closePage?.()])
    const isSaved = await shutDown(opened)
    log?.close()
    process.exit(isSaved ? 0 : 1)
  }
  // SIGHUP comes when the terminal is closed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  if ('url' in server && page !== undefined) {
    process.stdout.write(announcePage(page, { given, ...server }))
    addressForEachLine(page, (text) => process.stdout.write(text))
  } else if ('url' in server) process.stdout.write(announce(server, given))
  else {
    if (process.stdin.isTTY) process.stderr.write(terminalHint(startedAs(given)))
    void server.closed.then(stop)
  }
}

function progressOn({ show, draw }: StatusLine): ShowProgress {
  return (line, { isLast = false } = {}) => (isLast ? draw(line) : show(line))
}

function corruptRecords(names: readonly string[]): string {
  const [first] = names
  const what = names.length === 1 ? `a record of the journal` : `${names.length} records of the journal`
  const where = names.length === 1 ? `as corrupt/${first}` : `in corrupt/, such as ${first}`
  return `${what} can't be read, or ${names.length === 1 ? 'has' : 'have'} an invalid seal; ignored, and moved aside ${where}`
}

/** Ends the commands of emulated shells. What they had changed by then is committed. */
async function commandsEnded(opened: ServedWorkspace): Promise<void> {
  const shells = opened.workspaces().flatMap(({ shell }) => (shell?.capabilities.recordsChanges ? [shell] : []))
  await Promise.all(shells.map((shell) => shell.close()))
}

/** Resolves when the changes that are running now have ended. */
async function changesEnded(opened: ServedWorkspace): Promise<void> {
  await new Promise<void>((resume) => setImmediate(resume))
  await Promise.all(opened.workspaces().map(({ changes }) => changes.recover()))
}

/**
 * Lets running changes finish; those that take too long are cut off as in a crash, and recovered at the next start. Then writes what
 * `--save` and `--patch-out` ask for, and returns whether that succeeded.
 */
async function shutDown(opened: ServedWorkspace): Promise<boolean> {
  // Twice: a running call may begin a change after the first look.
  const ends = commandsEnded(opened)
    .then(() => changesEnded(opened))
    .then(() => changesEnded(opened))
  await Promise.race([ends, sleep(shutdownMs)]).catch(logFault)
  try {
    await opened.save()
    return true
  } catch (error) {
    warn(explain(error))
    return false
  }
}

function announce({ url, token, pageUrl, takenPort }: HttpServer, given: ServeArguments): string {
  const directories = given.directories.map(({ directory }) => directory).join(', ')
  const { memory, sqlite, store } = given
  // An address may have a password.
  const place = sqlite?.file ?? store?.address.replace(/\/\/[^/@]*@/, '//')
  const stored = place && `the workspace ${(sqlite ?? store)?.workspace ?? 'main'} of ${place}`
  const what = memory ? 'a tree in memory' : (stored ?? (directories || 'any directory the agent chooses'))
  return `polyfs ${version} serves ${what} at ${url} (dialect ${given.dialect.name})
${takenPort === undefined ? '' : anotherPort(takenPort, pageUrl)}${pageUrl === undefined ? '' : playgroundAt(pageUrl)}
Paste this into the configuration of an MCP client:

${httpConfiguration(url, token)}
${given.memory ? ownTrees(url) : ''}${store ? otherWorkspaces(url) : ''}
Stop with Ctrl-C.
`
}

/** Plainly, because both are at the same address. */
function playgroundAt(pageUrl: string): string {
  return `
Open ${pageUrl} for the playground: the same tools on a workspace in the browser. It is another tree than the one that clients
get here: the page does not show what they do. 'polyfs ui DIRECTORY' has a page that does.
`
}

function anotherPort(taken: number, pageUrl: string | undefined): string {
  const stored = 'To a browser this is another site: workspaces stored under the usual address are not listed here.'
  return `Port ${taken} is taken, so another one is used. ${pageUrl === undefined ? '' : stored}\n`
}

function ownTrees(url: string): string {
  return `
Each client with a session has its own tree. Clients of revision 2026-07-28 have no sessions and share one tree; to give a client its
own, add a name to the address, such as ${url}/alice.
`
}

function otherWorkspaces(url: string): string {
  return `
Every other workspace of the store has an address of its own, such as ${url}/alice; it is made with its first change.
`
}

/** The command line for a client's configuration, with absolute paths, because a client starts it from another directory. */
function startedAs({ directories, sqlite }: ServeArguments): { command: string; args: string[] } {
  const roots = new Set(directories.map(({ directory }) => directory))
  if (sqlite !== undefined) roots.add(sqlite.file)
  const args = process.argv.slice(2).map((arg) => (roots.has(arg) ? path.resolve(arg) : arg))
  return { command: 'node', args: [realpathSync(process.argv[1] ?? ''), ...args] }
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} (polyfs --help shows the options)`
  if (isFsError(error, 'NOT_FOUND')) return `no such directory: ${error.facts.path}`
  if (isFsError(error, 'NOT_A_DIRECTORY')) return `not a directory: ${error.facts.path}`
  if (isFsError(error, 'OUTSIDE'))
    return `polyfs stores its state there; choose another directory than ${error.facts.path}`
  if (isFsError(error, 'DENIED')) return `no permission to read: ${error.facts.path}`
  return error instanceof Error ? error.message : String(error)
}

function logFault(fault: unknown): void {
  warn(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault))
}

function warn(message: string): void {
  process.stderr.write(`polyfs: ${message}\n`)
}
