/** `git apply` and `git format-patch`. */
import type { Draft } from '../../../src/change/draft.js'
import { join } from '../../../src/fs/path.js'
import { comparePaths, objectId } from '../../../src/git/objects/object-id.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import type { Blob } from '../../../src/git/objects/tree.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { indexEntry } from '../../../src/git/work-tree/index-file.js'
import { writeIndex } from '../../../src/git/work-tree/write-index.js'
import { splitAfterLf } from '../../../src/text/diff/diff-lines.js'
import { decodeText, encodeText } from '../../io/byte-text.js'
import { change, type GitContext, identity, isInRepository, open, prefixOf } from '../context.js'
import { diffSettings, diffSpecs, printPairs, quoter, refinedPairs, unsupportedDiff } from '../diff/diff-options.js'
import { treePairs } from '../diff/pairs.js'
import { isBinary } from '../diff/patch-text.js'
import { printStat, printSummary, statsOf } from '../diff/stat-text.js'
import { fatal, GitError } from '../git-error.js'
import { bodyOf, subjectAsName, subjectOf } from '../history/format.js'
import { chosenCommits, startsOf, unsupportedWalk, walkOptions, walkSpecs } from '../history/log-options.js'
import { rfcDate } from '../history/print-date.js'
import { flag, parseGit, value } from '../options.js'
import { applyHunks, type FilePatch, parsePatch, reversePatch } from '../patch-file.js'
import { findCommit } from '../revisions.js'
import { splitOperands } from '../revisions-and-paths.js'
import { signedOff } from '../trailers.js'

const applySpecs = {
  check: flag('--check'),
  stat: flag('--stat'),
  numstat: flag('--numstat'),
  summary: flag('--summary'),
  apply: flag('--apply'),
  reverse: flag('-R', '--reverse'),
  index: flag('--index'),
  cached: flag('--cached'),
  strip: value('-p'),
  verbose: flag('-v', '--verbose'),
  quiet: flag('-q', '--quiet'),
  whitespace: value('--whitespace'),
  directory: value('--directory'),
  allowEmpty: flag('--allow-empty'),
  unsafe: flag('--unsafe-paths'),
  recount: flag('--recount'),
} as const

export interface Result {
  patch: FilePatch
  path: string
  /** Undefined when the file is removed. */
  bytes?: Uint8Array
  mode?: number
  /** The path it had before, if it goes away. */
  removed?: string
}

export async function apply(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('apply', args, applySpecs, {
    unsupported: [
      '-3',
      '--3way',
      '--reject',
      '-C',
      '--unidiff-zero',
      '--exclude',
      '--include',
      '--build-fake-ancestor',
      '--binary',
      '--inaccurate-eof',
      '--no-add',
      '--ignore-whitespace',
      '--ignore-space-change',
      '--allow-overlap',
      '-N',
      '--intent-to-add',
      '--recount',
      '--unsafe-paths',
      '-z',
    ],
  })
  const strip = Number(given.value('strip') ?? 1)
  const texts: string[] = []
  for (const name of given.all.length > 0 ? given.all : ['-'])
    texts.push(name === '-' ? decodeText(await context.input()) : await readPatch(context, name))
  const files = texts.flatMap((text) => {
    const found = parsePatch(text, strip)
    if (found.length === 0 && !given.has('allowEmpty'))
      throw new GitError('error: No valid patches in input (allow with "--allow-empty")', 128)
    return given.has('reverse') ? found.map(reversePatch).reverse() : found
  })
  const ordered = given.has('reverse') ? [...files].reverse() : files
  const isOnlyShown = given.has('stat') || given.has('numstat') || given.has('summary')
  if (isOnlyShown) context.out.write(statText(ordered, given))
  if (isOnlyShown && !given.has('apply') && !given.has('check')) return 0
  if (!(await isInRepository(context))) {
    throw fatal('git apply outside of a repository is not supported by this git; use patch')
  }
  const body = async (repository: Repository, draft: Draft | undefined): Promise<number> => {
    const prefix = `${await prefixOf(context, repository)}${given.value('directory') === undefined ? '' : `${given.value('directory')?.replace(/\/$/, '')}/`}`
    const results = await applyAll(context, repository, ordered, {
      prefix,
      isCached: given.has('cached'),
      isIndexed: given.has('index') || given.has('cached'),
      verbose: given.has('verbose'),
    })
    if (draft === undefined) return 0
    if (!given.has('cached')) for (const result of results) await writeResult(repository, draft, result)
    if (given.has('index') || given.has('cached')) await stageResults(repository, results)
    return 0
  }
  return given.has('check') ? body(await open(context), undefined) : change(context, 'apply', body)
}

