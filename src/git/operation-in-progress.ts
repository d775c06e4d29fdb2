/** What git is in the middle of: a merge, a rebase and their kind, told by files in `.git`. */
import type { Draft } from '../change/draft.js'
import { FsError, isFsError } from '../errors.js'
import { join } from '../fs/path.js'
import { type Repository, readGitFile } from './repository.js'

export type UnderWay = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect'

export async function operationUnderWay({ fs, gitDirectory }: Repository): Promise<UnderWay | undefined> {
  const names = new Set((await fs.readDir(gitDirectory)).map(({ name }) => name))
  if (names.has('rebase-merge') || names.has('rebase-apply')) return 'rebase'
  if (names.has('MERGE_HEAD')) return 'merge'
  if (names.has('CHERRY_PICK_HEAD')) return 'cherry-pick'
  if (names.has('REVERT_HEAD')) return 'revert'
  return names.has('BISECT_LOG') ? 'bisect' : undefined
}

/** Going elsewhere in the middle of a merge would lose what was to be merged. With `force` it is given up, but a rebase never. */
export async function refuseLeaving(repository: Repository, { force }: { force: boolean }): Promise<void> {
  const subject = await operationUnderWay(repository)
  if (subject === undefined || subject === 'bisect' || (force && subject !== 'rebase')) return
  throw new FsError('GIT_REFUSED', { reason: 'under-way', subject })
}

/** The commit that a merge or a pick will make has its own place; another one must not take it over. */
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

/** Removes what tells of a merge or a pick, once it was committed or given up. */
export async function endOperation(repository: Repository, draft: Draft): Promise<void> {
  const { gitDirectory } = repository
  if ((await readGitFile(repository, 'MERGE_AUTOSTASH')) !== undefined) {
    const subject = 'a merge that has put changes aside (MERGE_AUTOSTASH)'
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject })
  }
  let hasPicked = false
  for (const name of [...merging, ...picking]) {
    if ((await draft.look(join(gitDirectory, name))).image.kind !== 'file') continue
    await draft.remove(join(gitDirectory, name))
    hasPicked ||= picking.includes(name)
  }
  if (hasPicked) await endSeries(repository, draft)
}

/** After the last of several picks nothing is left to be continued. */
async function endSeries(repository: Repository, draft: Draft): Promise<void> {
  const left = (await readGitFile(repository, 'sequencer/todo'))?.split('\n') ?? []
  if (left.length !== 1) return
  const directory = join(repository.gitDirectory, 'sequencer')
  for (const { name } of await repository.fs.readDir(directory).catch(ifThere))
    await draft.remove(join(directory, name))
  await draft.remove(directory)
}

function ifThere(error: unknown): [] {
  if (isFsError(error, 'NOT_FOUND')) return []
  throw error
}
