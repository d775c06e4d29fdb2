/** Where a repository has blobs, and at which paths, for rules that limit reading. */
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { basename, dirname, join } from '../fs/path.js'
import { yieldBetweenSteps } from '../fs/yield-between-steps.js'
import type { GitCache } from './cache.js'
import type { GitDirectories } from './git-directory.js'
import { limits, tooLarge } from './limits.js'
import { parseCommit, parseTag } from './objects/commit-object.js'
import { openObjectStore } from './objects/object-store.js'
import { type ReadableBlobs, readableBlobs } from './objects/readable-blobs.js'
import { parseTree } from './objects/tree.js'
import type { StagedFiles } from './staged-files.js'
import { type IndexEntry, parseIndex } from './work-tree/index-file.js'

export interface RepositoryToCheck extends GitDirectories {
  fs: ConfinedFileSystem
  root: string
  staged: StagedFiles
  cache: GitCache
  isPartial: boolean
  checkAborted: () => void
}

/** Undefined where no rule limits reading. */
export function readableInRepository(repository: RepositoryToCheck): ReadableBlobs | undefined {
  const { fs, root, staged, cache, gitDirectory, commonDirectory, isPartial, checkAborted } = repository
  if (!fs.limitsReading) return undefined
  const directory = join(commonDirectory, 'objects')
  const store = openObjectStore(staged, { directory, cache: cache.packs, isPartial })
  const turn = yieldBetweenSteps(checkAborted)
  cache.seenBlobs ??= { commits: new Set(), trees: new Set(), allowed: new Set(), denied: new Map() }

  async function readText(path: string): Promise<string> {
    const { size = 0 } = (await staged.stat(path)) ?? {}
    if (size > limits.packedRefsBytes) throw tooLarge(path, limits.packedRefsBytes)
    return new TextDecoder('latin1').decode(await staged.reader(path)())
  }

  /** Whatever names an object in some file of the repository: refs, their logs, what is in progress. */
  async function namedIn(at: string, found: Set<string>): Promise<void> {
    checkAborted()
    for (const name of await staged.list(at)) {
      const path = join(at, name)
      const kind = (await staged.stat(path))?.kind
      if (kind === 'directory' && path !== directory && name !== 'hooks') await namedIn(path, found)
      if (kind !== 'file' || name === 'index') continue
      for (const [oid] of (await readText(path)).matchAll(/\b[0-9a-f]{40}\b/g)) found.add(oid)
      if (found.size > maxTips) throw tooLarge('the refs and logs that rules are checked in', maxTips, 'objects')
    }
  }

  async function linkedNames(): Promise<string[]> {
    return staged.list(join(commonDirectory, 'worktrees'))
  }

  return readableBlobs({
    fs,
    seen: cache.seenBlobs,
    turn,

    async readRoots() {
      const places = await Promise.all(
        (await linkedNames()).map((name) =>
          readText(join(commonDirectory, `worktrees/${name}/gitdir`)).catch(() => ''),
        ),
      )
      const linked = places.map((text) => text.trim()).filter((path) => path.startsWith('/'))
      // What is in no working tree is read as if it were checked out in a root.
      const main = basename(commonDirectory) === '.git' ? [dirname(commonDirectory)] : fs.roots.map(({ path }) => path)
      return [...new Set([root, ...main, ...linked.map(dirname)])]
    },

    async readTips() {
      const found = new Set<string>()
      await namedIn(commonDirectory, found)
      if (gitDirectory !== commonDirectory) await namedIn(gitDirectory, found)
      return found
    },

    async readStaged() {
      const linked = (await linkedNames()).map((name) => join(commonDirectory, `worktrees/${name}`))
      const entries: IndexEntry[] = []
      for (const place of new Set([gitDirectory, commonDirectory, ...linked])) {
        const path = join(place, 'index')
        const stat = await staged.stat(path)
        if (stat?.kind !== 'file') continue
        if ((stat.size ?? 0) > limits.indexBytes) throw tooLarge('.git/index', limits.indexBytes)
        for (const entry of await parseIndex(await staged.reader(path)())) entries.push(entry)
      }
      return entries
    },

    async readTree(oid) {
      return cache.trees.get(oid) ?? parseTree((await store.read(oid)).bytes, oid, turn)
    },

    async readCommit(given) {
      for (let oid = given, tags = 0; tags < maxTags; tags += 1) {
        // A shallow or partial clone lacks some, and a log may name what is gone.
        const type = (await store.find(oid))?.type
        if (type !== 'commit' && type !== 'tag') return undefined
        const { bytes } = await store.read(oid)
        if (type === 'commit') return parseCommit(bytes, oid)
        oid = parseTag(bytes, oid)
      }
      return undefined
    },
  })
}

const maxTips = 1_000_000
const maxTags = 50