async function readPatch(context: GitContext, name: string): Promise<string> {
  const { fs } = context.workspace
  return decodeText(
    await fs.readFile(context.path(name)).catch(() => {
      throw new GitError(`error: can't open patch '${name}': No such file or directory`, 128)
    }),
  )
}

/** In its own, narrower form of `--stat`. */
function statText(files: readonly FilePatch[], given: { has(key: 'stat' | 'numstat' | 'summary'): boolean }): string {
  const counts = files.map((file) => ({
    file,
    name: file.isRename || file.isCopy ? `${file.oldPath} => ${file.newPath}` : (file.newPath ?? file.oldPath ?? ''),
    added: file.hunks.flatMap(({ lines }) => lines).filter(({ sign }) => sign === '+').length,
    removed: file.hunks.flatMap(({ lines }) => lines).filter(({ sign }) => sign === '-').length,
  }))
  let text = ''
  if (given.has('stat')) {
    const longest = Math.min(50, Math.max(...counts.map(({ name }) => name.length)))
    const most = Math.max(...counts.map(({ added, removed }) => added + removed))
    const room = Math.min(70 - longest, most)
    for (const { file, name, added, removed } of counts) {
      const shown = name.length > longest ? `...${name.slice(name.length - longest + 3)}` : name
      if (file.isBinary) {
        text += ` ${shown.padEnd(longest)} |  Bin\n`
        continue
      }
      let [plus, minus] = [added, removed]
      if (most > 0 && most > room) {
        const total = Math.trunc(((added + removed) * room + Math.trunc(most / 2)) / most)
        plus = Math.trunc((added * room + Math.trunc(most / 2)) / most)
        minus = total - plus
      }
      text += ` ${shown.padEnd(longest)} |${`${added + removed}`.padStart(5)} ${'+'.repeat(plus)}${'-'.repeat(minus)}\n`
    }
    const [added, removed] = [
      counts.reduce((sum, each) => sum + each.added, 0),
      counts.reduce((sum, each) => sum + each.removed, 0),
    ]
    const parts = [`${files.length} file${files.length === 1 ? '' : 's'} changed`]
    if (added > 0 || removed === 0) parts.push(`${added} insertion${added === 1 ? '' : 's'}(+)`)
    if (removed > 0 || added === 0) parts.push(`${removed} deletion${removed === 1 ? '' : 's'}(-)`)
    text += ` ${parts.join(', ')}\n`
  }
  if (given.has('numstat'))
    for (const { file, added, removed } of counts)
      text += file.isBinary
        ? `-\t-\t${file.newPath ?? file.oldPath}\n`
        : `${added}\t${removed}\t${file.newPath ?? file.oldPath}\n`
  if (!given.has('summary')) return text
  const octal = (mode = 0o100644) => mode.toString(8).padStart(6, '0')
  for (const { file } of counts) {
    if (file.oldPath === undefined) text += ` create mode ${octal(file.newMode)} ${file.newPath}\n`
    else if (file.newPath === undefined) text += ` delete mode ${octal(file.oldMode)} ${file.oldPath}\n`
    else if (file.isRename) text += ` rename ${file.oldPath} => ${file.newPath} (${file.score}%)\n`
    else if (file.oldMode !== file.newMode && file.newMode !== undefined)
      text += ` mode change ${octal(file.oldMode)} => ${octal(file.newMode)} ${file.newPath}\n`
  }
  return text
}

/** Applies patches to the index and to files that are as it has them. */
export function applyPatches(
  context: GitContext,
  repository: Repository,
  files: readonly FilePatch[],
): Promise<Result[]> {
  return applyAll(context, repository, files, { prefix: '', isCached: false, isIndexed: true, verbose: false })
}

