/** `git clone` of a directory. */
import { isFsError } from '../../../src/errors.js'
import { join } from '../../../src/fs/path.js'
import { moveFiles } from '../../../src/git/commands/checkout.js'
import { initRepository } from '../../../src/git/commands/init.js'
import { headFiles } from '../../../src/git/commands/status.js'
import type { Repository } from '../../../src/git/repository.js'
import { editConfig } from '../config-file.js'
import { change, type GitContext } from '../context.js'
import { fatal } from '../git-error.js'
import { peelTags } from '../objects.js'
import { flag, parseGit, value } from '../options.js'
import { appendReflog, noObject } from '../reflog.js'
import { copyObjectFiles } from '../remotes/copy-objects.js'
import { prettyRef } from '../remotes/refspec.js'
import { openPlace, placeOf, type RemoteRef, refsOf } from '../remotes/remote-repository.js'
import { detachedAdvice, identityOrNobody } from './checkout.js'
import { changeConfigFile } from './config.js'

const specs = {
  quiet: flag('-q', '--quiet'),
  verbose: flag('-v', '--verbose'),
  progress: flag('--progress', '--no-progress'),
  bare: flag('--bare'),
  mirror: flag('--mirror'),
  branch: value('-b', '--branch'),
  origin: value('-o', '--origin'),
  noCheckout: flag('-n', '--no-checkout'),
  depth: value('--depth'),
  single: flag('--single-branch'),
  notSingle: flag('--no-single-branch'),
  noTags: flag('--no-tags'),
  local: flag('-l', '--local', '--no-local', '--no-hardlinks'),
  submodules: flag('--recurse-submodules', '--recursive'),
  config: value('-c', '--config'),
} as const

const unsupported = [
  '-s',
  '--shared',
  '-j',
  '--jobs',
  '--template',
  '--reference',
  '--reference-if-able',
  '--dissociate',
  '-u',
  '--upload-pack',
  '--shallow-since',
  '--shallow-exclude',
  '--shallow-submodules',
  '--separate-git-dir',
  '--filter',
  '--sparse',
  '--reject-shallow',
  '--remote-submodules',
]

export async function clone(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('clone', args, specs, { unsupported })
  const [url, named, extra] = given.all
  const usage = 'usage: git clone [<options>] [--] <repo> [<dir>]'
  if (url === undefined) throw fatal(`You must specify a repository to clone.\n\n${usage}`, 129)
  if (extra !== undefined) throw fatal(`Too many arguments.\n\n${usage}`, 129)
  const isMirror = given.has('mirror')
  const isBare = given.has('bare') || isMirror
  const place = await placeOf(context, url)
  const isFileUrl = url.startsWith('file://')
  if (place === undefined && !isFileUrl) throw fatal(`repository '${url}' does not exist`)
  const target = named ?? guessedName(url, isBare)
  const path = await context.workspace.fs.locate(context.path(target))
  if (await isOccupied(context, path))
    throw fatal(`destination path '${target}' already exists and is not an empty directory.`)
  const say = (text: string) => {
    if (!given.has('quiet')) context.err.write(text)
  }
  say(`Cloning into ${isBare ? 'bare repository ' : ''}'${target}'...\n`)
  if (place === undefined) throw fatal(`'${url.slice('file://'.length)}' does not appear to be a git repository`)
  if (given.has('depth')) {
    if (isFileUrl) throw fatal("option '--depth' is not supported by this git")
    context.err.write('warning: --depth is ignored in local clones; use file:// instead.\n')
  }
  const source = await openPlace(context, place)
  const origin = given.value('origin') ?? 'origin'
  const chosen = await chosenHead(source, given.value('branch'), origin)
  const { root } = await initRepository(context.workspace, path, { branch: chosen.branch ?? 'master', isBare })
  const how: CloneHow = {
    origin,
    // As it was given, with the directory in front.
    url: isFileUrl || url.startsWith('/') ? url : `${context.shown(context.cwd).replace(/\/$/, '')}/${url}`,
    isMirror,
    isSingle: given.last('single', 'notSingle') === 'single',
    hasTags: !given.has('noTags'),
    checksOut: !given.has('noCheckout'),
    settings: given.values('config'),
    chosen,
  }
  const inside = { ...context, cwd: root, command: 'clone', settings: context.settings }
  await change(inside, 'clone', (repository, draft) => fill(inside, source, repository, draft, how))
  if (chosen.isEmpty) say('warning: You appear to have cloned an empty repository.\n')
  if (!isFileUrl) say('done.\n')
  if (!chosen.isEmpty && chosen.oid === undefined)
    say('warning: remote HEAD refers to nonexistent ref, unable to checkout.\n\n')
  if (chosen.branch === undefined && chosen.oid !== undefined && !isBare && how.checksOut)
    say(detachedAdvice(chosen.oid))
  return 0
}

interface ChosenHead {
  /** Undefined for a detached `HEAD`. */
  branch?: string
  oid?: string
  refs: readonly RemoteRef[]
  isEmpty: boolean
}

