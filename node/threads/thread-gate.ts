/** The gate for threads, which have only the anchors of the roots: links resolve there as they do elsewhere. */
import { FsError } from '../../src/errors.js'
import { mount } from '../../src/fs/backends/mount.js'
import { type ConfinedFileSystem, confine, type Root } from '../../src/fs/gate/confine.js'
import type { Capabilities, FileSystem } from '../../src/fs/types.js'
import type { Anchor } from '../disk/anchor.js'
import { fromHostTarget, readTarget } from '../disk/host-link-target.js'
import { hostRules } from '../disk/host-path.js'
import { isCaseSensitive } from '../disk/open-root.js'
import { syncReads } from '../disk/sync-reads.js'

/** Read-only. The roots are mounted at `points`, in the same order; `hidden` is that of the main thread's gate. */
export function gateOver(
  anchors: readonly Anchor[],
  { points, hidden }: { points: readonly string[]; hidden: readonly string[] },
): ConfinedFileSystem {
  const disks = anchors.map((anchor, root) => [points[root] as string, diskBehind(anchor)] as const)
  return confine(mount(Object.fromEntries(disks)), {
    // A thread has at least the root that it walks in.
    roots: points.map((path): Root => ({ path, access: 'read-only' })) as [Root, ...Root[]],
    hidden,
    pathRules: hostRules(points),
  })
}

function diskBehind(anchor: Anchor): FileSystem {
  const { atSync, stat, readFile, readDir } = syncReads(anchor)
  return {
    capabilities: { ...capabilities, caseSensitive: isCaseSensitive(anchor.root) },
    sync: { stat, readFile, readDir },
    stat: async (virtual) => stat(virtual),
    readFile: async (virtual, range) => readFile(virtual, range),
    readDir: async (virtual) => readDir(virtual),
    readLink: async (virtual) =>
      atSync(virtual, ({ entry }) => fromHostTarget(virtual, anchor.root, readTarget(virtual, entry))),
    writeFile: refuse,
    makeDir: refuse,
    remove: refuse,
    rename: refuse,
    symlink: (_target, virtual) => refuse(virtual),
  }
}

const capabilities: Omit<Capabilities, 'caseSensitive'> = {
  symlinks: true,
  atomicRename: false,
  modeBits: false,
  modified: 'read',
  watch: false,
  writable: false,
  sync: false,
}

async function refuse(path: string): Promise<never> {
  throw new FsError('READ_ONLY', { path })
}
