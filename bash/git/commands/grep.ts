/** `git grep`. */

import { join } from '../../../src/fs/path.js'
import { modes } from '../../../src/git/objects/tree.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { scanWorkTree } from '../../../src/git/work-tree/work-tree.js'
import { splitAfterLf } from '../../../src/text/diff/diff-lines.js'
import { decodeText } from '../../io/byte-text.js'
import { compilePatterns, RegexError } from '../../regex/index.js'
import { type Colors, colorsOf } from '../color.js'
import { fromPrefix, type GitContext, open, prefixOf } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { isBinary } from '../diff/patch-text.js'
import { fatal } from '../git-error.js'
import { flag, optional, parseGit, value } from '../options.js'
import { pathspecsOf } from '../pathspec.js'
import type { Pattern } from '../patterns.js'
import { findObject, treeOf } from '../revisions.js'
import { isFile } from '../revisions-and-paths.js'

const grepSpecs = {
  pattern: value('-e'),
  file: value('-f'),
  number: flag('-n', '--line-number'),
  ignoreCase: flag('-i', '--ignore-case'),
  word: flag('-w', '--word-regexp'),
  invert: flag('-v', '--invert-match'),
  names: flag('-l', '--files-with-matches', '--name-only'),
  without: flag('-L', '--files-without-match'),
  count: flag('-c', '--count'),
  quiet: flag('-q', '--quiet'),
  noName: flag('-h'),
  withName: flag('-H'),
  extended: flag('-E', '--extended-regexp'),
  basic: flag('-G', '--basic-regexp'),
  fixed: flag('-F', '--fixed-strings'),
  perl: flag('-P', '--perl-regexp'),
  only: flag('-o', '--only-matching'),
  text: flag('-a', '--text'),
  skipBinary: flag('-I'),
  after: value('-A', '--after-context'),
  before: value('-B', '--before-context'),
  context: value('-C', '--context'),
  cached: flag('--cached'),
  untracked: flag('--untracked'),
  fullName: flag('--full-name'),
  nul: flag('-z', '--null'),
  maxCount: value('-m', '--max-count'),
  column: flag('--column'),
  color: optional('--color'),
  noColor: flag('--no-color'),
  recursive: flag('-r', '--recursive'),
  heading: flag('--heading'),
  break: flag('--break'),
} as const

interface GrepSource {
  name: string
  read(): Promise<Uint8Array>
}

