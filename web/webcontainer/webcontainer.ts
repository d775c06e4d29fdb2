import type { FileSystem } from '../../src/fs/types.js'
import type { Workspace } from '../../src/workspace.js'
import { bootClient, type ClientOptions } from './api.js'
import { containerFs } from './container-fs.js'
import { type ContainerShell, containerShell } from './container-shell.js'
import { type BroughtBack, type CopyOptions, copies } from './copy-files.js'

/** A booted WebContainer: a file system, a shell on it, and the servers that run in it. */
export interface Container {
  /** Its working directory; `/` here. */
  readonly fs: FileSystem
  readonly shell: ContainerShell
  /** Copies everything in a workspace's root into the container, and remembers what it was. */
  mount(workspace: Workspace, options?: CopyOptions): Promise<void>
  /**
   * Makes what has changed in the container since `mount` one change of that workspace. Fails with `CONFLICT`, and changes nothing, where a
   * file was changed on both sides.
   */
  bringBack(workspace: Workspace): Promise<BroughtBack>
  /** Told of every server in the container that is ready, and of where a page can show it. */
  onServer(listener: (server: { port: number; url: string }) => void): () => void
  /** Ends it with all that runs in it; another can be booted then. */
  close(): void
}

export interface BootOptions extends ClientOptions {
  /** 30 seconds unless given. */
  timeoutMs?: number
}

export type Unavailability =
  /** The page is not cross-origin isolated, because it was served without these headers. */
  | { reason: 'not-isolated'; missingHeaders: string[] }
  /** Nothing was heard of the runtime, most likely because its host can't be reached. It stays so until the page is loaded again. */
  | { reason: 'no-answer'; afterMs: number }
  | { reason: 'failed'; detail: string }

/** There is no WebContainer to be had; `facts` say why. */
export class WebContainerUnavailable extends Error {
  override readonly name = 'WebContainerUnavailable'

  constructor(
    readonly facts: Unavailability,
    options?: { cause?: unknown },
  ) {
    super(`WebContainer unavailable: ${explain(facts)}`, options)
  }
}

/** A page has one at most, and once booting has hung no other can be booted: the client itself keeps it so. */
let ofThisPage: Promise<Container> | undefined

/** The container of this page, booted with the first call. Fails with `WebContainerUnavailable`. */
export async function bootWebContainer(options: BootOptions = {}): Promise<Container> {
  await requireIsolation()
  ofThisPage ??= boot(options)
  return ofThisPage
}

/** The container's shell, or whatever `fallback` gives where there is no container. */
export async function containerShellOr<Other>(
  fallback: (why: WebContainerUnavailable) => Other | Promise<Other>,
  options: BootOptions = {},
): Promise<ContainerShell | Other> {
  try {
    return (await bootWebContainer(options)).shell
  } catch (error) {
    if (error instanceof WebContainerUnavailable) return fallback(error)
    throw error
  }
}

const isolationHeaders = {
  'Cross-Origin-Opener-Policy': ['same-origin'],
  'Cross-Origin-Embedder-Policy': ['require-corp', 'credentialless'],
}

/** Which of the headers that make a page cross-origin isolated are absent, or say something else. */
export function missingHeaders(headers: Pick<Headers, 'get'>): string[] {
  return Object.entries(isolationHeaders)
    .filter(([name, values]) => !values.includes(headers.get(name)?.split(';')[0]?.trim() ?? ''))
    .map(([name, [value]]) => `${name}: ${value}`)
}

async function requireIsolation(): Promise<void> {
  if (globalThis.crossOriginIsolated) return
  // What the page was served with, the page can only find out by asking again.
  const headers = await fetch(location.href, { method: 'HEAD' }).then(
    (response) => response.headers,
    () => new Headers(),
  )
  throw new WebContainerUnavailable({ reason: 'not-isolated', missingHeaders: missingHeaders(headers) })
}

const usualTimeoutMs = 30_000

async function boot({ timeoutMs = usualTimeoutMs, ...options }: BootOptions): Promise<Container> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    const fail = () => reject(new WebContainerUnavailable({ reason: 'no-answer', afterMs: timeoutMs }))
    timer = setTimeout(fail, timeoutMs)
  })
  try {
    const client = await Promise.race([bootClient(options), tooLate])
    const fs = containerFs(client)
    const shell = containerShell(client)
    return {
      fs,
      shell,
      ...copies(client, fs),
      onServer: (listener) => client.on('server-ready', (port, url) => listener({ port, url })),
      close() {
        void shell.close()
        client.teardown()
        ofThisPage = undefined
      },
    }
  } catch (error) {
    if (error instanceof WebContainerUnavailable) throw error
    const detail = error instanceof Error ? error.message : String(error)
    throw new WebContainerUnavailable({ reason: 'failed', detail }, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

function explain(facts: Unavailability): string {
  if (facts.reason === 'failed') return facts.detail
  if (facts.reason === 'no-answer') {
    return `no answer within ${facts.afterMs} ms; this page can't boot one until it is loaded again`
  }
  const headers = facts.missingHeaders.length > 0 ? facts.missingHeaders.join(', ') : 'permission of the page around it'
  return `the page is not cross-origin isolated; it lacks ${headers}`
}
