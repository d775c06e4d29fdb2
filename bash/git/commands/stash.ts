/** `git stash`. A stash is a commit with the working tree, whose second parent holds the index. */

import type { Draft } from '../../../src/change/draft.js'
import { join } from '../../../src/fs/path.js'
import { blobsOf, conflictsIn, headFiles } from '../../../src/git/commands/status.js'
import { mergeTrees } from '../../../src/git/merge/merge-trees.js'
import { comparePaths, objectId } from '../../../src/git/objects/object-id.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import type { Blob } from '../../../src/git/objects/tree.js'
import { endOperation } from '../../../src/git/operation-in-progress.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { indexEntry } from '../../../src/git/work-tree/index-file.js'
import { scanWorkTree } from '../../../src/git/work-tree/work-tree.js'
import { writeFiles } from '../../../src/git/work-tree/write-files.js'
import { writeIndex } from '../../../src/git/work-tree/write-index.js'
import { change, type GitContext, identity, open, prefixOf } from '../context.js'
import { diffSettings, diffSpecs, printPairs, refinedPairs, unsupportedDiff } from '../diff/diff-options.js'
import {
  blobSide,
  type FilePair,
  indexPairs,
  pairOf,
  treePairs,
  treeToWorkTreePairs,
  workTreeFiles,
  workTreeSide,
} from '../diff/pairs.js'
import { patchOf } from '../diff/patch-text.js'
import { failure, fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { applyMerge } from '../merge/apply-merge.js'
import { printNow } from '../merge/print-now.js'
import { abbreviate } from '../objects.js'
import { flag, parseGit, value } from '../options.js'
import { parsePatch, reversePatch } from '../patch-file.js'
import { modes as patchModes } from '../patch-mode/modes.js'
import { choosePatches, patchOptions, type Target, targetsOf } from '../patch-mode/patch-mode.js'
import { type Pathspecs, pathspecsOf } from '../pathspec.js'
import { appendReflog, noObject, readReflog, updateRef, writeReflog } from '../reflog.js'
import { findCommit } from '../revisions.js'
import { applyOne } from './apply.js'
import { checkout } from './checkout.js'
import { log } from './log.js'
import { longStatus, readStatus } from './status.js'

const pushSpecs = {
  message: value('-m', '--message'),
  quiet: flag('-q', '--quiet'),
  untracked: flag('-u', '--include-untracked'),
  noUntracked: flag('--no-include-untracked'),
  all: flag('-a', '--all'),
  keepIndex: flag('-k', '--keep-index'),
  noKeepIndex: flag('--no-keep-index'),
  staged: flag('-S', '--staged'),
  patch: flag('-p', '--patch'),
} as const

const applySpecs = { quiet: flag('-q', '--quiet'), index: flag('--index') } as const

export async function stash(context: GitContext, args: readonly string[]): Promise<number> {
  const [first, ...rest] = args
  switch (first) {
    case undefined:
      return push(context, [])
    case 'push':
      return push(context, rest)
    case 'save': {
      const given = parseGit('stash save', rest, pushSpecs, { unsupported: ['-p', '--patch', '-S', '--staged'] })
      const options = rest.filter((arg) => arg.startsWith('-'))
      return push(context, [...options, ...(given.all.length > 0 ? ['-m', given.all.join(' ')] : [])])
    }
    case 'list':
      if ((await readReflog(await open(context), 'refs/stash')).length === 0) return 0
      return log(
        context,
        ['-g', '--first-parent', '--pretty=tformat:%gd: %gs', ...rest, 'refs/stash'].map((arg) =>
          arg === 'refs/stash' ? 'stash' : arg,
        ),
      )
    case 'show':
      return show(context, rest)
    case 'pop':
      return apply(context, rest, true)
    case 'apply':
      return apply(context, rest, false)
    case 'drop': {
      const given = parseGit('stash drop', rest, applySpecs)
      return change(context, 'stash', async (repository) => {
        await drop(context, repository, await stashNumber(repository, given.all[0]), {
          quiet: given.has('quiet'),
          named: entryName(given.all[0]),
        })
        return 0
      })
    }
    case 'clear':
      return change(context, 'stash', async (repository) => {
        if ((await repository.refs.read('refs/stash')) !== undefined) await removeStash(repository)
        return 0
      })
    case 'branch':
      return branchOff(context, rest)
    case 'create':
    case 'store':
      throw fatal(`'git stash ${first}' is not supported by this git`)
    default:
      if (first.startsWith('-')) return push(context, args)
      throw new GitError(
        `fatal: subcommand wasn't specified; 'push' can't be assumed due to unexpected token '${first}'`,
        128,
      )
  }
}

async function removeStash(repository: Repository): Promise<void> {
  await repository.refs.remove('refs/stash')
  repository.staged.remove(join(repository.commonDirectory, 'logs/refs/stash'))
}

async function push(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('stash push', args, pushSpecs, {
    unsupported: ['--pathspec-from-file', '--pathspec-file-nul'],
  })
  const keepsIndex = given.last('keepIndex', 'noKeepIndex') === 'keepIndex'
  const withUntracked = given.last('untracked', 'noUntracked') === 'untracked' || given.has('all')
  return change(context, 'stash', async (repository, draft) => {
    const head = await readHead(repository)
    if (head.oid === undefined) throw new GitError('You do not have the initial commit yet', 1)
    const specs = pathspecsOf(given.all, await prefixOf(context, repository), repository.root)
    const index = await readIndex(repository)
    if (conflictsIn(index).length > 0)
      throw new GitError(
        `${conflictsIn(index)
          .map(({ path }) => `${path}: needs merge\n`)
          .join('')}`.trimEnd(),
        1,
      )
    const headCommit = await repository.objects.readCommit(head.oid)
    const files = await headFiles(repository, head.oid)
    const changed = await changedPaths(repository, headCommit.tree, files, specs)
    const scan = withUntracked
      ? await scanWorkTree(repository, index, { untracked: 'all', ignored: given.has('all') })
      : undefined
    const untracked = [...(scan?.untracked ?? []), ...(given.has('all') ? (scan?.ignored ?? []) : [])].filter(
      (path) => !path.endsWith('/') && specs.matches(path),
    )
    if (!specs.isAll) {
      const [unmatched] = specs.unmatched([...index.entries.map(({ path }) => path), ...untracked])
      if (unmatched !== undefined)
        throw failure(
          `pathspec ':(prefix:0)${unmatched}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
        )
    }
    if (changed.paths.length === 0 && untracked.length === 0) {
      if (!given.has('quiet')) context.out.write('No local changes to save\n')
      return 0
    }
    const by = identity(context, repository.config, 'COMMITTER')
    const author = identity(context, repository.config, 'AUTHOR')
    const at = `${head.branch ?? '(no branch)'}: ${await abbreviate(repository, head.oid)} ${subjectOf(headCommit.message)}`
    const message = given.value('message')
    const text = message === undefined ? `WIP on ${at}` : `On ${head.branch ?? '(no branch)'}: ${message}`
    const indexTree = await repository.objects.writeTree(index.entries)
    const commitOf = (tree: string, parents: string[], body: string) =>
      repository.objects.writeCommit({ tree, parents, author, committer: by, message: body })
    const indexCommit = await commitOf(indexTree, [head.oid], `index on ${at}\n`)
    const untrackedCommit = withUntracked
      ? await commitOf(
          await treeOf(repository, await storedFiles(repository, untracked)),
          [],
          `untracked files on ${at}\n`,
        )
      : undefined
    if (given.has('patch') && (given.has('untracked') || given.has('all')))
      throw new GitError("Can't use --patch and --include-untracked or --all at the same time", 1)
    if (given.has('staged') && (given.has('patch') || withUntracked || keepsIndex || !specs.isAll))
      throw fatal("'git stash --staged' is not supported by this git with other options or paths")
    const chosen = given.has('patch')
      ? await chosenFiles(context, repository, files, headCommit.tree, specs)
      : given.has('staged')
        ? { files: blobsOf(index), changes: await indexPairs(repository, headCommit.tree) }
        : undefined
    if (chosen?.changes.length === 0)
      throw new GitError(given.has('staged') ? 'No staged changes' : 'No changes selected', 1)
    const work = chosen?.files ?? (specs.isAll ? changed.work : withPaths(files, changed.work, specs))
    const stored = await commitOf(
      await treeOf(repository, work),
      [head.oid, indexCommit, ...(untrackedCommit === undefined ? [] : [untrackedCommit])],
      text,
    )
    const before = (await repository.refs.resolve('refs/stash')).oid ?? noObject
    await repository.refs.write('refs/stash', stored)
    await appendReflog(repository, 'refs/stash', { before, after: stored, by, message: text })
    if (chosen !== undefined) {
      if (!given.has('quiet')) context.out.write(`Saved working directory and index state ${text}\n`)
      try {
        await takeBack(repository, draft, chosen.changes)
      } catch (error) {
        if (!(error instanceof GitError)) throw error
        // What was saved stays saved, and was said.
        context.out.flush()
        context.err.write(`${error.message}\nCannot remove worktree changes\n`)
        return 1
      }
      if (given.has('staged')) {
        await unstage(repository, files)
        await updateRef(repository, 'HEAD', head.oid, { by, message: 'reset: moving to HEAD' })
      }
      if (given.has('noKeepIndex')) throw fatal("'git stash -p --no-keep-index' is not supported by this git")
      return 0
    }
    await restoreFiles(repository, draft, {
      files,
      index: blobsOf(index),
      work: changed.work,
      specs,
      keepsIndex,
      untracked,
    })
    if (specs.isAll) await endOperation(repository, draft)
    if (specs.isAll) await updateRef(repository, 'HEAD', head.oid, { by, message: 'reset: moving to HEAD' })
    if (!given.has('quiet')) context.out.write(`Saved working directory and index state ${text}\n`)
    return 0
  })
}

/** The index is that of `HEAD` again. */
async function unstage(repository: Repository, files: ReadonlyMap<string, Blob>): Promise<void> {
  const known = new Map((await readIndex(repository)).entries.map((entry) => [entry.path, entry]))
  const entries = [...files].map(([path, { mode, oid }]) => {
    const entry = known.get(path)
    return entry?.oid === oid && entry.mode === mode ? entry : indexEntry(path, mode, oid, undefined)
  })
  await writeIndex(
    repository,
    entries.sort((a, b) => comparePaths(a.path, b.path)),
  )
}

/** A new branch where the stash was made, with what it holds. */
async function branchOff(context: GitContext, args: readonly string[]): Promise<number> {
  const [name, ...more] = parseGit('stash branch', args, {}).all
  if (name === undefined) throw new GitError('No branch name specified', 1)
  const repository = await open(context)
  const number = await stashNumber(repository, more[0])
  const stored = (await readReflog(repository, 'refs/stash'))[number]?.after ?? ''
  const [base = ''] = (await repository.objects.readCommit(stored)).parents
  const code = await checkout(context, ['-b', name, base, '--']).catch((error: unknown) => {
    throw error instanceof GitError ? new GitError(error.message, 1) : error
  })
  return code === 0 ? apply(context, ['--index', ...more], true) : code
}

/** The files of `HEAD` with the hunks that the input chooses. */
async function chosenFiles(
  context: GitContext,
  repository: Repository,
  head: ReadonlyMap<string, Blob>,
  tree: string,
  specs: Pathspecs,
): Promise<{ files: ReadonlyMap<string, Blob>; changes: FilePair[] }> {
  const files = new Map(head)
  const index: Target = {
    async read(path) {
      const blob = files.get(path)
      return blob && { bytes: await repository.objects.readBlob(blob.oid), mode: blob.mode }
    },
    async write({ path, bytes, mode = 0o100644 }) {
      if (bytes === undefined) return void files.delete(path)
      const oid = await objectId('blob', bytes)
      repository.objects.writeBlob(bytes, oid)
      files.set(path, { mode, oid })
    },
  }
  const pairs = await treeToWorkTreePairs(repository, tree, specs)
  await choosePatches(context, repository, pairs, patchModes.stash, { index, worktree: index })
  context.out.flush()
  const side = (blob: Blob | undefined) => blob && blobSide(repository, blob)
  const changes = [...new Set([...head.keys(), ...files.keys()])]
    .filter((path) => head.get(path)?.oid !== files.get(path)?.oid || head.get(path)?.mode !== files.get(path)?.mode)
    .sort(comparePaths)
    .map((path) => pairOf(path, side(head.get(path)), side(files.get(path))))
  return { files, changes }
}

/** Takes stashed changes out of the working tree. */
async function takeBack(repository: Repository, draft: Draft, changes: readonly FilePair[]): Promise<void> {
  const { worktree } = targetsOf(repository, draft)
  const results: Awaited<ReturnType<typeof applyOne>>[] = []
  for (const pair of changes) {
    const [patch] = parsePatch(await patchOf(repository, pair, patchOptions(repository, 1)), 1)
    if (patch !== undefined) results.push(await applyOne(reversePatch(patch), '', worktree.read, undefined))
  }
  for (const result of results) await worktree.write(result)
}

/** The files of the working tree that are tracked, written as objects, and the paths that are not as in `HEAD`. */
async function changedPaths(repository: Repository, tree: string, files: ReadonlyMap<string, Blob>, specs: Pathspecs) {
  const index = await readIndex(repository)
  const work = new Map<string, Blob>()
  for (const [path, side] of await workTreeFiles(repository, index)) {
    if (side.isInWorkTree) repository.objects.writeBlob(await side.read(), side.oid)
    work.set(path, { mode: side.mode, oid: side.oid })
  }
  // A file that was only removed from the index is part of it too.
  for (const path of files.keys()) {
    if (work.has(path) || index.entries.some((entry) => entry.path === path)) continue
    const stat = await repository.fs.stat(join(repository.root, path)).catch(() => undefined)
    if (stat?.kind !== 'file' && stat?.kind !== 'symlink') continue
    const side = await workTreeSide(repository, path, stat)
    repository.objects.writeBlob(await side.read(), side.oid)
    work.set(path, { mode: side.mode, oid: side.oid })
  }
  const staged = (await indexPairs(repository, tree)).map(({ path }) => path)
  const differs = [...new Set([...files.keys(), ...work.keys()])].filter(
    (path) => files.get(path)?.oid !== work.get(path)?.oid || files.get(path)?.mode !== work.get(path)?.mode,
  )
  return { work, paths: [...new Set([...staged, ...differs])].filter((path) => specs.matches(path)) }
}

function withPaths(
  files: ReadonlyMap<string, Blob>,
  work: ReadonlyMap<string, Blob>,
  specs: Pathspecs,
): Map<string, Blob> {
  const result = new Map<string, Blob>()
  for (const path of new Set([...files.keys(), ...work.keys()])) {
    const blob = (specs.matches(path) ? work : files).get(path)
    if (blob !== undefined) result.set(path, blob)
  }
  return result
}

async function storedFiles(repository: Repository, paths: readonly string[]): Promise<Map<string, Blob>> {
  const files = new Map<string, Blob>()
  for (const path of paths) {
    const side = await workTreeSide(repository, path, await repository.fs.stat(join(repository.root, path)))
    repository.objects.writeBlob(await side.read(), side.oid)
    files.set(path, { mode: side.mode, oid: side.oid })
  }
  return files
}

async function treeOf(repository: Repository, files: ReadonlyMap<string, Blob>): Promise<string> {
  const entries = [...files]
    .sort(([a], [b]) => comparePaths(a, b))
    .map(([path, { mode, oid }]) => indexEntry(path, mode, oid, undefined))
  return repository.objects.writeTree(entries)
}

/** Puts the stashed files back to `HEAD`, or with `--keep-index` to the index. */
async function restoreFiles(
  repository: Repository,
  draft: Draft,
  {
    files,
    index,
    work,
    specs,
    keepsIndex,
    untracked,
  }: {
    files: ReadonlyMap<string, Blob>
    index: ReadonlyMap<string, Blob>
    work: ReadonlyMap<string, Blob>
    specs: Pathspecs
    keepsIndex: boolean
    untracked: readonly string[]
  },
): Promise<void> {
  const target = keepsIndex ? index : files
  const paths = [...new Set([...target.keys(), ...work.keys(), ...index.keys()])].filter((path) => specs.matches(path))
  const same = (a: Blob | undefined, b: Blob | undefined) => a?.oid === b?.oid && a?.mode === b?.mode
  const written = paths.flatMap((path): [string, Blob][] => {
    const blob = target.get(path)
    return blob !== undefined && !same(blob, work.get(path)) ? [[path, blob]] : []
  })
  const removed = paths.filter((path) => !target.has(path) && work.has(path))
  await writeFiles(repository, draft, written, [...removed, ...untracked])
  const current = await readIndex(repository)
  const entries = current.entries.filter(({ path }) => !specs.matches(path))
  const byPath = blobsOf(current)
  for (const [path, blob] of target) {
    if (!specs.matches(path)) continue
    const known = byPath.get(path)
    entries.push(
      known !== undefined && same(known, blob) && same(work.get(path), blob)
        ? known
        : indexEntry(path, blob.mode, blob.oid, undefined),
    )
  }
  await writeIndex(
    repository,
    entries.sort((a, b) => comparePaths(a.path, b.path)),
  )
}

async function stashNumber(repository: Repository, given: string | undefined): Promise<number> {
  const [, digits] = /^(?:(?:refs\/)?stash@\{)?(\d+)\}?$/.exec(given ?? '0') ?? []
  const entries = await readReflog(repository, 'refs/stash')
  if (entries.length === 0)
    throw new GitError(given === undefined ? 'No stash entries found.' : `error: ${given} is not a valid reference`, 1)
  if (digits === undefined) throw failure(`${given} is not a stash reference`)
  if (Number(digits) >= entries.length) throw fatal(`log for 'stash' only has ${entries.length} entries`)
  return Number(digits)
}

/** A number stands for an entry; anything else is said as it was given. */
function entryName(given: string | undefined): string | undefined {
  return given !== undefined && /^\d+$/.test(given) ? `refs/stash@{${given}}` : given
}

async function drop(
  context: GitContext,
  repository: Repository,
  number: number,
  { quiet, named }: { quiet: boolean; named: string | undefined },
): Promise<void> {
  const entries = await readReflog(repository, 'refs/stash')
  const dropped = entries[number]
  if (dropped === undefined) throw failure(`stash@{${number}} is not a valid reference`)
  const rest = entries.filter((_, i) => i !== number)
  const [newest] = rest
  if (newest === undefined) await removeStash(repository)
  else {
    const linked = rest.map((entry, i) => ({ ...entry, before: rest[i + 1]?.after ?? noObject }))
    await writeReflog(repository, 'refs/stash', linked)
    if (number === 0) await repository.refs.write('refs/stash', newest.after)
  }
  if (!quiet) context.out.write(`Dropped ${named ?? 'refs/stash@{0}'} (${dropped.after})\n`)
}

async function apply(context: GitContext, args: readonly string[], isPop: boolean): Promise<number> {
  const given = parseGit('stash apply', args, applySpecs)
  const code = await change(context, 'stash', async (repository, draft): Promise<number> => {
    const named = given.all[0]
    const isOid = named !== undefined && /^[0-9a-f]{7,40}$/.test(named) && !/^\d{1,3}$/.test(named)
    const number = isOid ? undefined : await stashNumber(repository, named)
    const oid = isOid
      ? await findCommit(repository, named)
      : (await readReflog(repository, 'refs/stash'))[number ?? 0]?.after
    if (oid === undefined) throw failure(`${named} is not a valid reference`)
    const conflicts = await applyStash(context, repository, draft, await repository.objects.readCommit(oid), {
      withIndex: given.has('index'),
      quiet: given.has('quiet'),
    })
    return conflicts > 0 ? 1 : 0
  }).catch((error: unknown) => {
    // The state is shown in this case too.
    if (!(error instanceof GitError) || !error.message.includes('would be overwritten')) throw error
    context.err.write(`${error.message}
`)
    return 1
  })
  if (!given.has('quiet')) context.out.write(longStatus(await readStatus(context, await open(context))))
  if (code !== 0) {
    if (isPop) context.out.write('The stash entry is kept in case you need it again.\n')
    return code
  }
  if (!isPop) return 0
  return change(context, 'stash', async (repository) => {
    await drop(context, repository, await stashNumber(repository, given.all[0]), {
      quiet: given.has('quiet'),
      named: entryName(given.all[0]),
    })
    return 0
  })
}

async function applyStash(
  context: GitContext,
  repository: Repository,
  draft: Draft,
  stored: Commit,
  { withIndex, quiet }: { withIndex: boolean; quiet: boolean },
): Promise<number> {
  const [base, indexCommit, untrackedCommit] = stored.parents
  if (base === undefined || indexCommit === undefined) throw fatal(`'${stored.oid}' is not a stash-like commit`)
  const index = await readIndex(repository)
  if (conflictsIn(index).length > 0) throw failure('could not write index', 1)
  const current = await repository.objects.writeTree(index.entries)
  const baseTree = (await repository.objects.readCommit(base)).tree
  const merged = await mergeTrees(repository, {
    base: baseTree,
    ours: current,
    theirs: stored.tree,
    labels: { ours: 'Updated upstream', base: 'Stash base', theirs: 'Stashed changes' },
  })
  const before = new Map([...blobsOf(index)].map(([path, { mode, oid }]) => [path, { mode, oid }] as const))
  if (untrackedCommit !== undefined) {
    const extra = await repository.objects.flatten((await repository.objects.readCommit(untrackedCommit)).tree)
    for (const path of extra.keys()) {
      const isThere = await repository.fs.stat(join(repository.root, path)).then(
        () => true,
        () => false,
      )
      if (isThere)
        throw new GitError(
          `${path} already exists, no checkout\nerror: could not restore untracked files from stash`,
          1,
        )
    }
    await writeFiles(repository, draft, [...extra], [])
  }
  await applyMerge(repository, draft, current, merged, 'merge')
  if (stored.tree === baseTree && !quiet) context.out.write('Already up to date.\n')
  printNow(context, merged.messages)
  if (merged.conflicts.length > 0) {
    if (withIndex) context.err.write('Index was not unstashed.\n')
    return merged.conflicts.length
  }
  const now = blobsOf(await readIndex(repository))
  const restored = withIndex
    ? new Map(await repository.objects.flatten((await repository.objects.readCommit(indexCommit)).tree))
    : undefined
  const target = restored ?? stagedAfter(before, now)
  const indexTree = (await repository.objects.readCommit(indexCommit)).tree
  if (withIndex && indexTree !== baseTree && indexTree !== current) {
    // It is put back by a reset.
    const { oid } = await readHead(repository)
    const by = identity(context, repository.config, 'COMMITTER')
    if (oid !== undefined) await updateRef(repository, 'HEAD', oid, { by, message: 'reset: moving to HEAD' })
  }
  await writeIndex(
    repository,
    [...target]
      .sort(([a], [b]) => comparePaths(a, b))
      .map(([path, blob]) => {
        const known = now.get(path)
        return known !== undefined && known.oid === blob.oid && known.mode === blob.mode
          ? known
          : indexEntry(path, blob.mode, blob.oid, undefined)
      }),
  )
  return 0
}

/** Only new files stay staged; changes and removals are left in the working tree. */
function stagedAfter(before: ReadonlyMap<string, Blob>, now: ReadonlyMap<string, Blob>): Map<string, Blob> {
  const target = new Map<string, Blob>(before)
  for (const [path, blob] of now) if (!before.has(path)) target.set(path, { mode: blob.mode, oid: blob.oid })
  return target
}

async function show(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'stash show',
    args,
    { ...diffSpecs, untracked: flag('-u', '--include-untracked'), onlyUntracked: flag('--only-untracked') },
    { unsupported: [...unsupportedDiff, '--include-untracked', '--only-untracked'] },
  )
  const repository = await open(context)
  const number = await stashNumber(repository, given.all[0])
  const oid = (await readReflog(repository, 'refs/stash'))[number]?.after ?? ''
  const stored = await repository.objects.readCommit(oid)
  const base = (await repository.objects.readCommit(stored.parents[0] ?? '')).tree
  const settings = diffSettings(given, repository, { defaultFormat: given.given.length > 0 ? 'patch' : 'stat' })
  const isPatchByU = given.given.some(({ name }) => name === '-u')
  if (isPatchByU) throw fatal("option '-u' of 'stash show' is not supported by this git; use -p")
  context.out.write(
    await printPairs(
      repository,
      await refinedPairs(await treePairs(repository, base, stored.tree), settings),
      settings,
    ),
  )
  return 0
}
