/** Names that are not part of a tree: files that are being written and will be renamed into place, and locks. No listing shows them. */

const pattern = /^\.polyfs-([0-9a-f]{24}\.tmp|lock(-[0-9a-f]+)?)$/

/** Of the lock in a directory whose entries someone changes. With a number behind it, what is needed to take it. */
export const lockName = '.polyfs-lock'

export function stagedName(): string {
  return stagedNames()()
}

/** Gives one name after another: all start with the same random bytes, and count on from others. */
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
  // Asked of every name of every listing.
  return name.charCodeAt(0) === 0x2e && name.startsWith('.polyfs-') && pattern.test(name)
}

export function isLockName(name: string): boolean {
  return name.startsWith(lockName) && pattern.test(name)
}
