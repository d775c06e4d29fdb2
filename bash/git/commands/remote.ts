/** `git remote`. */

import { mergeBases } from '../../../src/git/refs/merge-base.js'
import { readHead } from '../../../src/git/refs/refs.js'
import type { Repository } from '../../../src/git/repository.js'
import { editConfig, removeSection, renameSection } from '../config-file.js'
import { change, type GitContext, open } from '../context.js'
import { failure, fatal, GitError } from '../git-error.js'
import { typeOf } from '../objects.js'
import { flag, parseGit } from '../options.js'
import { staleRefs } from '../remotes/fetch-refs.js'
import { prettyRef, trackingRef } from '../remotes/refspec.js'
import { openRemote, refsOf, remoteNamed } from '../remotes/remote-repository.js'
import { changeConfigFile, remotesOf } from './config.js'
import { fetchRemote, fetchSpecs } from './fetch.js'

const remoteSpecs = { verbose: flag('-v', '--verbose') } as const

export async function remote(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('remote', args, remoteSpecs, { stopsAtOperand: true })
  const [action, ...rest] = given.all
  const repository = await open(context)
  const names = remotesOf(repository.config)
  if (action === undefined || (action === 'show' && rest.length === 0)) {
    for (const name of names) {
      if (!given.has('verbose')) context.out.write(`${name}\n`)
      else {
        const urls = repository.config.get(`remote.${name}.url`) ?? ['']
        const push = repository.config.get(`remote.${name}.pushurl`) ?? urls
        context.out.write(`${name}\t${urls[0]} (fetch)\n${push.map((url) => `${name}\t${url} (push)\n`).join('')}`)
      }
    }
    return 0
  }
  return changeRemote(context, action, rest, names)
}

async function changeRemote(
  context: GitContext,
  action: string,
  args: readonly string[],
  names: readonly string[],
): Promise<number> {
  const missing = (name: string) => failure(`No such remote: '${name}'`, 2)
  switch (action) {
    case 'add': {
      const given = parseGit(
        'remote add',
        args,
        { fetch: flag('-f', '--fetch') },
        { unsupported: ['-t', '--track', '-m', '--master', '--mirror', '--tags', '--no-tags'] },
      )
      const [name, url] = given.all
      if (name === undefined || url === undefined)
        throw new GitError('usage: git remote add [<options>] <name> <url>', 129)
      if (names.includes(name)) throw failure(`remote ${name} already exists.`, 3)
      await change(context, 'remote', (repository) =>
        changeConfigFile(repository, (before) =>
          editConfig(
            editConfig(before, `remote.${name}.url`, url, true),
            `remote.${name}.fetch`,
            `+refs/heads/*:refs/remotes/${name}/*`,
            true,
          ),
        ),
      )
      if (!given.has('fetch')) return 0
      context.out.write(`Updating ${name}\n`)
      context.out.flush()
      await fetchRemote(context, name, [], parseGit('fetch', [], fetchSpecs), 'fetch')
      return 0
    }
    case 'remove':
    case 'rm': {
      const [name = ''] = args
      if (!names.includes(name)) throw missing(name)
      return change(context, 'remote', async (repository) => {
        for (const ref of await repository.refs.list(`refs/remotes/${name}/`)) await repository.refs.remove(ref)
        await changeConfigFile(repository, (before) => removeSection(before, `remote.${name}`) ?? before)
        return 0
      })
    }
    case 'get-url':
      return getUrl(context, args)
    case 'set-url':
      return setUrl(context, args)
    case 'rename': {
      const [name = '', to = ''] = args
      if (!names.includes(name)) throw missing(name)
      if (names.includes(to)) throw fatal(`remote ${to} already exists.`, 3)
      return change(context, 'remote', async (repository) => {
        for (const ref of await repository.refs.list(`refs/remotes/${name}/`))
          await repository.refs.rename(ref, ref.replace(`refs/remotes/${name}/`, `refs/remotes/${to}/`))
        await changeConfigFile(repository, (before) => {
          const renamed = renameSection(before, `remote.${name}`, `remote.${to}`) ?? before
          return editConfig(renamed, `remote.${to}.fetch`, `+refs/heads/*:refs/remotes/${to}/*`, false)
        })
        return 0
      })
    }
    case 'show':
      for (const name of args.filter((arg) => arg !== '-n')) await showRemote(context, name)
      return 0
    case 'prune':
      return pruneRemotes(context, args)
    case 'update': {
      const given = parseGit('remote update', args, fetchSpecs)
      const named = given.all.length > 0 ? given.all : names
      for (const name of named) {
        if (named.length > 1) context.out.write(`Fetching ${name}\n`)
        await fetchRemote(context, name, [], given, 'remote update')
      }
      return 0
    }
    case 'set-head':
      return setHead(context, args)
    default:
      if (action === 'set-branches') throw fatal(`'git remote ${action}' is not supported by this git`)
      throw new GitError(`error: unknown subcommand: \`${action}'\nusage: git remote [-v | --verbose]`, 129)
  }
}

function noRemote(name: string): GitError {
  return failure(`No such remote '${name}'`, 2)
}

async function getUrl(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('remote get-url', args, { push: flag('--push'), all: flag('--all') })
  const [name = ''] = given.all
  const { config } = await open(context)
  const urls = config.get(`remote.${name}.url`)
  if (urls === undefined) throw noRemote(name)
  const shown = given.has('push') ? (config.get(`remote.${name}.pushurl`) ?? urls) : urls
  context.out.write((given.has('all') ? shown : shown.slice(0, 1)).map((url) => `${url}\n`).join(''))
  return 0
}

