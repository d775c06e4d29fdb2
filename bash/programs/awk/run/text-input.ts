/** Reads records of text from a stream of bytes. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { TextLocale } from '../../../io/locale.js'
import type { ByteReader } from '../../../io/streams.js'
import { concat } from '../../../io/streams.js'
import type { ShellRegex } from '../../../regex/index.js'

export type RecordSeparator =
  | { kind: 'character'; character: string }
  /** Empty lines separate. */
  | { kind: 'paragraph' }
  | { kind: 'regex'; regex: ShellRegex }

export const needsMore = Symbol('needs more')

/** Larger chunks are decoded in parts, so that little is done for nothing when a program stops early. */
const partBytes = 256 * 1024
const nothing = new Uint8Array()

export class TextInput {
  /** What ended the last record. */
  terminator = ''
  private text = ''
  private at = 0
  private searched = 0
  private isEnded = false
  /** Bytes that are not decoded yet. */
  private waiting: Bytes | undefined
  /** The first bytes of a character whose others have not been read. */
  private tail: Bytes = nothing

  constructor(
    private readonly reader: ByteReader,
    private readonly locale: TextLocale,
  ) {}

  /** The next record without waiting, `needsMore`, or undefined at the end. */
  next(separator: RecordSeparator): string | undefined | typeof needsMore {
    if (separator.kind === 'character') return this.nextLine(separator.character)
    return separator.kind === 'paragraph' ? this.nextParagraph() : this.nextMatch(separator.regex)
  }

  /** The next record, or undefined at the end. */
  async read(separator: RecordSeparator): Promise<string | undefined> {
    for (;;) {
      const record = this.next(separator)
      if (record !== needsMore) return record
      await this.fill(separator)
    }
  }

  close(): void {
    this.reader.close()
  }

  private nextLine(character: string): string | undefined | typeof needsMore {
    const end = this.text.indexOf(character, Math.max(this.at, this.searched))
    if (end === -1) {
      this.searched = this.text.length
      return this.isEnded ? this.rest() : needsMore
    }
    const record = this.text.slice(this.at, end)
    this.terminator = character
    this.at = end + character.length
    return record
  }

  private nextMatch(regex: ShellRegex): string | undefined | typeof needsMore {
    let from = this.at
    for (;;) {
      const match = regex.exec(this.text, from)
      // A match at the end could become longer with what follows.
      if (!this.isEnded && (match === undefined || match.end === this.text.length)) return needsMore
      if (match === undefined) return this.rest()
      if (match.end > match.start) return this.cut(match.start, match.end)
      from = match.end + 1
      if (from > this.text.length) return this.isEnded ? this.rest() : needsMore
    }
  }

  private nextParagraph(): string | undefined | typeof needsMore {
    while (this.text.charCodeAt(this.at) === 10) this.at += 1
    if (this.at === this.text.length) return this.isEnded ? this.rest() : needsMore
    const end = this.text.indexOf('\n\n', this.at)
    let last = end
    if (end !== -1) while (this.text.charCodeAt(last) === 10) last += 1
    if (!this.isEnded && (end === -1 || last === this.text.length)) return needsMore
    if (end !== -1) return this.cut(end, last)
    const stop = this.text.endsWith('\n') ? this.text.length - 1 : this.text.length
    return this.cut(stop, this.text.length)
  }

  private cut(end: number, next: number): string {
    const record = this.text.slice(this.at, end)
    this.terminator = this.text.slice(end, next)
    this.at = next
    return record
  }

  private rest(): string | undefined {
    this.terminator = ''
    if (this.at >= this.text.length) return undefined
    const record = this.text.slice(this.at)
    this.at = this.text.length
    return record
  }

  async fill(separator: RecordSeparator): Promise<void> {
    const bytes = await this.moreBytes(separator)
    // What is not the start of the input has something before it, for `^`.
    const kept = Math.min(this.at, 1)
    const rest = this.text.slice(this.at - kept)
    this.at = kept
    this.searched = rest.length
    if (bytes === undefined) {
      this.isEnded = true
      this.text = rest
      return
    }
    this.text = rest + this.locale.decode(bytes)
  }

  /** Reads on until there is a separator, so that a long line is put together only once. */
  private async moreBytes(separator: RecordSeparator): Promise<Bytes | undefined> {
    const code = separator.kind === 'character' ? separator.character.charCodeAt(0) : 10
    let chunks: Bytes[] = this.tail.length > 0 ? [this.tail] : []
    this.tail = nothing
    for (;;) {
      const chunk = this.waiting ?? (await this.reader.read())
      this.waiting = undefined
      if (chunk === undefined) break
      const part = chunk.subarray(0, partBytes)
      if (part.length < chunk.length) this.waiting = chunk.subarray(partBytes)
      chunks.push(part)
      if (code < 128 && separator.kind === 'character' && !part.includes(code)) continue
      const all = concat(chunks)
      const complete = this.locale.isBytes ? all.length : completeLength(all)
      if (complete > 0) {
        this.tail = all.slice(complete)
        return all.subarray(0, complete)
      }
      chunks = [all]
    }
    return chunks.length === 0 ? undefined : concat(chunks)
  }
}

/** The length of the bytes without the first part of a character at their end. */
function completeLength(bytes: Bytes): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return back < length ? bytes.length - back : bytes.length
  }
  return bytes.length
}
