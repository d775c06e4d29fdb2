/** What Python's system calls get of the shell: files, streams and children of the command. */
import { isFsError } from '../../../../src/errors.js'
import type { Bytes, Stat } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { BrokenPipe, type ByteReader, type ByteWriter, pipe } from '../../../io/streams.js'
import { codeOf } from '../../error-codes.js'
import { accessedOf, changedOf, inodeOf, lstatIfThere, modifiedOf, rawMode, sizeOf } from '../../files/shared/facts.js'
import { waitFor } from '../../system/duration.js'
import { WithBytes } from '../../threads/shared-memory.js'
import type { Answers, FileFacts, OpenOptions } from '../wire.js'
import { entryAt, Failed, isBelowFile, type Place, placeOf, requireWalkable } from './places.js'

export interface ShellAnswers {
  readonly calls: Answers
  /** The name of a failure of a call with these arguments. What is no failure of a system call is thrown on. */
  nameOf(error: unknown, given: readonly unknown[]): Promise<string>
  /** Nothing is asked any more: what was open is closed, and children come to their end. */
  end(): Promise<void>
}

interface Source {
  reader: ByteReader
  /** What was read and is not taken yet; `undefined` at the end. */
  ahead?: Promise<Bytes | undefined>
  isReady: boolean
}

interface Child {
  done: Promise<void>
  status?: number
  signal?: number
}

class Killed extends Error {}

const usualPipes = 3

