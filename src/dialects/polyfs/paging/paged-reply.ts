/**
 * The requested page of an answer. All tools page here, so that none can repeat a change: a call that may change something runs once,
 * without a cursor. With a cursor it does not run, and the next page comes from the stored answer.
 */
import type { Workspace } from '../../../workspace/workspace.js'
import { notesBytes, type Reply } from '../reply.js'
import { answerCursor, answersOf, recall } from './answer-store.js'
import type { Call } from './cursor.js'
import { pageNote, pageOfRows, type RowsPage, rowsFrom } from './page-of-rows.js'

export interface PagedCall extends Call {
  args: { cursor?: string }
  /** The call may change something. */
  acts: boolean
  room: number
  make(): Promise<Reply>
}

export async function pagedReply(call: PagedCall, workspace: Workspace): Promise<Reply> {
  const { cursor } = call.args
  if (!call.acts) return readingPage(await call.make(), call, workspace)
  if (cursor === undefined) {
    const reply = await call.make()
    return storedPage(reply, call, { start: 0, name: () => answersOf(workspace).store(reply) })
  }
  const { name, reply, start } = recall(call, cursor, workspace)
  return storedPage(reply, call, { start, name: () => name })
}

/** Runs a reading call again for each page; fails with `STALE` when an earlier page has changed. */
function readingPage(reply: Reply, call: PagedCall, workspace: Workspace): Reply {
  const { rows } = reply
  if (rows === undefined) return reply
  const { path = workspace.root } = rows
  return withPage(reply, pageOfRows(rows.all, { call, path, room: roomOf(reply, call) }))
}

/** `name` is only called when there is another page. */
function storedPage(
  reply: Reply,
  call: PagedCall,
  { start, name }: { start: number; name: () => string | undefined },
): Reply {
  const { rows } = reply
  if (rows === undefined) return reply
  const page = rowsFrom(rows.all, { start, room: roomOf(reply, call) })
  const stored = page.end < rows.all.length ? name() : undefined
  return withPage(reply, { ...page, ...(stored !== undefined && { cursor: answerCursor(call, stored, page.end) }) })
}

/** What is left for rows and the note about the page. */
function roomOf({ notes }: Reply, { room }: PagedCall): number {
  return room - notesBytes(notes)
}

function withPage(reply: Reply, page: RowsPage): Reply {
  const { rows, notes = [], facts, ...rest } = reply
  if (rows === undefined) return reply
  const { all, what, empty } = rows
  const isLost = page.cursor === undefined && page.end < all.length
  return {
    ...rest,
    payload: all.length === 0 ? empty : page.rows.join('\n'),
    notes: [isLost ? lostNote(page, all.length, what) : pageNote(page, all.length, what), ...notes],
    facts: { ...facts, ...(page.cursor !== undefined && { cursor: page.cursor }) },
  }
}

function lostNote({ end }: RowsPage, total: number, what: string): string {
  return `[${what} 1-${end} of ${total}; the rest is too long to be stored; do not repeat the call for it: history lists what was changed]`
}
