/** What can be asked of a server of episodes. */

import { checkFaultSchedule } from '../../../harness/episode/fault-schedule.js'
import { InfraError } from '../../../harness/infra-error.js'
import type { Suite } from '../../../harness/tasks/load-suite.js'
import { scoreRun } from '../../../harness/tasks/score-run.js'
import type { Budget } from '../../../harness/types.js'
import { textOf } from '../../../src/dialects/tool-definitions.js'
import { type FsError, isFsError } from '../../../src/errors.js'
import { readBytes } from '../../../src/ops/read-bytes.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import type { ExecResult } from '../../../src/shell/types.js'
import { ToolProtocolError } from '../../../src/tools/call-tool.js'
import type { ToolResult } from '../../../src/tools/dialect.js'
import { version } from '../../../src/version.js'
import type { Exchange } from '../../serve/guarded-server.js'
import { mcpBody } from '../../serve/http.js'
import { type Episodes, forkBetweenCalls, type ServedEpisode } from './episodes.js'
import { ServeError } from './serve-error.js'

export const serveFormat = 'polyfs-episodes/1'

/** Of each stream of a command. */
const maxStreamBytes = 8 * 1024 * 1024
const maxReadBytes = 256 * 1024 * 1024

export interface RouteOptions {
  episodes: Episodes
  suite: Suite
}

/** Answers every request; a failure is JSON with a code and a sentence. */
export function episodeRoutes(options: RouteOptions): (exchange: Exchange) => Promise<Response> {
  const { episodes, suite } = options
  const tasks = suite.tasks.map(({ id, instruction }) => ({ id, instruction }))
  const skipped = suite.skipped.map(({ id, skipped: reason }) => ({ id, reason }))

  async function route(exchange: Exchange): Promise<Response> {
    const { method, pathname } = exchange
    const [, top = '', id, what, ...rest] = pathname.split('/')
    if (top === '' && method === 'GET') return json(200, { format: serveFormat, version, open: episodes.count })
    if (top === 'tasks' && id === undefined && method === 'GET') return json(200, { tasks, skipped })
    if (top !== 'episodes') throw notFound(exchange)
    if (id === undefined) return method === 'POST' ? open(exchange) : wrongMethod(exchange, 'POST')
    const served = episodes.get(id)
    if (what === undefined) return wholeEpisode(served, exchange)
    if (what === 'mcp' && rest.length === 0) return mcp(served, exchange)
    if (what === 'files') return files(served, exchange, pathIn(rest))
    if (rest.length > 0) throw notFound(exchange)
    const look = Object.hasOwn(looks, what) ? looks[what] : undefined
    if (look !== undefined) return method === 'GET' ? served.use(() => look(served)) : wrongMethod(exchange, 'GET')
    const act: Act | undefined = what === 'fork' ? (one, body) => fork(one, body, exchange) : actOf(what)
    if (act === undefined) throw notFound(exchange)
    if (method !== 'POST') return wrongMethod(exchange, 'POST')
    const body = await bodyOf(exchange)
    const { signal } = exchange.request()
    return served.use(() => act(served, body, signal))
  }

  async function open(exchange: Exchange): Promise<Response> {
    const body = await bodyOf(exchange, ['task', 'seed', 'budget', 'faults'])
    const task = textIn(body, 'task')
    const seed = body.seed === undefined ? 1 : seedIn(body)
    const budget = budgetIn(body)
    const faults = body.faults === undefined ? undefined : faultsIn(body)
    return json(
      201,
      describe(await episodes.open({ task, seed, ...(budget && { budget }), ...(faults && { faults }) }), exchange),
    )
  }

  async function fork(served: ServedEpisode, body: Body, exchange: Exchange): Promise<Response> {
    onlyFields(body, ['seed'])
    await served.episode.idle()
    return json(201, describe(episodes.fork(served, body.seed === undefined ? {} : { seed: seedIn(body) }), exchange))
  }

  function describe({ id, task, seed, episode }: ServedEpisode, { host }: Exchange) {
    const { root } = episode.workspace
    const mcpUrl = `http://${host}/episodes/${id}/mcp`
    return { id, task: task.id, seed, root, instruction: task.instruction, mcpUrl }
  }

  async function wholeEpisode(served: ServedEpisode, exchange: Exchange): Promise<Response> {
    if (exchange.method === 'GET') return json(200, describe(served, exchange))
    if (exchange.method !== 'DELETE') return wrongMethod(exchange, 'GET, DELETE')
    await episodes.end(served.id)
    return new Response(null, { status: 204 })
  }

  return async (exchange) => {
    try {
      return await route(exchange)
    } catch (error) {
      const problem = problemOf(error)
      if (problem === undefined) throw error
      return failure(problem)
    }
  }
}

