/** `git blame`. */

import { join } from '../../../src/fs/path.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import { zoneText } from '../../../src/git/objects/person.js'
import { modes } from '../../../src/git/objects/tree.js'
import { dateQueue } from '../../../src/git/refs/commit-queue.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { readContent } from '../../../src/git/work-tree/work-tree.js'
import { changedLines } from '../../../src/text/diff/changed-lines.js'
import { splitAfterLf } from '../../../src/text/diff/diff-lines.js'
import { decodeText } from '../../io/byte-text.js'
import { type GitContext, open, prefixOf } from '../context.js'
import { blobSide, treePairs } from '../diff/pairs.js'
import { detectRenames } from '../diff/renames.js'
import { fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { datePrinter } from '../history/print-date.js'
import { abbreviate } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { pathspecsOf } from '../pathspec.js'
import { regexPattern } from '../patterns.js'
import { findCommit } from '../revisions.js'

const blameSpecs = {
  range: value('-L'),
  suppress: flag('-s'),
  email: flag('-e', '--show-email'),
  long: flag('-l'),
  rawTime: flag('-t'),
  porcelain: flag('-p', '--porcelain'),
  linePorcelain: flag('--line-porcelain'),
  ignoreSpace: flag('-w'),
  showName: flag('-f', '--show-name'),
  showNumber: flag('-n', '--show-number'),
  date: value('--date'),
  abbrev: optional('--abbrev'),
  root: flag('--root'),
  blank: flag('-b'),
  compatible: flag('-c'),
} as const

interface BlamedLine {
  commit: Commit | undefined
  path: string
  /** In that version, from 0. */
  number: number
  text: string
}

export async function blame(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('blame', args, blameSpecs, {
    unsupported: [
      '-M',
      '-C',
      '-S',
      '--reverse',
      '--since',
      '--contents',
      '--incremental',
      '--ignore-rev',
      '--ignore-revs-file',
      '--color-lines',
      '--color-by-age',
      '--progress',
      '--score-debug',
      '--first-parent',
    ],
  })
  const repository = await open(context)
  const operands = [...given.all]
  const name = operands.pop()
  if (name === undefined) throw new GitError('usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>', 129)
  const [revision] = operands
  const prefix = await prefixOf(context, repository)
  const path = pathspecsOf([`:(literal)${name}`], prefix, repository.root).specs[0]?.path ?? ''
  const start = revision === undefined ? (await readHead(repository)).oid : await findCommit(repository, revision)
  if (start === undefined)
    throw fatal(revision === undefined ? `no such path '${name}' in HEAD` : `bad revision '${revision}'`)
  const commit = await repository.objects.readCommit(start)
  const entry = await repository.objects.find(commit.tree, path)
  const isStaged = revision === undefined && (await readIndex(repository)).entries.some((each) => each.path === path)
  if ((entry === undefined || entry.mode === modes.directory) && !isStaged)
    throw fatal(revision === undefined ? `no such path '${name}' in HEAD` : `no such path ${name} in ${revision}`)
  const keyOf = given.has('ignoreSpace') ? (line: string) => line.replaceAll(/\s+/g, '') : undefined
  const lines = await blameLines(
    repository,
    commit,
    path,
    revision === undefined ? await readWorkTree(repository, path) : undefined,
    keyOf,
  )
  const chosen = rangesOf(given.values('range'), lines, name)
  if (given.has('porcelain') || given.has('linePorcelain'))
    context.out.write(await porcelain(context, repository, lines, chosen, given.has('linePorcelain')))
  else context.out.write(await plainBlame(context, repository, lines, chosen, given, path))
  return 0
}

async function readWorkTree(repository: Repository, path: string): Promise<string | undefined> {
  const stat = await repository.fs.stat(join(repository.root, path)).catch(() => undefined)
  if (stat === undefined) return undefined
  const bytes = await readContent(repository, path, stat)
  return bytes === undefined ? undefined : decodeText(bytes)
}

/** Passes each line on to the oldest version that has it. */
async function blameLines(
  repository: Repository,
  start: Commit,
  path: string,
  current: string | undefined,
  keyOf: ((line: string) => string) | undefined,
): Promise<BlamedLine[]> {
  const textAt = async (commit: Commit, at: string): Promise<string[] | undefined> => {
    const entry = await repository.objects.find(commit.tree, at)
    return entry === undefined || entry.mode === modes.directory
      ? undefined
      : splitAfterLf(decodeText(await blobSide(repository, entry).read()))
  }
  const committed = (await textAt(start, path)) ?? []
  const texts = current === undefined ? committed : splitAfterLf(current)
  const lines: BlamedLine[] = texts.map((text, number) => ({ commit: undefined, path, number, text }))
  /** By commit and path: positions in the result, by the line number there. */
  const pending = new Map<string, { commit: Commit; path: string; lines: Map<number, number[]> }>()
  const queue = dateQueue()
  const pass = (commit: Commit, at: string, number: number, position: number) => {
    const key = `${commit.oid} ${at}`
    const known = pending.get(key) ?? { commit, path: at, lines: new Map<number, number[]>() }
    if (!pending.has(key)) {
      pending.set(key, known)
      queue.push(commit)
    }
    known.lines.set(number, [...(known.lines.get(number) ?? []), position])
  }
  for (const [position, number] of matched(committed, texts, keyOf)) pass(start, path, number, position)
  for (let commit = queue.shift(); commit !== undefined; commit = queue.shift()) {
    for (const [key, suspect] of [...pending]) {
      if (suspect.commit.oid !== commit.oid) continue
      pending.delete(key)
      const left = suspect.lines
      const own = (await textAt(commit, suspect.path)) ?? []
      for (const oid of commit.parents) {
        if (left.size === 0) break
        const parent = await repository.objects.readCommit(oid)
        const origin = await originOf(repository, parent, commit, suspect.path)
        const before = origin === undefined ? undefined : await textAt(parent, origin)
        if (origin === undefined || before === undefined) continue
        for (const [position, number] of matched(before, own, keyOf)) {
          const passed = left.get(position)
          if (passed === undefined) continue
          for (const each of passed) pass(parent, origin, number, each)
          left.delete(position)
        }
      }
      for (const [number, positions] of left) {
        for (const position of positions) {
          const line = lines[position] as BlamedLine
          line.commit = commit
          line.path = suspect.path
          line.number = number
        }
      }
    }
  }
  return lines
}

/** Equal lines: positions in the new text, and where they were. */
function matched(
  before: readonly string[],
  after: readonly string[],
  keyOf: ((line: string) => string) | undefined,
): [number, number][] {
  const pairs: [number, number][] = []
  let [x, y] = [0, 0]
  const until = (end: number) => {
    for (; y < end; x += 1, y += 1) pairs.push([y, x])
  }
  for (const { oldEnd, newStart, newEnd } of changedLines(before, after, keyOf ? { keyOf } : {})) {
    until(newStart)
    x = oldEnd
    y = newEnd
  }
  until(after.length)
  return pairs
}

async function originOf(
  repository: Repository,
  parent: Commit,
  commit: Commit,
  path: string,
): Promise<string | undefined> {
  const entry = await repository.objects.find(parent.tree, path)
  if (entry !== undefined && entry.mode !== modes.directory) return path
  const renamed = await detectRenames(await treePairs(repository, parent.tree, commit.tree))
  const found = renamed.find((pair) => pair.path === path && pair.status === 'R')
  return found?.oldPath
}

function rangesOf(given: readonly string[], lines: readonly BlamedLine[], name: string): Set<number> {
  const chosen = new Set<number>()
  if (given.length === 0) for (let i = 0; i < lines.length; i += 1) chosen.add(i)
  for (const range of given) {
    const [, from = '', to = ''] = /^(\d*|\/.*?\/)(?:,([+-]?\d*|\/.*\/))?$/s.exec(range) ?? []
    const find = (text: string, start: number) => {
      const pattern = regexPattern(text.slice(1, -1), { syntax: 'basic' })
      const at = lines.findIndex((line, i) => i >= start && pattern.test(line.text))
      if (at === -1) throw fatal(`-L parameter '${text.slice(1, -1)}' starting at line ${start + 1}: No match`)
      return at + 1
    }
    if (!/^(\d*|\/.*?\/)(?:,([+-]?\d*|\/.*\/))?$/s.test(range)) throw fatal(`-L ${range} is not supported by this git`)
    const first = from === '' ? 1 : from.startsWith('/') ? find(from, 0) : Number(from)
    const hasComma = range.includes(',')
    let last = !hasComma
      ? lines.length
      : to === ''
        ? lines.length
        : to.startsWith('+')
          ? first + Number(to.slice(1)) - 1
          : to.startsWith('-')
            ? first
            : to.startsWith('/')
              ? find(to, first)
              : Number(to)
    const begin = to.startsWith('-') ? Math.max(1, first - Number(to.slice(1)) + 1) : first
    if (begin > lines.length) throw fatal(`file ${name} has only ${lines.length} line${lines.length === 1 ? '' : 's'}`)
    last = Math.min(last, lines.length)
    for (let i = begin; i <= last; i += 1) chosen.add(i - 1)
  }
  return chosen
}

interface BlameArguments {
  has(
    key: 'compatible' | 'suppress' | 'email' | 'long' | 'rawTime' | 'showName' | 'showNumber' | 'root' | 'blank',
  ): boolean
  value(key: 'date' | 'abbrev'): string | undefined
}

async function plainBlame(
  context: GitContext,
  repository: Repository,
  lines: readonly BlamedLine[],
  chosen: ReadonlySet<number>,
  given: BlameArguments,
  path: string,
): Promise<string> {
  const nowSeconds = Math.floor(context.now() / 1000)
  const date = datePrinter(given.value('date') ?? 'iso', nowSeconds)
  const isCompatible = given.has('compatible') || context.command === 'annotate'
  const shown = [...chosen].sort((a, b) => a - b).map((i) => ({ i, line: lines[i] as BlamedLine }))
  const length = given.has('long') ? 40 : Number(given.value('abbrev') ?? 7) + 1
  const rows: { id: string; name: string; who: string; when: string; i: number; line: BlamedLine }[] = []
  for (const { i, line } of shown) {
    const { commit } = line
    const isBoundary = commit !== undefined && commit.parents.length === 0 && !given.has('root')
    const oid = commit?.oid ?? '0'.repeat(40)
    const unique =
      commit === undefined || length === 40
        ? oid.slice(0, length)
        : await abbreviate(repository, oid, isBoundary && !isCompatible ? length - 1 : length)
    const id =
      isBoundary && !isCompatible
        ? given.has('blank')
          ? ' '.repeat(length)
          : `^${unique.slice(0, length - 1)}`
        : unique
    const who =
      commit === undefined
        ? given.has('email')
          ? '<not.committed.yet>'
          : 'Not Committed Yet'
        : given.has('email')
          ? `<${commit.author.email}>`
          : commit.author.name
    const time = commit?.author ?? { timestamp: nowSeconds, timezoneOffset: 0 }
    rows.push({
      id,
      name: line.path,
      who,
      when: given.has('rawTime') ? datePrinter('raw', 0)(time) : date(time),
      i,
      line,
    })
  }
  const widths = {
    who: Math.max(0, ...rows.map(({ who }) => [...who].length)),
    number: `${Math.max(0, ...rows.map(({ i }) => i + 1))}`.length,
    origin: `${Math.max(0, ...rows.map(({ line }) => line.number + 1))}`.length,
    name: Math.max(0, ...rows.map(({ name }) => name.length)),
    when: Math.max(0, ...rows.map(({ when }) => when.length)),
  }
  const showsName = given.has('showName') || rows.some(({ name }) => name !== path)
  return rows
    .map(({ id, name, who, when, i, line }) => {
      const file = showsName ? ` ${name.padEnd(widths.name)}` : ''
      const origin = given.has('showNumber') ? ` ${`${line.number + 1}`.padStart(widths.origin)}` : ''
      const number = `${i + 1}`.padStart(widths.number)
      const text = line.text.endsWith('\n') ? line.text : `${line.text}\n`
      // As `git annotate` prints it.
      if (isCompatible) return `${id}\t(${who.padStart(10)}\t${when.padEnd(10)}\t${i + 1})${text}`
      if (given.has('suppress')) return `${id}${file}${origin} ${number}) ${text}`
      return `${id}${file}${origin} (${who}${' '.repeat(widths.who - [...who].length)} ${when.padEnd(widths.when)} ${number}) ${text}`
    })
    .join('')
}

async function porcelain(
  context: GitContext,
  repository: Repository,
  lines: readonly BlamedLine[],
  chosen: ReadonlySet<number>,
  isEach: boolean,
): Promise<string> {
  const seen = new Set<string>()
  const shown = [...chosen].sort((a, b) => a - b)
  let text = ''
  for (const [at, i] of shown.entries()) {
    const line = lines[i] as BlamedLine
    const { commit } = line
    const oid = commit?.oid ?? '0'.repeat(40)
    const continues = (k: number) => {
      const [one, other] = [lines[shown[k - 1] as number], lines[shown[k] as number]]
      return (
        one !== undefined &&
        other !== undefined &&
        (shown[k] as number) === (shown[k - 1] as number) + 1 &&
        one.commit?.oid === other.commit?.oid &&
        one.path === other.path &&
        other.number === one.number + 1
      )
    }
    let size = 1
    if (at > 0 && continues(at)) size = 0
    else while (at + size < shown.length && continues(at + size)) size += 1
    text += `${oid} ${line.number + 1} ${i + 1}${size > 0 ? ` ${size}` : ''}\n`
    if (isEach || !seen.has(oid)) {
      seen.add(oid)
      const author = commit?.author ?? {
        name: 'Not Committed Yet',
        email: 'not.committed.yet',
        timestamp: Math.floor(context.now() / 1000),
        timezoneOffset: 0,
      }
      const committer = commit?.committer ?? author
      text += `author ${author.name}\nauthor-mail <${author.email}>\nauthor-time ${author.timestamp}\nauthor-tz ${zoneText(author)}\ncommitter ${committer.name}\ncommitter-mail <${committer.email}>\ncommitter-time ${committer.timestamp}\ncommitter-tz ${zoneText(committer)}\n`
      text += `summary ${commit === undefined ? `Version of ${line.path} from ${line.path}` : subjectOf(commit.message)}\n`
      text += await previousOf(repository, commit, line.path)
      text += `filename ${line.path}\n`
    }
    text += `\t${line.text.endsWith('\n') ? line.text : `${line.text}\n`}`
  }
  return text
}

async function previousOf(repository: Repository, commit: Commit | undefined, path: string): Promise<string> {
  if (commit === undefined) {
    const { oid } = await readHead(repository)
    return `previous ${oid} ${path}\n`
  }
  if (commit.parents.length === 0) return 'boundary\n'
  for (const oid of commit.parents) {
    const origin = await originOf(repository, await repository.objects.readCommit(oid), commit, path)
    if (origin !== undefined) return `previous ${oid} ${origin}\n`
  }
  return ''
}
