/** Files as resources, for dialects that have them: list, read, subscribe. */
import { type McpHttpHandler, ProtocolError, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import { FsError, isFsError } from '../../errors.js'
import type { Dialect, Resources } from '../../tools/dialect.js'
import type { Workspace } from '../../workspace/workspace.js'
import { invalidParams } from './malformed-calls.js'
import { rejectCursor } from './protocol-errors.js'
import type { Served } from './served.js'

const internalError = -32603

/** Of one connection: each may hold a watch of the operating system. */
const maxSubscriptions = 1000
const tooManySubscriptions = `Too many subscriptions: there are ${maxSubscriptions}; unsubscribe from some first`

interface Subscription {
  /** The URI of the file as we write it. */
  file: string
  unwatch?: () => void
}

/**
 * Serves resources. Changes are reported to subscribers from the first request on, or from the first call of the returned function, until
 * the connection closes.
 */
export function serveResources(
  server: Server,
  resources: Resources,
  workspace: Workspace,
  dialect: Dialect,
): () => void {
  const watched = new Map<string, Subscription>()
  /** The subscribed URIs of each file, of which a client may spell several. */
  const spelled = new Map<string, Set<string>>()
  let stopListening: (() => void) | undefined

  server.setRequestHandler('resources/list', async ({ params }, { mcpReq }) => {
    listen()
    const page = await translated(dialect, workspace, () =>
      resources.list(workspace, params?.cursor, { signal: mcpReq.signal }),
    )
    return { resources: page.resources, ...(page.cursor !== undefined && { nextCursor: page.cursor }) }
  })

  server.setRequestHandler('resources/templates/list', ({ params }) => {
    rejectCursor(params?.cursor)
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
    if (watched.size >= maxSubscriptions) throw new ProtocolError(invalidParams, tooManySubscriptions)
    const own: Subscription = { file: resources.uriOf(path) }
    watched.set(uri, own)
    spelled.set(own.file, (spelled.get(own.file) ?? new Set()).add(uri))
    // For changes by other programs, where the file system can watch; changes by the tools are always reported.
    const unwatch = await workspace.fs.watch?.(path, () => send(uri)).catch(() => undefined)
    // Meanwhile the client may have unsubscribed, or be gone.
    if (watched.get(uri) !== own) unwatch?.()
    else if (unwatch !== undefined) own.unwatch = unwatch
    return {}
  })

  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    const own = watched.get(uri)
    if (own === undefined) return {}
    own.unwatch?.()
    watched.delete(uri)
    const others = spelled.get(own.file)
    if (others?.delete(uri) && others.size === 0) spelled.delete(own.file)
    return {}
  })

  /** Starts at the first request, so that a connection without one costs nothing. */
  function listen(): void {
    stopListening ??= onChange(resources, workspace, notify)
  }

  /** In the newest revision the SDK holds the subscriptions and filters; in older ones they are in `watched`. */
  function notify(file: string): void {
    if (server.getClientCapabilities() === undefined) send(file)
    else for (const uri of spelled.get(file) ?? []) send(uri)
  }

  function send(uri: string): void {
    // A client that disconnected gets none.
    server.sendResourceUpdated({ uri }).catch(() => {})
  }

  const before = server.onclose
  server.onclose = () => {
    before?.()
    stopListening?.()
    for (const { unwatch } of watched.values()) unwatch?.()
    watched.clear()
    spelled.clear()
  }
  return listen
}

/**
 * Reports changes where requests stand alone: listeners have a stream of their own, which the SDK holds and the server of one request
 * does not know.
 */
export function notifyListeners(notify: McpHttpHandler['notify'], { dialect, workspace }: Served): () => void {
  const { resources } = dialect
  return resources ? onChange(resources, workspace, (uri) => notify.resourceUpdated(uri)) : () => {}
}

function onChange({ uriOf }: Resources, { changes }: Workspace, notify: (uri: string) => void): () => void {
  function notifyFrom(start: number, steps: Steps, notified: Set<string>): void {
    const end = start + stepsPerTurn
    const paths = steps.slice(start, end).flatMap((step) => (step.do === 'rename' ? [step.path, step.to] : [step.path]))
    for (const path of paths) {
      if (notified.has(path)) continue
      notified.add(path)
      notify(uriOf(path))
    }
    if (end < steps.length) setTimeout(() => notifyFrom(end, steps, notified), 0)
  }

  return changes.subscribe(({ steps }) => notifyFrom(0, steps, new Set()))
}

type Steps = Parameters<Parameters<Workspace['changes']['subscribe']>[0]>[0]['steps']

/** A change may have any number of files; after this many, other work gets the event loop. */
const stepsPerTurn = 2000

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
