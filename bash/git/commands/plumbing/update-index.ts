/** `git update-index` and `git check-ignore`. */
import { join } from '../../../../src/fs/path.js'
import { gitAdd } from '../../../../src/git/commands/add.js'
import { modes } from '../../../../src/git/objects/tree.js'
import { type Repository, readIndex } from '../../../../src/git/repository.js'
import { ignoreOptionsOf } from '../../../../src/git/work-tree/ignore-options.js'
import { writeIndex } from '../../../../src/git/work-tree/write-index.js'
import { createIgnoreStack } from '../../../../src/search/patterns/ignore-stack.js'
import { decodeText } from '../../../io/byte-text.js'
import { change, type GitContext, open, prefixOf } from '../../context.js'
import { quoter } from '../../diff/diff-options.js'
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
    for (const [i, path] of paths.entries()) {
      const isThere = await repository.fs.stat(join(repository.root, path)).then(
        () => true,
        () => false,
      )
      const shown = given.all[i]
      if (!isThere && !given.has('remove'))
        throw failure(`${shown}: does not exist and --remove not passed\nfatal: Unable to process path ${shown}`, 128)
      if (isThere && !known.has(path) && !given.has('add'))
        throw failure(
          `${shown}: cannot add to the index - missing --add option?\nfatal: Unable to process path ${shown}`,
          128,
        )
    }
    if (paths.length > 0) await gitAdd(repository, { paths, force: true })
    return 0
  })
}

export async function checkIgnore(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'check-ignore',
    args,
    {
      quiet: flag('-q', '--quiet'),
      stdin: flag('--stdin'),
      verbose: flag('-v', '--verbose'),
      noIndex: flag('--no-index'),
    },
    { unsupported: ['-v', '--verbose', '-n', '--non-matching', '-z', '--no-index'] },
  )
  const repository = await open(context)
  const prefix = await prefixOf(context, repository)
  const names = given.has('stdin')
    ? decodeText(await context.input())
        .split('\n')
        .filter((line) => line !== '')
    : given.all
  if (names.length === 0) throw fatal('no path specified')
  const index = await readIndex(repository)
  const tracked = new Set(index.entries.map(({ path }) => path))
  const isIgnored = await ignoreTest(repository)
  let hasFound = false
  for (const name of names) {
    const path = pathspecsOf([`:(literal)${name}`], prefix, repository.root).specs[0]?.path ?? ''
    if (tracked.has(path) || path === '' || !(await isIgnored(path, name.endsWith('/')))) continue
    hasFound = true
    if (!given.has('quiet')) context.out.write(`${quoter(repository)(name)}\n`)
  }
  return hasFound ? 0 : 1
}

/** Tests paths that need not exist. */
async function ignoreTest(repository: Repository): Promise<(path: string, isDirectory: boolean) => Promise<boolean>> {
  const { fs, root } = repository
  const stack = createIgnoreStack(fs, await ignoreOptionsOf(repository))
  return async (path, isDirectory) => {
    const names = path.split('/')
    const list = async (directory: string) => fs.readDir(directory).catch(() => [])
    let level = await stack.open(root, await list(root))
    let at = root
    for (const [i, name] of names.entries()) {
      const isLast = i === names.length - 1
      const kind = (await fs.stat(join(at, name)).catch(() => undefined))?.kind
      const isFolder = isLast ? isDirectory || kind === 'directory' : true
      if (level.ignores(name, isFolder)) return true
      if (isLast) return false
      at = join(at, name)
      level = await level.enter(name, await list(at))
    }
    return false
  }
}
