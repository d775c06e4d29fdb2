/**
 * The layers that trees are made of. A stack of them shows one tree: at the bottom everything it had once, above that what has changed
 * since. No layer is changed once a mount can show it, so that forks share all that they have in common.
 */
import fs from 'node:fs'
import type { ConfinedFileSystem } from '../../../src/fs/gate/confine.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { areComparable, type Differences, type KnownTree, lookAtTree } from './known-tree.js'
import type { LayerPlace } from './layer-place.js'
import { type Written, writeLayer } from './write-layer.js'

export interface Layer {
  /** Of its directory in the place of all layers. */
  readonly name: string
  readonly unread: readonly string[]
  readonly leftOut: readonly string[]
}

export interface Stack {
  /** The uppermost first. */
  readonly layers: readonly Layer[]
  /** What they show, but for the stale paths. */
  readonly tree: KnownTree
  /** Paths at which they show something else. */
  readonly stale: readonly string[]
  /** The lowest layer and what it shows. */
  readonly base: { readonly layer: Layer; readonly tree: KnownTree }
}

export interface LayerStore {
  /** Layers that show the tree as it is now, as many as possible of those that show an earlier one. The caller holds them until `drop`. */
  stackFor(workspace: Workspace, before: Stack | undefined): Promise<Stack>
  /** Makes the upper layer of a command a layer of its own. Held once more. */
  adopt(directory: string): Layer
  hold(layers: readonly Layer[]): void
  drop(layers: readonly Layer[]): void
}

/** The kernel takes up to 500; a directory is searched in each. */
const maxLayers = 16
/** How many trees stay written that no shell shows at the moment. */
const maxBases = 4

export function layerStore(place: LayerPlace): LayerStore {
  const holders = new Map<Layer, number>()
  /** By what trees share, then by the roots that are shown of them. */
  const bases = new Map<object, Map<string, Promise<Stack>>>()

  function hold(layers: readonly Layer[]): void {
    for (const layer of layers) holders.set(layer, (holders.get(layer) ?? 0) + 1)
  }

  function drop(layers: readonly Layer[]): void {
    for (const layer of layers) {
      const left = (holders.get(layer) ?? 0) - 1
      holders.set(layer, left)
      if (left > 0) continue
      holders.delete(layer)
      place.remove(layer.name)
    }
  }

  async function write(tree: KnownTree, differences: Differences): Promise<Layer> {
    const name = place.newName('l')
    const directory = place.path(name)
    fs.mkdirSync(directory, { mode: 0o700 })
    try {
      const written: Written = await writeLayer({ directory, tree, ...differences, hide: place.hide })
      return { name, ...written }
    } catch (error) {
      place.remove(name)
      throw error
    }
  }

  async function writeBase(tree: KnownTree): Promise<Stack> {
    const layer = await write(tree, { gone: [], there: [...tree.paths()] })
    return { layers: [layer], tree, stale: [], base: { layer, tree } }
  }

  /** Those who open many copies of one tree at once wait for the same base. */
  async function baseOf(tree: KnownTree, { roots }: ConfinedFileSystem): Promise<Stack> {
    const key = JSON.stringify(roots.map(({ path }) => path))
    const family = bases.get(tree.family) ?? new Map<string, Promise<Stack>>()
    bases.delete(tree.family)
    bases.set(tree.family, family)
    const known = family.get(key)
    if (known !== undefined) return known
    const written = writeBase(tree)
    family.set(key, written)
    try {
      const stack = await written
      hold(stack.layers)
      forgetOldest()
      return stack
    } catch (error) {
      family.delete(key)
      throw error
    }
  }

  function forgetOldest(): void {
    for (const [family, stacks] of [...bases].slice(0, Math.max(0, bases.size - maxBases))) {
      bases.delete(family)
      // Later, as somebody may be about to hold it.
      for (const stack of stacks.values()) void stack.then(({ layers }) => setImmediate(drop, layers)).catch(() => {})
    }
  }

  return {
    hold,
    drop,

    adopt(directory) {
      const name = place.newName('l')
      fs.renameSync(directory, place.path(name))
      return { name, unread: [], leftOut: [] }
    },

    async stackFor(workspace, before) {
      // Whoever has them may let them go meanwhile.
      hold(before?.layers ?? [])
      try {
        return await stackAfter(workspace, before)
      } finally {
        drop(before?.layers ?? [])
      }
    },
  }

  async function stackAfter({ fs: gate, internals }: Workspace, before: Stack | undefined): Promise<Stack> {
    const tree = await lookAtTree({ fs: gate, internals })
    const start = before !== undefined && areComparable(before.tree, tree) ? before : await baseOf(tree, gate)
    const { base } = start
    const isHigh = start.layers.length >= maxLayers
    const below = isHigh ? [base.layer] : start.layers
    const differences = isHigh ? tree.since(base.tree) : withStale(tree.since(start.tree), start.stale, tree)
    hold(below)
    if (differences.gone.length === 0 && differences.there.length === 0) return { layers: below, tree, stale: [], base }
    try {
      const layer = await write(tree, differences)
      hold([layer])
      return { layers: [layer, ...below], tree, stale: [], base }
    } catch (error) {
      drop(below)
      throw error
    }
  }
}

function withStale({ gone, there }: Differences, stale: readonly string[], tree: KnownTree): Differences {
  if (stale.length === 0) return { gone, there }
  const isThere = (path: string) => tree.stat(path) !== undefined
  return {
    gone: [...new Set([...gone, ...stale.filter((path) => !isThere(path))])],
    there: [...new Set([...there, ...stale.filter(isThere)])],
  }
}
