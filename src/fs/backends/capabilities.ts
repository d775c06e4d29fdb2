import type { Capabilities } from '../types.js'

/** What every tree in memory can do. */
export const capabilitiesInMemory: Capabilities = {
  symlinks: true,
  atomicRename: true,
  modeBits: true,
  modified: 'write',
  watch: true,
  caseSensitive: true,
  writable: true,
  sync: true,
}

/** The capabilities of a tree made of several: the weakest value of each. */
export function weakest(parts: readonly Capabilities[]): Capabilities {
  const all = (
    flag: { [Flag in keyof Capabilities]: Capabilities[Flag] extends boolean ? Flag : never }[keyof Capabilities],
  ) => parts.every((part) => part[flag])
  const levels = ['none', 'read', 'write'] as const
  const modified = levels.find((level) => parts.some((part) => part.modified === level)) ?? 'write'
  return {
    symlinks: all('symlinks'),
    atomicRename: all('atomicRename'),
    modeBits: all('modeBits'),
    modified,
    watch: all('watch'),
    caseSensitive: all('caseSensitive'),
    writable: all('writable'),
    sync: all('sync'),
  }
}
