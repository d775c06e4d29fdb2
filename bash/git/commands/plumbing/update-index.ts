/** `git update-index` and `git read-tree`. */
import { isFsError } from '../../../../src/errors.js'
import { join } from '../../../../src/fs/path.js'
import { gitAdd } from '../../../../src/git/commands/add.js'
import { conflictsIn } from '../../../../src/git/commands/status.js'
import { comparePaths } from '../../../../src/git/objects/object-id.js'
import { checkTreePath, modes } from '../../../../src/git/objects/tree.js'
import { type Repository, readIndex } from '../../../../src/git/repository.js'
import { indexEntry } from '../../../../src/git/work-tree/index-file.js'
import { writeIndex } from '../../../../src/git/work-tree/write-index.js'
import { decodeText } from '../../../io/byte-text.js'
import { change, type GitContext, prefixOf } from '../../context.js'
import { quoter } from '../../diff/diff-options.js'
import { workTreePairs } from '../../diff/pairs.js'
import { failure, fatal } from '../../git-error.js'
import { flag, parseGit, value } from '../../options.js'
import { pathspecsOf } from '../../pathspec.js'
import { findObject, treeOf } from '../../revisions.js'

const updateIndexSpecs = {
  add: flag('--add'),
  remove: flag('--remove'),
  forceRemove: flag('--force-remove'),
  refresh: flag('--refresh', '--really-refresh'),
  quiet: flag('-q'),
  chmod: value('--chmod'),
  assume: flag('--assume-unchanged'),
  noAssume: flag('--no-assume-unchanged'),
  cacheInfo: value('--cacheinfo'),
  indexInfo: flag('--index-info'),
} as const

export async function updateIndex(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('update-index', joinedInfo(args), updateIndexSpecs, {
    unsupported: [
      '--stdin',
      '--skip-worktree',
      '--no-skip-worktree',
      '-z',
      '--replace',
      '--again',
      '-g',
      '--info-only',
      '--unresolve',
      '--split-index',
      '--untracked-cache',
      '--ignore-missing',
      '--ignore-submodules',
      '--fsmonitor',
    ],
  })
  const entries = given.has('indexInfo')
    ? infoLines(decodeText(await context.input()))
    : given.values('cacheInfo').map(cacheInfo)
  if (entries.length > 0 || given.has('indexInfo')) {
    if (given.all.length > 0)
      throw fatal("options '--cacheinfo' and '--index-info' are not supported by this git beside paths")
    return change(context, 'update-index', (repository) =>
      putEntries(repository, entries, given.has('add') || given.has('indexInfo')),
    )
  }
  return change(context, 'update-index', async (repository) => {
    const prefix = await prefixOf(context, repository)
    const paths = given.all.map(
      (path) => pathspecsOf([`:(literal)${path}`], prefix, repository.root).specs[0]?.path ?? '',
    )
    const index = await readIndex(repository)
    const known = new Set(index.entries.map(({ path }) => path))
    const chmod = given.value('chmod')
    if (given.has('assume') || given.has('noAssume') || chmod !== undefined || given.has('forceRemove')) {
      const wanted = new Set(paths)
      for (const path of paths) if (!known.has(path)) throw fatal(`Unable to process path ${path}`)
      const isAssumed = given.last('assume', 'noAssume') === 'assume'
      const entries = index.entries
        .filter(({ path }) => !(given.has('forceRemove') && wanted.has(path)))
        .map((entry) => {
          if (!wanted.has(entry.path)) return entry
          const { assumeValid: _, ...rest } = entry
          const mode = chmod === undefined ? entry.mode : chmod === '+x' ? modes.executable : modes.file
          return {
            ...(given.has('assume') || given.has('noAssume')
              ? { ...rest, ...(isAssumed && { assumeValid: true }) }
              : entry),
            mode,
          }
        })
      await writeIndex(repository, entries)
      return 0
    }
    const gone = new Set<string>()
    for (const [i, path] of paths.entries()) {
      const isThere = await repository.fs.stat(join(repository.root, path)).then(
        () => true,
        () => false,
      )
      if (!isThere && !known.has(path)) gone.add(path)
      const shown = given.all[i]
      if (!isThere && !given.has('remove'))
        throw failure(`${shown}: does not exist and --remove not passed\nfatal: Unable to process path ${shown}`, 128)
      if (isThere && !known.has(path) && !given.has('add'))
        throw failure(
          `${shown}: cannot add to the index - missing --add option?\nfatal: Unable to process path ${shown}`,
          128,
        )
    }
    const found = paths.filter((path) => !gone.has(path))
    if (found.length > 0) await gitAdd(repository, { paths: found, force: true })
    return given.has('refresh') && !given.has('quiet') ? printStale(context, repository) : 0
  })
}

/** The files that differ from what is staged, or could not be merged. */
async function printStale(context: GitContext, repository: Repository): Promise<number> {
  const pairs = await workTreePairs(repository)
  const quote = quoter(repository)
  for (const path of new Set(pairs.map((pair) => pair.path))) {
    const isUnmerged = pairs.some((pair) => pair.path === path && pair.status === 'U')
    context.out.write(`${quote(path)}: needs ${isUnmerged ? 'merge' : 'update'}\n`)
  }
  return pairs.length > 0 ? 1 : 0
}