export function shellAnswers(io: ProgramIo): ShellAnswers {
  const sources = new Map<number, Source>([[0, { reader: io.stdin, isReady: false }]])
  const sinks = new Map<number, ByteWriter>([
    [1, writerOf(io.stdout)],
    [2, writerOf(io.stderr)],
  ])
  const children = new Map<number, Child>()
  let streams = usualPipes
  let processes = 1000

  async function factsOf(path: string, stat: Stat): Promise<FileFacts> {
    const target = stat.kind === 'symlink' ? await io.fs.readLink(path) : ''
    return {
      mode: rawMode(stat),
      size: sizeOf(stat, target),
      inode: inodeOf(io, path, stat),
      modifiedMs: modifiedOf(stat),
      accessedMs: accessedOf(stat),
      changedMs: changedOf(stat),
    }
  }

  async function facts(path: string, follow: boolean): Promise<FileFacts> {
    await requireWalkable(io.fs, path)
    if (!follow) return factsOf(path, await io.fs.lstat(path))
    const stat = await io.fs.stat(path)
    // The same file has the same number by whatever name.
    return factsOf(stat.inode === undefined ? await io.fs.realPath(path) : path, stat)
  }

  async function create(path: string, { exclusive, mode }: OpenOptions): Promise<void> {
    const writer = await io.fs.openWrite(path, { exclusive, append: true })
    await writer.close()
    const usual = 0o666 & ~io.umask
    if (mode !== usual && io.fs.capabilities.modeBits) await io.fs.setMode(path, mode)
  }

  async function isThere(path: string): Promise<boolean> {
    try {
      await io.fs.stat(path)
      return true
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND')) return false
      throw error
    }
  }

  /** Makes a file where none is. */
  async function createIfMissing(path: string, options: OpenOptions): Promise<void> {
    const place = await placeOf(io.fs, path)
    if (place.last !== 'name') throw new Failed(options.exclusive ? 'EEXIST' : 'EISDIR')
    if (place.slash) throw new Failed('EISDIR')
    if (options.exclusive && (await entryAt(io.fs, place)) !== undefined) throw new Failed('EEXIST')
    if (!(await isThere(path))) await create(path, options)
  }

  async function open(path: string, options: OpenOptions) {
    const { write, create: creates, truncate, noFollow, directory } = options
    if (creates) await createIfMissing(path, options)
    await requireWalkable(io.fs, path)
    if (noFollow && (await io.fs.lstat(path)).kind === 'symlink') throw new Failed(directory ? 'ENOTDIR' : 'ELOOP')
    const stat = await io.fs.stat(path)
    const real = await io.fs.realPath(path)
    const found = await factsOf(real, stat)
    if (stat.kind === 'directory') {
      if (write || creates) throw new Failed('EISDIR')
      return new WithBytes({ ...found, path: real }, new Uint8Array())
    }
    if (directory) throw new Failed('ENOTDIR')
    if (stat.kind === 'other') {
      const stream = await openStream(path, { write, at: 0 })
      return new WithBytes({ ...found, path: real, stream }, new Uint8Array())
    }
    return new WithBytes({ ...found, path: real }, truncate ? new Uint8Array() : await io.fs.readFile(real))
  }

  async function openStream(path: string, { write, at }: { write: boolean; at: number }): Promise<number> {
    streams += 1
    if (write) sinks.set(streams, await io.fs.openWrite(path, { append: true }))
    else {
      const reader = await io.fs.openRead(path)
      for (let left = at; left > 0; ) {
        const bytes = await reader.read()
        if (bytes === undefined) break
        reader.unread(bytes.subarray(Math.min(left, bytes.length)))
        left -= Math.min(left, bytes.length)
      }
      sources.set(streams, { reader, isReady: false })
    }
    return streams
  }

  /** Reads ahead, so that it is known whether there is something. */
  function ahead(source: Source): Promise<Bytes | undefined> {
    source.ahead ??= source.reader.read().then((bytes) => {
      source.isReady = true
      return bytes
    })
    return source.ahead
  }

  async function read(stream: number, count: number) {
    const source = sources.get(stream)
    if (source === undefined) throw new Failed('EBADF')
    if (stream === 0) await io.stdout.flush()
    const bytes = await ahead(source)
    delete source.ahead
    source.isReady = false
    if (bytes === undefined) {
      source.ahead = Promise.resolve(undefined)
      source.isReady = true
      return new WithBytes(null, new Uint8Array())
    }
    if (bytes.length > count) source.reader.unread(bytes.subarray(count))
    return new WithBytes(null, bytes.subarray(0, count))
  }

  function sinkOf(stream: number): ByteWriter {
    const sink = sinks.get(stream)
    if (sink === undefined) throw new Failed('EBADF')
    return sink
  }

  async function close(stream: number): Promise<void> {
    if (usedByChildren(stream)) return
    const source = sources.get(stream)
    const sink = sinks.get(stream)
    sources.delete(stream)
    sinks.delete(stream)
    if (stream < usualPipes) return
    source?.reader.close()
    await sink?.close()
  }

  /** Ends of pipes that children have: they close after the last of them has ended. */
  const held = new Map<number, number>()
  const closing = new Set<number>()

  function usedByChildren(stream: number): boolean {
    if (!held.get(stream)) return false
    closing.add(stream)
    return true
  }

  function hold(used: readonly number[]): () => Promise<void> {
    for (const stream of used) held.set(stream, (held.get(stream) ?? 0) + 1)
    return async () => {
      for (const stream of used) {
        const left = (held.get(stream) as number) - 1
        held.set(stream, left)
        if (left === 0 && closing.delete(stream)) await close(stream)
      }
    }
  }

  async function readable(asked: number[], waitMs: number): Promise<number[]> {
    const all = asked.map((stream) => sources.get(stream)).filter((source) => source !== undefined)
    const ready = () => asked.filter((stream) => sources.get(stream)?.isReady)
    const waits = all.map(ahead)
    // What is there already is seen in the next turn.
    await Promise.race([...waits, io.clock.turn()])
    if (ready().length > 0 || waitMs === 0) return ready()
    if (waitMs < 0) await Promise.race(waits)
    else {
      const timer = io.clock.timer(waitMs)
      await Promise.race([...waits, timer.due])
      timer.cancel()
    }
    return ready()
  }

  async function spawn({ argv, env, cwd, streams: given }: Parameters<Answers['spawn']>[0]): Promise<number> {
    const [name = ''] = argv
    if (!(await io.has(name))) throw new Failed(name.includes('/') && (await isThere(name)) ? 'EACCES' : 'ENOENT')
    processes += 1
    const [input, output, errors] = given
    const child: Child = { done: Promise.resolve() }
    const release = hold(
      [input, output, errors].filter((stream) => stream !== undefined && stream >= usualPipes) as number[],
    )
    const source = input === undefined ? undefined : sources.get(input)
    const stdin = source?.reader ?? nothing
    // What was read ahead belongs to whoever reads next.
    if (source?.isReady) {
      const bytes = await ahead(source)
      if (bytes !== undefined) {
        source.reader.unread(bytes)
        delete source.ahead
        source.isReady = false
      }
    }
    const writer = (stream: number | undefined) => (stream === undefined ? discarded : keptOpen(sinkOf(stream)))
    const run = io.run(argv, {
      stdin,
      stdout: writer(output),
      stderr: writer(errors),
      env: new Map(Object.entries(env)),
      cwd,
      step() {
        if (child.signal !== undefined) throw new Killed()
      },
    })
    child.done = run
      .then(
        (status) => {
          child.status = status
        },
        (error) => {
          if (!(error instanceof Killed)) throw error
          child.status = -(child.signal as number)
        },
      )
      .finally(release)
    // Whoever waits for it gets the failure.
    child.done.catch(() => {})
    children.set(processes, child)
    return processes
  }

  async function wait(wanted: number, block: boolean) {
    const asked = wanted === -1 ? [...children] : [...children].filter(([number]) => number === wanted)
    if (asked.length === 0) throw new Failed('ECHILD')
    const ended = () => asked.find(([, { status }]) => status !== undefined)
    if (ended() === undefined) {
      const waits = asked.map(([, { done }]) => done)
      await (block ? Promise.race(waits) : io.clock.turn())
    }
    const found = ended()
    if (found === undefined) return null
    const [number, { done, status = 0 }] = found
    await done
    children.delete(number)
    return { child: number, status }
  }

  async function requireRenamable(from: Place, to: Place): Promise<void> {
    if (from.last !== 'name' || to.last !== 'name') throw new Failed('EBUSY')
    const { kind } = await io.fs.lstat(from.path)
    if (kind !== 'directory' && (from.slash || to.slash)) throw new Failed('ENOTDIR')
    if (to.path.startsWith(`${from.path}/`)) throw new Failed('EINVAL')
    if (from.path.startsWith(`${to.path}/`)) throw new Failed('ENOTEMPTY')
    const replaced = await lstatIfThere(io.fs, to.path)
    if (replaced === undefined) return
    if (kind === 'directory' && replaced.kind !== 'directory') throw new Failed('ENOTDIR')
    if (kind !== 'directory' && replaced.kind === 'directory') throw new Failed('EISDIR')
  }

  const calls: Answers = {
    facts,
    async list(path) {
      return (await io.fs.readDir(path)).map(({ name, kind }) => [name, kind])
    },
    open,
    openStream,
    async content(path) {
      const bytes = await io.fs.readFile(path)
      return new WithBytes(await facts(path, true), bytes)
    },
    async save(path, bytes) {
      await io.fs.writeFile(path, bytes)
      return facts(path, true)
    },
    async append(path, bytes) {
      const writer = await io.fs.openWrite(path, { append: true })
      await writer.write(bytes)
      await writer.close()
      return facts(path, true)
    },
    async makeDir(path, mode) {
      const place = await placeOf(io.fs, path)
      if (place.last !== 'name') throw new Failed('EEXIST')
      await io.fs.makeDir(place.path)
      const usual = 0o777 & ~io.umask
      if (mode !== usual && io.fs.capabilities.modeBits) await io.fs.setMode(place.path, mode)
    },
    async remove(path, kind) {
      const place = await placeOf(io.fs, path)
      if (place.last !== 'name') throw new Failed(kind === 'file' ? 'EISDIR' : specialDirectory[place.last])
      const entry = await io.fs.lstat(place.path)
      if (kind === 'file' && entry.kind === 'directory') throw new Failed('EISDIR')
      if (kind === 'directory' ? entry.kind !== 'directory' : place.slash) throw new Failed('ENOTDIR')
      await io.fs.remove(place.path)
      return place.path
    },
    async rename(given, wanted) {
      const from = await placeOf(io.fs, given)
      const to = await placeOf(io.fs, wanted)
      await requireRenamable(from, to)
      await io.fs.rename(from.path, to.path)
      return [from.path, to.path]
    },
    async symlink(target, path) {
      const place = await placeOf(io.fs, path)
      if (place.last !== 'name') throw new Failed('EEXIST')
      if ((await entryAt(io.fs, place)) !== undefined) throw new Failed('EEXIST')
      if (place.slash) throw new Failed('ENOENT')
      await io.fs.symlink(target, place.path)
    },
    async readLink(path) {
      await requireWalkable(io.fs, path)
      if (path.endsWith('/') || path.endsWith('/.')) {
        await io.fs.stat(path)
        throw new Failed('EINVAL')
      }
      return io.fs.readLink(path)
    },
    realPath: (path) => io.fs.realPath(path),
    setMode: (path, mode) => io.fs.setMode(path, mode),
    async setModified(path, modifiedMs) {
      await facts(path, true)
      await io.fs.setModified(path, modifiedMs)
    },
    read,
    async write(stream, bytes) {
      await sinkOf(stream).write(bytes)
    },
    async pipe() {
      const { reader, writer } = pipe()
      streams += 2
      sources.set(streams - 1, { reader, isReady: false })
      sinks.set(streams, writer)
      return { read: streams - 1, write: streams }
    },
    close,
    readable,
    spawn,
    wait,
    async kill(wanted, signal) {
      const child = children.get(wanted)
      if (child === undefined) throw new Failed('ESRCH')
      if (signal !== 0 && child.status === undefined) child.signal = signal
    },
    sleep: (ms) => waitFor(io, ms),
    now: async () => io.now(),
  }

  return {
    calls,
    async nameOf(error, given) {
      if (error instanceof BrokenPipe) return 'EPIPE'
      const name = error instanceof Failed ? error.message : codeOf(error)
      const paths = given.filter((one) => typeof one === 'string' && one.startsWith('/')) as string[]
      return name === 'ENOENT' && (await isBelowFile(io.fs, paths)) ? 'ENOTDIR' : name
    },
    async end() {
      for (const [stream, { reader }] of sources) if (stream >= usualPipes) reader.close()
      for (const [stream, sink] of sinks) if (stream >= usualPipes) await sink.close()
      await Promise.all([...children.values()].map(({ done }) => done))
    },
  }
}

/** What the kernel says of a directory that has no name to remove. */
const specialDirectory = { dot: 'EINVAL', dots: 'ENOTEMPTY', root: 'EBUSY' } as const

function writerOf(output: ProgramIo['stdout']): ByteWriter {
  return { write: (bytes) => output.write(bytes), close: async () => {} }
}

/** A child that ends closes what it was given. */
function keptOpen(writer: ByteWriter): ByteWriter {
  return { write: (bytes) => writer.write(bytes), close: async () => {} }
}

const discarded: ByteWriter = { write: () => undefined, close: async () => {} }

const nothing: ByteReader = { read: async () => undefined, unread() {}, close() {} }
