/** Copies files between a workspace and a container. */

import { contentHash } from '../../src/change/content-hash.js'
import type { Draft } from '../../src/change/draft.js'
import { FsError } from '../../src/errors.js'
import { join, relative, split } from '../../src/fs/path.js'
import type { Bytes, FileSystem } from '../../src/fs/types.js'
import { walk } from '../../src/fs/walk/walk.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { FileSystemTree, RunningContainer } from './api.js'

export interface CopyOptions {
  /** Names of directories, at any depth, that are not copied in either direction. Default: `node_modules` and `.git`. */
  leaveOut?: readonly string[]
}

export interface CopiedBack {
  /** Paths in the workspace. */
  written: string[]
  removed: string[]
}

const defaultLeaveOut = ['node_modules', '.git']

/** Implements `mount` and `copyBack` of a container. */
export function copies(client: Pick<RunningContainer, 'mount'>, fs: FileSystem) {
  let leftOut = new Set<string>(defaultLeaveOut)
  /** Hashes of files by path in the container, as of the last `mount` or `copyBack`. */
  let known = new Map<string, string>()

  async function filesIn(from: FileSystem, directory: string) {
    const files = new Map<string, Bytes>()
    const directories: string[] = []
    const enter = ({ name }: { name: string }) => !leftOut.has(name)
    for await (const { path, name, kind } of walk(from, directory, { enter })) {
      const at = join('/', relative(directory, path))
      if (kind === 'file') files.set(at, await from.readFile(path))
      else if (kind === 'directory' && !leftOut.has(name)) directories.push(at)
    }
    return { files, directories }
  }

  async function mount({ fs: from, root, ready }: Workspace, options: CopyOptions = {}): Promise<void> {
    await ready
    leftOut = new Set(options.leaveOut ?? defaultLeaveOut)
    const { files, directories } = await filesIn(from, root)
    known = await hashesOf(files)
    await client.mount(treeOf(files, directories))
  }

  async function copyBack({ root, changes }: Workspace): Promise<CopiedBack> {
    const { files } = await filesIn(fs, '/')
    const now = await hashesOf(files)
    const changed = [...now].filter(([path, hash]) => known.get(path) !== hash).map(([path]) => path)
    const gone = [...known.keys()].filter((path) => !now.has(path))
    const request = { label: 'webcontainer', scopes: [{ path: root, tree: true }] }
    await changes.run(request, async (draft, [target = root]) => {
      for (const path of changed) {
        const at = join(target, relative('/', path))
        const isThere = await requireOurs(draft, at, known.get(path), now.get(path))
        if (isThere) continue
        await draft.makeParents(at)
        await draft.write(at, files.get(path) ?? new Uint8Array())
      }
      for (const path of gone) {
        const at = join(target, relative('/', path))
        if (!(await requireOurs(draft, at, known.get(path), undefined))) await draft.remove(at)
      }
    })
    known = now
    const inWorkspace = (path: string) => join(root, relative('/', path))
    return { written: changed.map(inWorkspace), removed: gone.map(inWorkspace) }
  }

  return { mount, copyBack }
}

/** True when the file already has the new content; fails when someone else changed it. */
async function requireOurs(
  draft: Draft,
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<boolean> {
  const { image } = await draft.entry(path)
  if (image.kind !== 'file' && image.kind !== 'absent') throw new FsError('CONFLICT', { path })
  const hash = image.kind === 'file' ? image.hash : undefined
  if (hash === after) return true
  if (hash !== before) throw new FsError('CONFLICT', { path })
  return false
}

async function hashesOf(files: ReadonlyMap<string, Bytes>): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const [path, bytes] of files) hashes.set(path, await contentHash(bytes))
  return hashes
}

/** Without a prototype, because a file may be called `__proto__`. */
function treeOf(files: ReadonlyMap<string, Bytes>, directories: readonly string[]): FileSystemTree {
  const tree: FileSystemTree = Object.create(null)

  function inside(names: readonly string[]): FileSystemTree {
    let at = tree
    for (const name of names) {
      const node = at[name] ?? { directory: Object.create(null) }
      at[name] = node
      at = 'directory' in node ? node.directory : at
    }
    return at
  }

  for (const directory of directories) inside(split(directory))
  for (const [path, contents] of files) {
    const names = split(path)
    inside(names.slice(0, -1))[names.at(-1) as string] = { file: { contents } }
  }
  return tree
}
