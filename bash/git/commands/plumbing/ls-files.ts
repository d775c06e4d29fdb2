/** `git ls-files` and `git ls-tree`. */
import { join } from '../../../../src/fs/path.js'
import { comparePaths } from '../../../../src/git/objects/object-id.js'
import { modes, type TreeEntry } from '../../../../src/git/objects/tree.js'
import { type Repository, readIndex } from '../../../../src/git/repository.js'
import { changedInWorkTree, scanWorkTree } from '../../../../src/git/work-tree/work-tree.js'
import { fromPrefix, type GitContext, open, prefixOf } from '../../context.js'
import { quoter } from '../../diff/diff-options.js'
import { failure, fatal, GitError } from '../../git-error.js'
import { abbreviate } from '../../objects.js'
import { flag, optional, parseGit } from '../../options.js'
import { pathspecsOf } from '../../pathspec.js'
import { findObject, treeOf } from '../../revisions.js'

const lsFilesSpecs = {
  cached: flag('-c', '--cached'),
  deleted: flag('-d', '--deleted'),
  modified: flag('-m', '--modified'),
  others: flag('-o', '--others'),
  ignored: flag('-i', '--ignored'),
  stage: flag('-s', '--stage'),
  unmerged: flag('-u', '--unmerged'),
  directory: flag('--directory'),
  excludeStandard: flag('--exclude-standard'),
  nul: flag('-z'),
  errorUnmatch: flag('--error-unmatch'),
  fullName: flag('--full-name'),
  tags: flag('-t'),
  abbrev: optional('--abbrev'),
  deduplicate: flag('--deduplicate'),
  noEmptyDirectory: flag('--no-empty-directory'),
} as const

export async function lsFiles(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('ls-files', args, lsFilesSpecs, {
    unsupported: [
      '-x',
      '--exclude',
      '-X',
      '--exclude-from',
      '--exclude-per-directory',
      '-k',
      '--killed',
      '-v',
      '-f',
      '--with-tree',
      '--eol',
      '--resolve-undo',
      '--debug',
      '--sparse',
      '--format',
      '--recurse-submodules',
      '-t',
    ],
  })
  const repository = await open(context)
  const prefix = await prefixOf(context, repository)
  const specs = pathspecsOf(given.all, prefix, repository.root)
  const index = await readIndex(repository)
  const end = given.has('nul') ? '\0' : '\n'
  const quote = given.has('nul') ? (path: string) => path : quoter(repository)
  const isIn = (path: string) => (specs.isAll ? prefix === '' || path.startsWith(prefix) : specs.matches(path))
  const name = (path: string) => quote(given.has('fullName') ? path : fromPrefix(prefix, path))
  const shown: string[] = []
  const add = (path: string, text = name(path)) => {
    shown.push(path)
    lines.push(`${text}${end}`)
  }
  const lines: string[] = []
  const wantsIndex =
    given.has('cached') ||
    given.has('stage') ||
    given.has('unmerged') ||
    (!given.has('deleted') && !given.has('modified') && !given.has('others'))
  if (given.has('others')) {
    const scan = await scanWorkTree(repository, index, {
      untracked: given.has('directory') ? 'normal' : 'all',
      ignored: true,
    })
    const nested = new Set(scan.nested)
    const ignored = await expandIgnored(repository, scan.ignored, given.has('directory'))
    const others = given.has('ignored')
      ? ignored
      : given.has('excludeStandard')
        ? scan.untracked
        : [...scan.untracked, ...ignored]
    for (const path of [...others].sort(comparePaths)) if (isIn(path) && !(nested.has(path) && false)) add(path)
  }
  if (given.has('ignored') && !given.has('others')) throw fatal('ls-files -i must be used with either -o or -c')
  const staged = index.entries.filter(({ path, stage }) => isIn(path) && (!given.has('unmerged') || stage > 0))
  if (wantsIndex) {
    let previous: string | undefined
    for (const { path, mode, oid, stage } of staged) {
      if (given.has('deduplicate') && path === previous) continue
      previous = path
      const id = given.has('abbrev') ? await abbreviate(repository, oid, Number(given.value('abbrev') ?? 7)) : oid
      if (given.has('stage') || given.has('unmerged'))
        add(path, `${mode.toString(8).padStart(6, '0')} ${id} ${stage}\t${name(path)}`)
      else add(path)
    }
  }
  if (given.has('deleted') || given.has('modified')) {
    const scan = await scanWorkTree(repository, index, { untracked: 'none' })
    const changes = new Map(
      (await changedInWorkTree(repository, index, scan.present, { isWanted: isIn })).map(({ entry, change: how }) => [
        entry.path,
        how,
      ]),
    )
    for (const { path, stage } of staged) {
      const how = changes.get(path)
      if (given.has('deleted') && how === 'deleted') add(path)
      if (given.has('modified') && (how !== undefined || stage > 0)) add(path)
    }
  }
  context.out.write(lines.join(''))
  if (given.has('errorUnmatch')) {
    const unmatched = specs.unmatched(shown)
    if (unmatched.length > 0)
      throw failure(
        `${unmatched.map((each) => `pathspec '${each}' did not match any file(s) known to git`).join('\nerror: ')}\nDid you forget to 'git add'?`,
      )
  }
  return 0
}

