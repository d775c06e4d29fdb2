import type { Capabilities } from '../types.js'

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
