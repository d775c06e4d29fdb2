/** Flushes a directory once for all concurrent callers: concurrent changes share a journal, and often a directory. */
import fs from 'node:fs'
import { promisify } from 'node:util'

interface Flushes {
  /** The flush in progress; it may not cover renames made since its start. */
  running: Promise<void>
  /** Starts when `running` has ended, and covers all renames made before that. */
  next?: Promise<void>
}

/** By device and inode. */
const underWay = new Map<string, Flushes>()

const flush = promisify(fs.fsync)

/** Resolves when all names that were in the directory before the call are durable. Closes the descriptor. */
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
