import * as z from 'zod'
import { isFsError } from '../errors.js'
import { basename, join } from '../fs/path.js'
import type { Entry, Kind } from '../fs/types.js'
import { createIgnoreStack, type IgnoreLevel } from '../search/patterns/ignore-stack.js'
import { operation } from './operation.js'
import { ignoreInput, ignoreOptionsFor } from './shared/selection.js'

export interface TreeNode {
  name: string
  kind: Kind
  /** Set where the directory was listed; sorted by name, in code-unit order. */
  children?: TreeNode[]
  /** How many entries were left out because of `maxEntries`. */
  omitted?: number
  /** Why a directory was not listed at all. */
  unlisted?: 'depth' | 'room' | 'unreadable'
}

export interface DirectoryTree {
  path: string
  tree: TreeNode
  /** Entries in the tree, without the directory it starts at. */
  entries: number
  /** Something was left out because of `maxEntries`. */
  truncated: boolean
}

interface Pending {
  node: TreeNode
  path: string
  /** The ignore rules of the parent directory; absent at the start, or when there are none. */
  above?: IgnoreLevel | undefined
}

/**
 * Lists a directory and everything below it, level by level. Where the tree is larger than `maxEntries`, upper levels are complete before
 * lower ones, the directories of one level share the rest, and each reports what it left out.
 */
export const directoryTree = operation({
  mutates: false,
  input: z.object({
    path: z.string().optional(),
    /** 0: only the directory itself. Default: unlimited. */
    maxDepth: z.int().min(0).optional(),
    maxEntries: z.int().min(0).default(5000),
    hidden: z.boolean().default(true),
    /** Default: ignore files have no effect. */
    ignore: ignoreInput.optional(),
  }),

  async run({ maxDepth = Infinity, maxEntries, ...input }, workspace, { signal }): Promise<DirectoryTree> {
    const { fs, root } = workspace
    const path = input.path === undefined ? root : fs.resolve(input.path, root)
    const stack = input.ignore && createIgnoreStack(fs, await ignoreOptionsFor(workspace, path, input.ignore))
    const tree: TreeNode = { name: basename(path), kind: 'directory' }
    let room = maxEntries
    let truncated = false
    const start = await fs.readDir(path)

    let level: Pending[] = [{ node: tree, path }]
    for (let depth = 0; level.length > 0; depth += 1) {
      const next: Pending[] = []
      for (const [index, pending] of level.entries()) {
        signal?.throwIfAborted()
        if (depth >= maxDepth) pending.node.unlisted = 'depth'
        else if (room === 0) {
          pending.node.unlisted = 'room'
          truncated = true
        } else next.push(...(await list(pending, Math.ceil(room / (level.length - index)))))
      }
      level = next
    }
    return { path, tree, entries: maxEntries - room, truncated }

    /** Lists a directory up to its share, and returns its subdirectories. */
    async function list({ node, path: at, above }: Pending, share: number): Promise<Pending[]> {
      const entries = node === tree ? start : await listing(node, at)
      if (entries === undefined) return []
      const ignore = await (above ? above.enter(node.name, entries) : stack?.open(at, entries))
      const seen = entries
        .filter(
          ({ name, kind }) => (input.hidden || !name.startsWith('.')) && !ignore?.ignores(name, kind === 'directory'),
        )
        .sort((a, b) => (a.name < b.name ? -1 : 1))
      node.children = seen.slice(0, share).map(({ name, kind }) => ({ name, kind }))
      room -= node.children.length
      if (seen.length > share) {
        node.omitted = seen.length - share
        truncated = true
      }
      return node.children
        .filter(({ kind }) => kind === 'directory')
        .map((child) => ({ node: child, path: join(at, child.name), above: ignore }))
    }

    async function listing(node: TreeNode, at: string): Promise<Entry[] | undefined> {
      try {
        return await fs.readDir(at)
      } catch (error) {
        if (!isFsError(error)) throw error
        node.unlisted = 'unreadable'
        return undefined
      }
    }
  },
})
