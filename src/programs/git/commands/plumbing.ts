/** Commands that scripts use: `rev-parse`, `rev-list`, `ls-files`, `ls-tree`, `cat-file`, `hash-object` and others. */
import { join } from '../../../fs/path.js'
import type { Bytes } from '../../../fs/types.js'
import { gitAdd } from '../../../git/commands/add.js'
import { conflictsIn } from '../../../git/commands/status.js'
import { lastValue } from '../../../git/config.js'
import { comparePaths, objectId } from '../../../git/objects/object-id.js'
import { modes, type TreeEntry } from '../../../git/objects/tree.js'
import { readHead } from '../../../git/refs/refs.js'
import { type Repository, readIndex } from '../../../git/repository.js'
import { contentForGit } from '../../../git/work-tree/convert.js'
import { changedInWorkTree, scanWorkTree } from '../../../git/work-tree/work-tree.js'
import { writeIndex } from '../../../git/work-tree/write-index.js'
import { decodeText } from '../../../shell/io/byte-text.js'
import { change, fromPrefix, type GitContext, identity, isInRepository, open, prefixOf } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { failure, fatal, GitError } from '../git-error.js'
import { prettyFormat } from '../history/format.js'
import { chosenCommits, startsOf, unsupportedWalk, walkOptions, walkSpecs } from '../history/log-options.js'
import { ancestors } from '../history/walk.js'
import { abbreviate, type ObjectType, parseTagObject, readAny, typeOf } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { pathspecsOf } from '../pathspec.js'
import { refsBelow } from '../ref-list.js'
import { findCommit, findObject, fullRefName, rangeOf, treeOf, unknownRevision, upstreamRef } from '../revisions.js'
import { splitOperands } from '../revisions-and-paths.js'

/** Its options are read one by one: they act in their order. */
export async function revParse(context: GitContext, args: readonly string[]): Promise<number> {
  const [first] = args
  if (first === '--parseopt' || first === '--sq-quote') throw fatal(`option '${first}' is not supported by this git`)
  const repository = (await isInRepository(context)) ? await open(context) : undefined
  if (repository === undefined) {
    if (first === '--is-inside-work-tree' || first === '--show-toplevel' || first === '--git-dir')
      throw fatal('not a git repository (or any of the parent directories): .git')
  }
  const own = repository ?? (await open(context))
  const prefix = await prefixOf(context, own)
  let short: number | undefined
  let abbrevRef: string | undefined
  let [isVerify, isQuiet, isSymbolic, isFull] = [false, false, false, false]
  const names: string[] = []
  /** Options act on what follows them. */
  const shortAt = new Map<number, number | undefined>()
  for (const arg of args) {
    shortAt.set(names.length, short)
    const [, option, text] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(arg) ?? []
    if (names.includes('--')) names.push(arg)
    else if (option === '--short') short = text === undefined ? 7 : Number(text)
    else if (option === '--abbrev-ref') abbrevRef = text ?? 'strict'
    else if (arg === '--verify') isVerify = true
    else if (arg === '-q' || arg === '--quiet') isQuiet = true
    else if (arg === '--symbolic') isSymbolic = true
    else if (arg === '--symbolic-full-name') isFull = true
    else if (option !== undefined && (await answered(context, own, option, text, prefix))) continue
    else if (
      arg === '--revs-only' ||
      arg === '--no-revs' ||
      arg === '--no-flags' ||
      arg === '--default' ||
      arg === '--flags'
    )
      throw fatal(`option '${arg}' is not supported by this git`)
    else if (arg.startsWith('-') && arg !== '-' && arg !== '--')
      throw fatal(`option '${arg}' is not supported by this git`)
    else names.push(arg)
  }
  if (isVerify && names.length !== 1) throw isQuiet ? new GitError('', 1) : fatal('Needed a single revision')
  for (const [i, name] of names.entries()) {
    if (name === '--') {
      context.out.write('--\n')
      continue
    }
    const line = await parsedName(own, name, { short: shortAt.get(i), abbrevRef, isSymbolic, isFull, prefix })
    if (line === undefined) {
      if (isVerify) throw isQuiet ? new GitError('', 1) : fatal('Needed a single revision')
      const { isFile } = await import('../revisions-and-paths.js')
      if (await isFile(context, name)) {
        context.out.write(`${name}\n`)
        continue
      }
      context.out.write(`${name}\n`)
      throw unknownRevision(name)
    }
    context.out.write(line)
  }
  return 0
}