async function chosenHead(source: Repository, wanted: string | undefined, origin: string): Promise<ChosenHead> {
  const refs = await refsOf(source)
  const isEmpty = refs.length === 0
  if (wanted !== undefined) {
    const branch = refs.find(({ name }) => name === `refs/heads/${wanted}`)
    if (branch !== undefined) return { branch: wanted, oid: branch.oid, refs, isEmpty }
    const tag = refs.find(({ name }) => name === `refs/tags/${wanted}`)
    if (tag !== undefined) return { oid: (await peelTags(source, tag.oid)).oid, refs, isEmpty }
    throw fatal(`Remote branch ${wanted} not found in upstream ${origin}`)
  }
  const { name, oid } = await source.refs.resolve('HEAD')
  const isBranch = name.startsWith('refs/heads/')
  return { ...(isBranch && { branch: prettyRef(name) }), ...(oid !== undefined && { oid }), refs, isEmpty }
}

interface CloneHow {
  origin: string
  url: string
  isMirror: boolean
  isSingle: boolean
  hasTags: boolean
  checksOut: boolean
  settings: readonly string[]
  chosen: ChosenHead
}

async function fill(
  context: GitContext,
  source: Repository,
  repository: Repository,
  draft: Parameters<typeof moveFiles>[1],
  { origin, url, isMirror, isSingle, hasTags, checksOut, settings, chosen }: CloneHow,
): Promise<void> {
  const { staged, commonDirectory, refs, isBare } = repository
  await copyObjectFiles(source, repository)
  const placed = chosen.refs.flatMap((ref): RemoteRef[] => {
    if (isMirror) return [ref]
    if (ref.name.startsWith('refs/tags/')) return hasTags ? [ref] : []
    if (!ref.name.startsWith('refs/heads/')) return []
    if (isSingle && ref.name !== `refs/heads/${chosen.branch}`) return []
    return [isBare ? ref : { ...ref, name: ref.name.replace('refs/heads/', `refs/remotes/${origin}/`) }]
  })
  const lines = [...placed]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, oid, peeled }) => `${oid} ${name}\n${peeled === undefined ? '' : `^${peeled}\n`}`)
  if (lines.length > 0) {
    const text = `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`
    await staged.write(join(commonDirectory, 'packed-refs'), new TextEncoder().encode(text))
  }
  const { branch, oid } = chosen
  const entries: [string, string][] = [[`remote.${origin}.url`, url]]
  if (isMirror) entries.push([`remote.${origin}.fetch`, '+refs/*:refs/*'], [`remote.${origin}.mirror`, 'true'])
  else if (!isBare) {
    const one = isSingle && branch !== undefined ? branch : '*'
    entries.push([`remote.${origin}.fetch`, `+refs/heads/${one}:refs/remotes/${origin}/${one}`])
    if (!hasTags) entries.push([`remote.${origin}.tagopt`, '--no-tags'])
    if (branch !== undefined)
      entries.push([`branch.${branch}.remote`, origin], [`branch.${branch}.merge`, `refs/heads/${branch}`])
  }
  for (const setting of settings) {
    const [key = '', ...rest] = setting.split('=')
    entries.unshift([key, rest.length === 0 ? 'true' : rest.join('=')])
  }
  await changeConfigFile(repository, (before) =>
    entries.reduce((text, [key, of]) => editConfig(text, key, of, true), before),
  )
  if (isBare || oid === undefined) return
  const by = identityOrNobody(context, repository)
  const entry = { before: noObject, after: oid, by, message: `clone: from ${url}` }
  if (branch === undefined) await refs.detach('HEAD', oid)
  else {
    await refs.write(`refs/heads/${branch}`, oid)
    await appendReflog(repository, `refs/heads/${branch}`, entry)
    const { name } = await source.refs.resolve('HEAD')
    if (name.startsWith('refs/heads/') && (!isSingle || prettyRef(name) === branch)) {
      const head = `refs/remotes/${origin}/HEAD`
      await refs.point(head, `refs/remotes/${origin}/${prettyRef(name)}`)
      await appendReflog(repository, head, entry)
    }
  }
  await appendReflog(repository, 'HEAD', entry)
  if (checksOut) await moveFiles(repository, draft, { old: new Map(), next: await headFiles(repository, oid) }, false)
}

function guessedName(url: string, isBare: boolean): string {
  const name = url
    .replace(/\/+$/, '')
    .replace(/\/\.git$/, '')
    .replace(/\/+$/, '')
    .replace(/^.*[/:]/, '')
    .replace(/\.git$/, '')
  if (name === '' || name === '.' || name === '..')
    throw fatal('No directory name could be guessed.\nPlease specify a directory on the command line')
  return isBare ? `${name}.git` : name
}

async function isOccupied({ workspace: { fs } }: GitContext, path: string): Promise<boolean> {
  try {
    return (await fs.readDir(path)).length > 0
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND')) return false
    if (isFsError(error, 'NOT_A_DIRECTORY')) return true
    throw error
  }
}
