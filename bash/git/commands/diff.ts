/** `git diff` and its plumbing. */
import { FsError, isFsError } from '../../../src/errors.js'
import { basename, join } from '../../../src/fs/path.js'
import { objectId } from '../../../src/git/objects/object-id.js'
import { mergeBases } from '../../../src/git/refs/merge-base.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { type GitContext, isInRepository, open, prefixOf } from '../context.js'
import { whiteSpaceFaults } from '../diff/check.js'
import { combinedText } from '../diff/combined.js'
import {
  type DiffSettings,
  diffSettings,
  diffSpecs,
  hasDifferences,
  printPairs,
  refinedPairs,
  unsupportedDiff,
} from '../diff/diff-options.js'
import {
  blobSide,
  type FilePair,
  type FileSide,
  indexPairs,
  pairOf,
  treePairs,
  treeToWorkTreePairs,
  workTreePairs,
  workTreeSide,
} from '../diff/pairs.js'
import { fatal, GitError } from '../git-error.js'
import { typeOf } from '../objects.js'
import { flag, optional, parseGit } from '../options.js'
import type { pathspecsOf } from '../pathspec.js'
import { findObject, rangeOf, treeOf } from '../revisions.js'
import { splitOperands } from '../revisions-and-paths.js'

const specs = {
  ...diffSpecs,
  cached: flag('--cached', '--staged'),
  noIndex: flag('--no-index'),
  mergeBase: flag('--merge-base'),
  check: flag('--check'),
  ours: flag('-2', '--ours'),
  theirs: flag('-3', '--theirs'),
  base: flag('-1', '--base'),
  abbrev: optional('--abbrev'),
} as const

export async function diff(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('diff', args, specs, {
    unsupported: [...unsupportedDiff.filter((name) => name !== '--check'), '-c', '--cc'],
  })
  if (given.has('noIndex') || !(await isInRepository(context))) {
    if (given.has('cached')) throw fatal('not a git repository (or any of the parent directories): .git')
    return compareFiles(context, given)
  }
  const repository = await open(context)
  if (repository.isBare && given.all.length === 0) throw fatal('this operation must be run in a work tree')
  const { revisions, specs: paths, prefix } = await splitOperands(context, repository, given)
  const settings = withAbbrev(
    diffSettings(given, repository, { prefix, defaultFormat: 'patch' }),
    given.value('abbrev'),
  )
  const cached = given.has('cached')
  const blobs = await blobPair(repository, revisions, prefix)
  const isPlain = revisions.length === 0 && !cached
  const pairs = blobs ?? (await pairsFor(repository, revisions, { cached, isMergeBase: given.has('mergeBase'), paths }))
  const stage = given.has('ours') ? 2 : given.has('theirs') ? 3 : given.has('base') ? 1 : undefined
  const refined = await refinedPairs(
    isPlain && stage !== undefined ? await againstStage(repository, pairs, stage) : pairs,
    settings,
  )
  if (given.has('check')) {
    const faults = await whiteSpaceFaults(refined, settings.patch)
    context.out.write(faults)
    return faults === '' ? 0 : 2
  }
  return finish(context, repository, refined, settings, given, isPlain && stage === undefined)
}

function withAbbrev(settings: DiffSettings, given: string | undefined): DiffSettings {
  return given === undefined ? settings : { ...settings, patch: { ...settings.patch, abbrev: Number(given) } }
}

interface ExitOptions {
  has(key: 'quiet' | 'exitCode'): boolean
}

async function finish(
  context: GitContext,
  repository: Repository | undefined,
  pairs: readonly FilePair[],
  settings: DiffSettings,
  given: ExitOptions,
  isAgainstIndex = false,
): Promise<number> {
  if (!given.has('quiet')) {
    const conflicted = pairs.filter(({ status }) => status === 'U')
    const isPatch = settings.formats.has('patch')
    const paths = new Set(conflicted.map(({ path }) => path))
    // A conflicted file is shown against both sides.
    if (isPatch && isAgainstIndex && repository !== undefined && conflicted.length > 0 && settings.formats.size === 1) {
      for (const pair of pairs) {
        if (pair.status === 'U') context.out.write(await conflictText(repository, pair.path, settings))
        else if (!paths.has(pair.path)) context.out.write(await printPairs(repository, [pair], settings))
      }
    } else context.out.write(await printPairs(repository, pairs, settings))
  }
  const fails = given.has('quiet') || given.has('exitCode')
  return fails && (await hasDifferences(pairs, settings)) ? 1 : 0
}

