import { comparePaths } from '../../../../src/git/objects/object-id.js'
import { type GitContext, open } from '../../context.js'
import { fatal, GitError } from '../../git-error.js'
import { prettyFormat, subjectOf } from '../../history/format.js'
import { chosenCommits, markOf, startsOf, unsupportedWalk, walkOptions, walkSpecs } from '../../history/log-options.js'
import { abbreviate } from '../../objects.js'
import { flag, optional, parseGit, value } from '../../options.js'
import { splitOperands } from '../../revisions-and-paths.js'

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
  date: value('--date'),
} as const

export async function revList(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('rev-list', args, revListSpecs, {
    number: 'maxCount',
    unsupported: [
      ...unsupportedWalk,
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
  if (pretty !== undefined && (given.has('leftRight') || given.has('boundary')))
    throw fatal("options '--left-right' and '--boundary' of rev-list are not supported by this git with a format")
  let count = 0
  let leftCount = 0
  for await (const commit of chosenCommits(repository, given, walk)) {
    count += 1
    if (starts.left?.has(commit.oid)) leftCount += 1
    if (given.has('count') || given.has('quiet')) continue
    const name = isShort ? await abbreviate(repository, commit.oid) : commit.oid
    if (pretty === undefined) {
      const stamp = given.has('timestamp') ? `${commit.committer.timestamp} ` : ''
      context.out.write(
        `${stamp}${markOf(given, starts, commit) ?? ''}${name}${given.has('parents') ? commit.parents.map((oid) => ` ${oid}`).join('') : ''}\n`,
      )
    } else if (pretty.isOneline) context.out.write(`${await pretty.print({ commit })}\n`)
    else if (pretty.isUser)
      context.out.write(`${given.has('noCommitHeader') ? '' : `commit ${name}\n`}${await pretty.print({ commit })}\n`)
    else context.out.write(`${await pretty.print({ commit })}\n`)
  }
  if (given.has('count'))
    context.out.write(given.has('leftRight') ? `${leftCount}\t${count - leftCount}\n` : `${count}\n`)
  return 0
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
