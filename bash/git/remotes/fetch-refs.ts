/** Fetches refs and their objects from another repository. */
import { join } from '../../../src/fs/path.js'
import { mergeBases } from '../../../src/git/refs/merge-base.js'
import { readHead } from '../../../src/git/refs/refs.js'
import type { Repository } from '../../../src/git/repository.js'
import { identityOrNobody } from '../commands/checkout.js'
import type { GitContext } from '../context.js'
import { fatal } from '../git-error.js'
import { abbreviate, typeOf } from '../objects.js'
import { updateRef } from '../reflog.js'
import { copyObjects } from './copy-objects.js'
import { mapped, matchRef, parseRefspec, prettyRef, trackingRef } from './refspec.js'
import { type Remote, type RemoteRef, refsOf, shownUrl } from './remote-repository.js'

export interface FetchHow {
  /** Those of the command line. */
  refspecs: readonly string[]
  tags: 'follow' | 'all' | 'none'
  prunes: boolean
  isForced: boolean
  isQuiet: boolean
  isVerbose: boolean
  isDryRun: boolean
  appends: boolean
  /** Of reflogs. */
  action: string
}

/** What a pull merges. */
export interface FetchedHead {
  oid: string
  /** `branch 'main'` */
  what: string
}

interface Wanted {
  from: RemoteRef
  to: string | undefined
  isForced: boolean
  isForMerge: boolean
  /** Written to FETCH_HEAD. */
  isFetchHead: boolean
}

export interface Fetched {
  heads: FetchedHead[]
  hasFailed: boolean
}

export async function fetchFrom(
  context: GitContext,
  own: Repository,
  other: Repository,
  remote: Remote,
  how: FetchHow,
): Promise<Fetched> {
  const refs = await refsOf(other)
  const head = await readHead(own)
  const wanted = await wantedRefs(own, other, remote, refs, how, head.branch)
  const lines: string[] = []
  if (how.prunes) lines.push(...(await prune(own, remote, refs, how)))
  if (!how.isDryRun)
    await copyObjects(
      other,
      own,
      wanted.map(({ from }) => from.oid),
    )
  await addTags(own, other, refs, wanted, how)
  const width = columnWidth(own, wanted, how)
  let hasFailed = false
  for (const one of wanted) {
    const { line, fails } = await updateOne(context, own, other, one, how, { width: await width, branch: head.branch })
    if (line !== undefined) lines.push(line)
    if (fails) hasFailed = true
  }
  if (lines.length > 0 && !how.isQuiet) context.err.write(`From ${shownUrl(remote.url)}\n${lines.join('')}`)
  const noted = wanted.filter(({ isFetchHead }) => isFetchHead)
  if (!how.isDryRun) await writeFetchHead(own, noted, remote, how.appends)
  return {
    heads: noted.filter(({ isForMerge }) => isForMerge).map(({ from }) => ({ oid: from.oid, what: whatIs(from.name) })),
    hasFailed,
  }
}

