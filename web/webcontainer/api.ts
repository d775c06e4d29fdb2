/**
 * The client of the hosted runtime, loaded on first use; only this file imports it. Its types are declared here, so
 * that users of polyfs need not install it.
 */

export interface RunningContainer {
  readonly fs: ContainerFiles
  /** The absolute path of the working directory, as programs see it. */
  readonly workdir: string
  spawn(command: string, args: string[], options: SpawnOptions): Promise<RunningProcess>
  mount(tree: FileSystemTree): Promise<void>
  on(event: 'server-ready', listener: (port: number, url: string) => void): () => void
  teardown(): void
}

/** Paths are relative to the working directory. */
export interface ContainerFiles {
  readdir(path: string, options: { withFileTypes: true }): Promise<DirectoryEntry[]>
  readFile(path: string): Promise<Uint8Array>
  writeFile(path: string, data: Uint8Array): Promise<void>
  mkdir(path: string): Promise<void>
  rm(path: string, options: { recursive: boolean }): Promise<void>
  rename(from: string, to: string): Promise<void>
  watch(path: string, listener: (event: 'rename' | 'change', filename: string | Uint8Array) => void): { close(): void }
}

export interface DirectoryEntry {
  name: string
  isFile(): boolean
  isDirectory(): boolean
}

export interface SpawnOptions {
  /** Relative to the working directory. */
  cwd?: string
  env?: Record<string, string>
  terminal?: Terminal
}

export interface Terminal {
  cols: number
  rows: number
}

export interface RunningProcess {
  readonly exit: Promise<number>
  readonly input: WritableStream<string>
  readonly output: ReadableStream<string>
  kill(): void
  resize(terminal: Terminal): void
}

export interface FileSystemTree {
  [name: string]: { directory: FileSystemTree } | { file: { contents: Uint8Array } }
}

export interface ClientOptions {
  /** The Cross-Origin-Embedder-Policy of the page; see the runtime's documentation. */
  coep?: 'require-corp' | 'credentialless' | 'none'
  /** The name of the container's directory that is `/` here. */
  workdirName?: string
  /** For the runtime's commercial use. */
  apiKey?: string
}

/** Has no timeout: it never resolves when the runtime's host can't be reached. */
export async function bootClient({ apiKey, ...options }: ClientOptions): Promise<RunningContainer> {
  const { WebContainer, configureAPIKey } = await import('@webcontainer/api')
  if (apiKey !== undefined) configureAPIKey(apiKey)
  return WebContainer.boot(options)
}
