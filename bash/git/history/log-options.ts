/** The options of `log`, `show`, `rev-list` and their relatives. */

import type { Commit } from '../../../src/git/objects/objects.js'
import { writtenPerson } from '../../../src/git/objects/person.js'
import { readHead } from '../../../src/git/refs/refs.js'
import type { Repository } from '../../../src/git/repository.js'
import type { GitContext } from '../context.js'
import { fatal } from '../git-error.js'
import { flag, type Given, optional, value } from '../options.js'
import type { Pathspecs } from '../pathspec.js'
import { globPattern, regexPattern } from '../patterns.js'
import { commitOf, findCommit, rangeOf } from '../revisions.js'
import { parseApproximateDate } from './parse-date.js'
import { ancestors, boundaryOf, type WalkedCommit, type WalkOptions, walkCommits } from './walk.js'

export const walkSpecs = {
  maxCount: value('-n', '--max-count'),
  skip: value('--skip'),
  since: value('--since', '--after'),
  until: value('--until', '--before'),
  author: value('--author'),
  committer: value('--committer'),
  grep: value('--grep'),
  allMatch: flag('--all-match'),
  invertGrep: flag('--invert-grep'),
  ignoreCase: flag('-i', '--regexp-ignore-case'),
  extendedRegexp: flag('-E', '--extended-regexp'),
  fixedStrings: flag('-F', '--fixed-strings'),
  perlRegexp: flag('-P', '--perl-regexp'),
  basicRegexp: flag('--basic-regexp'),
  merges: flag('--merges'),
  noMerges: flag('--no-merges'),
  minParents: value('--min-parents'),
  maxParents: value('--max-parents'),
  firstParent: flag('--first-parent'),
  all: flag('--all'),
  branches: optional('--branches'),
  tags: optional('--tags'),
  remotes: optional('--remotes'),
  glob: value('--glob'),
  exclude: value('--exclude'),
  not: flag('--not'),
  reverseOrder: flag('--reverse'),
  dateOrder: flag('--date-order'),
  topoOrder: flag('--topo-order'),
  authorDateOrder: flag('--author-date-order'),
  fullHistory: flag('--full-history'),
  leftRight: flag('--left-right'),
  leftOnly: flag('--left-only'),
  rightOnly: flag('--right-only'),
  boundary: flag('--boundary'),
  noWalk: optional('--no-walk'),
  doWalk: flag('--do-walk'),
} as const

export const unsupportedWalk = [
  '--cherry',
  '--cherry-pick',
  '--cherry-mark',
  '--simplify-merges',
  '--simplify-by-decoration',
  '--ancestry-path',
  '--dense',
  '--sparse',
  '--remove-empty',
  '--bisect',
  '--stdin',
  '--reflog',
  '--show-pulls',
  '--since-as-filter',
  '--children',
  '--exclude-hidden',
  '--alternate-refs',
  '--single-worktree',
] as const

export type WalkArguments = Given<typeof walkSpecs>

export interface Starts {
  include: string[]
  exclude: string[]
  /** What the left sides of `A...B` lead to, and not the right ones: no commit is in both. */
  left?: ReadonlySet<string>
}

