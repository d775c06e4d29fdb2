/** Files as resources, for dialects that have them: listed, read, and told of when they change. */
import { type McpHttpHandler, ProtocolError, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import { FsError, isFsError } from '../../errors.js'
import type { Dialect, Resources } from '../../tools/dialect.js'
import type { Workspace } from '../../workspace.js'
import { invalidParams } from './malformed-calls.js'
import { refuseCursor } from './protocol-errors.js'
import type { Served } from './served.js'

const internalError = -32603

/** Of one connection: each may hold a watch of the system. */
const mostSubscriptions = 1000
const tooManySubscriptions = `Too many subscriptions: there are ${mostSubscriptions}; unsubscribe from some first`

/**
 * Answers requests for resources. Changes are told to whoever subscribed, from the first request on (or the first call of what is
 * returned) and for as long as the connection lasts.
 */
export function serveResources(
  server: Server,
  resources: Resources,
  workspace: Workspace,
  dialect: Dialect,
): () => void {
  const watched = new Map<string, () => void>()
  let stopListening: (() => void) | undefined

  server.setRequestHandler('resources/list', async ({ params }, { mcpReq }) => {
    listen()
    const page = await translated(dialect, workspace, () =>
      resources.list(workspace, params?.cursor, { signal: mcpReq.signal }),
    )
    return { resources: page.resources, ...(page.cursor !== undefined && { nextCursor: page.cursor }) }
  })

  server.setRequestHandler('resources/templates/list', ({ params }) => {
    refuseCursor(params?.cursor)
    return { resourceTemplates: [{ ...resources.template }] }
  })

  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    listen()
    const content = await translated(
      dialect,
      workspace,
      () => resources.read(uri, workspace, { signal: mcpReq.signal }),
      uri,
    )
    return { contents: [content] }
  })

  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    listen()
    const path = await translated(dialect, workspace, async () => workspace.fs.resolve(resources.pathOf(uri)), uri)
    if (watched.has(uri)) return {}
    if (watched.size >= mostSubscriptions) throw new ProtocolError(invalidParams, tooManySubscriptions)
    watched.set(uri, () => {})
    // What others do is seen where the file system tells of it; what these tools do is seen anyway.
    const unwatch = await workspace.fs.watch?.(path, () => tell(uri)).catch(() => undefined)
    if (unwatch !== undefined) watched.set(uri, unwatch)
    return {}
  })

  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    watched.get(uri)?.()
    watched.delete(uri)
    return {}
  })

  /** From the first request on; a connection that asks for nothing costs nothing. */
  function listen(): void {
    stopListening ??= onChange(resources, workspace, tell)
  }

  /** Newer revisions subscribe without our knowing, and pass on only what was asked for; older ones are told what they asked for. */
  function tell(uri: string): void {
    const isOlder = server.getClientCapabilities() !== undefined
    if (isOlder && !watched.has(uri)) return
    // Whoever hung up is not told.
    server.sendResourceUpdated({ uri }).catch(() => {})
  }

  const before = server.onclose
  server.onclose = () => {
    before?.()
    stopListening?.()
    for (const unwatch of watched.values()) unwatch()
    watched.clear()
  }
  return listen
}

/**
 * Tells of changes where requests stand alone: whoever listens does so on a stream of its own, which the SDK holds and which no server
 * made for one request knows.
 */
export function tellListeners(notify: McpHttpHandler['notify'], { dialect, workspace }: Served): () => void {
  const { resources } = dialect
  return resources ? onChange(resources, workspace, (uri) => notify.resourceUpdated(uri)) : () => {}
}

function onChange({ uriOf }: Resources, { changes }: Workspace, tell: (uri: string) => void): () => void {
  function tellOf(steps: Steps, from: number, told: Set<string>): void {
    const next = from + toldAtOnce
    const paths = steps.slice(from, next).flatMap((step) => (step.do === 'rename' ? [step.path, step.to] : [step.path]))
    for (const path of paths) {
      if (told.has(path)) continue
      told.add(path)
      tell(uriOf(path))
    }
    if (next < steps.length) setTimeout(() => tellOf(steps, next, told), 0)
  }

  return changes.subscribe(({ steps }) => tellOf(steps, 0, new Set()))
}

type Steps = Parameters<Parameters<Workspace['changes']['subscribe']>[0]>[0]['steps']

/** A change may be of any number of files; between so many of them other work has its turn. */
const toldAtOnce = 2000

/** Failures in the dialect's words, with the protocol's codes. */
async function translated<Result>(
  dialect: Dialect,
  workspace: Workspace,
  run: () => Promise<Result>,
  uri?: string,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof FsError)) throw error
    if (uri !== undefined && isFsError(error, 'NOT_FOUND', 'OUTSIDE', 'INVALID_PATH', 'IS_A_DIRECTORY')) {
      throw new ResourceNotFoundError(uri)
    }
    const failure = dialect.fail(error, workspace, { tool: 'resources', args: {} })
    const message =
      'result' in failure ? (failure.result.content[0]?.text ?? error.code) : failure.protocolError.message
    throw new ProtocolError(isFsError(error, 'STALE', 'INVALID_INPUT') ? invalidParams : internalError, message)
  }
}
