/** `-p` of several commands: hunks are chosen one by one and applied. */
import type { Draft } from '../../../src/change/draft.js'
import { join } from '../../../src/fs/path.js'
import { conflictsIn } from '../../../src/git/commands/status.js'
import { isTrue } from '../../../src/git/config.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { decodeText } from '../../io/byte-text.js'
import { applyOne, type Result, stageResults, writeResult } from '../commands/apply.js'
import type { GitContext } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import type { FilePair } from '../diff/pairs.js'
import { type PatchOptions, patchOf } from '../diff/patch-text.js'
import { fatal, GitError } from '../git-error.js'
import { parsePatch, reversePatch } from '../patch-file.js'
import { chooseHunks, type Dialog, dialogOf } from './dialog.js'
import { type FileHunks, parseHunks, reassemble } from './hunks.js'
import type { Mode } from './modes.js'

type File = { bytes: Uint8Array; mode: number } | undefined

/** Where chosen hunks go. */
export interface Target {
  read(path: string): Promise<File>
  write(result: Result): Promise<void>
}

export async function choosePatches(
  context: GitContext,
  repository: Repository,
  pairs: readonly FilePair[],
  mode: Mode,
  { index, worktree }: { index: Target; worktree: Target },
): Promise<void> {
  const dialog = dialogOf(context, decodeText(await context.input()))
  const [conflicted] = conflictsIn(await readIndex(repository))
  if (conflicted !== undefined)
    throw fatal(`-p with the unmerged path '${conflicted.path}' is not supported by this git`)
  if (isTrue(repository.config, 'interactive.singlekey') === true)
    throw fatal('-p with interactive.singleKey is not supported by this git')
  // Differences in the direction of another commit are shown from there.
  const isTurned = !mode.isReverse && mode.verb === 'Apply'
  const options = {
    ...patchOptions(repository),
    ...(isTurned && { oldPrefix: 'b/', newPrefix: 'a/' }),
  }
  let binary = 0
  let shown = 0
  for (const pair of pairs) {
    if (pair.status === 'T')
      throw fatal(`-p with '${pair.path}', which is of another type now, is not supported by this git`)
    const file = parseHunks(await patchOf(repository, pair, options))
    shown += 1
    if (file.isBinary && file.hunks.length === 0) {
      binary += 1
      continue
    }
    if (file.hunks.length === 0 && file.kind !== 'added') continue
    const check = (patch: string) => applies(dialog, patch, mode, index, worktree)
    const ends = await chooseHunks({ context, dialog, mode, check }, file)
    await applyChosen(dialog, file, mode, index, worktree)
    dialog.say('\n')
    if (ends) break
  }
  if (shown === 0) dialog.complain('No changes.')
  else if (binary === shown) dialog.complain('Only binary files changed.')
}

export function patchOptions(repository: Repository, context = 3): PatchOptions {
  return {
    context,
    interHunk: 0,
    minimal: false,
    indentHeuristic: true,
    allText: false,
    oldPrefix: 'a/',
    newPrefix: 'b/',
    abbrev: 7,
    fullIndex: false,
    quote: quoter(repository),
    shown: (path) => path,
  }
}

async function resultOf(patch: string, isReverse: boolean, target: Target): Promise<Result> {
  const [file] = parsePatch(patch, 1)
  if (file === undefined) throw fatal('the patch of these hunks can not be read')
  return applyOne(isReverse ? reversePatch(file) : file, '', target.read, undefined)
}

async function applies(dialog: Dialog, patch: string, mode: Mode, index: Target, worktree: Target): Promise<boolean> {
  const target = mode.place === 'index' ? index : worktree
  const option = mode.place === 'index' ? ' --cached' : ''
  try {
    await resultOf(patch, mode.isReverse, target)
    return true
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    dialog.complain(`${error.message}\nerror: 'git apply${option}' failed`)
    return false
  }
}

async function applyChosen(
  dialog: Dialog,
  file: FileHunks,
  { isReverse, place }: Mode,
  index: Target,
  worktree: Target,
): Promise<void> {
  if (!file.hunks.some(({ use }) => use === 'yes')) return
  const patch = reassemble(file)
  if (patch === undefined) throw fatal('edited hunks that overlap are not supported by this git')
  if (place === 'index') return index.write(await resultOf(patch, isReverse, index))
  const ofWorktree = await resultOf(patch, isReverse, worktree)
  if (place === 'worktree') return worktree.write(ofWorktree)
  const ofIndex = await resultOf(patch, isReverse, index).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error
    dialog.complain(`${error.message}\nThe selected hunks do not apply to the index!`)
    return undefined
  })
  if (ofIndex !== undefined) await index.write(ofIndex)
  else if (dialog.confirm('Apply them to the worktree anyway? ') !== true)
    return dialog.complain('Nothing was applied.\n')
  return worktree.write(ofWorktree)
}

/** The index and the working tree of a repository. */
export function targetsOf(repository: Repository, draft: Draft): { index: Target; worktree: Target } {
  return {
    index: {
      async read(path) {
        const entry = (await readIndex(repository)).entries.find((each) => each.path === path && each.stage === 0)
        return entry && { bytes: await repository.objects.readBlob(entry.oid), mode: entry.mode }
      },
      write: (result) => stageResults(repository, [result]),
    },
    worktree: {
      async read(path) {
        const full = join(repository.root, path)
        const stat = await repository.fs.stat(full).catch(() => undefined)
        if (stat?.kind !== 'file') return undefined
        const mode = ((stat.mode ?? 0o644) & 0o100) === 0 ? 0o100644 : 0o100755
        return { bytes: await repository.fs.readFile(full), mode }
      },
      write: (result) => writeResult(repository, draft, result),
    },
  }
}
