/** Lists of refs: filters, orders and formats of `for-each-ref`, `branch` and `tag`. */
import { countApart } from '../../src/git/commands/status.js'
import { comparePaths } from '../../src/git/objects/object-id.js'
import { minutesWest, type Person } from '../../src/git/objects/person.js'
import { readHead } from '../../src/git/refs/refs.js'
import type { Repository } from '../../src/git/repository.js'
import { fatal } from './git-error.js'
import { bodyOf, subjectOf } from './history/format.js'
import { datePrinter } from './history/print-date.js'
import { ancestors } from './history/walk.js'
import { abbreviate, parseTagObject, peelTags, readAny, type TagObject, typeOf } from './objects.js'
import { commitNamed, findObject, upstreamRef } from './revisions.js'

export interface ListedRef {
  ref: string
  oid: string
}

export async function refsBelow({ refs }: Repository, prefix: string): Promise<ListedRef[]> {
  const found: ListedRef[] = []
  for (const ref of await refs.list(prefix)) {
    const { oid } = await refs.resolve(ref)
    if (oid !== undefined) found.push({ ref, oid })
  }
  return found.sort((a, b) => comparePaths(a.ref, b.ref))
}

export interface RefFilter {
  contains?: readonly string[]
  noContains?: readonly string[]
  merged?: readonly string[]
  noMerged?: readonly string[]
  pointsAt?: string
}

export async function filterRefs(
  repository: Repository,
  listed: readonly ListedRef[],
  filter: RefFilter,
): Promise<ListedRef[]> {
  let found = [...listed]
  const commitOf = async ({ oid }: ListedRef) => {
    const target = await peelTags(repository, oid)
    return target.type === 'commit' ? target.oid : undefined
  }
  const keep = async (isKept: (listed: ListedRef) => Promise<boolean>) => {
    const kept: ListedRef[] = []
    for (const each of found) if (await isKept(each)) kept.push(each)
    found = kept
  }
  const reachesAny = async (each: ListedRef, names: readonly string[]) => {
    const commit = await commitOf(each)
    if (commit === undefined) return false
    const reached = await ancestors(repository, [commit])
    for (const name of names) if (reached.has(await commitNamed(repository, name))) return true
    return false
  }
  const mergedInto = async (names: readonly string[]) =>
    ancestors(repository, await Promise.all(names.map((name) => commitNamed(repository, name))))
  const { contains = [], noContains = [], merged = [], noMerged = [], pointsAt } = filter
  if (contains.length > 0) await keep((each) => reachesAny(each, contains))
  if (noContains.length > 0) await keep(async (each) => !(await reachesAny(each, noContains)))
  if (merged.length > 0) {
    const reached = await mergedInto(merged)
    await keep(async (each) => reached.has((await commitOf(each)) ?? ''))
  }
  if (noMerged.length > 0) {
    const reached = await mergedInto(noMerged)
    await keep(async (each) => !reached.has((await commitOf(each)) ?? ''))
  }
  if (pointsAt !== undefined) {
    const target = await findObject(repository, pointsAt)
    if (target === undefined) throw fatal(`malformed object name ${pointsAt}`)
    await keep(async (each) => each.oid === target.oid || (await peelTags(repository, each.oid)).oid === target.oid)
  }
  return found
}

interface Details {
  listed: ListedRef
  type: string
  size: number
  tag?: TagObject
  commit?: { tree: string; parents: readonly string[]; author: Person; committer: Person; message: string }
}

async function detailsOf(repository: Repository, listed: ListedRef): Promise<Details> {
  const type = (await typeOf(repository, listed.oid)) ?? 'missing'
  const { bytes } = await readAny(repository, listed.oid)
  const details: Details = { listed, type, size: bytes.length }
  if (type === 'tag') details.tag = parseTagObject(bytes)
  if (type === 'commit') details.commit = await repository.objects.readCommit(listed.oid)
  return details
}

/** Sorts by the keys of `--sort`; the last key counts most. */
export async function sortRefs(
  repository: Repository,
  listed: readonly ListedRef[],
  keys: readonly string[],
): Promise<ListedRef[]> {
  if (keys.length === 0) return [...listed]
  const all = await Promise.all(listed.map(async (each) => ({ each, details: await detailsOf(repository, each) })))
  const orders = [...keys].reverse().map((key) => {
    const isDown = key.startsWith('-')
    const compare = comparison(key.replace(/^-/, ''))
    return (a: Details, b: Details) => (isDown ? -compare(a, b) : compare(a, b))
  })
  return all
    .sort((a, b) => {
      for (const order of orders) {
        const result = order(a.details, b.details)
        if (result !== 0) return result
      }
      return comparePaths(a.each.ref, b.each.ref)
    })
    .map(({ each }) => each)
}

