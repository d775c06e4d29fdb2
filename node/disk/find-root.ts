import { isWithin, relative } from '../../src/fs/path.js'

/** A path in one of several roots. */
export interface PlaceInRoot {
  /** The index of the root, in the order given. */
  root: number
  /** The absolute path within the root. */
  inner: string
}

/** Returns a function that finds the innermost of the roots mounted at these points that contains a path; undefined if none does. */
export function rootFinder(points: readonly string[]): (path: string) => PlaceInRoot | undefined {
  const innermost = points.map((point, root) => ({ point, root })).sort((a, b) => b.point.length - a.point.length)
  return (path) => {
    const found = innermost.find(({ point }) => isWithin(point, path))
    return found && { root: found.root, inner: `/${relative(found.point, path)}` }
  }
}
