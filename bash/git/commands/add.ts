/** `git add`, `git rm`, `git mv` and `git clean`. */
import type { Draft } from '../../../src/change/draft.js'
import { basename, dirname, join } from '../../../src/fs/path.js'
import { gitAdd } from '../../../src/git/commands/add.js'
import { blobsOf, conflictsIn, headFiles } from '../../../src/git/commands/status.js'
import { comparePaths } from '../../../src/git/objects/object-id.js'
import { modes } from '../../../src/git/objects/tree.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Index, type Repository, readIndex } from '../../../src/git/repository.js'
import { type IndexEntry, indexEntry } from '../../../src/git/work-tree/index-file.js'
import { changedInWorkTree, sameBlob, scanWorkTree } from '../../../src/git/work-tree/work-tree.js'
import { writeFiles } from '../../../src/git/work-tree/write-files.js'
import { writeIndex } from '../../../src/git/work-tree/write-index.js'
import { change, fromPrefix, type GitContext, open, prefixOf } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { fatal, GitError } from '../git-error.js'
import { flag, parseGit, value } from '../options.js'
import { addHunks } from '../patch-mode/choose.js'
import { type Pathspecs, pathspecsOf } from '../pathspec.js'

const addSpecs = {
  all: flag('-A', '--all', '--no-ignore-removal'),
  update: flag('-u', '--update'),
  noAll: flag('--no-all', '--ignore-removal'),
  force: flag('-f', '--force'),
  verbose: flag('-v', '--verbose'),
  dryRun: flag('-n', '--dry-run'),
  intent: flag('-N', '--intent-to-add'),
  ignoreErrors: flag('--ignore-errors'),
  chmod: value('--chmod'),
  refresh: flag('--refresh'),
  patch: flag('-p', '--patch'),
} as const

export async function add(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('add', args, addSpecs, {
    unsupported: [
      '-i',
      '--interactive',
      '-e',
      '--edit',
      '--renormalize',
      '--sparse',
      '--pathspec-from-file',
      '--ignore-missing',
      '--refresh',
      '-N',
      '--intent-to-add',
      '--no-all',
      '--ignore-removal',
    ].filter((name) => name !== '--ignore-missing'),
  })
  const named = given.all
  if (given.has('patch')) {
    if (given.has('dryRun')) throw fatal("options '--dry-run' and '--interactive/--patch' cannot be used together")
    return change(context, 'add', async (repository, draft) => {
      await addHunks(context, repository, draft, named)
      return 0
    })
  }
  const isUpdate = given.has('update')
  if (named.length === 0 && !given.has('all') && !isUpdate) {
    throw new GitError(
      'Nothing specified, nothing added.\nhint: Maybe you wanted to say \'git add .\'?\nhint: Turn this message off by running\nhint: "git config advice.addEmptyPathspec false"',
      0,
    )
  }
  const chmod = given.value('chmod')
  if (chmod !== undefined && !/^[+-]x$/.test(chmod)) throw fatal(`--chmod param '${chmod}' must be either -x or +x`)
  const body = async (repository: Repository): Promise<number> => {
    const prefix = await prefixOf(context, repository)
    const specs = pathspecsOf(named, prefix, repository.root)
    const index = await readIndex(repository)
    const found = await candidates(repository, index, specs, { isUpdate, force: given.has('force') })
    if (found.unmatched.length > 0) throw fatal(`pathspec '${found.unmatched[0]}' did not match any files`)
    const [nested] = found.nested
    if (nested !== undefined)
      throw fatal(`adding the repository '${nested}' to another one is not supported by this git`)
    const name = (path: string) => quoter(repository)(path)
    if (given.has('verbose') || given.has('dryRun')) {
      for (const { path, isRemoved } of found.changes)
        context.out.write(`${isRemoved ? 'remove' : 'add'} '${name(path)}'\n`)
    }
    if (given.has('dryRun')) return reportIgnored(context, found.ignored)
    const isPlain =
      !given.has('force') &&
      found.ignored.length === 0 &&
      specs.specs.every((spec) => !spec.isExcluded && spec.pattern === undefined && !spec.onlyDirectory)
    const paths = specs.isAll ? [''] : isPlain ? (specs.bases ?? ['']) : found.wanted
    if (specs.isAll || paths.length > 0) {
      await gitAdd(repository, { paths, update: isUpdate, force: !isPlain })
    }
    if (chmod !== undefined) await setExecutable(repository, specs, chmod === '+x')
    return reportIgnored(context, found.ignored)
  }
  if (given.has('dryRun')) return body(await open(context))
  return change(context, 'add', body)
}

