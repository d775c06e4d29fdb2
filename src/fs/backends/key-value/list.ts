/** A list that grows at its end, kept in the head of a workspace: the last items there, the others in pages. */

import type { Bytes } from '../../types.js'
import type { Batch, Hashes, Ref } from './blobs.js'
import { isRef, odd, parsed, record } from './values.js'

export interface StoredList<Item> {
  /** The newest items, oldest first. */
  readonly tail: readonly Item[]
  /** The page with the items before them. */
  readonly page?: Ref
}

interface Page<Item> {
  items: Item[]
  before?: Ref
}

export const emptyList: StoredList<never> = { tail: [] }

const maxTail = 16
const maxPage = 256

export interface ListWriter {
  batch: Batch
  hashes: Hashes
  /** Bytes that are in memory; throws if they are not. */
  value(refs: readonly Ref[]): Bytes[]
  /** Called for a page that is no longer used. */
  replaced(ref: Ref): void
}

/** The list with more items. */
export function appended<Item>(list: StoredList<Item>, items: readonly Item[], writer: ListWriter): StoredList<Item> {
  const all = [...list.tail, ...items]
  if (all.length <= maxTail) return { ...list, tail: all }
  // The newest item is always at hand.
  const [older, tail] = [all.slice(0, -1), all.slice(-1)]
  const last = list.page === undefined ? undefined : readPage<Item>(writer.value([list.page])[0])
  if (last === undefined || list.page === undefined || last.items.length >= maxPage) {
    return { tail, ...paged(older, list.page, writer) }
  }
  writer.replaced(list.page)
  return { tail, ...paged([...last.items, ...older], last.before, writer) }
}

function paged<Item>(items: readonly Item[], before: Ref | undefined, writer: ListWriter): { page?: Ref } {
  let page = before
  for (let at = 0; at < items.length; at += maxPage) {
    page = putPage({ items: items.slice(at, at + maxPage), ...(page && { before: page }) }, writer)
  }
  return page === undefined ? {} : { page }
}

/** A list of these items, oldest first. */
export function listOf<Item>(items: readonly Item[], writer: ListWriter): StoredList<Item> {
  return appended(emptyList, items, writer)
}

/** What the items are is for whoever uses them to check. */
function readPage<Item>(bytes: Bytes | undefined): Page<Item> {
  const { items, before } = record(parsed(bytes))
  if (!Array.isArray(items) || !(before === undefined || isRef(before))) throw odd('a page of a list')
  return { items, ...(before !== undefined && { before }) }
}

function putPage<Item>(page: Page<Item>, { batch, hashes }: ListWriter): Ref {
  const bytes = new TextEncoder().encode(JSON.stringify(page))
  return batch.put(bytes, hashes.sha256(bytes))
}

/** The items, the newest first. */
export async function* newestFirst<Item>(
  { tail, page }: StoredList<Item>,
  get: (ref: Ref) => Promise<Bytes>,
  onPage?: (ref: Ref) => void,
): AsyncGenerator<Item> {
  yield* [...tail].reverse()
  for (let ref = page; ref !== undefined; ) {
    onPage?.(ref)
    const { items, before } = readPage<Item>(await get(ref))
    yield* items.reverse()
    ref = before
  }
}
