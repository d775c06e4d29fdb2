import * as z from 'zod'
import { isFsError } from '../errors.js'
import { isWithin } from '../fs/path.js'
import { escapeGlob, splitAbsolute } from '../search/patterns/absolute-glob.js'
import type { Workspace } from '../workspace/workspace.js'
import { operation } from './operation.js'
import { selection, walkSelected } from './shared/selection.js'

export interface GatheredFile {
  /** The path it was found at. */
  path: string
  /** The same with links followed. */
  real: string
}

export interface GatheredFiles {
  /** Sorted by path, in code-unit order, without repetitions. */
  files: GatheredFile[]
  /** What leads outside the workspace and was not read: links, and patterns as given. */
  outside: string[]
}

/**
 * Finds files by glob pattern: below a directory and, for patterns that start with a slash, anywhere in the workspace. Links to files are
 * followed, links to directories are not.
 */
export const gatherFiles = operation({
  mutates: false,
  input: z.object({ path: z.string().exactOptional(), ...selection }),

  async run(input, workspace, context): Promise<GatheredFiles> {
    const { fs, root } = workspace
    const path = await fs.locate(input.path === undefined ? root : fs.resolve(input.path, root))
    const files = new Map<string, GatheredFile>()
    const outside: string[] = []
    const include = input.include.map(fs.pattern)
    const relative = include.filter((pattern) => !pattern.startsWith('/'))
    if (include.length === 0 || relative.length > 0) await gather(path, relative)
    for (const pattern of include.filter((given) => given.startsWith('/'))) {
      const { places, leadsOut } = await placesOf(pattern, workspace)
      if (leadsOut) outside.push(pattern)
      for (const place of places) await gather(place.directory, [place.pattern]).catch(unlessMissing)
    }
    return { files: [...files.values()].sort(byPath), outside }

    async function gather(directory: string, include: string[]): Promise<void> {
      const isOwn = isWithin(path, directory)
      // Outside the directory, a relative pattern matches nothing.
      const exclude = isOwn
        ? input.exclude
        : input.exclude.map(fs.pattern).filter((pattern) => /^\/|^[^/]*[*?[{][^/]*$/.test(pattern))
      const options = { ...context, alsoReport: { others: true }, ...(isOwn && { patternBase: path }) }
      const walk = await walkSelected(workspace, directory, { ...input, include, exclude }, options)
      for (let batch = await walk.next(); batch !== undefined; batch = await walk.next()) {
        for (const { path: at, kind } of batch) {
          if (kind === 'file') files.set(at, { path: at, real: at })
          else if (kind === 'symlink') await follow(at)
        }
      }
    }

    async function follow(at: string): Promise<void> {
      try {
        const real = await fs.realPath(at)
        if ((await fs.stat(real)).kind === 'file') files.set(at, { path: at, real })
      } catch (error) {
        if (isFsError(error, 'OUTSIDE')) outside.push(at)
        else if (!isFsError(error, 'LINK_LOOP', 'DENIED')) unlessMissing(error)
      }
    }
  },
})

/** The directories of the workspace in which an absolute pattern may match. */
async function placesOf(
  pattern: string,
  { fs }: Workspace,
): Promise<{ places: Array<{ directory: string; pattern: string }>; leadsOut: boolean }> {
  const { directory, rest } = splitAbsolute(pattern)
  try {
    const real = await fs.locate(fs.resolve(directory))
    return { places: [{ directory: real, pattern: `${escapeGlob(real)}/${rest}` }], leadsOut: false }
  } catch (error) {
    if (!isFsError(error, 'OUTSIDE')) throw error
    const below = fs.roots.filter((root) => isWithin(directory, root.path))
    return { places: below.map((root) => ({ directory: root.path, pattern })), leadsOut: true }
  }
}

function unlessMissing(error: unknown): void {
  if (!isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) throw error
}

function byPath(a: GatheredFile, b: GatheredFile): number {
  return a.path < b.path ? -1 : 1
}