async function answered(
  context: GitContext,
  repository: Repository,
  option: string,
  text: string | undefined,
  prefix: string,
): Promise<boolean> {
  const say = (line: string) => {
    context.out.write(`${line}\n`)
    return true
  }
  const { root, gitDirectory, commonDirectory } = repository
  const gitDir = gitDirectory === join(root, '.git') ? (prefix === '' ? '.git' : gitDirectory) : gitDirectory
  switch (option) {
    case '--show-toplevel':
      return say(root)
    case '--git-dir':
      return say(gitDir)
    case '--absolute-git-dir':
      return say(gitDirectory)
    case '--git-common-dir':
      return say(commonDirectory === gitDirectory ? gitDir : commonDirectory)
    case '--show-prefix':
      return say(prefix)
    case '--show-cdup':
      return say(prefix === '' ? '' : '../'.repeat(prefix.split('/').length - 1))
    case '--is-inside-work-tree':
      return say('true')
    case '--is-inside-git-dir':
    case '--is-bare-repository':
      return say('false')
    case '--is-shallow-repository':
      return say((await repository.staged.stat(join(commonDirectory, 'shallow'))) === undefined ? 'false' : 'true')
    case '--show-object-format':
      return say('sha1')
    case '--git-path':
      throw fatal("option '--git-path' is not supported by this git")
    case '--all':
    case '--branches':
    case '--tags':
    case '--remotes': {
      const where = {
        '--all': 'refs/',
        '--branches': 'refs/heads/',
        '--tags': 'refs/tags/',
        '--remotes': 'refs/remotes/',
      }[option]
      if (text !== undefined) return false
      for (const { oid } of await refsBelow(repository, where)) say(oid)
      return true
    }
    default:
      return false
  }
}

interface NameOptions {
  short: number | undefined
  abbrevRef: string | undefined
  isSymbolic: boolean
  isFull: boolean
  prefix: string
}

async function parsedName(repository: Repository, name: string, options: NameOptions): Promise<string | undefined> {
  const { short, abbrevRef, isSymbolic, isFull, prefix } = options
  if (abbrevRef !== undefined || isFull) {
    const ref = await symbolicName(repository, name)
    if (ref === undefined) {
      if ((await findObject(repository, name, prefix)) === undefined) return undefined
      return abbrevRef === undefined ? '' : ''
    }
    return `${isFull && abbrevRef === undefined ? ref : ref.replace(/^refs\/(heads|tags|remotes)\//, '')}\n`
  }
  const shown = async (oid: string) => (short === undefined ? oid : abbreviate(repository, oid, short))
  if (/\.\./.test(name) || /^\^/.test(name) || /\^[@!]$/.test(name)) {
    const range = await rangeOf(repository, name, prefix)
    if (range === undefined) return undefined
    const lines: string[] = []
    const isDots = /^[^.]*\.\.[^.]/.test(name) || name.endsWith('..')
    for (const oid of isDots || /\.\.\./.test(name) ? [...range.include].reverse() : range.include)
      lines.push(`${await shown(oid)}\n`)
    for (const oid of range.exclude) lines.push(`^${await shown(oid)}\n`)
    return lines.join('')
  }
  const found = await findObject(repository, name, prefix)
  if (found === undefined) return undefined
  if (isSymbolic) return `${name}\n`
  return `${await shown(found.oid)}\n`
}

async function symbolicName(repository: Repository, name: string): Promise<string | undefined> {
  const [, of = '', kind] = /^(.*?)@\{(u|upstream|push)\}$/i.exec(name) ?? []
  if (kind !== undefined) {
    const branch = of === '' || of === 'HEAD' ? (await readHead(repository)).branch : of
    const upstream = branch === undefined ? undefined : upstreamRef(repository, branch)
    if (upstream === undefined) throw fatal(`no upstream configured for branch '${branch}'`)
    return upstream
  }
  const full = await fullRefName(repository, name)
  if (full !== 'HEAD') return full
  const { branch } = await readHead(repository)
  return branch === undefined ? 'HEAD' : `refs/heads/${branch}`
}

const revListSpecs = {
  ...walkSpecs,
  count: flag('--count'),
  parents: flag('--parents'),
  timestamp: flag('--timestamp'),
  oneline: flag('--oneline'),
  pretty: optional('--pretty', '--format'),
  abbrevCommit: flag('--abbrev-commit'),
  objects: flag('--objects'),
  quiet: flag('--quiet'),
  noCommitHeader: flag('--no-commit-header'),
  leftRight: flag('--left-right'),
  date: value('--date'),
} as const

