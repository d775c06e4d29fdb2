import { isWithin, relative } from '../../src/fs/path.js'

/** A path in one of several roots. */
export interface PlaceInRoot {
  /** Which root, in the order given. */
  root: number
  /** The path from there, absolute. */
  inner: string
}

/** Tells which of the roots that are mounted at these points a path lies in, the innermost; undefined when in none. */
export function rootFinder(points: readonly string[]): (path: string) => PlaceInRoot | undefined {
  const innermost = points.map((point, root) => ({ point, root })).sort((a, b) => b.point.length - a.point.length)
  return (path) => {
    const found = innermost.find(({ point }) => isWithin(point, path))
    return found && { root: found.root, inner: `/${relative(found.point, path)}` }
  }
}