function reportIgnored(context: GitContext, ignored: readonly string[]): number {
  if (ignored.length === 0) return 0
  context.err.write(
    `The following paths are ignored by one of your .gitignore files:\n${ignored.map((path) => `${path}\n`).join('')}hint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: "git config advice.addIgnoredFile false"\n`,
  )
  return 1
}

async function setExecutable(repository: Repository, specs: Pathspecs, isExecutable: boolean): Promise<void> {
  const { entries } = await readIndex(repository)
  const mode = isExecutable ? modes.executable : modes.file
  const changed = entries.map((entry) =>
    specs.matches(entry.path) && (entry.mode === modes.file || entry.mode === modes.executable)
      ? { ...entry, mode }
      : entry,
  )
  await writeIndex(repository, changed)
}

/** Which files an `add` with these pathspecs is about. */
async function candidates(
  repository: Repository,
  index: Index,
  specs: Pathspecs,
  { isUpdate, force }: { isUpdate: boolean; force: boolean },
) {
  const bases = specs.bases
  const scan = await scanWorkTree(repository, index, {
    untracked: isUpdate ? 'none' : 'all',
    ignored: true,
    ...(bases && { paths: bases }),
  })
  const isWanted = (path: string) => specs.matches(path)
  const changed = (await changedInWorkTree(repository, index, scan.present, { isWanted })).map(
    ({ entry, change: how }) => ({ path: entry.path, isRemoved: how === 'deleted' }),
  )
  const conflicted = conflictsIn(index)
    .filter(({ path }) => isWanted(path))
    .map(({ path }) => ({ path, isRemoved: !scan.present.has(path) }))
  const untracked = isUpdate ? [] : scan.untracked.filter((path) => isWanted(path) && !path.endsWith('/'))
  const ignoredFiles = isUpdate ? [] : await expanded(repository, scan.ignored, specs, force)
  const named = specs.specs.filter(({ isExcluded }) => !isExcluded)
  const forced = force ? ignoredFiles : []
  const known = [...index.entries.map(({ path }) => path), ...scan.untracked, ...forced]
  const missing = new Set(specs.unmatched(known))
  const refused: string[] = []
  const unmatched: string[] = []
  for (const spec of named) {
    if (!missing.has(spec.given)) continue
    const isIgnored = scan.ignored.some((path) => {
      const bare = path.replace(/\/$/, '')
      return spec.path === bare || spec.path.startsWith(`${bare}/`) || (spec.pattern?.test(bare) ?? false)
    })
    const isDirectory =
      spec.path === '' ||
      (await repository.fs.stat(join(repository.root, spec.path)).catch(() => undefined))?.kind === 'directory'
    const isThere = (await repository.fs.stat(join(repository.root, spec.path)).catch(() => undefined)) !== undefined
    if (isIgnored && isThere) refused.push(spec.path)
    else if (!isDirectory) unmatched.push(spec.given)
  }
  const changes = [
    ...changed,
    ...conflicted,
    ...[...untracked, ...forced].map((path) => ({ path, isRemoved: false })),
  ].sort((a, b) => comparePaths(a.path, b.path))
  const wanted = [...new Set([...index.entries.map(({ path }) => path).filter(isWanted), ...untracked, ...forced])]
  const nested = isUpdate ? [] : scan.nested.filter(isWanted)
  return { changes, wanted, ignored: refused, unmatched, nested }
}

/** Files below ignored directories, when they are to be added all the same. */
async function expanded(
  repository: Repository,
  ignored: readonly string[],
  specs: Pathspecs,
  force: boolean,
): Promise<string[]> {
  if (!force) return []
  const files: string[] = []
  const visit = async (path: string): Promise<void> => {
    for (const { name, kind } of await repository.fs.readDir(join(repository.root, path))) {
      if (name === '.git') continue
      if (kind === 'directory') await visit(`${path}/${name}`)
      else files.push(`${path}/${name}`)
    }
  }
  for (const path of ignored) {
    if (path.endsWith('/')) await visit(path.slice(0, -1))
    else files.push(path)
  }
  return files.filter((path) => specs.matches(path))
}

