/** The Worker under test: the endpoint, and for the tests the methods of its objects, which no client reaches. */
import { DurableObject } from 'cloudflare:workers'
import { type ContractReport, contractCases, runContract } from '../../contract/fs/index.js'
import { fromDurableObject } from '../../src/fs/backends/sqlite/adapters.js'
import { sqlite } from '../../src/fs/backends/sqlite/workspaces.js'
import { clarvis, fileEditor, fsContext, fsDialect, polyfs, replay, walk } from '../../src/index.js'
import { type DurableWorkspaceOptions, durableWorkspace, mcpEndpoint } from '../../workers/index.js'

interface Env {
  WORKSPACES: { idFromName(name: string): unknown; get(id: unknown): Stub }
  TOKEN?: string
}

type Stub = { fetch(request: Request): Promise<Response> } & Record<string, (...given: unknown[]) => Promise<unknown>>

/** Options as JSON, by the name of the workspace. */
export type TestOptions = Omit<DurableWorkspaceOptions, 'dialect' | 'onFault'> & { dialect?: string }

/** A method of a file system, and what it is given. */
export type RawCall = [method: string, ...given: unknown[]]

const dialects = [clarvis, fileEditor, fsContext, fsDialect, polyfs, replay]

/** Objects are in the same isolate as the Worker, so they find here what a test has set. */
const optionsOf = new Map<string | undefined, TestOptions>()
const faults: string[] = []

export class Workspace extends durableWorkspace(DurableObject, ({ name }) => {
  const { dialect: wanted, ...rest } = optionsOf.get(name) ?? {}
  const dialect = dialects.find((each) => each.name === wanted) ?? polyfs
  return { ...rest, dialect, onFault }
}) {
  readonly #madeMs = Date.now()

  /** When this object came into memory. */
  async madeMs(): Promise<number> {
    return this.#madeMs
  }

  /** Throws away what is in memory, as the runtime does with objects that nobody uses. */
  async evict(): Promise<void> {
    this.ctx.abort('evicted by a test')
  }

  async sql(statement: string): Promise<unknown> {
    return this.ctx.storage.sql.exec(statement).toArray()
  }

  async bytesStored(): Promise<number> {
    return this.ctx.storage.sql.databaseSize
  }

  /** Calls a method of the file system, past the gate. */
  async raw(method: string, given: unknown[]): Promise<unknown> {
    const fs = sqlite(fromDurableObject(this.ctx.storage))
    const call = fs[method as 'readFile'] as (...given: unknown[]) => Promise<unknown>
    return call(...given)
  }

  /** Makes several calls of `raw`, one after the other. */
  async rawCalls(calls: readonly RawCall[]): Promise<void> {
    for (const [method, ...given] of calls) await this.raw(method, given)
  }

  /** The calls of `raw` that make the tree as it is, times left out. */
  async dump(): Promise<RawCall[]> {
    const fs = sqlite(fromDurableObject(this.ctx.storage))
    const calls: RawCall[] = []
    for await (const { path, kind } of walk(fs, '/')) {
      if (kind === 'symlink') calls.push(['symlink', await fs.readLink?.(path), path])
      else if (kind === 'directory') calls.push(['makeDir', path])
      else calls.push(['writeFile', path, await fs.readFile(path)], ['setMode', path, (await fs.stat(path)).mode])
    }
    return calls
  }

  /** Runs the named cases of the contract on the storage of this object. */
  async contract(names: readonly string[]): Promise<ContractReport> {
    const cases = contractCases.filter(({ name }) => names.includes(name))
    return runContract({ fs: sqlite(fromDurableObject(this.ctx.storage)), base: '/base' }, { cases })
  }
}

const endpoint = mcpEndpoint<Env>({
  workspace: (name, { WORKSPACES }) => WORKSPACES.get(WORKSPACES.idFromName(name)),
  token: ({ TOKEN }) => TOKEN,
  authorize: (request) => request.headers.get('x-user') !== 'mallory',
  allowOrigins: ['https://app.example'],
  onFault,
})

function onFault(fault: unknown): void {
  faults.push(fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault))
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, name, method] = /^\/test\/([^/]+)\/(\w+)$/.exec(new URL(request.url).pathname) ?? []
    if (name === undefined || method === undefined) return endpoint.fetch(request, env)
    const given = decoded(await request.json()) as unknown[]
    try {
      return Response.json(encoded({ result: await run(env, name, method, given) }))
    } catch (error) {
      return Response.json({ error: error instanceof Error ? error.message : String(error) })
    }
  },
}

async function run({ WORKSPACES }: Env, name: string, method: string, given: unknown[]): Promise<unknown> {
  if (method === 'faults') return faults.splice(0)
  if (method === 'configure') return void optionsOf.set(name, given[0] as TestOptions)
  const stub = WORKSPACES.get(WORKSPACES.idFromName(name))
  if (method === 'copyTo') {
    const target = WORKSPACES.get(WORKSPACES.idFromName(given[0] as string))
    return target.importZip?.(await stub.exportZip?.())
  }
  return stub[method]?.(...given)
}

/** Bytes as `{ base64 }`. */
function encoded(value: unknown): unknown {
  if (value instanceof Uint8Array)
    return { base64: btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join('')) }
  if (Array.isArray(value)) return value.map(encoded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encoded(each)]))
}

function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded)
  if (typeof value !== 'object' || value === null) return value
  if ('base64' in value) return Uint8Array.from(atob(String(value.base64)), (letter) => letter.charCodeAt(0))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decoded(each)]))
}