function comparison(key: string): (a: Details, b: Details) => number {
  if (/^(version|v):refname$/.test(key)) return (a, b) => compareVersions(a.listed.ref, b.listed.ref)
  if (/^refname(:.*)?$/.test(key)) return (a, b) => comparePaths(a.listed.ref, b.listed.ref)
  if (/^(creator|committer|author|tagger)date(:.*)?$/.test(key)) {
    const role = key.replace(/date.*$/, '')
    return (a, b) => dateOf(a, role) - dateOf(b, role)
  }
  if (key === 'objectsize') return (a, b) => a.size - b.size
  if (key === 'objectname') return (a, b) => comparePaths(a.listed.oid, b.listed.oid)
  if (key === 'objecttype') return (a, b) => comparePaths(a.type, b.type)
  if (key === 'subject') return (a, b) => comparePaths(subjectOf(messageOf(a)), subjectOf(messageOf(b)))
  throw fatal(`the sort key '${key}' is not supported by this git`)
}

function messageOf({ commit, tag }: Details): string {
  return commit?.message ?? tag?.message ?? ''
}

function dateOf(details: Details, role: string): number {
  return personOf(details, role)?.timestamp ?? 0
}

function personOf({ commit, tag }: Details, role: string): Person | undefined {
  if (role === 'author') return commit?.author
  if (role === 'committer') return commit?.committer
  const tagger = tag?.tagger === undefined ? undefined : parsePerson(tag.tagger)
  return role === 'tagger' ? tagger : (tagger ?? commit?.committer)
}

function parsePerson(text: string): Person {
  const [, name = '', email = '', seconds = '0', sign, hours, minutes] =
    /^(.*?) ?<([^>]*)> (\d+) ([+-])(\d\d)(\d\d)$/.exec(text) ?? []
  return { name, email, timestamp: Number(seconds), timezoneOffset: minutesWest(sign, hours, minutes) }
}

/** Numbers in names count as numbers. */
function compareVersions(a: string, b: string): number {
  const [x, y] = [a.split(/(\d+)/), b.split(/(\d+)/)]
  for (let i = 0; i < Math.max(x.length, y.length); i += 1) {
    const [left = '', right = ''] = [x[i], y[i]]
    if (left === right) continue
    if (/^\d+$/.test(left) && /^\d+$/.test(right)) return Number(left) - Number(right) || left.length - right.length
    return comparePaths(left, right)
  }
  return 0
}

/** Formats each ref with `%(atom)`s. */
export async function formatRefs(
  repository: Repository,
  listed: readonly ListedRef[],
  format: string,
  nowSeconds: number,
): Promise<string[]> {
  const head = await readHead(repository)
  const lines: string[] = []
  for (const each of listed) {
    const details = await detailsOf(repository, each)
    let line = ''
    let at = 0
    for (const found of format.matchAll(/%\(([^)]*)\)|%([0-9a-fA-F]{2})|%%/g)) {
      line += format.slice(at, found.index)
      at = found.index + found[0].length
      const [, atom, hex] = found
      if (hex !== undefined) line += String.fromCharCode(Number.parseInt(hex, 16))
      else if (atom === undefined) line += '%'
      else line += await atomOf(repository, details, atom, { head: head.branch, nowSeconds })
    }
    lines.push(line + format.slice(at))
  }
  return lines
}