async function conflictText(repository: Repository, path: string, settings: DiffSettings): Promise<string> {
  const { entries } = await readIndex(repository)
  const side = (stage: number) => {
    const entry = entries.find((each) => each.path === path && each.stage === stage)
    return entry && blobSide(repository, entry)
  }
  const stat = await repository.fs.stat(join(repository.root, path)).catch(() => undefined)
  const [ours, theirs] = [side(2), side(3)]
  if (ours === undefined || theirs === undefined || stat === undefined)
    return `* Unmerged path ${settings.patch.quote(path)}\n`
  return combinedText(
    repository,
    { path, parents: [ours, theirs], result: await workTreeSide(repository, path, stat) },
    settings,
    true,
    true,
  )
}

/** `--ours` and the like: a conflicted file against one stage. */
async function againstStage(repository: Repository, pairs: readonly FilePair[], stage: number): Promise<FilePair[]> {
  const { entries } = await readIndex(repository)
  const result: FilePair[] = []
  const conflicted = new Set(pairs.filter(({ status }) => status === 'U').map(({ path }) => path))
  for (const pair of pairs) {
    if (pair.status === 'U' || !conflicted.has(pair.path)) result.push(pair)
    if (pair.status !== 'U') continue
    const entry = entries.find((each) => each.path === pair.path && each.stage === stage)
    const stat = await repository.fs.stat(join(repository.root, pair.path)).catch(() => undefined)
    result.push(
      pairOf(
        pair.path,
        entry && blobSide(repository, entry),
        stat && (await workTreeSide(repository, pair.path, stat)),
      ),
    )
  }
  return result
}

/** Two blobs, such as `HEAD~1:file HEAD:file`. */
async function blobPair(
  repository: Repository,
  revisions: readonly string[],
  prefix: string,
): Promise<FilePair[] | undefined> {
  if (revisions.length !== 2) return undefined
  const sides: { side: FileSide; path: string }[] = []
  for (const revision of revisions) {
    const found = await findObject(repository, revision, prefix)
    if (found === undefined || (await typeOf(repository, found.oid)) !== 'blob') return undefined
    sides.push({
      side: blobSide(repository, { oid: found.oid, mode: found.mode ?? 0o100644 }),
      path: found.path ?? found.oid,
    })
  }
  const [one, other] = sides
  if (one === undefined || other === undefined) return undefined
  if (one.side.oid === other.side.oid && one.side.mode === other.side.mode) return []
  return [{ ...pairOf(other.path, one.side, other.side), oldPath: one.path }]
}

async function pairsFor(
  repository: Repository,
  revisions: readonly string[],
  { cached, isMergeBase, paths }: { cached: boolean; isMergeBase: boolean; paths: ReturnType<typeof pathspecsOf> },
): Promise<FilePair[]> {
  const trees = await treesOf(repository, revisions, isMergeBase)
  if (trees.length > 2) throw fatal('a comparison of more than two commits is not supported by this git')
  const [from, to] = trees
  if (to !== undefined) return treePairs(repository, from, to, paths)
  if (cached) return indexPairs(repository, from ?? (await headTree(repository)), paths)
  return from === undefined ? workTreePairs(repository, paths) : treeToWorkTreePairs(repository, from, paths)
}

export async function headTree(repository: Repository): Promise<string | undefined> {
  const { oid } = await readHead(repository)
  return oid === undefined ? undefined : (await repository.objects.readCommit(oid)).tree
}

