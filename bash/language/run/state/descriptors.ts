/** Open files of a shell by their numbers. */
import type { Bytes } from '../../../../src/fs/types.js'
import { type ByteReader, type ByteWriter, concat } from '../../../io/streams.js'

/** One open file. Several descriptors of several subshells can refer to it; the last one closes it. */
export class OpenFile {
  #references = 0
  /** What was read too far, and is read next. */
  #ahead: Bytes | undefined
  readonly reader: ByteReader | undefined

  constructor(
    readonly given: {
      reader?: ByteReader
      writer?: ByteWriter
      /** What a program reads too far is put back, as with `lseek`. */
      seekable?: boolean
      /** Belongs to someone else, who closes it. */
      keepOpen?: boolean
      /** For messages and `/dev/fd`. */
      path?: string
    },
  ) {
    const source = given.reader
    if (source === undefined) return
    this.reader = {
      read: () => {
        const ahead = this.takeAhead()
        return ahead === undefined ? source.read() : Promise.resolve(ahead)
      },
      unread: (bytes) => this.putBack(bytes),
      close: () => {
        this.#ahead = undefined
        source.close()
      },
      ...(source.stat && { stat: source.stat }),
      ...(source.path !== undefined && { path: source.path }),
    }
  }

  /** What is available without waiting. */
  takeAhead(): Bytes | undefined {
    const ahead = this.#ahead
    this.#ahead = undefined
    return ahead
  }

  putBack(bytes: Bytes): void {
    if (bytes.length === 0) return
    if (this.given.writer !== undefined) this.given.reader?.unread(bytes)
    else this.#ahead = this.#ahead === undefined ? bytes : concat([bytes, this.#ahead])
  }

  get writer(): ByteWriter | undefined {
    return this.given.writer
  }

  retain(): this {
    this.#references += 1
    return this
  }

  /** True when that closed it. */
  release(): boolean {
    this.#references -= 1
    if (this.#references > 0 || this.given.keepOpen) return false
    this.reader?.close()
    // The writers of pipes and files have nothing left to do when they are closed.
    void this.writer?.close()
    return true
  }
}

export class Descriptors {
  readonly #files = new Map<number, OpenFile>()

  get(descriptor: number): OpenFile | undefined {
    return this.#files.get(descriptor)
  }

  set(descriptor: number, file: OpenFile): void {
    file.retain()
    this.#files.get(descriptor)?.release()
    this.#files.set(descriptor, file)
  }

  /** True when nobody else has the file open. */
  close(descriptor: number): boolean {
    const closed = this.#files.get(descriptor)?.release() ?? false
    this.#files.delete(descriptor)
    return closed
  }

  /** Puts a file, or nothing, in place of another, which is returned still open. */
  replace(descriptor: number, file: OpenFile | undefined): OpenFile | undefined {
    const old = this.#files.get(descriptor)
    if (file === undefined) this.#files.delete(descriptor)
    else this.#files.set(descriptor, file.retain())
    return old
  }

  /** Takes back what `replace` returned. */
  restore(descriptor: number, old: OpenFile | undefined): void {
    this.#files.get(descriptor)?.release()
    if (old === undefined) this.#files.delete(descriptor)
    else this.#files.set(descriptor, old)
  }

  /** The lowest free number from 10 on, as bash chooses for `{name}>file`. */
  free(): number {
    let descriptor = 10
    while (this.#files.has(descriptor)) descriptor += 1
    return descriptor
  }

  /** The highest free number, for process substitutions and coprocesses. */
  freeFromAbove(from = 63): number {
    let descriptor = from
    while (this.#files.has(descriptor)) descriptor -= 1
    return descriptor
  }

  fork(): Descriptors {
    const copy = new Descriptors()
    for (const [descriptor, file] of this.#files) copy.set(descriptor, file)
    return copy
  }

  closeAll(): void {
    for (const file of this.#files.values()) file.release()
    this.#files.clear()
  }
}

/** What a program reads: what it puts back stays its own until it ends. */
export function programInput(file: OpenFile | undefined): { reader: ByteReader; end(): void } {
  const source = file?.reader
  const back: Bytes[] = []
  return {
    reader: {
      async read() {
        return back.shift() ?? source?.read()
      },
      unread(bytes) {
        if (bytes.length > 0) back.unshift(bytes)
      },
      close() {},
      ...(source?.stat && { stat: source.stat }),
      ...(source?.path !== undefined && { path: source.path }),
    },
    end() {
      if (!file?.given.seekable) return
      for (const bytes of back.reverse()) source?.unread(bytes)
    },
  }
}
