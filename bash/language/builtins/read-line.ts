/** Reads text from a descriptor up to a delimiter, and leaves the rest to others. */
import type { Bytes } from '../../../src/fs/types.js'
import { decodeText, sequenceLength } from '../../io/byte-text.js'
import { concat } from '../../io/streams.js'
import type { Shell } from '../run/state/shell.js'
import { type Steps, wait } from '../run/state/steps.js'

export interface ReadLimits {
  /** The byte that ends the text; absent: none does. Default: a line feed. */
  delimiter?: number | undefined
  /** How many characters are read at most. */
  count?: number | undefined
  /** Only the count ends the text. */
  exact?: boolean
  /** A moment of the clock that waits. */
  deadlineMs?: number | undefined
}

export interface ReadText {
  text: string
  /** The input ended before the delimiter. */
  ended: boolean
  /** The delimiter was found. */
  delimited?: boolean
  timedOut?: boolean
}

const lineFeed = 10

export function* readLine(shell: Shell, descriptor: number, limits: ReadLimits): Steps<ReadText> {
  const file = shell.descriptors.get(descriptor)
  const reader = file?.reader
  if (file === undefined || reader === undefined) return { text: '', ended: true }
  const delimiter = limits.exact ? -1 : (limits.delimiter ?? lineFeed)
  const chunks: Bytes[] = []
  for (;;) {
    const chunk = file.takeAhead() ?? (yield* wait(withDeadline(reader.read(), limits.deadlineMs, shell)))
    if (chunk === 'late') return { text: decodeText(concat(chunks)), ended: true, timedOut: true }
    if (chunk === undefined) return { text: decodeText(concat(chunks)), ended: true }
    const end = delimiter < 0 ? -1 : chunk.indexOf(delimiter)
    if (limits.count !== undefined) {
      chunks.push(chunk)
      const all = concat(chunks)
      const { length, isDelimited, isComplete } = countCharacters(all, limits.count, delimiter)
      if (!isComplete) continue
      reader.unread(all.subarray(length + (isDelimited ? 1 : 0)))
      return { text: decodeText(all.subarray(0, length)), ended: false, delimited: isDelimited }
    }
    if (end < 0) {
      chunks.push(chunk)
      shell.run.step()
      continue
    }
    if (end + 1 < chunk.length) reader.unread(chunk.subarray(end + 1))
    if (chunks.length === 0) return { text: decodeText(chunk.subarray(0, end)), ended: false, delimited: true }
    chunks.push(chunk.subarray(0, end))
    return { text: decodeText(concat(chunks)), ended: false, delimited: true }
  }
}

/** How many bytes the first characters are, up to a delimiter. */
function countCharacters(bytes: Bytes, count: number, delimiter: number) {
  let at = 0
  let seen = 0
  while (seen < count) {
    if (at >= bytes.length) return { length: at, isDelimited: false, isComplete: false }
    if (bytes[at] === delimiter) return { length: at, isDelimited: true, isComplete: true }
    at += sequenceLength(bytes, at) || 1
    seen += 1
  }
  return { length: at, isDelimited: false, isComplete: true }
}

function withDeadline<Value>(
  reading: Promise<Value>,
  deadlineMs: number | undefined,
  shell: Shell,
): Promise<Value | 'late'> {
  if (deadlineMs === undefined) return reading
  const { clock } = shell.session
  const timer = clock.timer(deadlineMs - clock.elapsed())
  const late = timer.due.then(() => 'late' as const)
  return Promise.race([reading, late]).finally(timer.cancel)
}