/** Applies all in memory, so that either everything is written or nothing. */
async function applyAll(
  context: GitContext,
  repository: Repository,
  files: readonly FilePatch[],
  { prefix, isCached, isIndexed, verbose }: { prefix: string; isCached: boolean; isIndexed: boolean; verbose: boolean },
): Promise<Result[]> {
  const current = new Map<string, { bytes: Uint8Array; mode: number } | undefined>()
  const { entries } = await readIndex(repository)
  const staged = new Map(entries.map((entry) => [entry.path, entry]))
  const read = async (path: string) => {
    if (current.has(path)) return current.get(path)
    const entry = staged.get(path)
    if (isCached) return entry && { bytes: await repository.objects.readBlob(entry.oid), mode: entry.mode }
    const full = join(repository.root, path)
    const stat = await repository.fs.stat(full).catch(() => undefined)
    if (stat?.kind !== 'file') return undefined
    return {
      bytes: await repository.fs.readFile(full),
      mode: ((stat.mode ?? 0o644) & 0o100) === 0 ? 0o100644 : 0o100755,
    }
  }
  const results: Result[] = []
  const errors: string[] = []
  for (const file of files) {
    const name = file.newPath ?? file.oldPath ?? ''
    if (verbose) context.err.write(`Checking patch ${name}...\n`)
    try {
      const result = await applyOne(file, prefix, read, isIndexed ? staged : undefined)
      if (result.removed !== undefined) current.set(result.removed, undefined)
      current.set(
        result.path,
        result.bytes === undefined ? undefined : { bytes: result.bytes, mode: result.mode ?? 0o100644 },
      )
      results.push(result)
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      errors.push(error.message)
    }
  }
  if (errors.length > 0) throw new GitError(errors.join('\n'), 1)
  if (verbose)
    for (const { patch } of results) context.err.write(`Applied patch ${patch.newPath ?? patch.oldPath} cleanly.\n`)
  return results
}

export async function applyOne(
  file: FilePatch,
  prefix: string,
  read: (path: string) => Promise<{ bytes: Uint8Array; mode: number } | undefined>,
  staged: ReadonlyMap<string, Blob> | undefined,
): Promise<Result> {
  const [from, to] = [
    file.oldPath === undefined ? undefined : `${prefix}${file.oldPath}`,
    file.newPath === undefined ? undefined : `${prefix}${file.newPath}`,
  ]
  const name = file.oldPath ?? file.newPath ?? ''
  for (const path of [from, to])
    if (
      path !== undefined &&
      (/(^|\/)\.\.(\/|$)/.test(path) || path.startsWith('/') || /(^|\/)\.git(\/|$)/i.test(path))
    )
      throw new GitError(`error: invalid path '${path}'`, 128)
  if (file.isBinary)
    throw new GitError(
      `error: cannot apply binary patch to '${name}' without full index line\nerror: ${name}: patch does not apply`,
      1,
    )
  const before = from === undefined ? undefined : await read(from)
  if (from !== undefined && before === undefined) throw new GitError(`error: ${from}: No such file or directory`, 1)
  if (staged !== undefined && from !== undefined && before !== undefined) {
    const entry = staged.get(from)
    if (entry === undefined) throw new GitError(`error: ${from}: does not exist in index`, 1)
    if ((await objectId('blob', before.bytes)) !== entry.oid)
      throw new GitError(`error: ${from}: does not match index`, 1)
  }
  if (to !== undefined && to !== from && (await read(to)) !== undefined)
    throw new GitError(`error: ${to}: already exists in ${staged === undefined ? 'working directory' : 'index'}`, 1)
  if (before !== undefined && isBinary(before.bytes) && file.hunks.length > 0)
    throw new GitError(`error: cannot apply a text patch to the binary file '${name}'`, 1)
  const lines = before === undefined ? [] : splitAfterLf(decodeText(before.bytes))
  const applied = applyHunks(lines, file.hunks)
  if ('failed' in applied)
    throw new GitError(
      `error: patch failed: ${name}:${file.hunks[applied.failed]?.oldStart}\nerror: ${name}: patch does not apply`,
      1,
    )
  if (to === undefined) {
    if (applied.lines.length > 0)
      throw new GitError(`error: removal patch leaves file contents\nerror: ${name}: patch does not apply`, 1)
    return { patch: file, path: from ?? '' }
  }
  const mode = file.newMode ?? before?.mode ?? 0o100644
  return {
    patch: file,
    path: to,
    bytes: encodeText(applied.lines.join('')),
    mode,
    ...(from !== undefined && from !== to && file.isRename && { removed: from }),
  }
}

