/**
 * How a name in a directory is held by one process at a time, and freed when that process is gone.
 *
 * A name is claimed by giving it to a socket that listens already, which fails while the name is taken. The kernel closes the socket of a
 * process that ends, so whoever finds a name taken asks its socket: while someone listens the holder lives, and a socket that nobody
 * listens on never comes back. Such a dead name is taken over by means of a second name, made of the first and the dead socket's number.
 * Whoever has claimed that renames it over the dead one, and nobody else does; if that process dies as well, the second name is taken over in
 * the same way.
 */

/** What the protocol needs of a directory. Each is one step, between which any other process may act, and any may die. */
export interface LockNames {
  /** Gives the name to a socket of ours that listens; false when the name is taken. */
  claim(name: string): boolean | Promise<boolean>
  /** What has the name now, undefined when nothing has. Its number goes to nothing else until it is closed. */
  find(name: string): Found | undefined | Promise<Found | undefined>
  /** True while the name is that of the same socket. */
  isStill(name: string, found: Found): boolean | Promise<boolean>
  /** A name of ours takes the place of another, whatever has that; false when ours is gone. */
  rename(own: string, name: string): boolean | Promise<boolean>
  /** Removes the name if it is ours. */
  release(name: string): void | Promise<void>
  /** Removes every name that was made from this one. */
  clean(name: string): void | Promise<void>
}

export interface Found {
  /** Tells it from everything else that is in the directory at the same time. */
  readonly number: string
  /** False for what is no socket, and so no lock. */
  readonly isSocket: boolean
  /** `dead` when nobody listens; otherwise waits, and returns when it may be worth to try again. */
  ask(): Promise<'dead' | 'try again'>
  close(): void
}

export interface Patience {
  /** Asked before each new attempt; throws to give up. */
  goOn(): void
}

/** Something that can't be removed, or is not ours to remove, has the name. */
export class NameInTheWay extends Error {
  constructor(
    readonly lockName: string,
    options?: { cause?: unknown },
  ) {
    super(`in the way: ${lockName}`, options)
  }
}

/** More processes than these never died while each took over from the one before. */
const maxDepth = 16

/** Waits until the name is ours. */
export async function take(names: LockNames, name: string, patience: Patience): Promise<void> {
  while (!(await names.claim(name))) {
    // While the name is held, nobody has a use for what others may have left of taking it.
    if (await pass(names, { base: name, name, depth: 0 })) return names.clean(name)
    patience.goOn()
  }
}

interface Passing {
  /** The lock that is to be taken in the end. */
  base: string
  /** What is in the way: the lock, or the right to take it over. */
  name: string
  depth: number
}

/** Waits for whoever has the name, or takes it over when nobody does; true when it is ours. */
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
    // Nobody else may replace what has this number, so it can't become another between this step and the next.
    return (await names.isStill(name, found)) && (await names.rename(right, name))
  } finally {
    // What was renamed is ours under its new name.
    await names.release(right)
  }
}
