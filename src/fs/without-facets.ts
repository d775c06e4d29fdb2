import type { FileSystem } from './types.js'

/** The same tree with neither `sync` nor `transactional`: for wrappers that spread it and replace some of its methods. */
export function withoutFacets(fs: FileSystem): FileSystem {
  const { sync: _, transactional: __, ...rest } = fs
  return rest
}
