/**
 * How a name in a directory is held by one process at a time, and freed when that process is gone.
 *
 * A process claims a name by giving it to a socket that already listens; that fails while the name is taken. The kernel closes the socket
 * when the process ends. So a process that finds the name taken connects to its socket: while someone listens, the holder lives; a socket
 * without a listener is dead for good. A dead name is taken over through a second name, made of the first and the dead socket's number:
 * only the process that has claimed the second name may rename it over the dead one. If that process dies too, the second name is taken
 * over in the same way.
 */

/** What the protocol needs of a directory. Each call is atomic; between two calls, other processes may act, and any may die. */
export interface LockNames {
  /** Gives the name to a listening socket of ours; false if the name is taken. */
  claim(name: string): boolean | Promise<boolean>
  /** The entry that has the name now. Its number is not reused until it is closed. */
  find(name: string): Found | undefined | Promise<Found | undefined>
  /** True while the name belongs to the same socket. */
  isStill(name: string, found: Found): boolean | Promise<boolean>
  /** Renames a name of ours over another; false if ours was removed. */
  rename(own: string, name: string): boolean | Promise<boolean>
  /** Removes the name if it is ours. */
  release(name: string): void | Promise<void>
  /** Removes every name that was made from this one. */
  clean(name: string): void | Promise<void>
}

export interface Found {
  /** Unique in the directory, such as an inode number. */
  readonly number: string
  /** False for an entry that is not a lock. */
  readonly isSocket: boolean
  /** `dead` if nobody listens; otherwise waits until another attempt may succeed. */
  ask(): Promise<'dead' | 'try again'>
  close(): void
}

export interface Patience {
  /** Called before each new attempt; throws to give up. */
  goOn(): void
}

/** The name is taken by an entry that can't be removed, or that is not a lock. */
export class NameInTheWay extends Error {
  constructor(
    readonly lockName: string,
    options?: { cause?: unknown },
  ) {
    super(`in the way: ${lockName}`, options)
  }
}

/** How many takeovers in a row may have been interrupted; more is taken for a fault. */
const maxDepth = 16

/** Waits until the name is ours. */
export async function take(names: LockNames, name: string, patience: Patience): Promise<void> {
  while (!(await names.claim(name))) {
    // While the name is held, names left by other takeovers are of no use.
    if (await pass(names, { base: name, name, depth: 0 })) return names.clean(name)
    patience.goOn()
  }
}

interface Passing {
  /** The name of the lock itself. */
  base: string
  /** The taken name: that of the lock, or of a takeover. */
  name: string
  depth: number
}

/** Waits for the holder of the name, or takes the name over from a dead one; true when it is ours. */
async function pass(names: LockNames, passing: Passing): Promise<boolean> {
  const found = await names.find(passing.name)
  if (found === undefined) return false
  try {
    if (!found.isSocket || passing.depth > maxDepth) throw new NameInTheWay(passing.name)
    return (await found.ask()) === 'dead' && (await takeOver(names, passing, found))
  } finally {
    found.close()
  }
}

async function takeOver(names: LockNames, { base, name, depth }: Passing, found: Found): Promise<boolean> {
  const right = `${base}-${found.number}`
  if (!(await names.claim(right)) && !(await pass(names, { base, name: right, depth: depth + 1 }))) return false
  try {
    // Only the owner of `right` may replace the socket with this number, so it can't change between the two calls.
    return (await names.isStill(name, found)) && (await names.rename(right, name))
  } finally {
    // After the rename this does nothing: the socket is ours under its new name.
    await names.release(right)
  }
}