const rmSpecs = {
  cached: flag('--cached'),
  recursive: flag('-r'),
  force: flag('-f', '--force'),
  quiet: flag('-q', '--quiet'),
  dryRun: flag('-n', '--dry-run'),
  ignoreUnmatch: flag('--ignore-unmatch'),
} as const

export async function rm(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('rm', args, rmSpecs, {
    unsupported: ['--sparse', '--pathspec-from-file', '--pathspec-file-nul'],
  })
  if (given.all.length === 0) throw fatal('No pathspec was given. Which files should I remove?')
  const body = async (repository: Repository, draft: Draft | undefined): Promise<number> => {
    const prefix = await prefixOf(context, repository)
    const specs = pathspecsOf(given.all, prefix, repository.root)
    const index = await readIndex(repository)
    const paths = [...new Set(index.entries.filter(({ path }) => specs.matches(path)).map(({ path }) => path))]
    const [unmatched] = specs.unmatched(paths)
    if (unmatched !== undefined && !given.has('ignoreUnmatch'))
      throw fatal(`pathspec '${unmatched}' did not match any files`)
    if (!given.has('recursive')) {
      const directory = specs.specs.find(
        (spec) =>
          !spec.isExcluded &&
          spec.pattern === undefined &&
          paths.some((path) => path !== spec.path && (spec.path === '' || path.startsWith(`${spec.path}/`))),
      )
      if (directory !== undefined) throw fatal(`not removing '${directory.given}' recursively without -r`)
    }
    if (!given.has('force')) await refuseLoss(repository, index, paths, given.has('cached'))
    if (!given.has('quiet')) for (const path of paths) context.out.write(`rm '${quoter(repository)(path)}'\n`)
    if (draft === undefined) return 0
    const gone = new Set(paths)
    if (!given.has('cached')) await writeFiles(repository, draft, [], paths)
    await writeIndex(
      repository,
      index.entries.filter(({ path }) => !gone.has(path)),
    )
    return 0
  }
  if (given.has('dryRun')) return body(await open(context), undefined)
  return change(context, 'rm', body)
}

/** Files whose content would be lost are not removed. */
async function refuseLoss(
  repository: Repository,
  index: Index,
  paths: readonly string[],
  isCached: boolean,
): Promise<void> {
  const { oid } = await readHead(repository)
  const head = await headFiles(repository, oid)
  const wanted = new Set(paths)
  const scan = await scanWorkTree(repository, index, { untracked: 'none' })
  const changed = new Map(
    (await changedInWorkTree(repository, index, scan.present, { isWanted: (path) => wanted.has(path) })).map(
      ({ entry, change: how }) => [entry.path, how],
    ),
  )
  const [both, staged, local]: [string[], string[], string[]] = [[], [], []]
  for (const [path, entry] of blobsOf(index)) {
    if (!wanted.has(path)) continue
    const isStaged = !sameBlob(head.get(path), entry)
    const isLocal = changed.has(path) && changed.get(path) !== 'deleted'
    if (changed.get(path) === 'deleted') continue
    if (isLocal && isStaged) both.push(path)
    else if (isCached) continue
    else if (isStaged) staged.push(path)
    else if (isLocal) local.push(path)
  }
  const list = (paths: readonly string[], one: string, many: string, hint: string) =>
    paths.length === 0
      ? ''
      : `error: the following file${paths.length === 1 ? ` ${one}` : `s ${many}`}\n${paths.map((path) => `    ${path}\n`).join('')}${hint}\n`
  const text =
    list(
      both,
      'has staged content different from both the\nfile and the HEAD:',
      'have staged content different from both the\nfile and the HEAD:',
      '(use -f to force removal)',
    ) +
    list(
      staged,
      'has changes staged in the index:',
      'have changes staged in the index:',
      '(use --cached to keep the file, or -f to force removal)',
    ) +
    list(
      local,
      'has local modifications:',
      'have local modifications:',
      '(use --cached to keep the file, or -f to force removal)',
    )
  if (text !== '') throw new GitError(text.trimEnd(), 1)
}

const mvSpecs = {
  force: flag('-f', '--force'),
  verbose: flag('-v', '--verbose'),
  dryRun: flag('-n', '--dry-run'),
  skip: flag('-k'),
} as const

