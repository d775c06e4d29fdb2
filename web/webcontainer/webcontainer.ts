import type { FileSystem } from '../../src/fs/types.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { bootClient, type ClientOptions } from './api.js'
import { containerFs } from './container-fs.js'
import { type ContainerShell, containerShell } from './container-shell.js'
import { type CopiedBack, type CopyOptions, copies } from './copy-files.js'

/** A booted WebContainer: a file system, a shell on it, and the servers that run in it. */
export interface Container {
  /** The container's working directory, as `/`. */
  readonly fs: FileSystem
  readonly shell: ContainerShell
  /** Copies the workspace's root into the container, and records the hashes of its files. */
  mount(workspace: Workspace, options?: CopyOptions): Promise<void>
  /**
   * Applies what changed in the container since `mount` to the workspace, as one change. Fails with `CONFLICT`,
   * changing nothing, when a file was changed on both sides.
   */
  copyBack(workspace: Workspace): Promise<CopiedBack>
  /** Called for every server in the container that is ready, with the address where a page can show it. */
  onServer(listener: (server: { port: number; url: string }) => void): () => void
  /** Stops the container and everything in it; another can be booted afterwards. */
  close(): Promise<void>
}

export interface BootOptions extends ClientOptions {
  /** Default: 30 seconds. */
  timeoutMs?: number
}

export type Unavailability =
  /** The page is not cross-origin isolated, because it was served without these headers. */
  | { reason: 'not-isolated'; missingHeaders: string[] }
  /**
   * The runtime did not answer, most likely because its host can't be reached. Booting stays impossible until the page
   * is reloaded.
   */
  | { reason: 'no-answer'; afterMs: number }
  | { reason: 'failed'; detail: string }

/** No WebContainer can be booted; `facts` say why. */
export class WebContainerError extends Error {
  override readonly name = 'WebContainerError'

  constructor(
    readonly facts: Unavailability,
    options?: { cause?: unknown },
  ) {
    super(`WebContainer unavailable: ${explain(facts)}`, options)
  }
}

/** A page has at most one container, and once booting hangs the client can't boot another. */
let ofThisPage: Promise<Container> | undefined

/** The container of this page, booted by the first call. Fails with `WebContainerError`. */
export async function bootWebContainer(options: BootOptions = {}): Promise<Container> {
  await requireIsolation()
  ofThisPage ??= boot(options)
  return ofThisPage
}

/** The container's shell, or the result of `fallback` where there is no container. */
export async function containerShellOr<Other>(
  fallback: (why: WebContainerError) => Other | Promise<Other>,
  options: BootOptions = {},
): Promise<ContainerShell | Other> {
  try {
    return (await bootWebContainer(options)).shell
  } catch (error) {
    if (error instanceof WebContainerError) return fallback(error)
    throw error
  }
}

const isolationHeaders = {
  'Cross-Origin-Opener-Policy': ['same-origin'],
  'Cross-Origin-Embedder-Policy': ['require-corp', 'credentialless'],
}

/** The headers for cross-origin isolation that are missing or have another value. */
export function missingHeaders(headers: Pick<Headers, 'get'>): string[] {
  return Object.entries(isolationHeaders)
    .filter(([name, values]) => !values.includes(headers.get(name)?.split(';')[0]?.trim() ?? ''))
    .map(([name, [value]]) => `${name}: ${value}`)
}

async function requireIsolation(): Promise<void> {
  if (globalThis.crossOriginIsolated) return
  // A page can't read its own response headers, so it requests itself again.
  const headers = await fetch(location.href, { method: 'HEAD' }).then(
    (response) => response.headers,
    () => new Headers(),
  )
  throw new WebContainerError({ reason: 'not-isolated', missingHeaders: missingHeaders(headers) })
}

const defaultTimeoutMs = 30_000

async function boot({ timeoutMs = defaultTimeoutMs, ...options }: BootOptions): Promise<Container> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timedOut = new Promise<never>((_, reject) => {
    const fail = () => reject(new WebContainerError({ reason: 'no-answer', afterMs: timeoutMs }))
    timer = setTimeout(fail, timeoutMs)
  })
  try {
    const client = await Promise.race([bootClient(options), timedOut])
    const fs = containerFs(client)
    const shell = containerShell(client)
    return {
      fs,
      shell,
      ...copies(client, fs),
      onServer: (listener) => client.on('server-ready', (port, url) => listener({ port, url })),
      async close() {
        const shellEnds = shell.close()
        client.teardown()
        ofThisPage = undefined
        await shellEnds
      },
    }
  } catch (error) {
    if (error instanceof WebContainerError) throw error
    const detail = error instanceof Error ? error.message : String(error)
    throw new WebContainerError({ reason: 'failed', detail }, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

function explain(facts: Unavailability): string {
  if (facts.reason === 'failed') return facts.detail
  if (facts.reason === 'no-answer') {
    return `no answer within ${facts.afterMs} ms; reload the page to try again`
  }
  const headers = facts.missingHeaders.length > 0 ? facts.missingHeaders.join(', ') : 'permission of the page around it'
  return `the page is not cross-origin isolated; it lacks ${headers}`
}
