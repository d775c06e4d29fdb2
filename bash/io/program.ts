/** The interface between the shell and its programs. */
import type { FsError } from '../../src/errors.js'
import type { Bytes, Capabilities, Entry, Stat } from '../../src/fs/types.js'
import type { NetworkOutcome, NetworkRequest } from '../../src/network/types.js'
import type { CommandClock } from './command-clock.js'
import type { ByteReader, ByteWriter } from './streams.js'

/** Files as a command sees them. Paths may be relative to the working directory. Failures are `FsError`s. */
export interface ShellFiles {
  readonly capabilities: Capabilities
  /** Follows links. */
  stat(path: string): Promise<Stat>
  /** Does not follow a final link. */
  lstat(path: string): Promise<Stat>
  readDir(path: string): Promise<Entry[]>
  /** Streams a file, a device or a pipe; a directory fails with `IS_A_DIRECTORY`. */
  openRead(path: string): Promise<ByteReader>
  /** The same for files of a directory, by their names: of the first ones, and at least one. A failure is that of its file. */
  openAll(directory: string, names: readonly string[]): Promise<Array<ByteReader | FsError>>
  /** Creates the file; truncates it unless `append`. `exclusive`: fails with `EXISTS` when the file exists. */
  openWrite(path: string, options?: { append?: boolean; exclusive?: boolean }): Promise<ByteWriter>
  /** All of a file. For large files prefer `openRead`. */
  readFile(path: string, range?: { start: number; end: number }): Promise<Bytes>
  /** Creates or replaces, and keeps the mode of an existing file. */
  writeFile(path: string, data: Bytes, options?: { mode?: number }): Promise<void>
  /** A FIFO, which is a pipe between whoever opens it. */
  makePipe(path: string): Promise<void>
  /** Opens a FIFO for reading and writing, and waits for nobody. Undefined for anything else. */
  openPipe(path: string): Promise<{ reader: ByteReader; writer: ByteWriter } | undefined>
  /** One level. */
  makeDir(path: string): Promise<void>
  /** A file, a link or an empty directory. */
  remove(path: string): Promise<void>
  /** As `rename(2)`. `CROSS_DEVICE` between the workspace and scratch space. */
  rename(from: string, to: string): Promise<void>
  symlink(target: string, path: string): Promise<void>
  readLink(path: string): Promise<string>
  /** The absolute path with all links resolved. */
  realPath(path: string): Promise<string>
  setMode(path: string, mode: number): Promise<void>
  setModified(path: string, modifiedMs: number): Promise<void>
}

/** Output of a program: buffered, and flushed when it ends, before it runs another and before it writes an error. */
export interface Output {
  /** Text is encoded as shell text. Await the result: it is a promise when the buffer is full. */
  write(data: string | Bytes): Promise<void> | undefined
  flush(): Promise<void>
  /** Fails as a write would when nobody reads any more. */
  check?(): Promise<void>
  /** The absolute path, when it goes to a file. */
  readonly path?: string
}

export interface RunOptions {
  stdin?: ByteReader
  stdout?: ByteWriter
  stderr?: ByteWriter
  env?: ReadonlyMap<string, string>
  cwd?: string
  /** Called at the steps of the command; what it throws ends the command, and `run` fails with it. */
  step?(): void
}

/** What a running program has. */
export interface ProgramIo {
  /** The name it was called by, for messages. */
  readonly name: string
  /** The arguments after the name. */
  readonly args: readonly string[]
  /** The exported variables. */
  readonly env: ReadonlyMap<string, string>
  readonly cwd: string
  readonly umask: number
  readonly fs: ShellFiles
  readonly stdin: ByteReader
  readonly stdout: Output
  readonly stderr: Output
  /** The absolute path of what a user wrote, without resolving links. */
  path(given: string): string
  /** Writes `name: message` to stderr. */
  error(message: string): Promise<void>
  /** Runs another command by name: a program or a script, no function and no builtin that changes the shell. */
  run(argv: readonly string[], options?: RunOptions): Promise<number>
  /** True when `run` would find this name. */
  has(name: string): Promise<boolean>
  /** Call it in long loops that do not wait for input: it throws when the command has to stop. */
  step(count?: number): void
  /** Counts memory that grows with the input; negative to release. All of it is released when the program ends. */
  account(bytes: number): void
  /** The workspace's clock and randomness, so that runs can be repeated. */
  now(): number
  random(): number
  /** What may be reached; absent without a network. */
  readonly network?: ShellNetwork
  /** For everything that takes time: durations, timers, and work of the platform. */
  readonly clock: CommandClock
}

/** The gate of the network as programs see it: without its secrets. */
export interface ShellNetwork {
  /** Lines for messages. */
  readonly allowed: readonly string[]
  exchange(request: NetworkRequest): Promise<NetworkOutcome>
}

export interface Program {
  readonly name: string
  /** Other names it has, such as `egrep`. */
  readonly aliases?: readonly string[]
  /** What it works on, in the list of all programs. */
  readonly group?: string
  run(io: ProgramIo): Promise<number>
}
