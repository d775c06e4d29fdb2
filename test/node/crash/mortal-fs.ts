/** `node:fs` that dies: from one operation on nothing is done any more, as when the process is killed. */
import fs from 'node:fs'

/** Everything the adapter calls. Closing is left out: the kernel does it for the dead. */
const reading = [
  'lstatSync',
  'statSync',
  'fstatSync',
  'readlinkSync',
  'readSync',
  'readdirSync',
  'readFileSync',
] as const
const writing = [
  'openSync',
  'writeSync',
  'ftruncateSync',
  'fsyncSync',
  'fchmodSync',
  'fchownSync',
  'chmodSync',
  'utimesSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'rmSync',
  'rmdirSync',
  'mkdirSync',
  'symlinkSync',
  'writeFileSync',
] as const

type Name = (typeof reading)[number] | (typeof writing)[number] | 'fsync' | 'read' | 'write'
type Call = (...args: never[]) => unknown

export interface MortalFs {
  /** Counts from 1; `Infinity` to live on. Starts counting anew. */
  dieAt(operation: number): void
  /** Stops counting and failing. Returns the operations since `dieAt`, those after death included. */
  revive(): Operation[]
  restore(): void
}

export interface Operation {
  name: string
  /** False for what only looks: dying there is dying at the next that does something. */
  mutates: boolean
}

/**
 * Must be called before the adapter is imported: it keeps some of these functions. Unless `die` is given, every operation
 * from then on fails.
 */
export function mortalFs({ die = () => {} }: { die?: () => void } = {}): MortalFs {
  const originals = new Map<Name, Call>()
  let operations: Operation[] = []
  let deathAt: number | undefined

  function replace(name: Name, mutates: (args: readonly unknown[]) => boolean, callback: boolean): void {
    const original = fs[name] as unknown as Call & ((...args: unknown[]) => unknown)
    originals.set(name, original)
    const mortal = (...args: unknown[]): unknown => {
      // A killed process loses nothing that was written, flushed or not; so that much time can be saved.
      const flushes = name === 'fsync' || name === 'fsyncSync'
      const perform = () =>
        flushes ? callback && setImmediate(args.at(-1) as (error: null) => void, null) : original(...args)
      if (deathAt === undefined) return perform()
      operations.push({ name, mutates: mutates(args) })
      const dead = operations.length >= deathAt
      const last = args.at(-1) as (error: Error | null) => void
      if (dead) {
        // Whoever dies while writing may have written a part.
        if (name === 'writeSync' && operations.length === deathAt) halfOf(original, args)
        die()
        const error = Object.assign(new Error('the process is dead'), { code: 'DEAD' })
        if (!callback) throw error
        return void setImmediate(last, error)
      }
      return perform()
    }
    // What `promisify` goes by.
    Object.defineProperties(mortal, Object.getOwnPropertyDescriptors(original))
    Object.assign(fs, { [name]: mortal })
  }

  for (const name of reading) replace(name, () => false, false)
  for (const name of writing) {
    replace(name, name === 'openSync' ? creates : (args) => !name.startsWith('fsync') && !args.some(isLock), false)
  }
  replace('fsync', () => false, true)
  replace('read', () => false, true)
  replace('write', () => true, true)

  return {
    dieAt(operation) {
      operations = []
      deathAt = operation
    },
    revive() {
      deathAt = undefined
      return operations
    },
    restore() {
      for (const [name, original] of originals) Object.assign(fs, { [name]: original })
    },
  }
}

/** Where a process dies in taking a lock has tests of its own. */
function isLock(given: unknown): boolean {
  return typeof given === 'string' && /[/-]lock(-[0-9a-f]+)?$/.test(given)
}

function creates([, flags]: readonly unknown[]): boolean {
  return typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0
}

function halfOf(write: Call & ((...args: unknown[]) => unknown), [descriptor, data, offset, length]: unknown[]): void {
  write(descriptor, data, offset, Number(length) >> 1)
}
