import { FsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import { withBranchRenamed, withoutBranch } from '../config-sections.js'
import { mergeBases } from '../refs/merge-base.js'
import { branchCommit, checkBranchName, readHead, resolveRevision } from '../refs/refs.js'
import type { Repository } from '../repository.js'
import { followRename, refuseCheckedOutElsewhere } from '../work-tree/linked-worktrees.js'

export interface Branch {
  name: string
  /** Absent for a branch without commits. */
  oid?: string
  current: boolean
  /** True for a remote branch, such as `origin/main`. */
  remote: boolean
}

/** Local branches, then remote ones if requested; by name. */
export async function listBranches(
  repository: Repository,
  { remotes = false }: { remotes?: boolean } = {},
): Promise<Branch[]> {
  const { refs } = repository
  const head = await readHead(repository)
  const branches: Branch[] = []
  const add = async (prefix: string, remote: boolean) => {
    for (const ref of await refs.list(prefix)) {
      const { oid } = await refs.resolve(ref)
      const name = ref.slice(prefix.length)
      // Like git, omits refs without an object.
      if (oid !== undefined) branches.push({ name, current: !remote && name === head.branch, remote, oid })
    }
  }
  await add('refs/heads/', false)
  if (head.branch !== undefined && head.oid === undefined) {
    branches.unshift({ name: head.branch, current: true, remote: false })
  }
  if (remotes) await add('refs/remotes/', true)
  return branches
}

/** Creates a branch at a revision without checking it out. */
export async function createBranch(
  repository: Repository,
  { name, at = 'HEAD', force = false }: { name: string; at?: string; force?: boolean },
): Promise<Branch> {
  checkBranchName(name)
  const [oid, head] = [await resolveRevision(repository, at), await readHead(repository)]
  if ((await branchCommit(repository, name)) !== undefined) {
    if (!force) throw new FsError('GIT_REFUSED', { reason: 'branch-exists', subject: name })
    if (head.branch === name) throw new FsError('GIT_REFUSED', { reason: 'current-branch', subject: name })
    await refuseCheckedOutElsewhere(repository, name)
  }
  await writeBranch(repository, name, oid)
  return { name, oid, current: false, remote: false }
}

/** Deletes a branch that is merged into the current one, or any branch with `force`. */
export async function deleteBranch(
  repository: Repository,
  { name, force = false }: { name: string; force?: boolean },
): Promise<Branch> {
  checkBranchName(name)
  const [oid, head] = [await branchCommit(repository, name), await readHead(repository)]
  if (oid === undefined) throw new FsError('GIT_REFUSED', { reason: 'unknown-branch', subject: name })
  const isCurrent = head.branch === name || (await isNamedByHead(repository, name))
  if (isCurrent) throw new FsError('GIT_REFUSED', { reason: 'current-branch', subject: name })
  if (!force && !(await isMerged(repository, oid, head.oid))) {
    throw new FsError('GIT_REFUSED', { reason: 'not-merged', subject: name })
  }
  await refuseCheckedOutElsewhere(repository, name)
  await repository.refs.remove(`refs/heads/${name}`)
  await changeConfig(repository, (config) => withoutBranch(config, name))
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
  const renamed = { name: to, current: isCurrent, remote: false, ...(oid !== undefined && { oid }) }
  if (to === name) return renamed
  if ((await branchCommit(repository, to)) !== undefined) {
    throw new FsError('GIT_REFUSED', { reason: 'branch-exists', subject: to })
  }
  if (oid !== undefined) await repository.refs.rename(`refs/heads/${name}`, `refs/heads/${to}`)
  await followRename(repository, name, to)
  await changeConfig(repository, (config) => withBranchRenamed(config, name, to))
  if (isCurrent) await pointHead(repository, to)
  return renamed
}

/** Points `HEAD` to a branch. */
export async function pointHead({ refs }: Repository, branch: string): Promise<void> {
  await refs.point('HEAD', `refs/heads/${branch}`)
}

/** Detaches `HEAD` at a commit. */
export async function detachHead({ refs }: Repository, oid: string): Promise<void> {
  await refs.detach('HEAD', oid)
}

/** Sets a branch, or the target of a symbolic one, to a commit. */
export async function writeBranch({ refs }: Repository, name: string, oid: string): Promise<void> {
  await refs.write(`refs/heads/${name}`, oid)
}

async function changeConfig(
  { staged, commonDirectory }: Repository,
  change: (config: string) => string,
): Promise<void> {
  const path = join(commonDirectory, 'config')
  if ((await staged.stat(path))?.kind !== 'file') return
  const before = new TextDecoder().decode(await staged.reader(path)())
  const after = change(before)
  if (after !== before) await staged.write(path, new TextEncoder().encode(after))
}

/** Also true for a symbolic branch, which is not the one that commits update. */
async function isNamedByHead({ refs }: Repository, name: string): Promise<boolean> {
  const head = await refs.read('HEAD')
  return head !== undefined && 'target' in head && head.target === `refs/heads/${name}`
}

async function isMerged(repository: Repository, oid: string, head: string | undefined): Promise<boolean> {
  if (head === undefined) return false
  return (await mergeBases(repository, oid, head)).includes(oid)
}