/** The agent's calls over MCP. Its streams stay open, so only messages count as use. */
async function mcp(served: ServedEpisode, exchange: Exchange): Promise<Response> {
  const request = exchange.request()
  if (exchange.method === 'POST') {
    const release = served.hold()
    if (request.signal.aborted) release()
    else request.signal.addEventListener('abort', release, { once: true })
  }
  return served.mcp().fetch(request, { readBody: () => mcpBody(exchange) })
}

type Act = (served: ServedEpisode, body: Body, signal: AbortSignal) => Promise<Response>

const acts: Readonly<Record<string, Act>> = {
  /** A call of the agent: recorded, and counted against the budget. */
  async call({ episode }, body) {
    onlyFields(body, ['tool', 'args'])
    const result = await outcomeOf(episode.tools.call(textIn(body, 'tool'), body.args ?? {}))
    return json(200, { ...result, ...(episode.exhausted !== undefined && { exhausted: episode.exhausted }) })
  },

  /** A command of the client's own: neither recorded nor counted. */
  async exec({ episode }, body, signal) {
    onlyFields(body, ['command', 'cwd', 'env', 'stdin', 'timeoutMs'])
    const { shell, fs, root, limits } = episode.workspace
    if (shell === undefined) throw new ServeError(409, 'no-shell', 'This task has no shell.')
    const env = variablesIn(body)
    const { stdin } = body
    if (stdin !== undefined && typeof stdin !== 'string') throw badField('stdin', 'a text', stdin)
    const { timeoutMs = limits.commandTimeoutMs } = body
    if (!isCount(timeoutMs) || timeoutMs < 1) throw badField('timeoutMs', 'a whole number from 1', timeoutMs)
    const cwd = await fs.realPath(fs.resolve(body.cwd === undefined ? root : textIn(body, 'cwd'), root))
    const result = await shell.exec({
      command: textIn(body, 'command'),
      cwd,
      timeoutMs: Math.min(timeoutMs, limits.maxCommandTimeoutMs),
      maxStreamBytes,
      signal,
      ...(env && { env }),
      ...(stdin !== undefined && { stdin: new TextEncoder().encode(stdin) }),
    })
    return json(200, shownExec(result))
  },

  /** Scores what the agent has left so far; the episode goes on unchanged. */
  async score(served, body) {
    onlyFields(body, ['answer'])
    const { episode, task } = served
    const answer = body.answer === undefined ? '' : textIn(body, 'answer')
    await episode.idle()
    if (episode.disturbed !== undefined) throw new InfraError(episode.disturbed)
    const judged = forkBetweenCalls(episode)
    try {
      const { value, passed, scores } = await scoreRun({ episode: judged, task, trace: judged.trace, answer })
      served.scored = { trace: judged.trace, events: episode.trace.events.length }
      return json(200, { value, passed, scores })
    } finally {
      await judged.close()
    }
  },
}

function actOf(name: string): Act | undefined {
  return Object.hasOwn(acts, name) ? acts[name] : undefined
}

const looks: Readonly<Record<string, (served: ServedEpisode) => Promise<Response>>> = {
  tools: async ({ episode }) => json(200, { tools: episode.tools.definitions }),
  changes: async ({ episode }) => json(200, { changes: await episode.changes(), stateHash: await episode.stateHash() }),
  async trace({ episode, scored }) {
    const { trace } = scored?.events === episode.trace.events.length ? scored : episode
    return new Response(trace.toJsonl(), { headers: { 'content-type': 'application/jsonl' } })
  },
}

/** Reads and writes files for the client's own use: neither is recorded. */
async function files(served: ServedEpisode, exchange: Exchange, path: string): Promise<Response> {
  const { workspace } = served.episode
  if (exchange.method === 'PUT') {
    const content = await bytesOf(exchange)
    return served.use(async () => {
      await workspace.run(writeFiles, { files: [{ path, content }], makeParents: true })
      return new Response(null, { status: 204 })
    })
  }
  if (exchange.method !== 'GET') return wrongMethod(exchange, 'GET, PUT')
  return served.use(async () => {
    const { kind } = await workspace.fs.stat(path)
    if (kind === 'directory') return json(200, { entries: (await workspace.fs.readDir(path)).sort(byName) })
    const { bytes } = await workspace.run(readBytes, { path, maxFileBytes: maxReadBytes })
    return new Response(bytes.slice(), { headers: { 'content-type': 'application/octet-stream' } })
  })
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}

/** From the components of a URL to a path from the top of the tree. */
function pathIn(components: readonly string[]): string {
  try {
    return `/${components.map(decodeURIComponent).join('/')}`
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new ServeError(400, 'bad-path', 'The path of the file is not percent-encoded UTF-8.')
  }
}

async function outcomeOf(made: Promise<ToolResult>): Promise<Record<string, unknown>> {
  try {
    const { facts: _, ...result } = await made
    return { text: textOf(result), isError: false, ...result }
  } catch (error) {
    if (!(error instanceof ToolProtocolError)) throw error
    const { code, message } = error
    return {
      text: message,
      isError: true,
      content: [{ type: 'text', text: message }],
      protocolError: { code, message },
    }
  }
}