export async function mv(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('mv', args, mvSpecs, { unsupported: ['--sparse'] })
  const operands = [...given.all]
  const target = operands.pop()
  if (target === undefined || operands.length === 0)
    throw new GitError('usage: git mv [<options>] <source>... <destination>', 129)
  const body = async (repository: Repository, draft: Draft | undefined): Promise<number> => {
    const prefix = await prefixOf(context, repository)
    const at = (path: string) => pathspecsOf([`:(literal)${path}`], prefix, repository.root).specs[0]?.path ?? ''
    const index = await readIndex(repository)
    const to = at(target)
    const kindOf = async (path: string) =>
      (await repository.fs.stat(join(repository.root, path)).catch(() => undefined))?.kind
    const intoDirectory = (await kindOf(to)) === 'directory'
    if (!intoDirectory && (operands.length > 1 || target.endsWith('/')))
      throw fatal(`destination '${target}' is not a directory`)
    let entries = [...index.entries]
    for (const operand of operands) {
      const from = at(operand)
      const destination = intoDirectory ? join(`/${to}`, basename(from)).slice(1) : to
      const problem = await moveProblem(repository, entries, from, destination, given.has('force'), kindOf)
      if (problem !== undefined) {
        if (given.has('skip')) continue
        throw fatal(`${problem}, source=${from}, destination=${destination}`)
      }
      if (given.has('verbose') || given.has('dryRun')) {
        if (given.has('dryRun')) context.out.write(`Checking rename of '${from}' to '${destination}'\n`)
        context.out.write(`Renaming ${from} to ${destination}\n`)
      }
      if (draft === undefined) continue
      if ((await kindOf(destination)) === 'file') await draft.remove(join(repository.root, destination))
      await draft.move(join(repository.root, from), join(repository.root, destination))
      entries = entries
        .filter(({ path }) => path !== destination)
        .map((entry): IndexEntry => {
          if (entry.path === from) return { ...entry, path: destination }
          return entry.path.startsWith(`${from}/`)
            ? { ...entry, path: `${destination}${entry.path.slice(from.length)}` }
            : entry
        })
    }
    if (draft !== undefined) {
      // A moved file keeps its content, so its entry stays valid except for the time of the move.
      await writeIndex(
        repository,
        entries
          .map((entry) =>
            index.entries.includes(entry) ? entry : indexEntry(entry.path, entry.mode, entry.oid, undefined),
          )
          .sort((a, b) => comparePaths(a.path, b.path)),
      )
    }
    return 0
  }
  if (given.has('dryRun')) return body(await open(context), undefined)
  return change(context, 'mv', body)
}

async function moveProblem(
  _repository: Repository,
  entries: readonly IndexEntry[],
  from: string,
  to: string,
  force: boolean,
  kindOf: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const kind = await kindOf(from)
  if (kind === undefined) return 'bad source'
  if (from === to) return kind === 'directory' ? 'can not move directory into itself' : 'destination exists'
  if (to.startsWith(`${from}/`)) return 'can not move directory into itself'
  const isTracked = entries.some(({ path }) => path === from || path.startsWith(`${from}/`))
  if (!isTracked) return kind === 'directory' ? 'source directory is empty' : 'not under version control'
  if (entries.some(({ path, stage }) => path === from && stage > 0)) return 'conflicted'
  const there = await kindOf(to)
  if (there !== undefined && !(force && there === 'file' && kind === 'file')) return 'destination exists'
  const parent = dirname(`/${to}`).slice(1)
  if (parent !== '' && (await kindOf(parent)) === undefined)
    return `renaming '${from}' failed: No such file or directory`
  return undefined
}

const cleanSpecs = {
  force: flag('-f', '--force'),
  dryRun: flag('-n', '--dry-run'),
  directories: flag('-d'),
  ignoredToo: flag('-x'),
  onlyIgnored: flag('-X'),
  quiet: flag('-q', '--quiet'),
  exclude: value('-e', '--exclude'),
} as const

