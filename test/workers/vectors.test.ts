/** Vectors through the endpoint, to workspaces in Durable Objects: of two dialects, and of all in the full run. */

import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { memory } from '../../src/fs/backends/memory.js'
import { offeredTools } from '../../src/tools/call-tool.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { dialects } from '../dialects/all.js'
import { vectors } from '../dialects/vectors/cases.js'
import type { Answer } from '../dialects/vectors/match-answer.js'
import { placesIn } from '../dialects/vectors/places.js'
import type { Backend, Session, Stage, Vector } from '../dialects/vectors/stage.js'
import { describeVectors } from '../dialects/vectors/suite.js'
import type { RawTree } from '../dialects/vectors/tree.js'
import type { Call } from '../dialects/vectors/types.js'
import { optionsOf, rootsOf } from '../dialects/vectors/workspace-stage.js'
import { isFull, onlyInFull } from '../scale.js'
import { testWorker } from './bundle.js'
import { headers, messageIn, type RunningWorker, startWorker } from './running-worker.js'
import type { RawCall, TestOptions } from './worker.js'

const played = ['polyfs', 'clarvis']
const places = placesIn('/base')
const rawMethods = [
  'stat',
  'readDir',
  'readFile',
  'writeFile',
  'makeDir',
  'symlink',
  'readLink',
  'setMode',
  'setModified',
]

describeVectors(objectBackend())

function objectBackend(): Backend {
  let starting: Promise<RunningWorker> | undefined
  let count = 0
  return {
    name: 'Durable Objects',
    isSampled: true,
    ownTools: offeredTools(polyfs, createWorkspace({ fs: memory() })),
    unfit: unfit(),
    async openStage(vector) {
      starting ??= testWorker().then((code) => startWorker(code))
      count += 1
      return stage(await starting, vector, `${vector.dialect}-${count}`)
    },
    close: async () => (await starting)?.stop(),
  }
}

/** There are no commands in an object, and by default only two dialects are played. */
function unfit(): Record<string, string> {
  const shellTools = new Map(Object.values(dialects).map((dialect) => [dialect.name, shellToolsOf(dialect)]))
  const reasons = vectors.flatMap(({ id, dialect, calls }) => {
    const needsShell = calls.flat().some((call) => toolsIn(call).some((tool) => shellTools.get(dialect)?.has(tool)))
    if (needsShell) return [[id, 'no commands in a Durable Object']]
    return isFull || played.includes(dialect) ? [] : [[id, onlyInFull]]
  })
  return Object.fromEntries(reasons)
}

function shellToolsOf(dialect: Dialect): Set<string> {
  const offered = new Set(offeredTools(dialect, createWorkspace({ fs: memory() })).map(({ name }) => name))
  return new Set(dialect.tools.map(({ name }) => name).filter((name) => !offered.has(name)))
}

/** The tool that is called, or those that are expected in the list. */
function toolsIn(call: Call): readonly string[] {
  if ('tool' in call) return [call.tool]
  const { tools = [] } = (call.expect ?? {}) as { tools?: readonly string[] }
  return tools
}

async function stage(worker: RunningWorker, vector: Vector, name: string): Promise<Stage> {
  const options: TestOptions = {
    dialect: vector.dialect,
    workspace: { roots: rootsOf(vector, places), ...optionsOf(vector) },
  }
  await worker.run(name, 'configure', options)
  const tree = treeOf(worker, name)
  for (const directory of ['/base', places.ROOT, places.OUTSIDE]) await tree.raw.makeDir(directory)
  return {
    places,
    raw: tree.raw,
    speaks: 'lines',
    async start() {
      await tree.send()
      return openSession(worker, name)
    },
    close: async () => {},
  }
}

/**
 * The tree of an object: a copy in memory, which is sent when the session starts, and fetched again when it is looked at afterwards. A
 * request for every file would take most of the time.
 */
function treeOf({ run }: RunningWorker, name: string): { raw: RawTree; send(): Promise<void> } {
  const made: RawCall[] = []
  let copy = memory()
  let isSent = false
  let fetching: Promise<void> | undefined

  async function refresh(): Promise<void> {
    copy = memory()
    for (const call of (await run(name, 'dump')) as RawCall[]) await apply(call)
  }

  function apply([method, ...given]: RawCall): Promise<unknown> {
    return (copy[method as 'makeDir'] as (...given: unknown[]) => Promise<unknown>)(...given)
  }

  function call(method: (typeof rawMethods)[number]) {
    return async (...given: unknown[]) => {
      if (isSent) await (fetching ??= refresh())
      else if (!/^(stat|read)/.test(method)) made.push([method, ...given])
      return apply([method, ...given])
    }
  }

  return {
    raw: Object.fromEntries(rawMethods.map((method) => [method, call(method)])) as unknown as RawTree,
    async send() {
      await run(name, 'rawCalls', made)
      isSent = true
    },
  }
}

async function openSession({ fetch }: RunningWorker, name: string): Promise<Session> {
  const session: Record<string, string> = {}
  let id = 0

  async function post(body: string): Promise<Answer> {
    const response = await fetch(`/mcp/${name}`, { method: 'POST', headers: { ...headers, ...session }, body })
    const sessionId = response.headers.get('mcp-session-id')
    if (sessionId !== null) session['mcp-session-id'] = sessionId
    const { error, result } = await messageIn(response)
    return error === undefined ? { result } : { error }
  }

  function request(method: string, params: unknown = {}): Promise<Answer> {
    id += 1
    return post(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  }

  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'vectors', version: '1' },
  })
  return { request, sendLine: post }
}