export async function grep(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('grep', args, grepSpecs, {
    number: 'context',
    unsupported: [
      '--and',
      '--or',
      '--not',
      '--all-match',
      '-p',
      '--show-function',
      '-W',
      '--function-context',
      '--no-index',
      '--max-depth',
      '--threads',
      '-O',
      '--open-files-in-pager',
      '--textconv',
      '--exclude-standard',
      '--recurse-submodules',
      '-f',
    ],
  })
  const repository = await open(context)
  const colors = colorsOf(given, repository.config, 'grep')
  const { paint } = colors
  const prefix = await prefixOf(context, repository)
  const operands = [...given.operands]
  const patterns = given.has('pattern') ? given.values('pattern') : [operands.shift()]
  if (patterns[0] === undefined) throw fatal('no pattern given')
  const revisions: string[] = []
  while (operands.length > 0) {
    const found = await findObject(repository, operands[0] as string, prefix).catch(() => undefined)
    if (found === undefined || (given.paths === undefined && (await isFile(context, operands[0] as string)))) break
    revisions.push(operands.shift() as string)
  }
  if (given.paths === undefined) {
    for (const each of operands)
      if (!(await isFile(context, each)) && !/[*?[]|^:/.test(each))
        throw fatal(
          `ambiguous argument '${each}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
        )
  } else if (operands.length > 0) throw fatal(`unable to resolve revision: ${operands[0]}`)
  const specs = pathspecsOf([...operands, ...(given.paths ?? [])], prefix, repository.root)
  const isIn = (path: string) => (specs.isAll ? path.startsWith(prefix) : specs.matches(path))
  const quote = quoter(repository)
  const shown = (path: string) => quote(given.has('fullName') ? path : fromPrefix(prefix, path))
  const sources = await grepSources(repository, revisions, isIn, shown, {
    cached: given.has('cached'),
    untracked: given.has('untracked'),
  })
  const matcher = grepMatcher(patterns as string[], given)
  let hasFound = false
  let isFirst = true
  for (const source of sources) {
    const bytes = await source.read()
    const isText = given.has('text') || !isBinary(bytes)
    if (!isText && given.has('skipBinary')) continue
    const lines = splitAfterLf(decodeText(bytes)).map((line) => line.replace(/\n$/, ''))
    const limit = given.value('maxCount')
    let hits = lines.flatMap((line, i) => (matcher.test(line) !== given.has('invert') ? [i] : []))
    if (limit !== undefined) hits = hits.slice(0, Number(limit))
    const end = given.has('nul') ? '\0' : '\n'
    if (given.has('without')) {
      if (hits.length > 0) continue
      hasFound = true
      if (!given.has('quiet')) context.out.write(`${paint('grep.filename', source.name)}${end}`)
      continue
    }
    if (hits.length === 0) continue
    hasFound = true
    if (given.has('quiet')) break
    const head = given.last('noName', 'withName') === 'noName' ? '' : source.name
    if (given.has('names')) context.out.write(`${paint('grep.filename', source.name)}${end}`)
    else if (given.has('count'))
      context.out.write(
        `${head === '' ? '' : `${paint('grep.filename', head)}${paint('grep.separator', ':')}`}${hits.length}\n`,
      )
    else if (!isText) context.out.write(`Binary file ${paint('grep.filename', source.name)} matches\n`)
    else {
      context.out.write(grepLines(lines, hits, head, given, matcher, { isFirst, colors }))
      isFirst = false
    }
  }
  return hasFound ? 0 : 1
}

async function grepSources(
  repository: Repository,
  revisions: readonly string[],
  isIn: (path: string) => boolean,
  shown: (path: string) => string,
  { cached, untracked }: { cached: boolean; untracked: boolean },
): Promise<GrepSource[]> {
  const sources: GrepSource[] = []
  for (const revision of revisions) {
    const found = await findObject(repository, revision)
    const tree = found && (await treeOf(repository, found.oid).catch(() => undefined))
    if (found === undefined || tree === undefined) throw fatal(`unable to resolve revision: ${revision}`)
    for (const [path, blob] of await repository.objects.flatten(tree)) {
      if (isIn(path) && blob.mode !== modes.submodule)
        sources.push({
          name: `${revision}${revision.includes(':') ? '/' : ':'}${shown(path)}`,
          read: () => repository.objects.readBlob(blob.oid),
        })
    }
  }
  if (revisions.length > 0) return sources
  const index = await readIndex(repository)
  const paths = index.entries.filter(({ mode }) => mode !== modes.submodule).map((entry) => entry)
  const seen = new Set<string>()
  for (const entry of paths) {
    if (!isIn(entry.path) || seen.has(entry.path)) continue
    seen.add(entry.path)
    if (cached) sources.push({ name: shown(entry.path), read: () => repository.objects.readBlob(entry.oid) })
    else {
      const stat = await repository.fs.stat(join(repository.root, entry.path)).catch(() => undefined)
      if (stat?.kind === 'file')
        sources.push({ name: shown(entry.path), read: () => repository.fs.readFile(join(repository.root, entry.path)) })
    }
  }
  if (untracked) {
    const scan = await scanWorkTree(repository, index, { untracked: 'all' })
    for (const path of scan.untracked)
      if (isIn(path) && !path.endsWith('/'))
        sources.push({ name: shown(path), read: () => repository.fs.readFile(join(repository.root, path)) })
    sources.sort((a, b) => (a.name < b.name ? -1 : 1))
  }
  return sources
}

interface GrepArguments {
  has(
    key:
      | 'ignoreCase'
      | 'word'
      | 'extended'
      | 'fixed'
      | 'perl'
      | 'number'
      | 'only'
      | 'column'
      | 'nul'
      | 'heading'
      | 'break'
      | 'invert',
  ): boolean
  last(...keys: ('extended' | 'basic' | 'fixed' | 'perl')[]): string | undefined
  value(key: 'after' | 'before' | 'context'): string | undefined
}

function grepMatcher(patterns: readonly string[], given: GrepArguments): Pattern {
  const kind = (given.last('extended', 'basic', 'fixed', 'perl') ?? 'basic') as 'extended' | 'basic' | 'fixed' | 'perl'
  const sources = patterns.flatMap((pattern) => pattern.split('\n'))
  const bounds = given.has('word') ? 'word' : 'none'
  try {
    return compilePatterns(sources, { syntax: kind, ignoreCase: given.has('ignoreCase'), bounds, lines: true })
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw fatal(`command line, '${patterns.join('\n')}': ${error.message}`)
  }
}

/** A line with its matches in their colour. */
function withMatches(line: string, matcher: Pattern, { isOn, paint }: Colors): string {
  if (!isOn) return line
  let text = ''
  let done = 0
  for (let at = 0, match = matcher.exec(line, at); match !== undefined; match = matcher.exec(line, at)) {
    if (match.end > match.start) {
      text += line.slice(done, match.start) + paint('grep.match', line.slice(match.start, match.end))
      done = match.end
    }
    at = match.end > match.start ? match.end : match.end + 1
    if (at > line.length) break
  }
  return text + line.slice(done)
}

/** The texts that match in a line, without empty ones. */
function* matchesIn(line: string, matcher: Pattern): Generator<string> {
  let at = 0
  for (let match = matcher.exec(line, at); match !== undefined; match = matcher.exec(line, at)) {
    if (match.end > match.start) yield line.slice(match.start, match.end)
    at = match.end > match.start ? match.end : match.end + 1
    if (at > line.length) return
  }
}

function grepLines(
  lines: readonly string[],
  hits: readonly number[],
  name: string,
  given: GrepArguments,
  matcher: Pattern,
  { isFirst, colors }: { isFirst: boolean; colors: Colors },
): string {
  const { paint } = colors
  const after = Number(given.value('after') ?? given.value('context') ?? 0)
  const before = Number(given.value('before') ?? given.value('context') ?? 0)
  const isHit = new Set(hits)
  let text = ''
  if (given.has('break') && !isFirst) text += '\n'
  if (given.has('heading') && name !== '') text += `${paint('grep.filename', name)}\n`
  const head = (i: number, separator: string, column?: number) => {
    const between = paint('grep.separator', separator)
    const named =
      name === '' || given.has('heading') ? '' : `${paint('grep.filename', name)}${given.has('nul') ? '\0' : between}`
    const numbered = given.has('number') ? `${paint('grep.linenumber', `${i + 1}`)}${between}` : ''
    return `${named}${numbered}${column === undefined ? '' : `${paint('grep.column', `${column}`)}${between}`}`
  }
  const marked = (line: string) => (given.has('invert') ? line : withMatches(line, matcher, colors))
  let last = -1
  const hasContext = after > 0 || before > 0
  for (const hit of hits) {
    const start = Math.max(last + 1, hit - before)
    if (hasContext && start > last + 1 && (last >= 0 || !isFirst)) text += `${paint('grep.separator', '--')}\n`
    else if (hasContext && last === -1 && !isFirst) text += `${paint('grep.separator', '--')}\n`
    for (let i = start; i < hit; i += 1) text += `${head(i, '-')}${lines[i]}\n`
    const line = lines[hit] as string
    if (given.has('only'))
      for (const found of matchesIn(line, matcher)) text += `${head(hit, ':')}${paint('grep.match', found)}\n`
    else
      text += `${head(hit, ':', given.has('column') ? new TextEncoder().encode(line.slice(0, matcher.exec(line)?.start ?? 0)).length + 1 : undefined)}${marked(line)}\n`
    last = hit
    for (let i = hit + 1; i <= hit + after && i < lines.length && !isHit.has(i); i += 1) {
      text += `${head(i, '-')}${lines[i]}\n`
      last = i
    }
  }
  return text
}