async function treesOf(repository: Repository, revisions: readonly string[], isMergeBase: boolean): Promise<string[]> {
  const trees: string[] = []
  for (const revision of revisions) {
    if (/\.\./.test(revision) && (await findObject(repository, revision)) === undefined) {
      const range = await rangeOf(repository, revision)
      const [include, exclude] = [range?.include ?? [], range?.exclude ?? []]
      const to = include.at(-1)
      if (to === undefined) throw fatal(`bad revision '${revision}'`)
      const [base] = exclude
      if (base === undefined) throw fatal(`${revision}: no merge base`)
      trees.push((await treeOf(repository, base)) as string, (await treeOf(repository, to)) as string)
      continue
    }
    const range = revision.startsWith('^') || /\^[@!]$/.test(revision) ? await rangeOf(repository, revision) : undefined
    if (range !== undefined) {
      for (const oid of [...range.exclude, ...range.include]) trees.push((await treeOf(repository, oid)) as string)
      continue
    }
    const found = await findObject(repository, revision)
    const tree = found && (await treeOf(repository, found.oid))
    if (tree === undefined) throw fatal(`bad revision '${revision}'`)
    trees.push(tree)
  }
  if (!isMergeBase) return trees
  const [first = 'HEAD', second = 'HEAD'] = revisions
  const [one, other] = [(await rangeOf(repository, first))?.include[0], (await rangeOf(repository, second))?.include[0]]
  const [base] = one && other ? await mergeBases(repository, one, other) : []
  if (base === undefined) throw fatal('no merge base found')
  return [(await treeOf(repository, base)) as string, ...trees.slice(1)]
}

/** `--no-index`: two files or directories outside of git. */
async function compareFiles(context: GitContext, given: ReturnType<typeof parseDiff>): Promise<number> {
  const [one, other, ...more] = given.all
  if (one === undefined || other === undefined || more.length > 0) {
    throw new GitError('usage: git diff --no-index [<options>] <path> <path>', 129)
  }
  const settings = diffSettings(given, undefined, { defaultFormat: 'patch', renamesByDefault: true })
  const pairs: FilePair[] = []
  await collectFiles(context, one, other, pairs)
  const refined = await refinedPairs(pairs, settings)
  await finish(context, undefined, refined, settings, given)
  return (await hasDifferences(refined, settings)) ? 1 : 0
}

const parseDiff = (args: readonly string[]) => parseGit('diff', args, specs)

async function collectFiles(context: GitContext, one: string, other: string, pairs: FilePair[]): Promise<void> {
  const [from, to] = [await kindOf(context, one), await kindOf(context, other)]
  if (from === 'directory' && to === 'directory') {
    const names = new Set([...(await listNames(context, one)), ...(await listNames(context, other))])
    for (const name of [...names].sort()) await collectFiles(context, join(one, name), join(other, name), pairs)
    return
  }
  if (from === 'directory' && to === 'file') return collectFiles(context, join(one, basename(other)), other, pairs)
  if (to === 'directory' && from === 'file') return collectFiles(context, one, join(other, basename(one)), pairs)
  if (one === '/dev/null' && other === '/dev/null') return
  if (from === undefined && to === undefined) throw new GitError(`error: Could not access '${one}'`, 1)
  const [before, after] = [await plainSide(context, one, from), await plainSide(context, other, to)]
  if (before?.oid === after?.oid && before?.mode === after?.mode) return
  const bare = (path: string) => path.replace(/^\/+/, '')
  pairs.push({
    ...pairOf(bare(before === undefined ? other : after === undefined ? one : other), before, after),
    oldPath: bare(before === undefined ? other : one),
  })
}

async function kindOf(context: GitContext, path: string) {
  if (path === '/dev/null') return undefined
  try {
    return (await context.workspace.fs.stat(context.path(path))).kind
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) return undefined
    throw error
  }
}

async function listNames(context: GitContext, path: string): Promise<string[]> {
  return (await context.workspace.fs.readDir(context.path(path))).map(({ name }) => name)
}

async function plainSide(context: GitContext, path: string, kind: string | undefined): Promise<FileSide | undefined> {
  if (kind === undefined) {
    if (path !== '/dev/null') return undefined
    return undefined
  }
  if (kind !== 'file') throw new FsError('UNSUPPORTED', { path, operation: 'diff' })
  const at = context.path(path)
  const bytes = await context.workspace.fs.readFile(at)
  const { mode = 0o644 } = await context.workspace.fs.stat(at)
  return { mode: mode & 0o100 ? 0o100755 : 0o100644, oid: await objectId('blob', bytes), read: async () => bytes }
}

