/** Flushing a directory once for all who wait for it: changes that are made at the same time share a journal, and often a directory. */
import fs from 'node:fs'
import { promisify } from 'node:util'

interface Flushes {
  /** Under way: what was renamed since it began may not be covered. */
  running: Promise<void>
  /** Begins when that has ended, and covers all that was renamed before. */
  next?: Promise<void>
}

/** By what the kernel knows a directory by. */
const underWay = new Map<string, Flushes>()

const flush = promisify(fs.fsync)

/** Whatever was named in the directory before the call is durable when it returns. Closes the descriptor. */
export function flushDirectory(descriptor: number): Promise<void> {
  const { dev, ino } = fs.fstatSync(descriptor, { bigint: true })
  const key = `${dev}-${ino}`
  const flushes = underWay.get(key)
  if (flushes?.next !== undefined) {
    fs.closeSync(descriptor)
    return flushes.next
  }
  if (flushes === undefined) return begin(key, descriptor)
  flushes.next = flushes.running.then(
    () => begin(key, descriptor),
    () => begin(key, descriptor),
  )
  return flushes.next
}

function begin(key: string, descriptor: number): Promise<void> {
  const running = flush(descriptor).finally(() => {
    fs.closeSync(descriptor)
    const flushes = underWay.get(key)
    if (flushes?.running === running && flushes.next === undefined) underWay.delete(key)
  })
  underWay.set(key, { running })
  return running
}
