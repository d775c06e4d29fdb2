/**
 * A cursor: an opaque text that identifies its call, the position to continue at, and what must not have changed. The server stores nothing
 * for it, and the same call on the same files makes the same cursor.
 */
import { FsError } from '../../../errors.js'

/** Numbers and short texts that only the tool interprets. */
export type Position = readonly (number | string)[]

export interface Call {
  tool: string
  args: object
}

export function writeCursor(call: Call, position: Position): string {
  return toBase64Url(JSON.stringify([version, callMark(call), ...position]))
}

/** The position in a cursor. Fails with `INVALID_INPUT` for anything else, and for the cursor of a call with other arguments. */
export function readCursor(cursor: string, call: Call): Position {
  if (cursor.length > maxCursorUnits) throw unusable('it is not one that this tool has given')
  const [seen, mark, ...position] = parse(cursor)
  if (seen !== version) throw unusable('it is not one that this tool has given')
  if (mark !== callMark(call)) throw unusable('it belongs to a call with other arguments')
  return position
}

const version = 1

/** Longer than any cursor with a path in it. */
const maxCursorUnits = 32_768

/** A short hash of a text, not for security. */
export function fingerprint(text: string): string {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 2654435761)
    high = Math.imul(high ^ unit, 1597334677)
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return ((high >>> 0) * 0x100000 + ((low >>> 0) & 0xfffff)).toString(36)
}

/** A repeated call may have another budget. */
function callMark({ tool, args }: Call): string {
  const { cursor: _, max_tokens: __, ...rest } = args as Record<string, unknown>
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  return fingerprint(JSON.stringify([tool, given.sort(([a], [b]) => (a < b ? -1 : 1))]))
}

function parse(cursor: string): (number | string)[] {
  try {
    const parsed: unknown = JSON.parse(fromBase64Url(cursor))
    if (Array.isArray(parsed) && parsed.every((item) => typeof item === 'number' || typeof item === 'string')) {
      return parsed
    }
  } catch {
    // Reported below.
  }
  throw unusable('it is not one that this tool has given')
}

function unusable(why: string): FsError {
  const message = `${why}; repeat the arguments of the call that gave it, or leave it out to start again`
  return new FsError('INVALID_INPUT', { issues: [{ at: ['cursor'], kind: 'other', message }] })
}

function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

function fromBase64Url(text: string): string {
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (unit) => unit.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}