async function expandIgnored(
  repository: Repository,
  ignored: readonly string[],
  keepsDirectories: boolean,
): Promise<string[]> {
  if (keepsDirectories) return [...ignored]
  const files: string[] = []
  const visit = async (path: string): Promise<void> => {
    for (const { name, kind } of await repository.fs.readDir(join(repository.root, path))) {
      if (kind === 'directory') await visit(`${path}/${name}`)
      else files.push(`${path}/${name}`)
    }
  }
  for (const path of ignored) {
    if (path.endsWith('/')) await visit(path.slice(0, -1))
    else files.push(path)
  }
  return files
}

const lsTreeSpecs = {
  recursive: flag('-r'),
  trees: flag('-t'),
  onlyTrees: flag('-d'),
  long: flag('-l', '--long'),
  nameOnly: flag('--name-only', '--name-status'),
  objectOnly: flag('--object-only'),
  nul: flag('-z'),
  fullName: flag('--full-name'),
  fullTree: flag('--full-tree'),
  abbrev: optional('--abbrev'),
} as const

export async function lsTree(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('ls-tree', args, lsTreeSpecs, { unsupported: ['--format'] })
  const repository = await open(context)
  const [revision, ...paths] = given.all
  if (revision === undefined) throw new GitError('usage: git ls-tree [<options>] <tree-ish> [<path>...]', 129)
  const found = await findObject(repository, revision)
  if (found === undefined) throw fatal(`Not a valid object name ${revision}`)
  const top = await treeOf(repository, found.oid)
  if (top === undefined) throw fatal('not a tree object')
  const prefix = given.has('fullTree') ? '' : await prefixOf(context, repository)
  const wanted = paths.map((path) => ({
    path: pathspecsOf([`:(literal)${path}`], prefix, repository.root).specs[0]?.path ?? '',
    isInside: path.endsWith('/'),
  }))
  const quote = given.has('nul') ? (path: string) => path : quoter(repository)
  const end = given.has('nul') ? '\0' : '\n'
  const print = async (path: string, { mode, oid }: TreeEntry) => {
    const shown = quote(given.has('fullName') || given.has('fullTree') ? path : fromPrefix(prefix, path))
    const id = given.has('abbrev') ? await abbreviate(repository, oid, Number(given.value('abbrev') ?? 7)) : oid
    if (given.has('nameOnly')) context.out.write(`${shown}${end}`)
    else if (given.has('objectOnly')) context.out.write(`${id}${end}`)
    else {
      const type = mode === modes.directory ? 'tree' : mode === modes.submodule ? 'commit' : 'blob'
      const size = given.has('long')
        ? ` ${(type === 'blob' ? `${await repository.objects.blobSize(oid)}` : '-').padStart(7)}`
        : ''
      context.out.write(`${mode.toString(8).padStart(6, '0')} ${type} ${id}${size}\t${shown}${end}`)
    }
  }
  const visit = async (tree: string, base: string): Promise<void> => {
    for (const entry of await repository.objects.readTree(tree)) {
      const path = `${base}${entry.name}`
      const isTree = entry.mode === modes.directory
      const isOn =
        wanted.length === 0
          ? prefix === '' || path.startsWith(prefix) || prefix.startsWith(`${path}/`)
          : wanted.some(
              (each) =>
                each.path === '' ||
                path === each.path ||
                path.startsWith(`${each.path}/`) ||
                each.path.startsWith(`${path}/`),
            )
      if (!isOn) continue
      const isMatch =
        wanted.length === 0
          ? path.startsWith(prefix)
          : wanted.some(
              (each) =>
                each.path === '' ||
                (path === each.path && !(isTree && each.isInside)) ||
                path.startsWith(`${each.path}/`),
            )
      const leads =
        wanted.length === 0
          ? prefix.startsWith(`${path}/`)
          : wanted.some((each) => each.path.startsWith(`${path}/`) || (each.path === path && each.isInside))
      if (isTree && (given.has('recursive') || leads)) {
        if (isMatch && (given.has('trees') || given.has('onlyTrees'))) await print(path, entry)
        if (!given.has('onlyTrees') || leads || given.has('recursive')) await visit(entry.oid, `${path}/`)
      } else if (isMatch && (!given.has('onlyTrees') || isTree)) await print(path, entry)
    }
  }
  await visit(top, '')
  return 0
}
