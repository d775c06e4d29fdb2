import type * as isomorphicGit from 'isomorphic-git'

export type IsomorphicGit = typeof isomorphicGit

/** Loaded on first use: most workspaces never need it. */
export function loadIsomorphicGit(): Promise<IsomorphicGit> {
  return import('isomorphic-git')
}
