import { isWithin } from '../path.js'
import type { Kind, Tree } from '../types.js'

export type LinkFollower = ReturnType<typeof linkFollower>

/** Records the real paths that a walk has entered, so that it ends even if links form a loop. */
export function linkFollower(fs: Pick<Tree, 'stat'>, directory: string, realPath: (path: string) => Promise<string>) {
  const visited = new Set<string>()
  let start: string | undefined

  return {
    async mayEnter(path: string, kind: Kind): Promise<boolean> {
      start ??= await realPath(directory)
      const real = await realPath(path)
      if (kind === 'symlink' && isWithin(start, real)) return false
      if (visited.has(real) || real === start) return false
      if (kind === 'symlink' && (await fs.stat(real)).kind !== 'directory') return false
      visited.add(real)
      return true
    },
  }
}