export async function revList(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('rev-list', args, revListSpecs, {
    number: 'maxCount',
    unsupported: [
      ...unsupportedWalk.filter((name) => name !== '--left-right'),
      '--header',
      '--graph',
      '--objects',
      '--bisect-all',
      '--disk-usage',
      '--use-bitmap-index',
      '--filter',
      '--missing',
      '-g',
    ],
  })
  const repository = await open(context)
  const { revisions, specs } = await splitOperands(context, repository, given)
  const hasRefs =
    given.has('all') || given.has('branches') || given.has('tags') || given.has('remotes') || given.has('glob')
  if (revisions.length === 0 && !hasRefs)
    throw new GitError('usage: git rev-list [<options>] <commit>... [--] [<path>...]', 129)
  const starts = await startsOf(repository, given, revisions, { orHead: false })
  const walk = await walkOptions(context, given, starts, specs, { rewritesParents: false })
  if (given.has('leftRight')) return countSides(context, repository, given.has('count'), revisions)
  const form = given.has('oneline') ? 'oneline' : given.has('pretty') ? (given.value('pretty') ?? 'medium') : undefined
  const isShort = given.has('abbrevCommit') || given.has('oneline')
  const pretty =
    form === undefined
      ? undefined
      : prettyFormat(repository, form, {
          abbrevCommit: isShort,
          abbrev: 7,
          date: given.value('date') ?? 'default',
          nowSeconds: Math.floor(context.now() / 1000),
          decorates: false,
        })
  let count = 0
  for await (const commit of chosenCommits(repository, given, walk)) {
    count += 1
    if (given.has('count') || given.has('quiet')) continue
    const name = isShort ? await abbreviate(repository, commit.oid) : commit.oid
    if (pretty === undefined) {
      const stamp = given.has('timestamp') ? `${commit.committer.timestamp} ` : ''
      context.out.write(
        `${stamp}${name}${given.has('parents') ? commit.parents.map((oid) => ` ${oid}`).join('') : ''}\n`,
      )
    } else if (pretty.isOneline) context.out.write(`${await pretty.print({ commit })}\n`)
    else if (pretty.isUser)
      context.out.write(`${given.has('noCommitHeader') ? '' : `commit ${name}\n`}${await pretty.print({ commit })}\n`)
    else context.out.write(`${await pretty.print({ commit })}\n`)
  }
  if (given.has('count')) context.out.write(`${count}\n`)
  return 0
}

/** `--left-right --count a...b` */
async function countSides(
  context: GitContext,
  repository: Repository,
  isCount: boolean,
  revisions: readonly string[],
): Promise<number> {
  const [range, ...more] = revisions
  const [, left, right] = /^(.*?)\.\.\.(.*)$/s.exec(range ?? '') ?? []
  if (!isCount || left === undefined || right === undefined || more.length > 0)
    throw fatal("option '--left-right' is not supported by this git, except with --count and a...b")
  const [one, other] = [await findCommit(repository, left || 'HEAD'), await findCommit(repository, right || 'HEAD')]
  if (one === undefined || other === undefined) throw fatal(`bad revision '${range}'`)
  const [a, b] = [await ancestors(repository, [one]), await ancestors(repository, [other])]
  context.out.write(`${[...a].filter((oid) => !b.has(oid)).length}\t${[...b].filter((oid) => !a.has(oid)).length}\n`)
  return 0
}

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

