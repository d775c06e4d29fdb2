/** What a process of Node holds when its garbage is collected, and whether that grows with every call. */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Arguments for `node`, which come before the program; the environment needs `POLYFS_HEAP_FILE`, the file for the answers. */
export const tellingHeap = ['--expose-gc', '--import', path.join(import.meta.dirname, 'tell-heap.mjs')]

/** The heap of a process that was started so, in bytes. */
export async function heapAfterCollection({ pid }, file) {
  fs.rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!fs.existsSync(file)) await setTimeout(5)
  return Number(fs.readFileSync(file, 'utf8'))
}

/** A server that keeps more for each call is a leak. A history on disk keeps nothing. */
export const mostBytesPerCall = 1000
/** What compiled code, caches and the collector itself move the heap by. */
const noiseBytes = 3_000_000

/** `samples` are of equal parts of a run: calls so far, and the heap. The first quarter is left out, in which caches fill. */
export function heapGrowth(samples) {
  const early = samples[Math.floor(samples.length / 4)]
  const late = samples.at(-1)
  const bytes = late.heapBytes - early.heapBytes
  const perCall = bytes / Math.max(1, late.calls - early.calls)
  return {
    early: early.heapBytes,
    late: late.heapBytes,
    perCall,
    isLeak: perCall > mostBytesPerCall && bytes > noiseBytes,
  }
}
