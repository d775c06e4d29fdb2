/** One run at a time in a directory, over all processes of the machine. */
import { lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { isFsError } from '../../../src/errors.js'
import { fileLock } from '../../locks/file-lock.js'
import { RunDirectoryError } from './run-directory-error.js'
import { writeWhole } from './write-whole.js'

/** Names that the lock and its takeovers have begin with it. */
export const lockName = '.lock'

/** Who holds the lock. Left behind by a process that was killed; the next one replaces it. */
export const holderName = 'running.json'

/**
 * Runs `run` while nobody else runs anything in the directory, which is made if it is missing. Fails at once with who does. The lock ends with
 * its process, however that ends.
 */
export async function holdingRun<Result>(directory: string, run: () => Promise<Result>): Promise<Result> {
  mkdirSync(directory, { recursive: true })
  // The one attempt that is made takes a second where the holder is alive.
  const lock = fileLock(path.join(directory, lockName), { maxWaitMs: 0 })
  const holder = path.join(directory, holderName)
  let isHeld = false
  try {
    return await lock.hold([{ path: directory }], async () => {
      isHeld = true
      await writeWhole(holder, `${JSON.stringify({ pid: process.pid, since: new Date().toISOString() })}\n`)
      try {
        return await run()
      } finally {
        rmSync(holder, { force: true })
      }
    })
  } catch (error) {
    if (isHeld || !isFsError(error, 'BUSY')) throw error
    const inTheWay = error.facts.lock
    throw new RunDirectoryError(
      inTheWay === undefined
        ? `${directory} is in use by another run${nameOf(holder)}; wait until it has ended, or name another directory with --out`
        : `${directory} can't be locked: remove ${inTheWay}, or name another directory with --out`,
    )
  }
}

/** Empty where it is not known. */
function nameOf(holder: string): string {
  try {
    // Who made the directory may have put a FIFO there.
    if (!lstatSync(holder).isFile()) return ''
    const { pid, since }: { pid?: unknown; since?: unknown } = JSON.parse(readFileSync(holder, 'utf8'))
    return typeof pid === 'number' && typeof since === 'string' ? `, process ${pid}, since ${since}` : ''
  } catch {
    return ''
  }
}
