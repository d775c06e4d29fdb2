import type * as isomorphicGit from 'isomorphic-git'

export type IsomorphicGit = typeof isomorphicGit

/** Loaded by the first call that needs it: most workspaces never do. */
export function loadIsomorphicGit(): Promise<IsomorphicGit> {
  return import('isomorphic-git')
}