/** The commits to start from and those to leave out. */
export async function startsOf(
  repository: Repository,
  given: WalkArguments,
  revisions: readonly string[],
  { orHead = true } = {},
): Promise<Starts> {
  const starts = { include: [] as string[], exclude: [] as string[], left: await leftSides(repository, revisions) }
  // Each `--not` turns what comes after it.
  const isTurned = (isBefore: (after: number, index: number) => boolean) =>
    given.given.filter(({ key, after }, i) => key === 'not' && isBefore(after, i)).length % 2 === 1
  for (const [index, revision] of revisions.entries()) {
    const range = await rangeOf(repository, revision)
    if (range === undefined) throw fatal(`bad revision '${revision}'`)
    const turned = isTurned((after) => after <= index)
    starts.include.push(...(turned ? range.exclude : range.include))
    starts.exclude.push(...(turned ? range.include : range.exclude))
  }
  const isNamed = revisions.length > 0
  const prefixes: { prefix: string; side: 'include' | 'exclude'; pattern?: string }[] = []
  for (const [index, { key, value: pattern }] of given.given.entries()) {
    const side = isTurned((_, i) => i < index) ? 'exclude' : 'include'
    const of = (prefix: string) => prefixes.push({ prefix, side, ...(pattern !== undefined && { pattern }) })
    if (key === 'all') of('refs/')
    if (key === 'branches') of('refs/heads/')
    if (key === 'tags') of('refs/tags/')
    if (key === 'remotes') of('refs/remotes/')
    if (key === 'glob' && pattern !== undefined)
      prefixes.push({ prefix: 'refs/', side, pattern: pattern.replace(/^refs\//, '') })
  }
  for (const { prefix, pattern, side } of prefixes) {
    const excluded = given.values('exclude').map((each) => globPattern(each))
    const matches =
      pattern === undefined ? undefined : globPattern(`${prefix}${pattern}${/[*?[]/.test(pattern) ? '' : '/*'}`)
    for (const ref of await repository.refs.list(prefix)) {
      if (matches !== undefined && !matches.test(ref)) continue
      if (excluded.some((each) => each.test(ref) || each.test(ref.slice(prefix.length)))) continue
      const { oid } = await repository.refs.resolve(ref)
      const commit = oid === undefined ? undefined : await commitOf(repository, oid).catch(() => undefined)
      if (commit !== undefined) starts[side].push(commit)
    }
  }
  const all = given.given.findIndex(({ key }) => key === 'all')
  if (all !== -1) {
    const { oid } = await readHead(repository)
    if (oid !== undefined) starts[isTurned((_, i) => i < all) ? 'exclude' : 'include'].push(oid)
  }
  if (!isNamed && prefixes.length === 0 && orHead) {
    const { oid, branch } = await readHead(repository)
    if (oid === undefined) throw fatal(`your current branch '${branch}' does not have any commits yet`)
    starts.include.push(oid)
  }
  return starts
}

async function leftSides(repository: Repository, revisions: readonly string[]): Promise<Set<string>> {
  const tips: string[] = []
  for (const revision of revisions) {
    const [, left] = /^(.*?)\.\.\.(?!\.)/s.exec(revision) ?? []
    const oid = left === undefined ? undefined : await findCommit(repository, left || 'HEAD')
    if (oid !== undefined) tips.push(oid)
  }
  return ancestors(repository, tips)
}

/** On which side of `A...B` a commit is. */
export function sideOf({ left }: Starts, { oid, isBoundary }: WalkedCommit): '<' | '>' | '-' {
  return isBoundary ? '-' : left?.has(oid) ? '<' : '>'
}

/** What is before a commit with `--left-right` and `--boundary`. */
export function markOf(given: WalkArguments, starts: Starts, commit: WalkedCommit): string | undefined {
  return given.has('leftRight') || commit.isBoundary ? sideOf(starts, commit) : undefined
}

function noWalkOf(given: WalkArguments, { exclude }: Starts): 'sorted' | 'unsorted' | undefined {
  // A range is always walked.
  if (given.last('noWalk', 'doWalk') !== 'noWalk' || exclude.length > 0) return undefined
  const how = given.value('noWalk') ?? 'sorted'
  if (how !== 'sorted' && how !== 'unsorted') throw fatal('invalid argument to --no-walk')
  return how
}

export async function walkOptions(
  context: GitContext,
  given: WalkArguments,
  starts: Starts,
  specs: Pathspecs,
  {
    follow,
    isGraph = false,
    rewritesParents = isGraph,
  }: { follow?: string; isGraph?: boolean; rewritesParents?: boolean } = {},
): Promise<WalkOptions> {
  const nowSeconds = Math.floor(context.now() / 1000)
  const dateOf = (key: 'since' | 'until') => {
    const text = given.value(key)
    if (text === undefined) return undefined
    const found = parseApproximateDate(text, nowSeconds)
    if (found === undefined) throw fatal(`the date '${text}' is not understood by this git`)
    return found
  }
  const [sinceSeconds, untilSeconds] = [dateOf('since'), dateOf('until')]
  const order = given.last('dateOrder', 'topoOrder', 'authorDateOrder')
  if (given.has('boundary') && (isGraph || order !== undefined || !specs.isAll || given.has('reverseOrder')))
    throw fatal(`option '--boundary' is not supported by this git with --graph, --reverse, an order or paths`)
  const { include, exclude } = starts
  const noWalk = noWalkOf(given, starts)
  return {
    include,
    exclude,
    ...(noWalk && { noWalk }),
    ...((given.has('leftOnly') || given.has('rightOnly')) && {
      isWanted: (oid: string) => (starts.left?.has(oid) ?? false) === given.has('leftOnly'),
    }),
    order:
      order === 'authorDateOrder'
        ? 'author-date'
        : order === 'topoOrder' || (isGraph && order !== 'dateOrder')
          ? 'topo'
          : 'date',
    isFirstParent: given.has('firstParent'),
    rewritesParents,
    isFullHistory: given.has('fullHistory'),
    ...(!specs.isAll && follow === undefined && { specs }),
    ...(follow !== undefined && { follow }),
    ...(sinceSeconds !== undefined && { sinceSeconds }),
    ...(untilSeconds !== undefined && { untilSeconds }),
  }
}

/** The walk with the filters on messages, people and parents; `more` is asked last. */
export async function* chosenCommits(
  repository: Repository,
  given: WalkArguments,
  options: WalkOptions,
  more: (commit: WalkedCommit) => Promise<boolean> = async () => true,
  { isUnlimited = false }: { isUnlimited?: boolean } = {},
): AsyncGenerator<WalkedCommit> {
  const matches = messageFilter(given)
  const numberOf = (key: 'maxCount' | 'skip') => {
    const text = given.value(key)
    if (text === undefined) return undefined
    if (!/^-?\d+$/.test(text)) throw fatal(`'${text}': not an integer`)
    return Number(text)
  }
  const limit = isUnlimited ? -1 : (numberOf('maxCount') ?? -1)
  let skip = isUnlimited ? 0 : (numberOf('skip') ?? 0)
  const least = given.has('merges') ? 2 : Number(given.value('minParents') ?? 0)
  const most = given.has('noMerges') ? 1 : Number(given.value('maxParents') ?? Infinity)
  const found: WalkedCommit[] = []
  const shown: WalkedCommit[] = []
  let count = 0
  if (limit === 0) return
  for await (const commit of walkCommits(repository, options)) {
    const parents = (await repository.objects.readCommit(commit.oid)).parents.length
    if (parents < least || parents > most || !matches(commit) || !(await more(commit))) continue
    if (skip > 0) {
      skip -= 1
      continue
    }
    count += 1
    if (given.has('boundary')) shown.push(commit)
    if (given.has('reverseOrder')) found.push(commit)
    else yield commit
    if (count === limit) break
  }
  yield* found.reverse()
  yield* await boundaryOf(repository, shown)
}

function messageFilter(given: WalkArguments): (commit: Commit) => boolean {
  const syntax = given.has('fixedStrings')
    ? 'fixed'
    : given.has('perlRegexp')
      ? 'perl'
      : given.has('extendedRegexp')
        ? 'extended'
        : 'basic'
  const pattern = (text: string) => regexPattern(text, { syntax, ignoreCase: given.has('ignoreCase'), lines: true })
  const [authors, committers, greps] = [
    given.values('author').map(pattern),
    given.values('committer').map(pattern),
    given.values('grep').map(pattern),
  ]
  return (commit) => {
    const who = (person: Commit['author']) => writtenPerson(person).replace(/ \d+ [+-]\d+$/, '')
    if (authors.length > 0 && !authors.some((each) => each.test(who(commit.author)))) return false
    if (committers.length > 0 && !committers.some((each) => each.test(who(commit.committer)))) return false
    if (greps.length === 0) return true
    const isFound = given.has('allMatch')
      ? greps.every((each) => each.test(commit.message))
      : greps.some((each) => each.test(commit.message))
    return isFound !== given.has('invertGrep')
  }
}
