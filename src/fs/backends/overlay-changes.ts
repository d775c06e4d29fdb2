/** The differences of an overlay from its lower tree. */
import { statIfThere } from '../if-there.js'
import { join } from '../path.js'
import type { FileSystem, Kind, Stat } from '../types.js'
import type { OverlayLayers } from './overlay-layers.js'
import type { OverlayLinks } from './overlay-links.js'

/** One difference from the lower tree. A rename is a deletion and an addition. */
export interface OverlayChange {
  path: string
  kind: Kind
  change: 'added' | 'modified' | 'deleted'
}

/** Compares both trees where they can differ: entries in `upper`, and entries that whiteouts hide. */
export async function overlayChanges(
  layers: OverlayLayers,
  links: OverlayLinks,
  { times = false, modeBits }: { times?: boolean | undefined; modeBits: boolean },
): Promise<OverlayChange[]> {
  const { lower, upper, whiteouts } = layers

  async function same(path: string, before: Stat, after: Stat): Promise<boolean> {
    if (before.kind !== after.kind || (modeBits && before.mode !== after.mode)) return false
    if (after.kind === 'symlink') {
      const [old, now] = [await links.describe(lower, path), await links.describe(upper, path)]
      return old.target === now.target && old.verbatim === now.verbatim
    }
    if (after.kind !== 'file') return true
    if (before.size !== after.size) return false
    const [old, now] = [await lower.readFile(path), await upper.readFile(path)]
    return old.every((byte, index) => byte === now[index])
  }

  const found: OverlayChange[] = []
  for await (const { path, stat } of entriesAt(upper, '/')) {
    if (path === '/') continue
    const before = await statIfThere(lower, path)
    const change = before === undefined ? 'added' : 'modified'
    const isTouched = times && stat.kind === 'file' && before?.modifiedMs !== stat.modifiedMs
    if (before !== undefined && !isTouched && (await same(path, before, stat))) continue
    found.push({ path, kind: stat.kind, change })
  }
  for (const whiteout of whiteouts) {
    for await (const { path, stat } of entriesAt(lower, whiteout)) {
      if ((await statIfThere(upper, path)) === undefined) found.push({ path, kind: stat.kind, change: 'deleted' })
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function* entriesAt(fs: FileSystem, start: string): AsyncGenerator<{ path: string; stat: Stat }> {
  const waiting = [start]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stat = await statIfThere(fs, path)
    if (stat === undefined) continue
    yield { path, stat }
    if (stat.kind === 'directory') for (const { name } of await fs.readDir(path)) waiting.push(join(path, name))
  }
}