/** An entry by itself, without a file; without an object it goes away. */
interface Info {
  mode: number
  oid: string | undefined
  path: string
}

/** The older form has three arguments. */
function joinedInfo(args: readonly string[]): string[] {
  const joined: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const [mode = '', oid, path] = args.slice(at + 1, at + 4)
    joined.push(args[at] as string)
    if (args[at] !== '--cacheinfo' || mode.includes(',') || oid === undefined || path === undefined) continue
    joined.push(`${mode},${oid},${path}`)
    at += 3
  }
  return joined
}

function cacheInfo(text: string): Info {
  const [, mode = '', oid, path = ''] = /^([0-7]+),([0-9a-f]{40}),(.+)$/s.exec(text) ?? []
  if (oid === undefined) throw failure("option 'cacheinfo' expects <mode>,<sha1>,<path>", 129)
  return { mode: Number.parseInt(mode, 8), oid, path }
}

function infoLines(text: string): Info[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, mode = '', oid, stage, path = ''] =
        /^([0-7]+) (?:(?:blob|commit) )?([0-9a-f]{40})(?: ([0-3]))?\t(.+)$/s.exec(line) ?? []
      if (oid === undefined) throw fatal(`malformed index info ${line}`)
      if (stage !== undefined && stage !== '0')
        throw fatal("a stage of 'update-index --index-info' is not supported by this git")
      if (path.startsWith('"')) throw fatal("a quoted path of 'update-index --index-info' is not supported by this git")
      const number = Number.parseInt(mode, 8)
      return { mode: number, oid: number === 0 ? undefined : oid, path }
    })
}

const entryModes: readonly number[] = [modes.file, modes.executable, modes.link, modes.submodule]

async function putEntries(repository: Repository, infos: readonly Info[], mayAdd: boolean): Promise<number> {
  const entries = new Map((await readIndex(repository)).entries.map((entry) => [entry.path, entry]))
  for (const { mode, oid, path } of infos) {
    if (oid === undefined) {
      entries.delete(path)
      continue
    }
    const cannot = (why: string) => failure(`${why}fatal: git update-index: --cacheinfo cannot add ${path}`, 128)
    try {
      checkTreePath(path)
    } catch (error) {
      throw isFsError(error) ? cannot(`Invalid path '${path}'\n`) : error
    }
    if (!entries.has(path) && !mayAdd) throw cannot(`${path}: cannot add to the index - missing --add option?\n`)
    // Anything that is neither a link nor a submodule is a file that may be executed or not.
    const own = entryModes.includes(mode) ? mode : (mode & 0o100) !== 0 ? modes.executable : modes.file
    for (const other of entries.keys()) {
      if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`))
        throw fatal('files and directories of one name are not supported by this git in update-index')
    }
    entries.set(path, indexEntry(path, own, oid, undefined))
  }
  await writeIndex(
    repository,
    [...entries.values()].sort((a, b) => comparePaths(a.path, b.path)),
  )
  return 0
}

export async function readTree(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'read-tree',
    args,
    { merge: flag('-m'), reset: flag('--reset'), empty: flag('--empty'), prefix: value('--prefix'), quiet: flag('-q') },
    {
      unsupported: [
        '-u',
        '-i',
        '-n',
        '--dry-run',
        '-v',
        '--trivial',
        '--aggressive',
        '--index-output',
        '--no-sparse-checkout',
      ],
    },
  )
  return change(context, 'read-tree', async (repository) => {
    if (given.has('empty')) {
      if (given.all.length > 0) throw fatal('passing trees as arguments contradicts --empty')
      await writeIndex(repository, [])
      return 0
    }
    const [name, ...more] = given.all
    if (name === undefined) throw fatal('read-tree without a tree is not supported by this git; use --empty')
    if (more.length > 0) throw fatal('read-tree of several trees is not supported by this git')
    const found = await findObject(repository, name)
    const tree = found && (await treeOf(repository, found.oid))
    if (tree === undefined) throw fatal(`Not a valid object name ${name}`)
    const index = await readIndex(repository)
    const isMerge = given.has('merge') || given.has('reset')
    if (given.has('merge') && conflictsIn(index).length > 0)
      throw failure(
        `${conflictsIn(index)[0]?.path}: needs merge\nerror: You need to resolve your current index first`,
        128,
      )
    const known = new Map(index.entries.map((entry) => [entry.path, entry]))
    const prefix = given.value('prefix')
    const base = prefix === undefined || prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`
    const read = [...(await repository.objects.flatten(tree))].map(([path, { mode, oid }]) => {
      const entry = known.get(`${base}${path}`)
      const isSame = isMerge && entry?.oid === oid && entry.mode === mode
      return isSame ? entry : indexEntry(`${base}${path}`, mode, oid, undefined)
    })
    const kept = prefix === undefined ? [] : index.entries
    const taken = read.find(({ path }) => kept.some((entry) => entry.path === path))
    if (taken !== undefined) throw failure(`Entry '${taken.path}' overlaps with '${taken.path}'.  Cannot bind.`, 128)
    await writeIndex(
      repository,
      [...kept, ...read].sort((a, b) => comparePaths(a.path, b.path)),
    )
    return 0
  })
}
