/**
 * The client of the hosted runtime, loaded when it is needed: only this file names it. What is used of it is written down here, so that
 * programs which use polyfs need not have it.
 */

export interface RunningContainer {
  readonly fs: ContainerFiles
  /** Where the working directory is, as programs see it. */
  readonly workdir: string
  spawn(command: string, args: string[], options: SpawnOptions): Promise<RunningProcess>
  mount(tree: FileSystemTree): Promise<void>
  on(event: 'server-ready', listener: (port: number, url: string) => void): () => void
  teardown(): void
}

/** Paths count from the working directory. */
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
  /** From the working directory. */
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
  /** Of the page that boots; see the runtime's own documentation. */
  coep?: 'require-corp' | 'credentialless' | 'none'
  /** The name of the directory in the container that is its `/` here. */
  workdirName?: string
  /** For the runtime's commercial use. */
  apiKey?: string
}

/** Waits for as long as the runtime takes, which is for ever when its host can't be reached. */
export async function bootClient({ apiKey, ...options }: ClientOptions): Promise<RunningContainer> {
  const { WebContainer, configureAPIKey } = await import('@webcontainer/api')
  if (apiKey !== undefined) configureAPIKey(apiKey)
  return WebContainer.boot(options)
}
