/**
 * What the thread that runs Python and the shell tell each other. Python waits for each answer, as a process waits for its system calls:
 * where memory can be shared, the thread sleeps, and the shell, which can't wait, writes the answer there and wakes it. Elsewhere the
 * engine is suspended until the answer comes as a message.
 */
import type { Bytes, Kind } from '../../../src/fs/types.js'
import type { WithBytes } from '../threads/shared-memory.js'

/** What to run. */
export type Target =
  | { kind: 'code'; code: string }
  | { kind: 'module'; name: string }
  | { kind: 'file'; path: string }
  | { kind: 'stdin' }
  /** A text that is printed. */
  | { kind: 'version' }

/** Settings of the interpreter by the names of its configuration, and those that it has only before it starts. */
export interface Flags {
  /** By the names of `PyConfig`. With one that is not the default the interpreter starts from nothing. */
  config: { [name: string]: number }
  warnings: string[]
  x: string[]
  unbuffered: boolean
  /** Nothing compiled is kept. */
  forgets: boolean
  isolated: boolean
  /** After the program, or in its place, commands are read from the input. */
  interactive: boolean
  /** Without the lines that an interactive Python begins with. */
  quiet: boolean
  /** The first line of a file is none of Python. */
  skipsLine: boolean
}

export const usualFlags: Flags = {
  config: {},
  warnings: [],
  x: [],
  unbuffered: false,
  forgets: false,
  isolated: false,
  interactive: false,
  quiet: false,
  skipsLine: false,
}

export interface PythonStart {
  target: Target
  flags: Flags
  /** `sys.argv` without its first. */
  args: string[]
  /** As it was called. */
  called: string[]
  env: { [name: string]: string }
  cwd: string
  umask: number
  maxMemoryBytes: number
  /** For random numbers. */
  seed: number[]
  /** Time is that of the shell, which is asked for it. */
  isVirtual: boolean
}

/** What a start of the interpreter leads to, as long as its program is the same: see `thread/image.ts`. */
export interface PythonImage {
  /** The numbers of the pages that differ from a fresh instance. */
  pages: Uint32Array
  bytes: Uint8Array
  memoryPages: number
  stackPointer: number
}

/** What a thread begins with. Everything large is shared, where it can be. */
export interface PythonThreadGiven {
  module: WebAssembly.Module
  /** The standard library, a zip archive. */
  library: Uint8Array
  /** Where threads share no memory, each has its own. */
  image?: PythonImage
}

export type ToPython =
  /** `image`: begin with this one, or with the thread's own. `shared`: where answers are written. */
  | { kind: 'run'; start: PythonStart; image?: PythonImage | 'own'; shared?: SharedArrayBuffer }
  | { kind: 'answer'; answer: PythonAnswer }
  | { kind: 'make image' }

/** As a message. */
export type PythonAnswer = { value: unknown; bytes?: Bytes } | { error: string }

export type FromPython =
  | { kind: 'ask'; name: keyof Answers; given: unknown[] }
  /** The rest of an answer that did not fit. */
  | { kind: 'more' }
  /** What the engine has, in its pages. */
  | { kind: 'memory'; pages: number }
  | { kind: 'done'; status: number }
  /** `message`: what Python, or the engine, could not do. */
  | { kind: 'failed'; message: string }
  | { kind: 'image'; image: PythonImage }

export interface FileFacts {
  /** As `st_mode`, with the type. */
  mode: number
  size: number
  inode: number
  modifiedMs: number
  accessedMs: number
  changedMs: number
}

export interface OpenOptions {
  write: boolean
  create: boolean
  exclusive: boolean
  truncate: boolean
  noFollow: boolean
  directory: boolean
  mode: number
}

export interface Opened extends FileFacts {
  /** With all links resolved. */
  path: string
  /** Of what is no file of the tree, such as `/dev/stdin`. */
  stream?: number
}

/** A child: descriptors are streams of the shell. */
export interface ChildStart {
  argv: string[]
  env: { [name: string]: string }
  cwd: string
  /** For 0, 1 and 2; absent where it is closed. */
  streams: Array<number | undefined>
}

/** What the shell answers. A failure is the name of an error, such as `ENOENT`. */
export interface Answers {
  facts(path: string, follow: boolean): Promise<FileFacts>
  list(path: string): Promise<Array<[name: string, kind: Kind]>>
  open(path: string, options: OpenOptions): Promise<WithBytes<Opened>>
  /** The bytes of a file that is open, when something else may have changed it. */
  content(path: string): Promise<WithBytes<FileFacts>>
  save(path: string, bytes: Bytes): Promise<FileFacts>
  append(path: string, bytes: Bytes): Promise<FileFacts>
  makeDir(path: string, mode: number): Promise<void>
  /** Returns the path of what was removed, with the links before its name resolved. */
  remove(path: string, kind: 'file' | 'directory'): Promise<string>
  /** Returns both paths so. */
  rename(from: string, to: string): Promise<[from: string, to: string]>
  symlink(target: string, path: string): Promise<void>
  readLink(path: string): Promise<string>
  realPath(path: string): Promise<string>
  setMode(path: string, mode: number): Promise<void>
  setModified(path: string, modifiedMs: number): Promise<void>
  /** The next bytes of a stream; none at its end. */
  read(stream: number, count: number): Promise<WithBytes<null>>
  write(stream: number, bytes: Bytes): Promise<void>
  /** A stream of a file, for a child. */
  openStream(path: string, options: { write: boolean; at: number }): Promise<number>
  pipe(): Promise<{ read: number; write: number }>
  close(stream: number): Promise<void>
  /** Those that can be read. Waits for one at most this long; -1 without limit. */
  readable(streams: number[], waitMs: number): Promise<number[]>
  spawn(child: ChildStart): Promise<number>
  /** The status of a child that has ended: of one, or -1 for any. */
  wait(child: number, block: boolean): Promise<{ child: number; status: number } | null>
  kill(child: number, signal: number): Promise<void>
  sleep(ms: number): Promise<void>
  now(): Promise<number>
}

export const enginePageBytes = 65536
