/** Resolves links one component at a time, for paths of which parts may be missing. */
import { FsError, isFsError } from '../../../../src/errors.js'
import { dirname, fromComponents, join, split } from '../../../../src/fs/path.js'
import type { ProgramIo } from '../../../io/program.js'
import { lstatIfThere } from '../shared/facts.js'

/** `existing`: everything must exist. `all-but-last`: the last component may be missing. `missing`: anything may. */
export type Existence = 'existing' | 'all-but-last' | 'missing'

const maxLinks = 40

export interface ResolveRules {
  existence: Existence
  /** `..` is removed before links are followed. */
  isLogical?: boolean
  /** Links are not followed: only `.`, `..` and repeated slashes are removed. */
  keepsLinks?: boolean
}

/** What stands after a name needs it to be a directory: a slash at the end, `/.` at the end, `/..` anywhere. */
const needsDirectory = /^\/+(?:\.\/+)*(?:\.?$|\.\.(?:\/|$))/

/** The names before the last are not looked at, as long as nothing goes up from them. */
async function withoutDots(io: ProgramIo, given: string, existence: Existence): Promise<string> {
  let at = given.startsWith('/') ? '/' : await realDirectory(io)
  for (const { 0: name, index } of given.matchAll(/[^/]+/g)) {
    if (name === '.') continue
    if (name === '..') {
      at = dirname(at)
      continue
    }
    at = join(at, name)
    if (existence === 'missing') continue
    const rest = given.slice(index + name.length)
    const needs = needsDirectory.test(rest)
    if (!needs && rest !== '') continue
    const isLast = /^\/*$/.test(rest)
    const stat = await io.fs.stat(at).catch((error: unknown) => {
      if (existence === 'all-but-last' && isLast && isFsError(error, 'NOT_FOUND')) return undefined
      throw error
    })
    if (needs && stat !== undefined && stat.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path: given })
  }
  return at
}

export async function resolvePath(io: ProgramIo, given: string, rules: ResolveRules): Promise<string> {
  if (given === '') throw new FsError('NOT_FOUND', { path: given })
  if (rules.keepsLinks) return withoutDots(io, given, rules.existence)
  const start = rules.isLogical ? await withoutDots(io, given, rules.existence) : given
  const pending = start.split('/').reverse()
  let at = start.startsWith('/') ? '/' : await realDirectory(io)
  let links = 0
  while (pending.length > 0) {
    const name = pending.pop() as string
    if (name === '' || name === '.') {
      if (pending.every((rest) => rest === '' || rest === '.')) await requireDirectory(io, at, rules)
      continue
    }
    if (name === '..') {
      await requireDirectory(io, at, rules)
      at = dirname(at)
      continue
    }
    const next = join(at, name)
    const isLast = pending.every((rest) => rest === '')
    const stat = await lstatIfThere(io.fs, next)
    if (stat === undefined) {
      const parent = await lstatIfThere(io.fs, at)
      if (parent !== undefined && parent.kind !== 'directory' && rules.existence !== 'missing') {
        throw new FsError('NOT_A_DIRECTORY', { path: given })
      }
      if (rules.existence === 'existing' || (rules.existence === 'all-but-last' && !isLast)) {
        throw new FsError('NOT_FOUND', { path: given })
      }
    }
    if (stat?.kind !== 'symlink') {
      at = next
      continue
    }
    links += 1
    if (links > maxLinks) {
      if (rules.existence !== 'missing') throw new FsError('LINK_LOOP', { path: given })
      at = next
      continue
    }
    const target = await io.fs.readLink(next)
    if (target.startsWith('/')) at = '/'
    pending.push(...target.split('/').reverse())
  }
  return at
}

/** What comes before a `/`, `/.` or `/..` has to be a directory, unless anything may be missing. */
async function requireDirectory(io: ProgramIo, path: string, { existence }: ResolveRules): Promise<void> {
  if (existence === 'missing') return
  const stat = await io.fs.lstat(path).catch(() => undefined)
  if (stat !== undefined && stat.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
}

async function realDirectory(io: ProgramIo): Promise<string> {
  return io.fs.realPath(io.cwd).catch(() => io.cwd)
}

/** Both are absolute and resolved. */
export function relativePath(from: string, to: string): string {
  const start = split(from)
  const end = split(to)
  let shared = 0
  while (shared < start.length && shared < end.length && start[shared] === end[shared]) shared += 1
  const path = [...start.slice(shared).map(() => '..'), ...end.slice(shared)]
  return path.length > 0 ? fromComponents(path).slice(1) : '.'
}
