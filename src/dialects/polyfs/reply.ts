import type { Content } from '../../tools/dialect.js'
import { sentBytes } from './paging/token-budget.js'

/** The answer of a tool. The payload is sent once, as text; facts are the same for programs. */
export interface Reply {
  payload?: string
  /** A list that may not fit into one result: the payload is one page of it. */
  rows?: Rows
  /** Images, audio and embedded files. */
  media?: Content[]
  /** Sent after the payload, and never part of it. */
  notes?: readonly (string | false | undefined)[]
  facts: Record<string, unknown>
  /** The result is a failure, though there is an answer. */
  failed?: boolean
}

export interface Rows {
  all: readonly string[]
  /** The plural noun for rows: `lines`. */
  what: string
  /** The payload where there are no rows. */
  empty: string
  /** The path that a `STALE` failure names when the list has changed. Default: the root of the workspace. */
  path?: string
}

/** Bytes that notes take, separators included. */
export function notesBytes(notes: Reply['notes']): number {
  return sentBytes(joinNotes(notes)) + 40
}

export function joinNotes(notes: Reply['notes'] = []): string {
  return notes.filter((note) => note !== false && note !== undefined && note !== '').join('\n')
}