export async function writeResult(
  repository: Repository,
  draft: Draft,
  { path, bytes, mode, removed }: Result,
): Promise<void> {
  const full = join(repository.root, path)
  if (removed !== undefined) await draft.remove(join(repository.root, removed))
  if (bytes === undefined) {
    await draft.remove(full)
    return
  }
  if (mode === 0o120000) throw fatal('a patch of a link is not supported by this git')
  await draft.makeParents(full)
  await draft.write(full, bytes, repository.fs.capabilities.modeBits ? { mode: mode === 0o100755 ? 0o755 : 0o644 } : {})
}

export async function stageResults(repository: Repository, results: readonly Result[]): Promise<void> {
  const entries = new Map((await readIndex(repository)).entries.map((entry) => [entry.path, entry]))
  for (const { path, bytes, mode = 0o100644, removed } of results) {
    if (removed !== undefined) entries.delete(removed)
    entries.delete(path)
    if (bytes === undefined) continue
    const oid = await objectId('blob', bytes)
    repository.objects.writeBlob(bytes, oid)
    entries.set(path, indexEntry(path, mode, oid, undefined))
  }
  await writeIndex(
    repository,
    [...entries.values()].sort((a, b) => comparePaths(a.path, b.path)),
  )
}

const formatSpecs = {
  ...diffSpecs,
  ...walkSpecs,
  stdout: flag('--stdout'),
  output: value('-o', '--output-directory'),
  numbered: flag('-n', '--numbered'),
  noNumbered: flag('-N', '--no-numbered'),
  startNumber: value('--start-number'),
  signoff: flag('-s', '--signoff'),
  keepSubject: flag('-k', '--keep-subject'),
  subjectPrefix: value('--subject-prefix'),
  rollCount: value('-v', '--reroll-count'),
  noSignature: flag('--no-signature'),
  signature: value('--signature'),
  quiet: flag('-q', '--quiet'),
  zeroCommit: flag('--zero-commit'),
  noStat: flag('-p', '--no-stat'),
  root: flag('--root'),
  suffix: value('--suffix'),
  maxCount: value('--max-count'),
  patch: flag('-u', '--patch'),
  noPatch: flag('--no-patch'),
} as const

export async function formatPatch(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('format-patch', args, formatSpecs, {
    number: 'maxCount',
    unsupported: [
      ...unsupportedDiff,
      ...unsupportedWalk,
      '--cover-letter',
      '--attach',
      '--inline',
      '--thread',
      '--in-reply-to',
      '--to',
      '--cc',
      '--from',
      '--add-header',
      '--notes',
      '--base',
      '--rfc',
      '--ignore-if-in-upstream',
      '--filename-max-length',
      '--interdiff',
      '--range-diff',
      '--numbered-files',
      '--progress',
      '-v',
      '--reroll-count',
      '-k',
      '--keep-subject',
    ],
  })
  const repository = await open(context)
  const { revisions, specs, prefix } = await splitOperands(context, repository, given)
  const [only] = revisions
  // A single revision means everything since then, unless a count is given.
  const isSince =
    revisions.length === 1 &&
    only !== undefined &&
    !/\.\./.test(only) &&
    !only.startsWith('^') &&
    given.value('maxCount') === undefined &&
    !given.has('root')
  const starts = isSince
    ? {
        include: [(await findCommit(repository, 'HEAD')) ?? ''],
        exclude: (await startsOf(repository, given, revisions)).include,
      }
    : await startsOf(repository, given, revisions)
  const walk = await walkOptions(context, given, starts, specs, {})
  const commits: Commit[] = []
  const withoutMerges = {
    ...given,
    has: (key: Parameters<typeof given.has>[0]) => key === 'noMerges' || given.has(key),
  }
  for await (const commit of chosenCommits(repository, withoutMerges, walk)) commits.push(commit)
  commits.reverse()
  const settings = diffSettings({ ...given, has: (key) => key !== 'quiet' && given.has(key) }, repository, {
    isPlumbing: true,
    prefix,
    defaultFormat: 'patch',
  })
  const isNumbered =
    given.last('numbered', 'noNumbered') === 'numbered' || (commits.length > 1 && !given.has('noNumbered'))
  const first = Number(given.value('startNumber') ?? 1)
  const signature = given.has('noSignature') ? '' : `-- \n${given.value('signature') ?? '2.39.5'}\n\n`
  const texts: { name: string; text: string }[] = []
  for (const [i, commit] of commits.entries()) {
    const number = first + i
    const total = first + commits.length - 1
    const label = given.value('subjectPrefix') ?? 'PATCH'
    const tag = isNumbered
      ? `[${label} ${`${number}`.padStart(`${total}`.length, '0')}/${total}]`.replace('[ ', '[')
      : label === ''
        ? ''
        : `[${label}]`
    const text = await patchMail(context, repository, commit, {
      tag,
      settings,
      isSigned: given.has('signoff'),
      withStat: !given.has('noStat'),
      zero: given.has('zeroCommit'),
      specs,
    })
    const name = `${`${number}`.padStart(4, '0')}-${subjectAsName(commit.message)
      .slice(0, 52)
      .replace(/[-.]+$/, '')}${given.value('suffix') ?? '.patch'}`
    texts.push({ name, text: `${text}${signature}` })
  }
  if (given.has('stdout')) {
    context.out.write(texts.map(({ text }) => text).join('\n'))
    return 0
  }
  const directory = given.value('output')
  const { workspace } = context
  for (const { name, text } of texts) {
    const shown = directory === undefined ? name : join(directory, name)
    const path = context.path(shown)
    await workspace.changes.run({ label: 'git format-patch', scopes: [{ path }] }, async (draft) => {
      await draft.makeParents(path)
      await draft.write(path, encodeText(text))
    })
    if (!given.has('quiet')) context.out.write(`${shown}\n`)
  }
  return 0
}

