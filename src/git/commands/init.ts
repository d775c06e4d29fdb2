import type { Draft } from '../../change/draft.js'
import { FsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { join } from '../../fs/path.js'
import type { Workspace } from '../../workspace/workspace.js'
import { isGitDirectory } from '../git-directory.js'
import { checkBranchName } from '../refs/refs.js'

/** Creates a repository in a directory, which is created if missing. It contains no hooks or templates. */
export async function initRepository(
  workspace: Workspace,
  directory: string,
  { branch = 'main', isBare = false }: { branch?: string; isBare?: boolean } = {},
): Promise<{ root: string; branch: string }> {
  checkBranchName(branch)
  await workspace.ready
  const { fs, changes } = workspace
  const root = await fs.locate(directory)
  const gitDirectory = isBare ? root : join(root, '.git')
  const request = {
    label: 'git init',
    scopes: [{ path: root, tree: true }],
    gitDirectories: isBare ? [] : [gitDirectory],
  }
  await changes.run(request, async (draft) => {
    if (isBare && (await isGitDirectory(fs, root)))
      throw new FsError('GIT_REFUSED', { reason: 'repository-exists', subject: root })
    if (!isBare) await refuseRepository(draft, root)
    for (const name of emptyDirectories) await draft.makeParents(join(gitDirectory, `${name}/x`))
    for (const [name, text] of Object.entries(newRepositoryFiles(fs, branch, isBare))) {
      await draft.write(join(gitDirectory, name), new TextEncoder().encode(text))
    }
  })
  return { root, branch }
}

export async function refuseRepository(draft: Draft, root: string): Promise<void> {
  if ((await draft.entry(join(root, '.git'))).image.kind === 'absent') return
  throw new FsError('GIT_REFUSED', { reason: 'repository-exists', subject: root })
}

/** Directories that git expects, even if empty. */
export const emptyDirectories = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']

/** The files of a new repository, by path below `.git` or of a bare one. */
export function newRepositoryFiles(
  { capabilities }: ConfinedFileSystem,
  branch: string,
  isBare = false,
): Record<string, string> {
  const core = [
    'repositoryformatversion = 0',
    `filemode = ${capabilities.modeBits}`,
    `bare = ${isBare}`,
    ...(isBare ? [] : ['logallrefupdates = true']),
    ...(capabilities.symlinks ? [] : ['symlinks = false']),
    ...(capabilities.caseSensitive ? [] : ['ignorecase = true']),
  ]
  return {
    HEAD: `ref: refs/heads/${branch}\n`,
    config: `[core]\n${core.map((line) => `\t${line}\n`).join('')}`,
  }
}
