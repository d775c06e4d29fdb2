/** A Worker in Cloudflare's own runtime, workerd, on this machine. */
import { Miniflare } from 'miniflare'

export const token = 'a-token-that-only-the-tests-know'

export interface RunningWorker {
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Calls a tool in the newest revision, and returns its text. */
  call(workspace: string, tool: string, given?: object): Promise<string>
  /** Calls a method of an object, as a Worker does. */
  run(workspace: string, method: string, ...given: unknown[]): Promise<unknown>
  stop(): Promise<void>
}

export interface RunOptions {
  /** Where objects are stored; nowhere unless given. */
  directory?: string
  compatibilityDate?: string
  /** None is set with `null`. */
  token?: string | null
}

export async function startWorker(code: string, options: RunOptions = {}): Promise<RunningWorker> {
  const runtime = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: code }],
    // Asks no server of Cloudflare for the properties of requests.
    cf: false,
    compatibilityDate: options.compatibilityDate ?? '2026-04-01',
    durableObjects: { WORKSPACES: { className: 'Workspace', useSQLite: true } },
    ...(options.directory !== undefined && { durableObjectsPersist: options.directory }),
    bindings: options.token === null ? {} : { TOKEN: options.token ?? token },
  })
  await runtime.ready

  const fetch: RunningWorker['fetch'] = async (path, init) =>
    // Two declarations of the same classes.
    (await runtime.dispatchFetch(`http://localhost${path}`, init as never)) as unknown as Response

  let id = 0
  return {
    fetch,
    async call(workspace, tool, given = {}) {
      id += 1
      const response = await fetch(
        `/mcp/${workspace}`,
        newestRequest('tools/call', { name: tool, arguments: given }, id),
      )
      const answer = await messageIn(response)
      const { content } = (answer.result ?? {}) as { content?: { text: string }[] }
      if (content === undefined) throw new Error(`${tool}: ${response.status} ${JSON.stringify(answer)}`)
      return content.map(({ text }) => text).join('\n')
    },
    async run(workspace, method, ...given) {
      const response = await fetch(`/test/${workspace}/${method}`, {
        method: 'POST',
        body: JSON.stringify(given, withBase64),
      })
      const { result, error } = JSON.parse(await response.text(), withBytes) as { result?: unknown; error?: string }
      if (error !== undefined) throw new Error(error)
      return result
    },
    stop: () => runtime.dispose(),
  }
}

/** A request of the newest revision. */
export function newestRequest(method: string, params: { name?: string; [key: string]: unknown }, id = 1): RequestInit {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    method: 'POST',
    headers: {
      ...headers,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } }),
  }
}

export const headers = {
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

/** The message of a response, as JSON or as the first event of a stream. */
export async function messageIn(
  response: Response,
): Promise<{ result?: unknown; error?: { code: number; message: string } }> {
  const text = await response.text()
  const event = text.split('\n').find((line) => line.startsWith('data: {'))
  return JSON.parse(event?.slice('data: '.length) ?? (text || '{}'))
}

function withBase64(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
}

function withBytes(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('base64' in value)) return value
  return new Uint8Array(Buffer.from(String(value.base64), 'base64'))
}
