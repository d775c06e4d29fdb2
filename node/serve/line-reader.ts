import { messageScanner } from '../../src/mcp/server/message-bounds.js'
import { closingQuote } from './closing-quote.js'
import { textBuffer } from './text-buffer.js'

export interface LineHandlers {
  onLine: (line: string, bytes: number) => void
  /** Called with a line that exceeds a limit, and with the request's id where it is unambiguous. */
  onRejected: (reason: string, id: string | number | null) => void
}

/** Splits the input into lines, one message each; empty ones are skipped. A rejected line is not stored. */
export function lineReader(maxBytes: number, { onLine, onRejected }: LineHandlers): { push(chunk: Buffer): void } {
  const held = textBuffer()
  let scanner = messageScanner({}, closingQuote)
  let rejected: { reason: string; head: string; tail: string } | undefined
  let bytes = 0

  function add(part: Buffer): void {
    bytes += part.length
    if (rejected !== undefined) {
      rejected.tail = (rejected.tail + part.toString('latin1', Math.max(0, part.length - edgeBytes))).slice(-edgeBytes)
      return
    }
    held.add(part)
    const reason = bytes > maxBytes ? `Message longer than ${maxBytes} bytes` : scanner.push(part)
    if (reason === undefined) return
    const seen = held.take()
    rejected = { reason, head: seen.slice(0, edgeBytes), tail: seen.slice(-edgeBytes) }
  }

  function endLine(): void {
    if (rejected !== undefined) onRejected(rejected.reason, idOf(rejected))
    else if (bytes > 0) {
      const text = held.take()
      if (text.trim() !== '') onLine(text, bytes)
    }
    scanner = messageScanner({}, closingQuote)
    rejected = undefined
    bytes = 0
  }

  return {
    push(chunk) {
      let start = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        add(chunk.subarray(start, end))
        endLine()
        start = end + 1
      }
      add(chunk.subarray(start))
    },
  }
}

/** The number of bytes at either end of a message in which the id is searched. */
const edgeBytes = 300

const idFirst = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("[ !#-[\]-~]*"|\d{1,15})\s*,\s*"method"\s*:/
const methodFirst = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:/
/** Followed only by the end of the outermost object, so it is not the id of anything nested. */
const idLast = /,\s*"id"\s*:\s*("[ !#-[\]-~]*"|\d{1,15})\s*\}\s*$/

/** The id of an unparsed request, if it is the first or the last key, where clients put it. */
function idOf({ head, tail }: { head: string; tail: string }): string | number | null {
  const [, id] = idFirst.exec(head) ?? (methodFirst.test(head) ? idLast.exec(tail) : null) ?? []
  return id === undefined ? null : JSON.parse(id)
}
