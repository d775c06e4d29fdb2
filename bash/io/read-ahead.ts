/** The next piece of a large file is asked for while the last one is used, unless a change comes between. */
import type { Bytes, FileSystem } from '../../src/fs/types.js'

export interface ReadAhead {
  /** The piece that begins at an offset. */
  from(offset: number): Promise<Bytes>
  askFor(offset: number): void
  forget(): void
}

/** `revision` changes with every change of the files: what was read before is not used after it. */
export function readAhead(read: (offset: number) => Promise<Bytes>, revision: () => number): ReadAhead {
  let next: { offset: number; asOf: number; bytes: Promise<Bytes> } | undefined
  return {
    from(offset) {
      const known = next
      next = undefined
      if (known?.offset === offset && known.asOf === revision()) return known.bytes
      return read(offset)
    },
    askFor(offset) {
      const bytes = read(offset)
      // A failure is that of the read which needs it.
      bytes.catch(() => {})
      next = { offset, asOf: revision(), bytes }
    },
    forget() {
      next = undefined
    },
  }
}

const changes = ['writeFile', 'append', 'makeDir', 'remove', 'rename', 'symlink', 'setMode', 'setModified'] as const

/** The files, with a number that grows when a change begins and when it has ended. */
export function countingChanges<Files extends FileSystem & { append(path: string, data: Bytes): Promise<void> }>(
  files: Files,
): {
  files: Files
  /** Tells of a change that someone else makes. */
  changed(): void
  revision(): number
} {
  let count = 0
  const changed = () => {
    count += 1
  }
  const counting = { ...files }
  for (const name of changes) {
    const change = files[name] as ((...given: unknown[]) => Promise<void>) | undefined
    if (change === undefined) continue
    const counted = async (...given: unknown[]) => {
      changed()
      try {
        await change(...given)
      } finally {
        changed()
      }
    }
    Object.assign(counting, { [name]: counted })
  }
  return { files: counting, changed, revision: () => count }
}
