import { FsError, isFsError } from '../errors.js'
import type { Workspace } from '../workspace/workspace.js'

/** Reports a missing root as such: every path in it is missing, too. */
export async function asRootGone(error: FsError, { fs, root }: Workspace): Promise<FsError> {
  // The gate looks for the nearest existing directory, which lies outside when the root itself is missing.
  if (!isFsError(error, 'NOT_FOUND', 'OUTSIDE')) return error
  const { path } = fs.roots.find((one) => isBelow(one.path, error.facts.path)) ?? { path: root }
  try {
    await fs.stat(path)
  } catch (fault) {
    if (isFsError(fault, 'NOT_FOUND')) return new FsError('ROOT_GONE', { path }, { cause: error })
  }
  return error
}

function isBelow(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? directory : `${directory}/`)
}
