/** Removes values that nothing refers to any more. */

import { serialQueue } from '../../serial-queue.js'
import { type Blobs, concurrently, LostBlob, type Ref } from './blobs.js'
import { type Contents, storedAs } from './contents.js'
import type { DirectoryEntry } from './directories.js'
import type { Head } from './head.js'
import { listOf, newestFirst } from './list.js'
import type { StoredTree } from './tree.js'
import { isReference, odd, parsed, record } from './values.js'

/** What a collection of garbage has removed. */
export interface CollectedValues {
  values: number
}

/** After so many bytes or values of garbage, it is collected. */
export const collectAfter = { bytes: 64 * 1024 * 1024, values: 8192 }

export interface Collector {
  /** Removes what changes have replaced. With `leftovers`, also what crashes left behind, as far as the store lists its keys. */
  collect(options?: { leftovers?: boolean }): Promise<CollectedValues>
  /** True when there is much to collect. */
  isDue(): boolean
}

export function collectorOf(tree: StoredTree, blobs: Blobs, contents: Contents): Collector {
  const queue = serialQueue()

  /** All values that the head refers to. */
  async function reachable(head: Head): Promise<Set<Ref>> {
    const live = new Set<Ref>()
    const onPage = (ref: Ref) => void live.add(ref)
    await markDirectory(head.root, live)
    for await (const _ of newestFirst(head.garbage, blobs.get, onPage));
    const records: Ref[] = head.pending.map(({ record }) => record)
    for await (const { id, record } of newestFirst(head.history, blobs.get, onPage)) {
      if (head.floor !== undefined && id <= head.floor) break
      records.push(record)
    }
    await concurrently(records, async (ref) => {
      live.add(ref)
      for (const [, content] of await keptIn(ref)) await markContent(content, live)
    })
    return live
  }

  async function markDirectory(entry: DirectoryEntry, live: Set<Ref>): Promise<void> {
    const { entries, values } = await tree.read((view) => ({
      entries: view.entries(entry),
      values: view.values(entry),
    }))
    for (const ref of values) live.add(ref)
    for (const below of entries.values()) {
      if (below.kind === 'file') await markContent(below.content, live)
      else if (below.kind === 'directory' && !live.has(below.child)) await markDirectory(below, live)
    }
  }

  async function markContent(content: string, live: Set<Ref>): Promise<void> {
    const { ref, isList } = storedAs(content)
    if (live.has(ref)) return
    live.add(ref)
    if (isList) for (const chunk of await contents.refsOf(content)) live.add(chunk)
  }

  /** The contents that a record refers to. A record that is lost refers to nothing. */
  async function keptIn(ref: Ref): Promise<[string, string][]> {
    try {
      const { kept } = record(parsed(await blobs.get(ref)))
      if (!Array.isArray(kept)) throw odd('a record')
      return kept.filter((pair): pair is [string, string] => Array.isArray(pair) && isReference(pair[1]))
    } catch (error) {
      if (error instanceof LostBlob) return []
      throw error
    }
  }

  async function valuesOf(content: string): Promise<Ref[]> {
    try {
      return await contents.refsOf(content)
    } catch (error) {
      // A collection that was interrupted has removed the list already.
      if (error instanceof LostBlob) return [storedAs(content).ref]
      throw error
    }
  }

  return {
    isDue: () => tree.known.garbageBytes >= collectAfter.bytes || tree.known.garbageCount >= collectAfter.values,

    collect: (options) => queue(() => collect(options)),
  }

  async function collect({ leftovers = false }: { leftovers?: boolean } = {}): Promise<CollectedValues> {
    // From here on others write under names of the next generation, and what is not reachable now will never be again.
    await tree.change(({ head, set }) => set({ generation: head.generation + 1 }))
    const head = tree.known
    const listed: string[] = []
    for await (const one of newestFirst(head.garbage, blobs.get)) if (isEarlier(one, head)) listed.push(one)
    const live = await reachable(head)
    const dead = new Set<Ref>()
    await concurrently(listed, async (one) => {
      if (live.has(storedAs(one).ref)) return
      for (const ref of await valuesOf(one)) if (!live.has(ref) && isEarlier(ref, head)) dead.add(ref)
    })
    if (leftovers) for (const ref of await unlisted(head, live)) dead.add(ref)
    await concurrently([...dead], blobs.remove)
    await forgetGarbage(new Set(listed))
    return { values: dead.size }
  }

  /** Values of earlier generations that nothing refers to. */
  async function unlisted(head: Head, live: ReadonlySet<Ref>): Promise<Ref[]> {
    return (await blobs.list()).filter((ref) => isEarlier(ref, head) && !live.has(ref))
  }

  /** Only now: after a crash the next collection finds the same garbage again. */
  async function forgetGarbage(done: ReadonlySet<string>): Promise<void> {
    for (;;) {
      const { garbage } = await tree.head()
      const pages: Ref[] = []
      const left: string[] = []
      const inPages = { ...garbage, tail: [] }
      for await (const one of newestFirst(inPages, blobs.get, (ref) => pages.push(ref)))
        if (!done.has(one)) left.push(one)
      const isDone = await tree.change(({ head, writer, set, discard }) => {
        if (head.garbage.page !== garbage.page) return false
        const items = [...[...left].reverse(), ...head.garbage.tail.filter((one) => !done.has(one))]
        for (const page of pages) discard(page, 0)
        set({ garbage: listOf(items, writer), garbageBytes: 0, garbageCount: items.length })
        return true
      })
      if (isDone) return
    }
  }
}

/** Others may still write under names of the present generation. */
function isEarlier(ref: Ref, { generation }: Head): boolean {
  return Number(ref.slice(0, ref.indexOf(':'))) < generation
}
