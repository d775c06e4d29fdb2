/** Reads and writes reflogs: where a ref has been, for `@{1}`, `git reflog` and `git stash`. */
import { join } from '../../src/fs/path.js'
import { lastValue } from '../../src/git/config.js'
import { limits } from '../../src/git/limits.js'
import { type Person, writtenPerson } from '../../src/git/objects/person.js'
import type { Repository } from '../../src/git/repository.js'

export interface ReflogEntry {
  before: string
  after: string
  /** `Name <email>`, the seconds and the zone, as written. */
  who: string
  message: string
}

export const noObject = '0'.repeat(40)

function logPath({ gitDirectory, commonDirectory }: Repository, ref: string): string {
  return join(ref.startsWith('refs/') ? commonDirectory : gitDirectory, `logs/${ref}`)
}

async function readLines(repository: Repository, ref: string): Promise<string[]> {
  const path = logPath(repository, ref)
  if ((await repository.staged.stat(path))?.kind !== 'file') return []
  const bytes = await repository.staged.reader(path)({ start: 0, end: limits.wholeBytes })
  return new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter((line) => line !== '')
}

/** Newest first. */
export async function readReflog(repository: Repository, ref: string): Promise<ReflogEntry[]> {
  return (await readLines(repository, ref)).reverse().map((line) => {
    const tab = line.indexOf('\t')
    const head = tab === -1 ? line : line.slice(0, tab)
    return {
      before: head.slice(0, 40),
      after: head.slice(41, 81),
      who: head.slice(82),
      message: tab === -1 ? '' : line.slice(tab + 1),
    }
  })
}

export async function hasReflog({ staged, ...repository }: Repository, ref: string): Promise<boolean> {
  return (await staged.stat(logPath({ staged, ...repository }, ref)))?.kind === 'file'
}

/** Replaces a log; `entries` are newest first. Without entries the file is removed. */
export async function writeReflog(repository: Repository, ref: string, entries: readonly ReflogEntry[]): Promise<void> {
  const lines = [...entries].reverse().map(lineOf)
  await repository.staged.write(logPath(repository, ref), new TextEncoder().encode(lines.join('')))
}

function lineOf({ before, after, who, message }: ReflogEntry): string {
  const text = message.replaceAll(/\s*\n\s*/g, ' ').trim()
  return `${before} ${after} ${who}${text === '' ? '' : `\t${text}`}\n`
}

function isLogged({ config, isBare }: Repository, ref: string): boolean {
  const setting = lastValue(config, 'core.logallrefupdates')?.toLowerCase() ?? `${!isBare}`
  if (setting === 'false' || setting === '0' || setting === 'no') return false
  return ref === 'HEAD' || setting === 'always' || /^refs\/(heads|remotes|notes)\//.test(ref) || ref === 'refs/stash'
}

export async function appendReflog(
  repository: Repository,
  ref: string,
  { before, after, by, message }: { before: string; after: string; by: Person; message: string },
): Promise<void> {
  if (!isLogged(repository, ref) && !(await hasReflog(repository, ref))) return
  const path = logPath(repository, ref)
  const known = await readLines(repository, ref)
  const line = lineOf({ before, after, who: writtenPerson(by), message })
  await repository.staged.write(path, new TextEncoder().encode([...known.map((each) => `${each}\n`), line].join('')))
}

/** Of a commit's message: what a reflog says of the commit. */
export const firstLine = (message: string): string => message.replace(/\n.*/s, '')

export interface RefUpdate {
  by: Person
  message: string
}

/** Sets a ref (through `HEAD` where that is its branch) and logs it. */
export async function updateRef(repository: Repository, ref: string, oid: string, update: RefUpdate): Promise<void> {
  const { refs } = repository
  const target = await refs.resolve(ref)
  const before = target.oid ?? noObject
  const head = await refs.read('HEAD')
  const headTarget = head !== undefined && 'target' in head ? (await refs.resolve('HEAD')).name : undefined
  if (ref === 'HEAD' && target.name === 'HEAD') await refs.detach('HEAD', oid)
  else await refs.write(target.name, oid)
  const entry = { before, after: oid, by: update.by, message: update.message }
  // Git does not log that a ref stays where it is, but that `HEAD` was to be set.
  if (before !== oid) await appendReflog(repository, target.name, entry)
  if (headTarget === target.name && target.name !== 'HEAD') await appendReflog(repository, 'HEAD', entry)
}

/** Points `HEAD` to a branch or, detached, to a commit, and logs it. */
export async function moveHead(
  repository: Repository,
  to: { branch: string; oid: string } | { oid: string },
  { by, message }: RefUpdate,
): Promise<void> {
  const before = (await repository.refs.resolve('HEAD')).oid ?? noObject
  if ('branch' in to) await repository.refs.point('HEAD', `refs/heads/${to.branch}`)
  else await repository.refs.detach('HEAD', to.oid)
  await appendReflog(repository, 'HEAD', { before, after: to.oid, by, message })
}
