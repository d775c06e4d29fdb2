/** Merges sorted sources of lines. */

import type { LineBatch } from './byte-lines.js'
import type { Entry, LineOrder } from './order.js'

/** Reads one source line by line. */
class Source {
  current: Entry | undefined
  #batch: readonly string[] = []
  #at = 0

  constructor(
    readonly index: number,
    private readonly batches: AsyncIterator<LineBatch>,
    private readonly order: LineOrder,
  ) {}

  /** A promise only when more has to be read. */
  advance(): Promise<void> | undefined {
    const line = this.#batch[this.#at]
    if (line === undefined) return this.#fill()
    this.#at += 1
    this.current = this.order.entry(line)
    return undefined
  }

  async #fill(): Promise<void> {
    const { value, done } = await this.batches.next()
    if (done) {
      this.current = undefined
      return
    }
    this.#batch = value.lines
    this.#at = 0
    await this.advance()
  }
}

/** Of equal lines, those of earlier sources come first. */
export async function mergeSources(
  sources: ReadonlyArray<AsyncIterator<LineBatch>>,
  order: LineOrder,
  emit: (entry: Entry) => Promise<void> | undefined,
): Promise<void> {
  const heap: Source[] = []
  const isBefore = (one: Source, other: Source) => {
    const difference = order.compare(one.current as Entry, other.current as Entry)
    return difference !== 0 ? difference < 0 : one.index < other.index
  }
  for (const [index, batches] of sources.entries()) {
    const source = new Source(index, batches, order)
    await source.advance()
    if (source.current !== undefined) heap.push(source)
  }
  for (let at = (heap.length >> 1) - 1; at >= 0; at -= 1) sink(heap, at, isBefore)
  while (heap.length > 0) {
    const first = heap[0] as Source
    const waiting = emit(first.current as Entry)
    if (waiting !== undefined) await waiting
    const reading = first.advance()
    if (reading !== undefined) await reading
    if (first.current === undefined) {
      const last = heap.pop() as Source
      if (heap.length === 0) return
      heap[0] = last
    }
    sink(heap, 0, isBefore)
  }
}

function sink(heap: Source[], from: number, isBefore: (one: Source, other: Source) => boolean): void {
  let at = from
  for (;;) {
    let least = at
    for (const child of [2 * at + 1, 2 * at + 2]) {
      const candidate = heap[child]
      if (candidate !== undefined && isBefore(candidate, heap[least] as Source)) least = child
    }
    if (least === at) return
    const moved = heap[at] as Source
    heap[at] = heap[least] as Source
    heap[least] = moved
    at = least
  }
}
