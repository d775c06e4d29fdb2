/** Names of files that are being written and will be renamed into place. No listing shows them. */

const pattern = /^\.polyfs-[0-9a-f]{24}\.tmp$/

export function stagedName(): string {
  return stagedNames()()
}

/** Gives one name after another; many are quicker so. */
export function stagedNames(): () => string {
  let bytes = new Uint8Array(0)
  let used = 0
  let room = 1
  return () => {
    if (used === bytes.length) {
      bytes = crypto.getRandomValues(new Uint8Array(12 * room))
      used = 0
      room = 64
    }
    used += 12
    return `.polyfs-${Array.from(bytes.subarray(used - 12, used), (byte) => byte.toString(16).padStart(2, '0')).join('')}.tmp`
  }
}

export function isStagedName(name: string): boolean {
  return name.startsWith('.polyfs-') && pattern.test(name)
}
