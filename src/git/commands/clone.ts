import { FsError, isFsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { join } from '../../fs/path.js'
import type { Workspace } from '../../workspace/workspace.js'
import { loadIsomorphicGit } from '../isomorphic.js'
import { limits } from '../limits.js'
import { checkRefName } from '../refs/refs.js'
import { openAt, type RepositoryCall } from '../repository.js'
import { stageFiles } from '../staged-files.js'
import { withoutLogin } from '../without-login.js'
import { indexEntry } from '../work-tree/index-file.js'
import { writeFiles } from '../work-tree/write-files.js'
import { writeIndex } from '../work-tree/write-index.js'
import { pointHead, writeBranch } from './branch.js'
import { type CloneStep, fetchOrigin } from './fetch-origin.js'
import { emptyDirectories, newRepositoryFiles, refuseRepository } from './init.js'
import { headFiles } from './status.js'

export interface CloneOptions {
  /** An `http:` or `https:` address. A user name and password in it are sent, and not stored. */
  url: string
  /** Must be empty or missing; it is created. */
  directory: string
  /** The branch to check out. Default: the remote's default branch. */
  branch?: string
  /** How many commits of the history are fetched. Default: all. */
  depth?: number
  /** More than this is not fetched. Default: what the workspace's `http` says, else 256 MiB. */
  maxFetchedBytes?: number
  /** Files of more than this together are not written. Default: 64 GiB. */
  maxCheckedOutBytes?: number
  /** Called with how far the clone is. */
  onStep?: (step: CloneStep) => void
}

export interface CloneResult {
  root: string
  branch?: string
  /** Absent when the remote has no commits. */
  oid?: string
  files: number
  /** The address had a user name or password, which is not in the configuration of the clone. */
  isLoginLeftOut?: boolean
}

/** Clones a repository over HTTP, as one change. Only where the workspace has an HTTP client. */
export async function cloneRepository(
  workspace: Workspace,
  {
    url,
    directory,
    branch,
    depth,
    maxFetchedBytes = workspace.git.http?.maxFetchedBytes ?? limits.fetchedBytes,
    maxCheckedOutBytes = limits.checkedOutBytes,
    onStep = () => {},
  }: CloneOptions,
  call: RepositoryCall,
): Promise<CloneResult> {
  const { fs, changes } = workspace
  const { http } = workspace.git
  const { signal, onProgress } = call
  if (http === undefined) throw new FsError('UNSUPPORTED', { path: directory, operation: 'clone' })
  const address = withoutLogin(url)
  if (!/^https?:\/\/[^\s-]\S*$/.test(address))
    throw new FsError('GIT_REFUSED', { reason: 'invalid-name', subject: address })
  if (branch !== undefined) checkRefName(branch)
  await workspace.ready
  const root = await fs.locate(directory)
  const gitDirectory = join(root, '.git')
  if (await isOccupied(fs, root)) throw new FsError('EXISTS', { path: directory })
  const request = {
    label: 'git clone',
    scopes: [{ path: root, tree: true }],
    gitDirectories: [gitDirectory],
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  }
  const { result } = await changes.run(request, async (draft): Promise<CloneResult> => {
    await refuseRepository(draft, root)
    const staged = stageFiles(fs)
    for (const [name, text] of Object.entries(newRepositoryFiles(fs, branch ?? 'main'))) {
      await staged.write(join(gitDirectory, name), new TextEncoder().encode(text))
    }
    const repository = await openAt(workspace, root, call, staged)
    const git = await loadIsomorphicGit()
    const common = { fs: staged.client, gitdir: gitDirectory }
    await git.addRemote({ ...common, remote: 'origin', url: address })
    const fetched = await fetchOrigin(repository, {
      http,
      url,
      maxBytes: maxFetchedBytes,
      onStep,
      ...(signal && { signal }),
      ...(branch !== undefined && { branch }),
      ...(depth !== undefined && { depth }),
    })
    const chosen = branch ?? fetched.defaultBranch
    const { oid } = fetched
    if (chosen !== undefined) {
      checkRefName(chosen)
      if (oid !== undefined) await writeBranch(repository, chosen, oid)
      await pointHead(repository, chosen)
      for (const [key, value] of [
        ['remote', 'origin'],
        ['merge', `refs/heads/${chosen}`],
      ] as const) {
        await git.setConfig({ ...common, path: `branch.${chosen}.${key}`, value })
      }
    }
    const files = [...(await headFiles(repository, oid))]
    await draft.makeParents(join(root, 'x'))
    const counting: typeof repository = {
      ...repository,
      progress(done, total) {
        repository.progress(done, total)
        onStep({ phase: 'write', done, ...(total !== undefined && { total }) })
      },
    }
    await writeFiles(counting, draft, files, [], { maxBytes: maxCheckedOutBytes })
    for (const name of emptyDirectories) await draft.makeParents(join(gitDirectory, `${name}/x`))
    const entries = files.map(([path, blob]) => indexEntry(path, blob.mode, blob.oid, undefined))
    await writeIndex(repository, entries)
    repository.checkAborted()
    await staged.draftInto(draft)
    return {
      root,
      files: files.length,
      ...(chosen !== undefined && { branch: chosen }),
      ...(oid !== undefined && { oid }),
      ...(address !== url && { isLoginLeftOut: true }),
    }
  })
  return result
}

/** The last part of an address. */
export function repositoryName(url: string): string {
  return withoutLogin(url)
    .replace(/[/?#]*$/, '')
    .replace(/\/?\.git$/, '')
    .replace(/^.*[/:]/, '')
}

async function isOccupied(fs: ConfinedFileSystem, directory: string): Promise<boolean> {
  try {
    return (await fs.readDir(directory)).length > 0
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
    return false
  }
}