async function setUrl(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('remote set-url', args, {
    push: flag('--push'),
    add: flag('--add'),
    delete: flag('--delete'),
  })
  const [name = '', url = '', old] = given.all
  if (url === '') throw new GitError('usage: git remote set-url [--push] <name> <newurl> [<oldurl>]', 129)
  if (old !== undefined || given.has('delete'))
    throw fatal("'git remote set-url' with an old address is not supported by this git")
  if (!remotesOf((await open(context)).config).includes(name)) throw noRemote(name)
  const key = `remote.${name}.${given.has('push') ? 'pushurl' : 'url'}`
  return change(context, 'remote', async (repository) => {
    await changeConfigFile(repository, (before) => editConfig(before, key, url, given.has('add')))
    return 0
  })
}

async function pruneRemotes(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('remote prune', args, { dryRun: flag('-n', '--dry-run') })
  for (const name of given.all) {
    await change(context, 'remote', async (repository) => {
      const remote = remoteNamed(repository.config, name)
      const stale = await staleRefs(repository, remote, await refsOf(await openRemote(context, repository, remote.url)))
      if (stale.length > 0) context.out.write(`Pruning ${name}\nURL: ${remote.url}\n`)
      for (const ref of stale) {
        context.out.write(` * [${given.has('dryRun') ? 'would prune' : 'pruned'}] ${prettyRef(ref)}\n`)
        if (!given.has('dryRun')) await repository.refs.remove(ref)
      }
    })
  }
  return 0
}

async function setHead(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('remote set-head', args, { auto: flag('-a', '--auto'), delete: flag('-d', '--delete') })
  const [name = '', branch] = given.all
  return change(context, 'remote', async (repository) => {
    const ref = `refs/remotes/${name}/HEAD`
    if (given.has('delete')) {
      await repository.refs.remove(ref)
      return 0
    }
    let chosen = branch
    if (given.has('auto')) {
      const other = await openRemote(context, repository, remoteNamed(repository.config, name).url)
      const head = await readHead(other)
      if (head.branch === undefined) throw failure('Cannot determine remote HEAD')
      chosen = head.branch
    }
    const target = `refs/remotes/${name}/${chosen}`
    if ((await repository.refs.resolve(target)).oid === undefined) throw failure(`Not a valid ref: ${target}`)
    await repository.refs.point(ref, target)
    if (given.has('auto')) context.out.write(`${name}/HEAD set to ${chosen}\n`)
    return 0
  })
}

/** `git remote show origin` */
async function showRemote(context: GitContext, name: string): Promise<void> {
  const own = await open(context)
  const remote = remoteNamed(own.config, name)
  const other = await openRemote(context, own, remote.url)
  const theirs = (await refsOf(other)).filter((ref) => ref.name.startsWith('refs/heads/'))
  const head = await other.refs.resolve('HEAD')
  const headName = head.oid === undefined || head.name === 'HEAD' ? '(unknown)' : prettyRef(head.name)
  const lines = [`* remote ${name}`, `  Fetch URL: ${remote.url}`]
  for (const url of remote.pushUrls) lines.push(`  Push  URL: ${url}`)
  lines.push(`  HEAD branch: ${headName}`)
  const known = new Map<string, string>()
  for (const ref of theirs) {
    const tracked = trackingRef(remote.fetch, ref.name)
    const isThere = tracked !== undefined && (await own.refs.resolve(tracked)).oid !== undefined
    known.set(prettyRef(ref.name), isThere ? 'tracked' : `new (next fetch will store in remotes/${name})`)
  }
  for (const ref of await staleRefs(own, remote, theirs))
    known.set(ref.slice('refs/'.length), "stale (use 'git remote prune' to remove)")
  addRows(lines, 'Remote branch', 'Remote branches', [...known].sort(byName))
  const locals = await own.refs.list('refs/heads/')
  const pulls: [string, string][] = []
  for (const ref of locals) {
    const branch = prettyRef(ref)
    const merge = own.config.get(`branch.${branch}.merge`)?.at(-1)
    if (merge === undefined || own.config.get(`branch.${branch}.remote`)?.at(-1) !== name) continue
    const isRebase = own.config.get(`branch.${branch}.rebase`)?.at(-1) === 'true'
    pulls.push([branch, `${isRebase ? 'rebases onto remote' : 'merges with remote'} ${prettyRef(merge)}`])
  }
  addRows(lines, "Local branch configured for 'git pull'", "Local branches configured for 'git pull'", pulls)
  const pushes: [string, string][] = []
  for (const ref of locals) {
    const match = theirs.find((each) => each.name === ref)
    if (match !== undefined) pushes.push([prettyRef(ref), await pushState(own, ref, match.oid)])
  }
  const width = Math.max(0, ...pushes.map(([branch]) => branch.length))
  const rows = pushes.map(([branch, state]): [string, string] => [
    branch,
    `pushes to ${branch.padEnd(width)} (${state})`,
  ])
  addRows(lines, "Local ref configured for 'git push'", "Local refs configured for 'git push'", rows)
  context.out.write(`${lines.join('\n')}\n`)
}

async function pushState(own: Repository, ref: string, theirs: string): Promise<string> {
  const { oid = '' } = await own.refs.resolve(ref)
  if (oid === theirs) return 'up to date'
  if ((await typeOf(own, theirs)) === undefined) return 'local out of date'
  return (await mergeBases(own, oid, theirs))[0] === theirs ? 'fast-forwardable' : 'local out of date'
}

function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1
}

function addRows(lines: string[], one: string, many: string, rows: readonly [string, string][]): void {
  if (rows.length === 0) return
  const width = Math.max(...rows.map(([name]) => name.length))
  lines.push(`  ${rows.length === 1 ? one : many}:`, ...rows.map(([name, text]) => `    ${name.padEnd(width)} ${text}`))
}
