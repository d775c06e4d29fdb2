/** Revisions: names of objects, with all the suffixes that git knows. */

import { FsError, isFsError } from '../../src/errors.js'
import { lastValue } from '../../src/git/config.js'
import { mergeBases } from '../../src/git/refs/merge-base.js'
import { isRefName } from '../../src/git/refs/ref-name.js'
import { readHead } from '../../src/git/refs/refs.js'
import { type Repository, readIndex } from '../../src/git/repository.js'
import { fatal, type GitError } from './git-error.js'
import { type AnyObject, parseTagObject, peelTags, readAny, typeOf } from './objects.js'
import { regexPattern } from './patterns.js'
import { readReflog } from './reflog.js'

export interface Resolved {
  oid: string
  /** For `commit:path`. */
  mode?: number
  path?: string
}

export function unknownRevision(name: string): GitError {
  return fatal(
    `ambiguous argument '${name}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
  )
}

/** The full name of a ref that a short name means; undefined when there is none. */
export async function fullRefName({ refs }: Repository, name: string): Promise<string | undefined> {
  if (name === '@') return 'HEAD'
  if (!isRefName(name)) return undefined
  const places = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/']
  for (const ref of [...places.map((place) => place + name), `refs/remotes/${name}/HEAD`]) {
    if (!ref.startsWith('refs/') && !/^[A-Z_]+$/.test(ref)) continue
    try {
      if ((await refs.resolve(ref)).oid !== undefined) return ref
    } catch (error) {
      if (!isFsError(error)) throw error
    }
  }
  return undefined
}

/** Any object by its name; undefined when there is none. `prefix` is the working directory, for `:./path`. */
export async function findObject(repository: Repository, given: string, prefix = ''): Promise<Resolved | undefined> {
  const colon = colonIn(given)
  if (colon === 0)
    return given.startsWith(':/') ? byMessage(repository, given.slice(2)) : inIndex(repository, given, prefix)
  if (colon > 0) {
    const tree = await findObject(repository, given.slice(0, colon), prefix)
    if (tree === undefined) return undefined
    return inTree(repository, tree.oid, pathInRevision(given.slice(colon + 1), prefix))
  }
  const [, name = '', steps = ''] = /^(.*?)((?:\^\{[^}]*\}|[~^]\d*)*)$/s.exec(given) ?? []
  let oid = await baseOf(repository, name)
  if (oid === undefined) return undefined
  for (const [step] of steps.matchAll(/\^\{[^}]*\}|[~^]\d*/g)) {
    oid = await stepFrom(repository, oid, step)
    if (oid === undefined) return undefined
  }
  return { oid }
}

/** The colon that separates a revision from a path; not one inside braces. */
function colonIn(given: string): number {
  let depth = 0
  for (let at = 0; at < given.length; at += 1) {
    if (given[at] === '{') depth += 1
    else if (given[at] === '}') depth -= 1
    else if (given[at] === ':' && depth <= 0) return at
  }
  return -1
}

function pathInRevision(path: string, prefix: string): string {
  if (!/^\.\.?(\/|$)/.test(path)) return path.replace(/\/$/, '')
  const names: string[] = []
  for (const name of `${prefix}${path}`.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '.' && name !== '') names.push(name)
  }
  return names.join('/')
}

async function inTree(repository: Repository, oid: string, path: string): Promise<Resolved | undefined> {
  const tree = await treeOf(repository, oid)
  if (tree === undefined) return undefined
  const entry = await repository.objects.find(tree, path)
  return entry && { oid: entry.oid, mode: entry.mode, path }
}

async function inIndex(repository: Repository, given: string, prefix: string): Promise<Resolved | undefined> {
  const [, stage = '0', path = ''] = /^:(?:([0-3]):)?(.*)$/s.exec(given) ?? []
  const wanted = pathInRevision(path, prefix)
  const { entries } = await readIndex(repository)
  const entry = entries.find((each) => each.path === wanted && each.stage === Number(stage))
  return entry && { oid: entry.oid, mode: entry.mode, path: wanted }
}

/** The newest commit of any ref whose message matches. */
async function byMessage(repository: Repository, pattern: string): Promise<Resolved | undefined> {
  const starts: string[] = []
  for (const ref of ['HEAD', ...(await repository.refs.list('refs/'))]) {
    const { oid } = await repository.refs.resolve(ref)
    if (oid !== undefined && (await peelTags(repository, oid)).type === 'commit')
      starts.push((await peelTags(repository, oid)).oid)
  }
  const oid = await newestMatching(repository, starts, pattern)
  return oid === undefined ? undefined : { oid }
}

async function newestMatching(repository: Repository, starts: readonly string[], pattern: string) {
  const matches = regexPattern(pattern, { syntax: 'extended', lines: true })
  const seen = new Set(starts)
  const pending = await Promise.all([...seen].map((oid) => repository.objects.readCommit(oid)))
  while (pending.length > 0) {
    pending.sort((a, b) => b.committer.timestamp - a.committer.timestamp)
    const commit = pending.shift()
    if (commit === undefined) return undefined
    if (matches.test(commit.message)) return commit.oid
    for (const parent of commit.parents) {
      if (seen.has(parent)) continue
      seen.add(parent)
      pending.push(await repository.objects.readCommit(parent))
    }
  }
  return undefined
}

async function baseOf(repository: Repository, name: string): Promise<string | undefined> {
  const [, ref = '', inside] = /^(.*?)@\{([^}]*)\}$/s.exec(name) ?? []
  if (inside !== undefined) return fromReflog(repository, ref, inside)
  const full = await fullRefName(repository, name)
  if (full !== undefined) return (await repository.refs.resolve(full)).oid
  if (/^[0-9a-f]{40}$/i.test(name)) return name.toLowerCase()
  const [, described] = /-g([0-9a-f]{4,40})$/.exec(name) ?? []
  const hex = described ?? name
  if (!/^[0-9a-f]{4,40}$/i.test(hex)) return undefined
  const names = await repository.objects.store.namesWith(hex.toLowerCase())
  if (names.length > 1) {
    const commits: string[] = []
    for (const each of names) if ((await typeOf(repository, each)) === 'commit') commits.push(each)
    if (commits.length === 1) return commits[0]
    throw new FsError('GIT_REFUSED', { reason: 'ambiguous-revision', subject: hex })
  }
  return names[0]
}

async function fromReflog(repository: Repository, ref: string, inside: string): Promise<string | undefined> {
  if (/^-\d+$/.test(inside)) {
    const branch = await previousBranch(repository, Number(inside.slice(1)))
    return branch === undefined ? undefined : baseOf(repository, branch)
  }
  if (/^(u|upstream|push)$/i.test(inside)) {
    const branch = ref === '' || ref === 'HEAD' || ref === '@' ? (await readHead(repository)).branch : ref
    const upstream = branch === undefined ? undefined : upstreamRef(repository, branch)
    if (upstream === undefined) throw fatal(`no upstream configured for branch '${branch}'`)
    return (await repository.refs.resolve(upstream)).oid
  }
  if (!/^\d+$/.test(inside)) throw fatal(`'@{${inside}}': only numbers, -N and upstream are supported by this git`)
  const name = ref === '' ? await currentRef(repository) : await fullRefName(repository, ref)
  if (name === undefined) return undefined
  const entries = await readReflog(repository, name)
  const count = Number(inside)
  if (count === 0) return entries[0]?.after ?? (await repository.refs.resolve(name)).oid
  const entry = entries[count]
  if (entry !== undefined) return entry.after
  const last = entries.at(-1)
  if (count === entries.length && last !== undefined && !/^0+$/.test(last.before)) return last.before
  throw fatal(`log for '${ref === '' ? name.replace(/^refs\/heads\//, '') : ref}' only has ${entries.length} entries`)
}

async function currentRef(repository: Repository): Promise<string> {
  const { branch } = await readHead(repository)
  return branch === undefined ? 'HEAD' : `refs/heads/${branch}`
}

/** The branch that was checked out before the current one, counted by the moves in the log of `HEAD`. */
export async function previousBranch(repository: Repository, count: number): Promise<string | undefined> {
  let left = count
  for (const { message } of await readReflog(repository, 'HEAD')) {
    const [, from] = /^checkout: moving from (\S+) to /.exec(message) ?? []
    if (from === undefined) continue
    left -= 1
    if (left === 0) return from
  }
  return undefined
}

/** The ref that a branch follows by the configuration. */
export function upstreamRef({ config }: Repository, branch: string): string | undefined {
  const remote = lastValue(config, `branch.${branch}.remote`)
  const merge = lastValue(config, `branch.${branch}.merge`)
  if (remote === undefined || merge === undefined) return undefined
  return remote === '.' ? merge : merge.replace(/^refs\/heads\//, `refs/remotes/${remote}/`)
}

async function stepFrom(repository: Repository, oid: string, step: string): Promise<string | undefined> {
  const [, kind] = /^\^\{(.*)\}$/s.exec(step) ?? []
  if (kind !== undefined) return peelTo(repository, oid, kind)
  const digits = step.slice(1)
  const count = digits === '' ? 1 : Number(digits)
  let at: string | undefined = await commitOf(repository, oid)
  if (at === undefined) return undefined
  if (step[0] === '^') return count === 0 ? at : (await repository.objects.readCommit(at)).parents[count - 1]
  for (let i = 0; i < count && at !== undefined; i += 1) {
    at = (await repository.objects.readCommit(at)).parents[0]
  }
  return at
}

async function peelTo(repository: Repository, oid: string, kind: string): Promise<string | undefined> {
  if (kind === '') return (await peelTags(repository, oid)).oid
  if (kind === 'object') return oid
  if (kind === 'commit') return commitOf(repository, oid)
  if (kind === 'tree') return treeOf(repository, oid)
  if (kind.startsWith('/')) {
    const commit = await commitOf(repository, oid)
    return commit === undefined ? undefined : newestMatching(repository, [commit], kind.slice(1))
  }
  const found = kind === 'tag' ? { oid, type: await typeOf(repository, oid) } : await peelTags(repository, oid)
  return found.type === kind ? found.oid : undefined
}

export async function commitOf(repository: Repository, oid: string): Promise<string | undefined> {
  const found: AnyObject = await peelTags(repository, oid)
  return found.type === 'commit' ? found.oid : undefined
}

export async function treeOf(repository: Repository, oid: string): Promise<string | undefined> {
  const found = await peelTags(repository, oid)
  if (found.type === 'tree') return found.oid
  return found.type === 'commit' ? (await repository.objects.readCommit(found.oid)).tree : undefined
}

/** The commit of a revision; undefined when there is no such object. */
export async function findCommit(repository: Repository, given: string, prefix = ''): Promise<string | undefined> {
  const found = await findObject(repository, given, prefix)
  if (found === undefined || (await typeOf(repository, found.oid)) === undefined) return undefined
  return commitOf(repository, found.oid)
}

/** The commit of a revision, or git's failure. */
export async function commitNamed(repository: Repository, given: string): Promise<string> {
  const oid = await findCommit(repository, given)
  if (oid === undefined) throw unknownRevision(given)
  return oid
}

export async function tagMessage(repository: Repository, oid: string) {
  return parseTagObject((await readAny(repository, oid)).bytes)
}

export interface RevisionRange {
  include: string[]
  exclude: string[]
}

/** `a..b`, `a...b`, `^a`, `a^@`, `a^!` or `a` as commits; undefined when it is not a revision. */
export async function rangeOf(repository: Repository, given: string, prefix = ''): Promise<RevisionRange | undefined> {
  const find = (name: string) => findCommit(repository, name === '' ? 'HEAD' : name, prefix)
  const [, left, dots, right] = /^(.*?)(\.\.\.?)(.*)$/s.exec(given) ?? []
  if (left !== undefined && right !== undefined && colonIn(given) === -1 && given !== '..') {
    const [from, to] = [await find(left), await find(right)]
    if (from === undefined || to === undefined) return undefined
    if (dots === '..') return { include: [to], exclude: [from] }
    return { include: [from, to], exclude: await mergeBases(repository, from, to) }
  }
  if (given.startsWith('^')) {
    const oid = await find(given.slice(1))
    return oid === undefined ? undefined : { include: [], exclude: [oid] }
  }
  const [, of, sign] = /^(.+)\^([@!])$/s.exec(given) ?? []
  if (of !== undefined) {
    const oid = await find(of)
    if (oid === undefined) return undefined
    const { parents } = await repository.objects.readCommit(oid)
    return sign === '@' ? { include: [...parents], exclude: [] } : { include: [oid], exclude: [...parents] }
  }
  const oid = await find(given)
  return oid === undefined ? undefined : { include: [oid], exclude: [] }
}
