/** `git update-index`. */
import { join } from '../../../../src/fs/path.js'
import { gitAdd } from '../../../../src/git/commands/add.js'
import { modes } from '../../../../src/git/objects/tree.js'
import { type Repository, readIndex } from '../../../../src/git/repository.js'
import { writeIndex } from '../../../../src/git/work-tree/write-index.js'
import { change, type GitContext, prefixOf } from '../../context.js'
import { quoter } from '../../diff/diff-options.js'
import { workTreePairs } from '../../diff/pairs.js'
import { failure, fatal } from '../../git-error.js'
import { flag, parseGit, value } from '../../options.js'
import { pathspecsOf } from '../../pathspec.js'

const updateIndexSpecs = {
  add: flag('--add'),
  remove: flag('--remove'),
  forceRemove: flag('--force-remove'),
  refresh: flag('--refresh', '--really-refresh'),
  quiet: flag('-q'),
  chmod: value('--chmod'),
  assume: flag('--assume-unchanged'),
  noAssume: flag('--no-assume-unchanged'),
} as const

export async function updateIndex(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('update-index', args, updateIndexSpecs, {
    unsupported: [
      '--cacheinfo',
      '--index-info',
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
