/** `git fetch` and `git ls-remote`. */
import { lastValue } from '../../../src/git/config.js'
import { readHead } from '../../../src/git/refs/refs.js'
import type { Repository } from '../../../src/git/repository.js'
import { change, type GitContext, isInRepository, open } from '../context.js'
import { GitError } from '../git-error.js'
import { flag, parseGit } from '../options.js'
import { globPattern } from '../patterns.js'
import { type Fetched, fetchFrom } from '../remotes/fetch-refs.js'
import {
  defaultRemote,
  noRepository,
  openPlace,
  openRemote,
  placeOf,
  refsOf,
  remoteNamed,
} from '../remotes/remote-repository.js'
import { remotesOf } from './config.js'

export const fetchSpecs = {
  all: flag('--all'),
  prune: flag('-p', '--prune'),
  noPrune: flag('--no-prune'),
  tags: flag('-t', '--tags'),
  noTags: flag('-n', '--no-tags'),
  force: flag('-f', '--force'),
  quiet: flag('-q', '--quiet'),
  verbose: flag('-v', '--verbose'),
  dryRun: flag('--dry-run'),
  append: flag('-a', '--append'),
  progress: flag('--progress', '--no-progress'),
  noSubmodules: flag('--no-recurse-submodules'),
  atomic: flag('--atomic', '--no-auto-gc', '--no-auto-maintenance'),
} as const

export const unsupportedFetch = [
  '--depth',
  '--deepen',
  '--unshallow',
  '--shallow-since',
  '--shallow-exclude',
  '--update-shallow',
  '-k',
  '--keep',
  '-P',
  '--prune-tags',
  '--multiple',
  '--refmap',
  '--recurse-submodules',
  '-j',
  '--jobs',
  '--set-upstream',
  '--upload-pack',
  '-u',
  '--update-head-ok',
  '--filter',
  '--stdin',
  '--porcelain',
]

export interface FetchArguments {
  has(key: keyof typeof fetchSpecs): boolean
  last(...keys: ('tags' | 'noTags' | 'prune' | 'noPrune')[]): string | undefined
}

export async function fetch(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('fetch', args, fetchSpecs, { unsupported: unsupportedFetch })
  const repository = await open(context)
  const { branch } = await readHead(repository)
  const remotes = remotesOf(repository.config)
  const [name, ...refspecs] = given.all
  const named =
    given.has('all') || (name === undefined && remotes.length === 0)
      ? remotes
      : [name ?? fallback(defaultRemote(repository.config, branch), remotes)]
  let status = 0
  for (const each of named) {
    if (given.has('all') && remotes.length > 1 && !given.has('quiet')) context.out.write(`Fetching ${each}\n`)
    const { hasFailed } = await fetchRemote(context, each, refspecs, given, ['fetch', ...args].join(' '))
    if (hasFailed) status = 1
  }
  return status
}

/** A single remote is meant even when it is not called `origin`. */
function fallback(name: string, remotes: readonly string[]): string {
  const [only, ...others] = remotes
  return !remotes.includes(name) && only !== undefined && others.length === 0 ? only : name
}

export async function fetchRemote(
  context: GitContext,
  name: string,
  refspecs: readonly string[],
  given: FetchArguments,
  action: string,
): Promise<Fetched> {
  return change(context, 'fetch', async (repository) => {
    const remote = remoteNamed(repository.config, name)
    const other = await openRemote(context, repository, remote.url)
    const setting = lastValue(repository.config, `remote.${name}.prune`) ?? lastValue(repository.config, 'fetch.prune')
    const tags = given.last('tags', 'noTags') ?? lastValue(repository.config, `remote.${name}.tagopt`)
    return fetchFrom(context, repository, other, remote, {
      refspecs,
      tags: tags === 'tags' || tags === '--tags' ? 'all' : tags === undefined ? 'follow' : 'none',
      prunes: (given.last('prune', 'noPrune') ?? (setting === 'true' ? 'prune' : 'noPrune')) === 'prune',
      isForced: given.has('force'),
      isQuiet: given.has('quiet'),
      isVerbose: given.has('verbose'),
      isDryRun: given.has('dryRun'),
      appends: given.has('append'),
      action,
    })
  })
}

const listSpecs = {
  heads: flag('-h', '--heads'),
  tags: flag('-t', '--tags'),
  refs: flag('--refs'),
  quiet: flag('-q', '--quiet'),
  exitCode: flag('--exit-code'),
  symref: flag('--symref'),
  getUrl: flag('--get-url'),
} as const

export async function lsRemote(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('ls-remote', args, listSpecs, { unsupported: ['--sort', '--upload-pack', '-o'] })
  const [name, ...patterns] = given.all
  const own = (await isInRepository(context)) ? await open(context) : undefined
  const { branch } = own === undefined ? {} : await readHead(own)
  const wanted = name ?? (own && defaultRemote(own.config, branch))
  const remote = own && remoteNamed(own.config, wanted ?? '')
  if (wanted === undefined || (name === undefined && !remote?.isConfigured))
    throw new GitError('fatal: No remote configured to list refs from.', 128)
  const url = remote?.url ?? wanted
  if (given.has('getUrl')) {
    context.out.write(`${url}\n`)
    return 0
  }
  const other = await (remote?.isConfigured ? openRemote(context, own as Repository, url) : openNamed(context, url))
  if (name === undefined && !given.has('quiet')) context.err.write(`From ${url}\n`)
  const globs = patterns.map((pattern) => globPattern(`*/${pattern}`))
  const isWanted = (ref: string) => {
    const [heads, tags] = [given.has('heads'), given.has('tags')]
    if ((heads || tags) && !((heads && ref.startsWith('refs/heads/')) || (tags && ref.startsWith('refs/tags/'))))
      return false
    return globs.length === 0 || globs.some((glob) => glob.test(`/${ref}`))
  }
  const head = await other.refs.resolve('HEAD')
  const rows: string[] = []
  if (head.oid !== undefined && !given.has('refs') && isWanted('HEAD')) {
    if (given.has('symref') && head.name !== 'HEAD') rows.push(`ref: ${head.name}\tHEAD\n`)
    rows.push(`${head.oid}\tHEAD\n`)
  }
  for (const { name: ref, oid, peeled } of await refsOf(other)) {
    if (isWanted(ref)) rows.push(`${oid}\t${ref}\n`)
    if (peeled !== undefined && !given.has('refs') && isWanted(`${ref}^{}`)) rows.push(`${peeled}\t${ref}^{}\n`)
  }
  context.out.write(rows.join(''))
  return rows.length === 0 && given.has('exitCode') ? 2 : 0
}

async function openNamed(context: GitContext, url: string): Promise<Repository> {
  const place = await placeOf(context, url)
  if (place === undefined) throw noRepository(url)
  return openPlace(context, place)
}