async function wantedRefs(
  own: Repository,
  other: Repository,
  remote: Remote,
  refs: readonly RemoteRef[],
  how: FetchHow,
  branch: string | undefined,
): Promise<Wanted[]> {
  const wanted: Wanted[] = []
  const names = refs.map(({ name }) => name)
  const headOid = (await other.refs.resolve('HEAD')).oid
  const find = (given: string): RemoteRef | undefined => {
    if (given === 'HEAD' || given === '') return headOid === undefined ? undefined : { name: 'HEAD', oid: headOid }
    const name = matchRef(names, given)
    return (
      refs.find((ref) => ref.name === name) ??
      refs.filter(({ oid }) => oid === given).map(({ oid }) => ({ name: oid, oid }))[0]
    )
  }
  const common = { isForMerge: true, isFetchHead: true }
  if (how.refspecs.length > 0) {
    for (const text of how.refspecs) {
      const spec = parseRefspec(text)
      const isForced = spec.isForced || how.isForced
      if (spec.from.includes('*')) {
        for (const ref of refs) {
          const to = mapped(spec, ref.name)
          if (to !== undefined) wanted.push({ from: ref, to, isForced, ...common, isForMerge: false })
        }
        continue
      }
      const from = find(spec.from)
      if (from === undefined) throw fatal(`couldn't find remote ref ${spec.from === '' ? 'HEAD' : spec.from}`)
      const to = spec.to === undefined || spec.to === '' ? undefined : fullTarget(spec.to, from.name)
      wanted.push({ from, to, isForced, ...common })
    }
    // What is fetched by its name is followed too.
    for (const { from } of [...wanted]) {
      const to = trackingRef(remote.fetch, from.name)
      if (to !== undefined && !wanted.some((each) => each.to === to))
        wanted.push({ from, to, isForced: true, isForMerge: false, isFetchHead: false })
    }
    return wanted
  }
  const merges =
    branch !== undefined && own.config.get(`branch.${branch}.remote`)?.at(-1) === remote.name
      ? (own.config.get(`branch.${branch}.merge`) ?? [])
      : []
  for (const [i, text] of remote.fetch.entries()) {
    const spec = parseRefspec(text)
    if (!spec.from.includes('*')) {
      const from = find(spec.from)
      if (from === undefined) throw fatal(`couldn't find remote ref ${spec.from}`)
      const isForMerge = merges.length > 0 ? merges.includes(from.name) : i === 0
      const to = spec.to === undefined || spec.to === '' ? undefined : fullTarget(spec.to, from.name)
      wanted.push({ from, to, isForced: spec.isForced || how.isForced, isForMerge, isFetchHead: true })
      continue
    }
    for (const ref of refs) {
      const to = mapped(spec, ref.name)
      if (to === undefined) continue
      const isForMerge = merges.includes(ref.name)
      wanted.push({ from: ref, to, isForced: spec.isForced || how.isForced, isForMerge, isFetchHead: true })
    }
  }
  if (remote.fetch.length === 0) {
    const from = find('HEAD')
    if (from === undefined) throw fatal("couldn't find remote ref HEAD")
    wanted.push({ from, to: undefined, isForced: false, ...common })
  }
  // Those to merge come first, as git has them in FETCH_HEAD.
  return [...wanted]
}

function fullTarget(to: string, from: string): string {
  if (to.startsWith('refs/')) return to
  return from.startsWith('refs/tags/') ? `refs/tags/${to}` : `refs/heads/${to}`
}

/** Tags of what is fetched, or all of them. */
async function addTags(
  own: Repository,
  other: Repository,
  refs: readonly RemoteRef[],
  wanted: Wanted[],
  { tags, isDryRun, refspecs, isForced }: FetchHow,
): Promise<void> {
  if (tags === 'none' || isDryRun) return
  const follows =
    refspecs.length === 0 ? wanted.some(({ to }) => to !== undefined) : refspecs.some((each) => /:./.test(each))
  if (tags === 'follow' && !follows) return
  // What was copied counts as there.
  await own.objects.flush()
  for (const ref of refs) {
    if (!ref.name.startsWith('refs/tags/') || wanted.some(({ to }) => to === ref.name)) continue
    const isKnown = (await own.refs.resolve(ref.name)).oid !== undefined
    if (tags === 'follow') {
      if (isKnown || (await typeOf(own, ref.peeled ?? ref.oid)) === undefined) continue
    }
    await copyObjects(other, own, [ref.oid])
    wanted.push({ from: ref, to: ref.name, isForced, isForMerge: false, isFetchHead: true })
  }
  await own.objects.flush()
}

async function columnWidth(own: Repository, wanted: readonly Wanted[], { isVerbose }: FetchHow): Promise<number> {
  let width = 10
  for (const { from, to } of wanted) {
    if (to === undefined) continue
    const known = (await own.refs.resolve(to)).oid
    if (known === from.oid && !isVerbose) continue
    const [left, right] = [prettyRef(from.name).length, prettyRef(to).length]
    if (21 + left + 4 + right < 80) width = Math.max(width, left)
  }
  return width
}

/** ` * [new branch]      main       -> origin/main` */
function printed(sign: string, summary: string, from: string, to: string, width: number, note = ''): string {
  return ` ${sign} ${summary.padEnd(17)} ${from.padEnd(width)} -> ${to}${note === '' ? '' : `  (${note})`}\n`
}

