/** Detects a merge, rebase or similar operation in progress from files in `.git`. */
import type { Draft } from '../change/draft.js'
import { FsError, isFsError } from '../errors.js'
import { join } from '../fs/path.js'
import { type Repository, readGitFile } from './repository.js'

export type OperationInProgress = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect'

export async function operationInProgress({ fs, gitDirectory }: Repository): Promise<OperationInProgress | undefined> {
  const names = new Set((await fs.readDir(gitDirectory)).map(({ name }) => name))
  if (names.has('rebase-merge') || names.has('rebase-apply')) return 'rebase'
  if (names.has('MERGE_HEAD')) return 'merge'
  if (names.has('CHERRY_PICK_HEAD')) return 'cherry-pick'
  if (names.has('REVERT_HEAD')) return 'revert'
  return names.has('BISECT_LOG') ? 'bisect' : undefined
}

/** Refuses a checkout during a merge, which would lose the merge. `force` abandons it, except for a rebase. */
export async function refuseLeaving(repository: Repository, { force }: { force: boolean }): Promise<void> {
  const subject = await operationInProgress(repository)
  if (subject === undefined || subject === 'bisect' || (force && subject !== 'rebase')) return
  throw new FsError('GIT_REFUSED', { reason: 'under-way', subject })
}

/** Refuses to amend during a merge or cherry-pick, whose commit must not be mixed with another. */
export async function refuseAmending(repository: Repository): Promise<void> {
  for (const [name, subject] of [
    ['MERGE_HEAD', 'merge'],
    ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ] as const) {
    if ((await readGitFile(repository, name)) !== undefined) {
      throw new FsError('GIT_REFUSED', { reason: 'under-way', subject })
    }
  }
}

const merging = ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'MERGE_RR', 'AUTO_MERGE', 'SQUASH_MSG']

const picking = ['CHERRY_PICK_HEAD', 'REVERT_HEAD']

/** Removes the files of a merge or cherry-pick after it was committed or abandoned. */
export async function endOperation(repository: Repository, draft: Draft): Promise<void> {
  const { gitDirectory } = repository
  if ((await readGitFile(repository, 'MERGE_AUTOSTASH')) !== undefined) {
    const subject = 'a merge that has put changes aside (MERGE_AUTOSTASH)'
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject })
  }
  let hasPicked = false
  for (const name of [...merging, ...picking]) {
    if ((await draft.entry(join(gitDirectory, name))).image.kind !== 'file') continue
    await draft.remove(join(gitDirectory, name))
    hasPicked ||= picking.includes(name)
  }
  if (hasPicked) await endSeries(repository, draft)
}

/** Ends a series of cherry-picks after the last one. */
async function endSeries(repository: Repository, draft: Draft): Promise<void> {
  const left = (await readGitFile(repository, 'sequencer/todo'))?.split('\n') ?? []
  if (left.length !== 1) return
  const directory = join(repository.gitDirectory, 'sequencer')
  for (const { name } of await repository.fs.readDir(directory).catch(emptyIfMissing))
    await draft.remove(join(directory, name))
  await draft.remove(directory)
}

function emptyIfMissing(error: unknown): [] {
  if (isFsError(error, 'NOT_FOUND')) return []
  throw error
}