function shownExec({ ended, exitCode, stdout, stderr }: ExecResult) {
  const decoder = new TextDecoder()
  return {
    ended,
    exitCode: exitCode ?? null,
    stdout: decoder.decode(stdout.bytes),
    stderr: decoder.decode(stderr.bytes),
    truncated: stdout.cut || stderr.cut,
  }
}

type Body = Readonly<Record<string, unknown>>

/** An empty body is an empty object. */
async function bodyOf(exchange: Exchange, fields?: readonly string[]): Promise<Body> {
  const bytes = await exchange.readBody()
  if ('status' in bytes) throw new ServeError(bytes.status, 'bad-body', `${bytes.reason}.`)
  let body: unknown = {}
  try {
    if (bytes.length > 0) body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ServeError(400, 'bad-json', 'The body is not JSON.')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ServeError(400, 'bad-json', 'The body must be a JSON object.')
  if (fields !== undefined) onlyFields(body as Body, fields)
  return body as Body
}

async function bytesOf(exchange: Exchange): Promise<Buffer> {
  const bytes = await exchange.readBody({ isBinary: true })
  if ('status' in bytes) throw new ServeError(bytes.status, 'bad-body', `${bytes.reason}.`)
  return bytes
}

function onlyFields(body: Body, fields: readonly string[]): void {
  const stray = Object.keys(body).find((key) => !fields.includes(key))
  if (stray === undefined) return
  throw new ServeError(400, 'bad-field', `There is no field ${JSON.stringify(stray)}, only ${fields.join(', ')}.`)
}

function textIn(body: Body, field: string): string {
  const value = body[field]
  if (typeof value !== 'string') throw badField(field, 'a text', value)
  return value
}

function seedIn({ seed }: Body): number {
  if (!Number.isSafeInteger(seed)) throw badField('seed', 'a whole number', seed)
  return Number(seed)
}

const budgetKeys = ['calls', 'turns', 'tokens', 'bytes']

function budgetIn({ budget }: Body): Partial<Budget> | undefined {
  if (budget === undefined) return undefined
  const expected = `an object with some of ${budgetKeys.join(', ')}, each a whole number`
  if (typeof budget !== 'object' || budget === null) throw badField('budget', expected, budget)
  for (const [key, value] of Object.entries(budget)) {
    if (!budgetKeys.includes(key) || !isCount(value)) throw badField('budget', expected, budget)
  }
  return budget
}

function faultsIn({ faults }: Body) {
  try {
    return checkFaultSchedule(faults)
  } catch (error) {
    throw new ServeError(400, 'bad-field', error instanceof Error ? error.message : String(error))
  }
}

function variablesIn({ env }: Body): Record<string, string> | undefined {
  if (env === undefined) return undefined
  const isFine = typeof env === 'object' && env !== null && Object.values(env).every((one) => typeof one === 'string')
  if (!isFine) throw badField('env', 'an object of texts', env)
  return env as Record<string, string>
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function badField(field: string, expected: string, value: unknown): ServeError {
  const shown = JSON.stringify(value) ?? 'missing'
  const cut = shown.length > 100 ? `${shown.slice(0, 100)}…` : shown
  return new ServeError(400, 'bad-field', `The field ${field} must be ${expected}; it is ${cut}.`)
}

function notFound({ method, pathname }: Exchange): ServeError {
  return new ServeError(404, 'not-found', `There is no ${method} ${pathname.slice(0, 200)}.`)
}

function wrongMethod({ method, pathname }: Exchange, allow: string): Response {
  const error = new ServeError(405, 'wrong-method', `${pathname.slice(0, 200)} takes ${allow}, not ${method}.`)
  return failure(error, { allow })
}

/** Undefined for internal faults. */
function problemOf(error: unknown): ServeError | undefined {
  if (error instanceof ServeError) return error
  if (error instanceof InfraError) return new ServeError(502, 'infra', `There is no score: ${error.message}.`)
  if (isFsError(error)) return new ServeError(statusOf(error), error.code, wordsOf(error))
  return undefined
}

function statusOf({ code }: FsError): number {
  if (code === 'NOT_FOUND') return 404
  if (code === 'INTERNAL') return 500
  if (code === 'NO_SPACE') return 507
  return code === 'TOO_LARGE' ? 413 : 409
}

function wordsOf(error: FsError): string {
  const path = 'path' in error.facts && error.facts.path !== undefined ? ` ${error.facts.path}` : ''
  return `${error.code.toLowerCase().replaceAll('_', ' ')}:${path}`
}

function failure({ status, code, message }: ServeError, headers: Record<string, string> = {}): Response {
  return json(status, { error: { code, message } }, headers)
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): Response {
  return new Response(`${JSON.stringify(value)}\n`, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}