async function updateOne(
  context: GitContext,
  own: Repository,
  other: Repository,
  { from, to, isForced, isFetchHead }: Wanted,
  how: FetchHow,
  { width, branch }: { width: number; branch: string | undefined },
): Promise<{ line?: string; fails?: boolean }> {
  const name = from.name === 'HEAD' ? 'HEAD' : prettyRef(from.name)
  if (to === undefined) {
    if (!isFetchHead) return {}
    const kind = from.name.startsWith('refs/heads/') ? 'branch' : from.name.startsWith('refs/tags/') ? 'tag' : ''
    return { line: printed('*', kind === '' ? 'branch' : kind, name, 'FETCH_HEAD', width) }
  }
  const shown = prettyRef(to)
  const before = (await own.refs.resolve(to)).oid
  if (before === from.oid) return how.isVerbose ? { line: printed('=', '[up to date]', name, shown, width) } : {}
  if (to === `refs/heads/${branch}` && !own.isBare && before !== undefined)
    throw fatal(`refusing to fetch into branch '${to}' checked out at '${context.shown(own.root)}'`)
  const set = async (message: string) => {
    if (how.isDryRun) return
    const by = identityOrNobody(context, own)
    await updateRef(own, to, from.oid, { by, message: `${how.action}: ${message}` })
  }
  if (before === undefined) {
    const kind = from.name.startsWith('refs/tags/') ? 'tag' : from.name.startsWith('refs/heads/') ? 'branch' : 'ref'
    await set(kind === 'tag' ? 'storing tag' : kind === 'branch' ? 'storing head' : 'storing ref')
    return { line: printed('*', `[new ${kind}]`, name, shown, width) }
  }
  if (to.startsWith('refs/tags/')) {
    if (!isForced)
      return { line: printed('!', '[rejected]', name, shown, width, 'would clobber existing tag'), fails: true }
    await set('updating tag')
    return { line: printed('t', '[tag update]', name, shown, width) }
  }
  const isFast = (await mergeBases(how.isDryRun ? other : own, before, from.oid).catch(() => []))[0] === before
  const ids = [await abbreviate(own, before), await abbreviate(other, from.oid)] as const
  if (isFast) {
    await set('fast-forward')
    return { line: printed(' ', ids.join('..'), name, shown, width) }
  }
  if (!isForced) return { line: printed('!', '[rejected]', name, shown, width, 'non-fast-forward'), fails: true }
  await set('forced-update')
  return { line: printed('+', ids.join('...'), name, shown, width, 'forced update') }
}

/** Removes refs that follow what the remote no longer has. */
async function prune(
  own: Repository,
  remote: Remote,
  refs: readonly RemoteRef[],
  { isDryRun }: FetchHow,
): Promise<string[]> {
  const lines: string[] = []
  for (const name of await staleRefs(own, remote, refs)) {
    if (!isDryRun) await own.refs.remove(name)
    lines.push(printed('-', '[deleted]', '(none)', prettyRef(name), 10))
  }
  return lines
}

export async function staleRefs(own: Repository, remote: Remote, refs: readonly RemoteRef[]): Promise<string[]> {
  const kept = new Set(refs.map(({ name }) => trackingRef(remote.fetch, name)))
  const stale: string[] = []
  for (const text of remote.fetch) {
    const { from, to = '' } = parseRefspec(text)
    const back = { isForced: false, from: to, to: from }
    for (const name of await own.refs.list('refs/')) {
      const value = await own.refs.read(name)
      if (mapped(back, name) === undefined || kept.has(name) || (value !== undefined && 'target' in value)) continue
      stale.push(name)
    }
  }
  return stale
}

/** As messages of merges have it. */
function whatIs(name: string): string {
  if (name.startsWith('refs/heads/')) return `branch '${prettyRef(name)}'`
  if (name.startsWith('refs/tags/')) return `tag '${prettyRef(name)}'`
  if (name.startsWith('refs/remotes/')) return `remote-tracking branch '${prettyRef(name)}'`
  return name === 'HEAD' ? '' : `'${name}'`
}

async function writeFetchHead(
  own: Repository,
  wanted: readonly Wanted[],
  remote: Remote,
  appends: boolean,
): Promise<void> {
  const ordered = [...wanted.filter((each) => each.isForMerge), ...wanted.filter((each) => !each.isForMerge)]
  const lines = ordered.map(({ from, isForMerge }) => {
    const what = whatIs(from.name)
    return `${from.oid}\t${isForMerge ? '' : 'not-for-merge'}\t${what}${what === '' ? '' : ' of '}${shownUrl(remote.url)}\n`
  })
  const path = join(own.gitDirectory, 'FETCH_HEAD')
  const before = appends && (await own.staged.stat(path)) !== undefined ? await own.staged.reader(path)() : undefined
  const text = (before === undefined ? '' : new TextDecoder().decode(before)) + lines.join('')
  await own.staged.write(path, new TextEncoder().encode(text))
}