async function patchMail(
  context: GitContext,
  repository: Repository,
  commit: Commit,
  {
    tag,
    settings,
    isSigned,
    withStat,
    zero,
    specs,
  }: {
    tag: string
    settings: ReturnType<typeof diffSettings>
    isSigned: boolean
    withStat: boolean
    zero: boolean
    specs: Parameters<typeof treePairs>[3]
  },
): Promise<string> {
  const { author } = commit
  const [parent] = commit.parents
  const before = parent === undefined ? undefined : (await repository.objects.readCommit(parent)).tree
  const pairs = await refinedPairs(await treePairs(repository, before, commit.tree, specs), settings)
  for (const pair of pairs) {
    for (const side of [pair.before, pair.after])
      if (side !== undefined && isBinary(await side.read()))
        throw fatal(`a patch of the binary file '${pair.path}' is not supported by this git`)
  }
  const message = isSigned
    ? signedOff(commit.message, identity(context, repository.config, 'COMMITTER'))
    : commit.message
  const [subject, body] = [subjectOf(message), bodyOf(message).replace(/^\n+/, '').trimEnd()]
  const isAscii = /^\p{ASCII}*$/u
  const name = isAscii.test(author.name)
    ? /[()<>[\]:;@\\,."]/.test(author.name)
      ? `"${author.name.replaceAll(/["\\]/g, '\\$&')}"`
      : author.name
    : encodedWord(author.name)
  let head = `From ${zero ? '0'.repeat(40) : commit.oid} Mon Sep 17 00:00:00 2001\nFrom: ${name} <${author.email}>\nDate: ${rfcDate(author)}\n`
  head += `Subject: ${tag === '' ? '' : `${tag} `}${isAscii.test(subject) ? folded(subject, `Subject: ${tag} `.length) : encodedWord(subject)}\n`
  const isPlain = isAscii.test(message) && isAscii.test(author.name)
  if (!isPlain) head += 'MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n'
  const quote = quoter(repository)
  const stat = withStat
    ? `---\n${printStat(await statsOf(pairs, settings.patch), { quote, shown: (path) => path, width: 72 })}${printSummary(pairs, quote, (path) => path)}\n`
    : '\n'
  return `${head}\n${body === '' ? '' : `${body}\n`}${pairs.length === 0 ? '' : stat}${await printPairs(repository, pairs, { ...settings, formats: new Set(['patch']) })}`
}

/** Long subjects are folded at spaces. */
function folded(subject: string, start: number): string {
  let text = ''
  let column = start
  for (const [i, word] of subject.split(' ').entries()) {
    if (i > 0 && column + 1 + word.length > 78) {
      text += `\n ${word}`
      column = 1 + word.length
    } else {
      text += i === 0 ? word : ` ${word}`
      column += word.length + (i === 0 ? 0 : 1)
    }
  }
  return text
}

function encodedWord(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const encoded = [...bytes]
    .map((byte) =>
      /[A-Za-z0-9!*+\-/]/.test(String.fromCharCode(byte)) && byte < 128
        ? String.fromCharCode(byte)
        : byte === 32
          ? '=20'
          : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('')
  return `=?UTF-8?q?${encoded}?=`
}