const plumbingSpecs = {
  ...diffSpecs,
  recursive: flag('-r'),
  showTrees: flag('-t'),
  root: flag('--root'),
  noCommitId: flag('--no-commit-id'),
  cached: flag('--cached'),
  mergeDiffs: flag('-m'),
  dense: flag('--cc'),
  abbrev: optional('--abbrev'),
} as const

/** `git diff-tree`, `git diff-index` and `git diff-files`: full ids, no renames unless asked. */
export async function diffPlumbing(
  context: GitContext,
  args: readonly string[],
  name: 'diff-tree' | 'diff-index' | 'diff-files',
): Promise<number> {
  const given = parseGit(name, args, plumbingSpecs, {
    unsupported: [...unsupportedDiff, '-c', '--stdin', '-v', '--pretty', '-t'],
  })
  const repository = await open(context)
  const prefix = await prefixOf(context, repository)
  const { revisions, specs: paths } = await splitOperands(context, repository, given)
  const plain = diffSettings(given, repository, {
    prefix,
    defaultFormat: 'raw',
    renamesByDefault: false,
    isPlumbing: true,
  })
  const settings = withAbbrev(
    {
      ...plain,
      patch: { ...plain.patch, ...(plain.formats.has('raw') && !given.has('abbrev') && { fullIndex: true }) },
    },
    given.has('abbrev') ? (given.value('abbrev') ?? '7') : undefined,
  )
  if (name === 'diff-files')
    return finish(
      context,
      repository,
      await refinedPairs(await workTreePairs(repository, paths), settings),
      settings,
      given,
      true,
    )
  const [first, second] = revisions
  if (first === undefined) throw new GitError(`usage: git ${name} [<options>] <tree-ish>`, 129)
  const [tree] = await treesOf(repository, [first], false)
  if (name === 'diff-index') {
    const pairs = given.has('cached')
      ? await indexPairs(repository, tree, paths)
      : await treeToWorkTreePairs(repository, tree, paths)
    return finish(context, repository, await refinedPairs(pairs, settings), settings, given)
  }
  const needsTrees =
    !given.has('recursive') &&
    !settings.formats.has('patch') &&
    ![...settings.formats].some((each) => each.endsWith('stat'))
  const shown = async (from: string | undefined, to: string | undefined) => {
    const pairs = await refinedPairs(await treePairs(repository, from, to, paths), settings)
    if (needsTrees && pairs.some(({ path, oldPath }) => path.includes('/') || oldPath.includes('/'))) {
      throw fatal("diff-tree without '-r' is not supported by this git for changes in directories")
    }
    return pairs
  }
  if (second !== undefined) {
    const [other] = await treesOf(repository, [second], false)
    return finish(context, repository, await shown(tree, other), settings, given)
  }
  const trees = await treesOf(repository, revisions, false)
  if (trees.length === 2) return finish(context, repository, await shown(trees[0], trees[1]), settings, given)
  const found = await findObject(repository, first)
  const commit = await repository.objects.readCommit(await repository.objects.peel(found?.oid ?? ''))
  const [parent, another] = commit.parents
  if (another !== undefined && given.has('dense')) throw fatal("option '--cc' is not supported by this git for merges")
  if (another !== undefined && !given.has('mergeDiffs')) return 0
  for (const each of another === undefined ? [] : commit.parents) {
    const from = await repository.objects.readCommit(each)
    const found = await shown(from.tree, commit.tree)
    if (found.length > 0 && !given.has('noCommitId')) context.out.write(`${commit.oid}\n`)
    await finish(context, repository, found, settings, given)
  }
  if (another !== undefined) return 0
  if (parent === undefined && !given.has('root')) return 0
  const before = parent === undefined ? undefined : (await repository.objects.readCommit(parent)).tree
  const pairs = await shown(before, commit.tree)
  if (pairs.length > 0 && !given.has('noCommitId')) context.out.write(`${commit.oid}\n`)
  return finish(context, repository, pairs, settings, given)
}
