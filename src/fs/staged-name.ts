/** Names of files that are being written and will be renamed into place. No listing shows them. */

const pattern = /^\.polyfs-[0-9a-f]{24}\.tmp$/

export function stagedName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `.polyfs-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}.tmp`
}

export function isStagedName(name: string): boolean {
  return name.startsWith('.polyfs-') && pattern.test(name)
}
