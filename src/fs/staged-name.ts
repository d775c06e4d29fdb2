/** Names that no listing contains: staged files, which will be renamed into place, and locks. */

const pattern = /^\.polyfs-([0-9a-f]{24}\.tmp|lock(-[0-9a-f]+)?)$/

/** The lock of a directory whose entries are being changed. With a suffix: a temporary file used to take the lock. */
export const lockName = '.polyfs-lock'

export function stagedName(): string {
  return stagedNames()()
}

/** Returns a generator of names: the same random prefix, then a counter with a random start. */
export function stagedNames(): () => string {
  const random = new Uint32Array(crypto.getRandomValues(new Uint8Array(12)).buffer)
  const start = `.polyfs-${hex(random[0]!)}${hex(random[1]!)}`
  let next = random[2]!
  return () => {
    next = (next + 1) >>> 0
    return `${start}${hex(next)}.tmp`
  }
}

function hex(unsigned: number): string {
  return unsigned.toString(16).padStart(8, '0')
}

export function isStagedName(name: string): boolean {
  // Called for every name of every listing.
  return name.charCodeAt(0) === 0x2e && name.startsWith('.polyfs-') && pattern.test(name)
}

export function isLockName(name: string): boolean {
  return name.startsWith(lockName) && pattern.test(name)
}
