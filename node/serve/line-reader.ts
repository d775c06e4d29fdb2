import { messageScanner } from '../../src/mcp/server/message-bounds.js'
import { gatheredBytes } from './chunk-buffer.js'

export interface LineHandlers {
  onLine: (line: string, bytes: number) => void
  /** A line that is too long, or holds too much; with the id of the request where the line shows it plainly. */
  onRefused: (reason: string, id: string | number | null) => void
}

/** Cuts what comes in into lines, one message each; empty ones are passed over. Of a line that is refused nothing is held. */
export function lineReader(maxBytes: number, { onLine, onRefused }: LineHandlers): { push(chunk: Buffer): void } {
  const gathered = gatheredBytes()
  let scanner = messageScanner()
  let refused: { reason: string; head: string; tail: string } | undefined
  let bytes = 0

  function add(part: Buffer): void {
    bytes += part.length
    if (refused !== undefined) {
      refused.tail = lastOf(refused.tail + part.toString('latin1', Math.max(0, part.length - edgeBytes)))
      return
    }
    gathered.add(part)
    const reason = bytes > maxBytes ? `Message longer than ${maxBytes} bytes` : scanner.push(part)
    if (reason === undefined) return
    const seen = gathered.take()
    const [head, tail] = [seen.subarray(0, edgeBytes), seen.subarray(-edgeBytes)]
    refused = { reason, head: head.toString('latin1'), tail: tail.toString('latin1') }
  }

  function endLine(): void {
    if (refused !== undefined) onRefused(refused.reason, shownId(refused))
    else if (bytes > 0) {
      const text = gathered.take().toString('utf8')
      if (text.trim() !== '') onLine(text, bytes)
    }
    scanner = messageScanner()
    refused = undefined
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

/** An id is looked for in so many bytes at either end of a message. */
const edgeBytes = 300

function lastOf(text: string): string {
  return text.slice(-edgeBytes)
}

const idFirst = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("[ !#-[\]-~]*"|\d{1,15})\s*,\s*"method"\s*:/
const methodFirst = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:/
/** Behind it only the outermost object ends, so that it is the id of nothing inside. */
const idLast = /,\s*"id"\s*:\s*("[ !#-[\]-~]*"|\d{1,15})\s*\}\s*$/

/** The id of a request that is not parsed, where it stands first or last in it, as clients put it. */
function shownId({ head, tail }: { head: string; tail: string }): string | number | null {
  const [, id] = idFirst.exec(head) ?? (methodFirst.test(head) ? idLast.exec(tail) : null) ?? []
  return id === undefined ? null : JSON.parse(id)
}