export async function catFile(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'cat-file',
    args,
    {
      pretty: flag('-p'),
      type: flag('-t'),
      size: flag('-s'),
      exists: flag('-e'),
      batchCheck: optional('--batch-check'),
      batch: optional('--batch'),
    },
    {
      unsupported: [
        '--textconv',
        '--filters',
        '--batch-all-objects',
        '--batch-command',
        '--allow-unknown-type',
        '--follow-symlinks',
        '--buffer',
      ],
    },
  )
  const repository = await open(context)
  const prefix = await prefixOf(context, repository)
  if (given.has('batch') || given.has('batchCheck'))
    return batch(context, repository, given.has('batch'), given.value('batch') ?? given.value('batchCheck'))
  const operands = [...given.all]
  const isFlagged = given.has('pretty') || given.has('type') || given.has('size') || given.has('exists')
  const wanted = isFlagged ? undefined : (operands.shift() as ObjectType | undefined)
  const [name] = operands
  if (name === undefined) throw new GitError('usage: git cat-file <type> <object>', 129)
  const found = await findObject(repository, name, prefix)
  const type = found && (await typeOf(repository, found.oid))
  if (found === undefined || type === undefined) {
    if (given.has('exists') && /^[0-9a-f]{40}$/.test(name)) return 1
    const [, revision, path] = /^([^:]*):(.*)$/s.exec(name) ?? []
    if (path !== undefined && revision !== '' && (await findObject(repository, revision ?? '')) !== undefined)
      throw fatal(`path '${path}' does not exist in '${revision}'`)
    throw fatal(`Not a valid object name ${name}`)
  }
  if (given.has('exists')) return 0
  if (given.has('type')) context.out.write(`${type}\n`)
  else if (given.has('size')) context.out.write(`${(await readAny(repository, found.oid)).bytes.length}\n`)
  else if (given.has('pretty') && type === 'tree') context.out.write(await treeText(repository, found.oid))
  else if (wanted !== undefined && wanted !== type) {
    const peeled = await peelAs(repository, found.oid, wanted)
    if (peeled === undefined) throw fatal(`git cat-file ${name}: bad file`)
    context.out.writeBytes((await readAny(repository, peeled)).bytes)
  } else context.out.writeBytes((await readAny(repository, found.oid)).bytes)
  return 0
}

async function peelAs(repository: Repository, oid: string, wanted: ObjectType): Promise<string | undefined> {
  if (wanted === 'tree') return treeOf(repository, oid)
  let at = oid
  for (let steps = 0; steps < 50; steps += 1) {
    const { type, bytes } = await readAny(repository, at)
    if (type === wanted) return at
    if (type !== 'tag') return undefined
    at = parseTagObject(bytes).object
  }
  return undefined
}

async function treeText(repository: Repository, oid: string): Promise<string> {
  const entries = await repository.objects.readTree(oid)
  const quote = quoter(repository)
  return entries
    .map(
      ({ mode, oid: id, name }) =>
        `${mode.toString(8).padStart(6, '0')} ${mode === modes.directory ? 'tree' : mode === modes.submodule ? 'commit' : 'blob'} ${id}\t${quote(name)}\n`,
    )
    .join('')
}

async function batch(
  context: GitContext,
  repository: Repository,
  withContent: boolean,
  format = '%(objectname) %(objecttype) %(objectsize)',
): Promise<number> {
  for (const line of decodeText(await context.input())
    .split('\n')
    .filter((each) => each !== '')) {
    const found = await findObject(repository, line)
    const type = found && (await typeOf(repository, found.oid))
    if (found === undefined || type === undefined) {
      context.out.write(`${line} missing\n`)
      continue
    }
    const { bytes } = await readAny(repository, found.oid)
    const atoms: Record<string, string> = {
      objectname: found.oid,
      objecttype: type,
      objectsize: `${bytes.length}`,
      rest: '',
    }
    context.out.write(
      `${format.replaceAll(/%\(([^)]*)\)/g, (_, atom: string) => {
        const text = atoms[atom]
        if (text === undefined) throw fatal(`the format atom '%(${atom})' is not supported by this git`)
        return text
      })}\n`,
    )
    if (!withContent) continue
    context.out.writeBytes(bytes)
    context.out.write('\n')
  }
  return 0
}

export async function hashObject(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'hash-object',
    args,
    {
      type: value('-t'),
      write: flag('-w'),
      stdin: flag('--stdin'),
      stdinPaths: flag('--stdin-paths'),
      noFilters: flag('--no-filters'),
      path: value('--path'),
    },
    { unsupported: ['--literally', '--path'] },
  )
  const type = (given.value('type') ?? 'blob') as ObjectType
  if (!['blob', 'tree', 'commit', 'tag'].includes(type)) throw fatal(`invalid object type "${type}"`)
  const repository = (await isInRepository(context)) ? await open(context) : undefined
  const inputs: Bytes[] = given.has('stdin') ? [await context.input()] : []
  const paths = given.has('stdinPaths')
    ? decodeText(await context.input())
        .split('\n')
        .filter((line) => line !== '')
    : given.all
  for (const path of paths) {
    const { fs } = context.workspace
    const bytes = await fs.readFile(context.path(path)).catch(() => {
      throw fatal(`could not open '${path}' for reading: No such file or directory`)
    })
    const inside = repository === undefined ? undefined : `${await prefixOf(context, repository)}${path}`
    inputs.push(
      repository === undefined ||
        inside === undefined ||
        given.has('noFilters') ||
        type !== 'blob' ||
        path.startsWith('/')
        ? bytes
        : await contentForGit(repository, inside, bytes),
    )
  }
  const write = async (own: Repository | undefined) => {
    for (const bytes of inputs)
      context.out.write(
        `${own === undefined ? await objectId(type, bytes) : await own.objects.writeObject(type, bytes)}\n`,
      )
    return 0
  }
  return given.has('write') ? change(context, 'hash-object', write) : write(undefined)
}

