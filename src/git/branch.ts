import { FsError } from '../errors.js'
import { branchCommit, checkBranchName, readHead, resolveRef, resolveRevision } from './refs.js'
import type { Repository } from './repository.js'
import { countApart } from './status.js'

export interface Branch {
  name: string
  /** Absent for one that has no commit yet. */
  oid?: string
  current: boolean
  /** Of a remote, such as `origin/main`. */
  remote: boolean
}

/** Local branches, then those of remotes when asked for; by name. */
export async function listBranches(
  repository: Repository,
  { remotes = false }: { remotes?: boolean } = {},
): Promise<Branch[]> {
  const { git, staged, gitDirectory } = repository
  const common = { fs: staged.client, gitdir: gitDirectory }
  const head = await readHead(repository)
  const branches: Branch[] = []
  for (const name of (await git.listBranches(common)).sort()) {
    const oid = await branchCommit(repository, name)
    branches.push({ name, current: name === head.branch, remote: false, ...(oid !== undefined && { oid }) })
  }
  if (head.branch !== undefined && head.oid === undefined) {
    branches.unshift({ name: head.branch, current: true, remote: false })
  }
  for (const remote of remotes ? await git.listRemotes(common) : []) {
    for (const name of (await git.listBranches({ ...common, remote: remote.remote })).sort()) {
      const oid = await resolveRef(repository, `refs/remotes/${remote.remote}/${name}`)
      const full = `${remote.remote}/${name}`
      branches.push({ name: full, current: false, remote: true, ...(oid !== undefined && { oid }) })
    }
  }
  return branches
}

/** Makes a branch at a revision, and does not check it out. */
export async function createBranch(
  repository: Repository,
  { name, at = 'HEAD', force = false }: { name: string; at?: string; force?: boolean },
): Promise<Branch> {
  checkBranchName(name)
  const [oid, head] = [await resolveRevision(repository, at), await readHead(repository)]
  if ((await branchCommit(repository, name)) !== undefined) {
    if (!force) throw new FsError('GIT_REFUSED', { reason: 'branch-exists', subject: name })
    if (head.branch === name) throw new FsError('GIT_REFUSED', { reason: 'current-branch', subject: name })
  }
  await writeBranch(repository, name, oid)
  return { name, oid, current: false, remote: false }
}

/** Deletes a branch whose commits are in the one that is checked out, or any with `force`. */
export async function deleteBranch(
  repository: Repository,
  { name, force = false }: { name: string; force?: boolean },
): Promise<Branch> {
  checkBranchName(name)
  const [oid, head] = [await branchCommit(repository, name), await readHead(repository)]
  if (oid === undefined) throw new FsError('GIT_REFUSED', { reason: 'unknown-branch', subject: name })
  if (head.branch === name) throw new FsError('GIT_REFUSED', { reason: 'current-branch', subject: name })
  if (!force && !(await isMerged(repository, oid, head.oid))) {
    throw new FsError('GIT_REFUSED', { reason: 'not-merged', subject: name })
  }
  const { git, staged, gitDirectory } = repository
  await git.deleteBranch({ fs: staged.client, gitdir: gitDirectory, ref: name })
  return { name, oid, current: false, remote: false }
}

export async function renameBranch(
  repository: Repository,
  { name, to }: { name: string; to: string },
): Promise<Branch> {
  checkBranchName(name)
  checkBranchName(to)
  const [oid, head] = [await branchCommit(repository, name), await readHead(repository)]
  const isCurrent = head.branch === name
  if (oid === undefined && !isCurrent) throw new FsError('GIT_REFUSED', { reason: 'unknown-branch', subject: name })
  if ((await branchCommit(repository, to)) !== undefined) {
    throw new FsError('GIT_REFUSED', { reason: 'branch-exists', subject: to })
  }
  const { git, staged, gitDirectory } = repository
  const common = { fs: staged.client, gitdir: gitDirectory }
  if (oid !== undefined) {
    // First away, so that `a` can become `a/b`.
    await git.deleteRef({ ...common, ref: `refs/heads/${name}` })
    await writeBranch(repository, to, oid)
  }
  if (isCurrent) await pointHead(repository, to)
  return { name: to, current: isCurrent, remote: false, ...(oid !== undefined && { oid }) }
}

/** Makes a branch the one that is checked out. */
export async function pointHead({ git, staged, gitDirectory }: Repository, branch: string): Promise<void> {
  const value = `refs/heads/${branch}`
  await git.writeRef({ fs: staged.client, gitdir: gitDirectory, ref: 'HEAD', value, symbolic: true, force: true })
}

export async function writeBranch({ git, staged, gitDirectory }: Repository, name: string, oid: string): Promise<void> {
  const ref = `refs/heads/${name}`
  await git.writeRef({ fs: staged.client, gitdir: gitDirectory, ref, value: oid, force: true })
}

async function isMerged(repository: Repository, oid: string, head: string | undefined): Promise<boolean> {
  if (head === undefined) return false
  return (await countApart(repository, head, oid))?.behind === 0
}