export async function clean(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('clean', args, cleanSpecs, { unsupported: ['-i', '--interactive', '-e', '--exclude'] })
  const before = await open(context)
  if (!given.has('force') && !given.has('dryRun') && before.config.get('clean.requireforce')?.at(-1) !== 'false') {
    const how = before.config.has('clean.requireforce') ? 'set to true' : 'defaults to true'
    throw fatal(`clean.requireForce ${how} and neither -i, -n, nor -f given; refusing to clean`)
  }
  const body = async (repository: Repository, draft: Draft | undefined): Promise<number> => {
    const prefix = await prefixOf(context, repository)
    const specs = pathspecsOf(given.all, prefix, repository.root)
    const index = await readIndex(repository)
    const found = await removable(repository, index, specs, {
      directories: given.has('directories') || given.all.length > 0,
      ignored: given.has('ignoredToo') || given.has('onlyIgnored'),
      untracked: !given.has('onlyIgnored'),
      isIn: (path) => prefix === '' || path.startsWith(prefix),
    })
    for (const path of found) {
      const shown = quoter(repository)(fromPrefix(prefix, path))
      if (!given.has('quiet') || given.has('dryRun'))
        context.out.write(`${given.has('dryRun') ? 'Would remove' : 'Removing'} ${shown}\n`)
      if (draft !== undefined) await removeAll(repository, draft, join(repository.root, path.replace(/\/$/, '')))
    }
    return 0
  }
  if (given.has('dryRun')) return body(before, undefined)
  return change(context, 'clean', body)
}

/** Untracked entries; a directory only as a whole, when all of it may go. */
async function removable(
  repository: Repository,
  index: Index,
  specs: Pathspecs,
  options: { directories: boolean; ignored: boolean; untracked: boolean; isIn: (path: string) => boolean },
): Promise<string[]> {
  const scan = await scanWorkTree(repository, index, { untracked: 'normal', ignored: true })
  const nested = new Set(scan.nested)
  const chosen: string[] = []
  const pick = async (path: string): Promise<void> => {
    if (nested.has(path) || !options.isIn(path)) return
    if (!path.endsWith('/')) {
      if (specs.matches(path)) chosen.push(path)
      return
    }
    if (!options.directories) return
    const keeps = options.ignored ? [] : scan.ignored
    const inside = await filesBelow(repository, path)
    const hasKept = keeps.some((each) => each.startsWith(path)) || inside.some((each) => !specs.matches(each))
    const isWhole = !hasKept && (specs.isAll || inside.every((each) => specs.matches(each)))
    if (isWhole && options.untracked) chosen.push(path)
    else
      for (const each of inside)
        if (
          specs.matches(each) &&
          !keeps.some((kept) => each === kept || (kept.endsWith('/') && each.startsWith(kept)))
        )
          chosen.push(each)
  }
  if (options.untracked) for (const path of scan.untracked) await pick(path)
  if (options.ignored) for (const path of scan.ignored) await pick(path)
  if (options.untracked && options.directories && specs.isAll)
    for (const path of await emptyDirectories(repository, index)) if (options.isIn(path)) chosen.push(path)
  const unique = [...new Set(chosen)].sort(comparePaths)
  return unique.filter(
    (path) => !unique.some((other) => other !== path && other.endsWith('/') && path.startsWith(other)),
  )
}

/** The scan does not report directories without files. */
async function emptyDirectories(repository: Repository, index: Index): Promise<string[]> {
  const tracked = new Set(
    index.entries.flatMap(({ path }) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, i, all) => all.slice(0, i + 1).join('/')),
    ),
  )
  const found: string[] = []
  const visit = async (path: string): Promise<boolean> => {
    let isEmpty = true
    for (const { name, kind } of await repository.fs.readDir(join(repository.root, path))) {
      if (name === '.git') {
        isEmpty = false
        continue
      }
      const below = path === '' ? name : `${path}/${name}`
      if (kind !== 'directory') isEmpty = false
      else if (tracked.has(below)) {
        await visit(below)
        isEmpty = false
      } else if (await visit(below)) found.push(`${below}/`)
      else isEmpty = false
    }
    return isEmpty
  }
  await visit('')
  return found
}

async function filesBelow(repository: Repository, directory: string): Promise<string[]> {
  const files: string[] = []
  const path = directory.replace(/\/$/, '')
  for (const { name, kind } of await repository.fs.readDir(join(repository.root, path))) {
    if (kind === 'directory') files.push(...(await filesBelow(repository, `${path}/${name}`)))
    else files.push(`${path}/${name}`)
  }
  return files
}

async function removeAll(repository: Repository, draft: Draft, path: string): Promise<void> {
  const { kind } = (await draft.entry(path)).image
  if (kind === 'directory') {
    for (const { name } of await repository.fs.readDir(path)) await removeAll(repository, draft, join(path, name))
  }
  if (kind !== 'absent') await draft.remove(path)
}
