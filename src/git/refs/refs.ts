/** Resolves `HEAD`, branches and revisions. */
import { FsError } from '../../errors.js'
import { damaged } from '../damaged.js'
import type { Repository } from '../repository.js'
import { isRefName } from './ref-name.js'

export interface Head {
  /** Absent when `HEAD` is detached. */
  branch?: string
  /** Absent before the first commit. */
  oid?: string
}

export async function readHead({ refs }: Repository): Promise<Head> {
  const head = await refs.read('HEAD')
  if (head === undefined) throw damaged('HEAD')
  if ('oid' in head) return { oid: head.oid }
  // Follows other symbolic refs too: a commit updates the last one.
  const { name, oid } = await refs.resolve(head.target)
  if (!name.startsWith('refs/heads/')) {
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject: `HEAD at ${name}` })
  }
  return { branch: name.slice('refs/heads/'.length), ...(oid !== undefined && { oid }) }
}

/** The object a full ref points to; undefined when there is no such ref. */
export async function resolveRef({ refs }: Repository, ref: string): Promise<string | undefined> {
  return (await refs.resolve(ref)).oid
}

/** The commit of a branch; undefined when there is no such branch. */
export function branchCommit(repository: Repository, name: string): Promise<string | undefined> {
  return resolveRef(repository, `refs/heads/${name}`)
}

/** Fails for names that git does not allow, and for names that a command line would parse as options. */
export function checkRefName(name: string): void {
  if (name.startsWith('-') || !isRefName(name)) {
    throw new FsError('GIT_REFUSED', { reason: 'invalid-name', subject: name })
  }
}

/** Fails for a branch name that means something else: `HEAD`, or one that looks like a commit id. */
export function checkBranchName(name: string): void {
  checkRefName(name)
  if (name === 'HEAD' || /^[0-9a-f]{40}$/.test(name)) {
    throw new FsError('GIT_REFUSED', { reason: 'invalid-name', subject: name })
  }
}

/**
 * The commit of a revision: a branch, a tag, a remote branch, a commit id or its prefix, `HEAD` or `@`; followed by any
 * number of `~N` and `^N`.
 */
export async function resolveRevision(repository: Repository, revision: string): Promise<string> {
  const [, name = '', steps = ''] = /^([^~^]*)((?:[~^]\d*)*)$/.exec(revision) ?? []
  const base = name === '@' ? 'HEAD' : name
  if (base === '') throw new FsError('GIT_REFUSED', { reason: 'invalid-name', subject: revision })
  checkRefName(base)
  let oid = await repository.objects.peel(await resolveName(repository, base))
  for (const [, sign, digits] of steps.matchAll(/([~^])(\d*)/g)) {
    const count = digits === '' ? 1 : Number(digits)
    for (let i = sign === '~' ? count : Math.min(count, 1); i > 0; i -= 1) {
      const { parents } = await repository.objects.readCommit(oid)
      const parent = parents[sign === '~' ? 0 : count - 1]
      if (parent === undefined) throw new FsError('GIT_REFUSED', { reason: 'unknown-revision', subject: revision })
      oid = parent
    }
  }
  return oid
}

async function resolveName(repository: Repository, name: string): Promise<string> {
  if (name === 'HEAD') {
    const { oid } = await readHead(repository)
    if (oid === undefined) throw new FsError('GIT_REFUSED', { reason: 'no-commits' })
    return oid
  }
  if (/^[0-9a-f]{40}$/.test(name)) return name
  const places = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/']
  const candidates = [...places.map((place) => place + name), `refs/remotes/${name}/HEAD`]
  for (const ref of candidates.filter((each) => each.startsWith('refs/') || /^[A-Z_]+HEAD$/.test(each))) {
    const oid = await resolveRef(repository, ref)
    if (oid !== undefined) return oid
  }
  if (/^[0-9a-f]{4,39}$/.test(name)) return expand(repository, name)
  throw new FsError('GIT_REFUSED', { reason: 'unknown-revision', subject: name })
}

async function expand({ objects }: Repository, short: string): Promise<string> {
  const [name, ...others] = await objects.store.namesWith(short)
  if (name !== undefined && others.length === 0) return name
  const reason = name === undefined ? 'unknown-revision' : 'ambiguous-revision'
  throw new FsError('GIT_REFUSED', { reason, subject: short })
}
