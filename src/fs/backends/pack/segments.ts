/** What a pack needs of a storage: numbered files that are written once, from their beginning to their end. */
import type { Bytes } from '../../types.js'

export interface Segments {
  /** Appended bytes are stored only by a flush, and only once: each append needs a segment of its own. */
  readonly onlyWhole?: boolean
  /** The numbers of all segments, in any order. */
  list(): Promise<number[]>
  /** The whole content, or undefined if there is no such segment. */
  read(number: number): Promise<Bytes | undefined>
  /** Makes what can be read of a segment survive a crash of the machine, where its writer may have been killed before. */
  settle(number: number): Promise<void>
  /** Begins a segment that does not exist yet. */
  create(number: number): Promise<SegmentWriter>
  /** Removes a segment. One that does not exist is not an error. */
  remove(number: number): Promise<void>
}

export interface SegmentWriter {
  /**
   * Writes behind what has been written. After a failure, and after a crash, any part of the bytes may be there; bytes
   * of appends that were flushed are always there.
   */
  append(bytes: Bytes): Promise<void>
  /** Resolves when everything appended survives a crash of the machine. */
  flush(): Promise<void>
  /** Ends the segment, flushed or not. Nothing is appended afterwards. */
  close(): Promise<void>
}
