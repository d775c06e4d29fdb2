import { chunkBuffer } from './chunk-buffer.js'

/** Collects the text of a message. It is decoded while it arrives, so that little is left to do at its end. */
export interface TextBuffer {
  /** The chunk must not change until the next one is added or the text is taken. */
  add(chunk: Buffer): void
  /** Returns the whole text and clears the buffer. */
  take(): string
}

export function textBuffer({ decodedBytes = 64 * 1024 } = {}): TextBuffer {
  /** Most messages arrive in one chunk, which need not be copied. */
  let only: Buffer | undefined
  let text = ''
  const chunks = chunkBuffer()
  let waiting = 0

  function collect(chunk: Buffer): void {
    chunks.add(chunk)
    waiting += chunk.length
    if (waiting < decodedBytes) return
    const bytes = chunks.take()
    const end = endOfCharacters(bytes)
    text += bytes.toString('utf8', 0, end)
    chunks.add(bytes.subarray(end))
    waiting = bytes.length - end
  }

  return {
    add(chunk) {
      if (chunk.length === 0) return
      if (only === undefined && waiting === 0 && text === '') {
        only = chunk
        return
      }
      if (only !== undefined) collect(only)
      only = undefined
      collect(chunk)
    },
    take() {
      const whole = text + (only ?? chunks.take()).toString('utf8')
      only = undefined
      text = ''
      waiting = 0
      return whole
    },
  }
}

/** Where bytes can be cut so that both parts give the same text as the whole: before the last character, unless that is ASCII. */
function endOfCharacters(bytes: Buffer): number {
  // Four bytes that continue a character, one after the other, can't be the end of an incomplete one.
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at -= 1) {
    const byte = bytes[at]!
    if (byte < 0x80) return at + 1
    if (byte >= 0xc0) return at
  }
  return bytes.length
}
