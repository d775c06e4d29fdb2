/** Names that no listing contains: staged files, which will be renamed into place, and locks. */

const pattern = /^\.polyfs-([0-9a-f]{24}\.tmp|lock(-[0-9a-f]+)?)$/

/** The lock of a directory whose entries are being changed. With a suffix: a temporary file used to take the lock. */
export const lockName = '.polyfs-lock'

export function stagedName(): string {
  return stagedNames()()
}

/** Returns a generator of names: the same random prefix, then a counter with a random start. */
export function stagedNames(): () => string {
  const start = `.polyfs-${hex(randomWord())}${hex(randomWord())}`
  let next = randomWord()
  return () => {
    next = (next + 1) >>> 0
    return `${start}${hex(next)}.tmp`
  }
}

/** Random words for the next names: to ask for many at once takes no longer than to ask for one. Each is used once. */
let words = new Uint32Array(0)
let used = 0

function randomWord(): number {
  if (used === words.length) {
    words = new Uint32Array(crypto.getRandomValues(new Uint8Array(384)).buffer)
    used = 0
  }
  used += 1
  return words[used - 1]!
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