export async function writeTree(context: GitContext, args: readonly string[]): Promise<number> {
  parseGit('write-tree', args, { missingOk: flag('--missing-ok') }, { unsupported: ['--prefix', '--missing-ok'] })
  return change(context, 'write-tree', async (repository) => {
    const { entries } = await readIndex(repository)
    if (conflictsIn({ entries }).length > 0) throw fatal('git-write-tree: error building trees')
    context.out.write(`${await repository.objects.writeTree(entries)}\n`)
    return 0
  })
}

export async function commitTree(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'commit-tree',
    args,
    { parent: value('-p'), message: value('-m'), file: value('-F'), noSign: flag('--no-gpg-sign') },
    { unsupported: ['-S', '--gpg-sign', '-F'] },
  )
  return change(context, 'commit-tree', async (repository) => {
    const [name = ''] = given.all
    const found = await findObject(repository, name)
    const tree = found && (await treeOf(repository, found.oid))
    if (tree === undefined) throw fatal(`not a valid object name ${name}`)
    const parents: string[] = []
    for (const parent of given.values('parent')) {
      const oid = await findCommit(repository, parent)
      if (oid === undefined) throw fatal(`not a valid object name ${parent}`)
      if (!parents.includes(oid)) parents.push(oid)
    }
    const text = given.has('message')
      ? given
          .values('message')
          .map((part) => (part.endsWith('\n') ? part : `${part}\n`))
          .join('\n')
      : decodeText(await context.input())
    const oid = await repository.objects.writeCommit({
      tree,
      parents,
      author: identity(context, repository.config, 'AUTHOR'),
      committer: identity(context, repository.config, 'COMMITTER'),
      message: text,
    })
    context.out.write(`${oid}\n`)
    return 0
  })
}

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
  const { createIgnoreStack } = await import('../../../search/patterns/ignore-stack.js')
  const { fs, root, globalIgnoreRules } = repository
  const stack = createIgnoreStack(fs, {
    top: root,
    ...(globalIgnoreRules !== undefined && { globalRules: globalIgnoreRules }),
    ...(lastValue(repository.config, 'core.ignorecase') === 'true' && { ignoreCase: true }),
  })
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

const shortlogSpecs = {
  ...walkSpecs,
  numbered: flag('-n', '--numbered'),
  summary: flag('-s', '--summary'),
  email: flag('-e', '--email'),
  committer: flag('-c', '--committer'),
  maxCount: value('--max-count'),
  date: value('--date'),
} as const

export async function shortlog(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('shortlog', args, shortlogSpecs, {
    number: 'maxCount',
    unsupported: [...unsupportedWalk, '--format', '--group', '-w'],
  })
  const repository = await open(context)
  const { revisions, specs } = await splitOperands(context, repository, given)
  const hasRefs = given.has('all') || given.has('branches') || given.has('tags')
  // Without a revision and a terminal, git reads a log from its input.
  if (revisions.length === 0 && !hasRefs) {
    if ((await context.input()).length > 0)
      throw fatal('shortlog of a log on standard input is not supported by this git; name a revision')
    return 0
  }
  const starts = await startsOf(repository, given, revisions)
  const walk = await walkOptions(context, given, starts, specs)
  const authors = new Map<string, string[]>()
  const { subjectOf } = await import('../history/format.js')
  for await (const { author, committer, message } of chosenCommits(repository, given, walk)) {
    const who = given.has('committer') ? committer : author
    const key = given.has('email') ? `${who.name} <${who.email}>` : who.name
    authors.set(key, [subjectOf(message), ...(authors.get(key) ?? [])])
  }
  const rows = [...authors].sort(([a], [b]) => comparePaths(a, b))
  if (given.has('numbered')) rows.sort(([, a], [, b]) => b.length - a.length)
  for (const [name, subjects] of rows) {
    if (given.has('summary')) context.out.write(`${`${subjects.length}`.padStart(6)}\t${name}\n`)
    else
      context.out.write(`${name} (${subjects.length}):\n${subjects.map((subject) => `      ${subject}\n`).join('')}\n`)
  }
  return 0
}