async function atomOf(
  repository: Repository,
  details: Details,
  given: string,
  context: { head: string | undefined; nowSeconds: number },
): Promise<string> {
  if (given.startsWith('*')) {
    if (details.tag === undefined) return ''
    const target = await detailsOf(repository, {
      ref: details.listed.ref,
      oid: (await peelTags(repository, details.listed.oid)).oid,
    })
    return atomOf(repository, target, given.slice(1), context)
  }
  const colon = given.indexOf(':')
  const [name, option] = colon === -1 ? [given, undefined] : [given.slice(0, colon), given.slice(colon + 1)]
  const { listed, commit, tag, type, size } = details
  switch (name) {
    case 'refname':
      return refNameAs(listed.ref, option)
    case 'objectname':
      return option?.startsWith('short')
        ? abbreviate(repository, listed.oid, Number(option.split('=')[1] ?? 7))
        : listed.oid
    case 'objecttype':
      return type
    case 'objectsize':
      return `${size}`
    case 'tree':
      return commit?.tree ?? ''
    case 'parent':
      return commit?.parents.join(' ') ?? ''
    case 'numparent':
      return commit === undefined ? '' : `${commit.parents.length}`
    case 'object':
      return tag?.object ?? ''
    case 'type':
      return tag?.type ?? ''
    case 'tag':
      return tag?.tag ?? ''
    case 'HEAD':
      return listed.ref === `refs/heads/${context.head}` ? '*' : ' '
    case 'symref': {
      const value = await repository.refs.read(listed.ref)
      return value !== undefined && 'target' in value ? refNameAs(value.target, option) : ''
    }
    case 'upstream':
      return upstreamAtom(repository, listed, option)
    case 'subject':
      return subjectOf(messageOf(details))
    case 'body':
      return bodyOf(messageOf(details))
    case 'contents':
      if (option === undefined) return messageOf(details)
      if (option === 'subject') return subjectOf(messageOf(details))
      if (option === 'body') return bodyOf(messageOf(details))
      if (/^lines=\d+$/.test(option))
        return messageOf(details)
          .split('\n')
          .slice(0, Number(option.slice(6)))
          .join('\n    ')
          .trimEnd()
      break
    case 'color':
      return ''
  }
  const [, role, part] = /^(author|committer|tagger|creator)(name|email|date)?$/.exec(name) ?? []
  if (role !== undefined) return personAtom(personOf(details, role), part, option, context.nowSeconds)
  throw fatal(`the format atom '%(${given})' is not supported by this git`)
}

function personAtom(
  person: Person | undefined,
  part: string | undefined,
  option: string | undefined,
  nowSeconds: number,
): string {
  if (person === undefined) return ''
  if (part === 'name') return person.name
  if (part === 'email')
    return option === 'trim'
      ? person.email
      : option === 'localpart'
        ? person.email.replace(/@.*$/, '')
        : `<${person.email}>`
  if (part === 'date') return datePrinter(option ?? 'default', nowSeconds)(person)
  return `${person.name} <${person.email}> ${datePrinter('raw', nowSeconds)(person)}`
}

export function refNameAs(ref: string, option: string | undefined): string {
  if (option === undefined) return ref
  if (option === 'short') return ref.replace(/^refs\/(heads|tags|remotes)\//, '').replace(/^refs\//, '')
  const [, side, count] = /^(l?strip|rstrip)=(-?\d+)$/.exec(option) ?? []
  if (side === undefined) throw fatal(`the format option ':${option}' is not supported by this git`)
  const parts = ref.split('/')
  const left = Number(count) < 0 ? Math.max(0, parts.length + Number(count)) : Number(count)
  return side === 'rstrip'
    ? parts.slice(0, Math.max(1, parts.length - left)).join('/')
    : parts.slice(Math.min(left, parts.length - 1)).join('/')
}

async function upstreamAtom(
  repository: Repository,
  { ref, oid }: ListedRef,
  option: string | undefined,
): Promise<string> {
  if (!ref.startsWith('refs/heads/')) return ''
  const upstream = upstreamRef(repository, ref.slice('refs/heads/'.length))
  if (upstream === undefined) return ''
  if (option === undefined || option === 'short' || option.includes('strip')) return refNameAs(upstream, option)
  const theirs = (await repository.refs.resolve(upstream)).oid
  const apart = theirs === undefined ? undefined : await countApart(repository, oid, theirs)
  if (option === 'trackshort')
    return apart === undefined ? '' : apart.ahead && apart.behind ? '<>' : apart.ahead ? '>' : apart.behind ? '<' : '='
  if (!option.startsWith('track')) throw fatal(`the format option ':${option}' is not supported by this git`)
  const text = trackText(apart)
  return option === 'track,nobracket' ? text : text === '' ? '' : `[${text}]`
}

export function trackText(apart: { ahead: number; behind: number } | undefined): string {
  if (apart === undefined) return 'gone'
  return [...(apart.ahead ? [`ahead ${apart.ahead}`] : []), ...(apart.behind ? [`behind ${apart.behind}`] : [])].join(
    ', ',
  )
}
