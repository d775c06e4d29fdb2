/** Hides secrets in this process's environment from other processes. */
import fs from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Overwrites the variables this process was started with, where Linux shows them to every process of the same user
 * (`/proc/<pid>/environ`), except those that may be seen. `process.env` still has all of them. Does nothing on other systems, which
 * show none, nor in a worker, whose `process.env` is a copy; throws where the system refuses.
 */
export function hideEnvironment(mayBeSeen: (name: string) => boolean): void {
  if (process.platform !== 'linux' || !isMainThread) return
  const { start, length } = environmentBlock()
  const memory = fs.openSync('/proc/self/mem', 'r+')
  try {
    const block = Buffer.alloc(length)
    fs.readSync(memory, block, 0, length, start)
    const hidden = entriesOf(block).filter(({ name }) => !mayBeSeen(name))
    // Setting a variable copies it out of the block, so that `process.env` still has it after the block is overwritten.
    for (const { name } of hidden) {
      const value = process.env[name]
      if (value !== undefined) process.env[name] = value
    }
    for (const { at, size } of hidden) fs.writeSync(memory, Buffer.alloc(size), 0, size, start + at)
  } finally {
    fs.closeSync(memory)
  }
}

/** Fields 50 and 51 of `/proc/self/stat`, counted from 1; the second field, the program's name, may contain spaces. */
function environmentBlock(): { start: number; length: number } {
  const stat = fs.readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [start = 0, end = 0] = fields.slice(50 - 3, 52 - 3).map(Number)
  return { start, length: end - start }
}

interface Entry {
  name: string
  at: number
  size: number
}

function entriesOf(block: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(0, at)
    const size = (end < 0 ? block.length : end) - at
    if (size > 0) entries.push({ name: block.toString('utf8', at, at + size).split('=', 1)[0] ?? '', at, size })
    at += size + 1
  }
  return entries
}
