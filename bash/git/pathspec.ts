/** Pathspecs: which files of the repository a command is about. */

import type { Repository } from '../../src/git/repository.js'
import { type GitContext, prefixOf } from './context.js'
import { fatal } from './git-error.js'
import { literal, type Pattern, regexPattern } from './patterns.js'

interface Spec {
  /** As given. */
  given: string
  /** Relative to the repository; `''` is all of it. */
  path: string
  isExcluded: boolean
  pattern?: Pattern
  /** Only a directory matches: it was given with a trailing slash. */
  onlyDirectory: boolean
}

export interface Pathspecs {
  /** True when nothing was named. */
  isAll: boolean
  specs: readonly Spec[]
  matches(path: string): boolean
  /** The specs that match none of these paths. */
  unmatched(paths: readonly string[]): string[]
  /** Directories and files that contain everything that matches, for `scanWorkTree`; undefined for all. */
  bases: readonly string[] | undefined
}

export async function parsePathspecs(
  context: GitContext,
  repository: Repository,
  given: readonly string[],
): Promise<Pathspecs> {
  const prefix = await prefixOf(context, repository)
  return pathspecsOf(given, prefix, repository.root)
}

export function pathspecsOf(given: readonly string[], prefix: string, root: string): Pathspecs {
  const specs = given.map((each) => specOf(each, prefix, root))
  const wanted = specs.filter(({ isExcluded }) => !isExcluded)
  const excluded = specs.filter(({ isExcluded }) => isExcluded)
  const isAll = specs.length === 0
  const hits = (spec: Spec, path: string) => matchesSpec(spec, path)
  return {
    isAll,
    specs,
    matches: (path) =>
      isAll ||
      ((wanted.length === 0 || wanted.some((spec) => hits(spec, path))) && !excluded.some((spec) => hits(spec, path))),
    unmatched: (paths) => wanted.filter((spec) => !paths.some((path) => hits(spec, path))).map((spec) => spec.given),
    bases: wanted.length === 0 ? undefined : wanted.map(baseOf),
  }
}

function baseOf({ path, pattern }: Spec): string {
  if (pattern === undefined) return path
  const plain = path.slice(0, path.search(/[*?[\\]/))
  return plain.includes('/') ? plain.slice(0, plain.lastIndexOf('/')) : ''
}

function matchesSpec({ path, pattern, onlyDirectory }: Spec, given: string): boolean {
  const candidate = given.endsWith('/') ? given.slice(0, -1) : given
  if (
    path === '' ||
    (candidate === path && (!onlyDirectory || given.endsWith('/'))) ||
    candidate.startsWith(`${path}/`)
  )
    return true
  if (pattern === undefined) return false
  return pattern.test(candidate)
}

function specOf(given: string, prefix: string, root: string): Spec {
  if (given === '' || given === ':(literal)')
    throw fatal('empty string is not a valid pathspec. please use . instead if you meant to match all paths')
  const magic = magicOf(given)
  const path = normal(magic.top ? magic.rest : `${prefix}${magic.rest}`, given, root, magic.rest.startsWith('/'))
  const hasPattern = !magic.literal && /[*?[\\]/.test(path)
  return {
    given,
    path,
    isExcluded: magic.exclude,
    onlyDirectory: magic.rest.endsWith('/') && path !== '',
    ...((hasPattern || magic.icase) && { pattern: patternOf(path, magic) }),
  }
}

interface Magic {
  rest: string
  top: boolean
  exclude: boolean
  icase: boolean
  glob: boolean
  literal: boolean
}

function magicOf(given: string): Magic {
  const magic: Magic = { rest: given, top: false, exclude: false, icase: false, glob: false, literal: false }
  const [, words, rest] = /^:\(([^)]*)\)(.*)$/s.exec(given) ?? []
  if (words !== undefined && rest !== undefined) {
    magic.rest = rest
    for (const word of words.split(',')) {
      if (word === 'top' || word === 'exclude' || word === 'icase' || word === 'glob' || word === 'literal')
        magic[word] = true
      else if (word !== '') throw fatal(`Invalid pathspec magic '${word}' in '${given}'`)
    }
    return magic
  }
  const [, signs, after] = /^:([/!^]+):?(.*)$/s.exec(given) ?? []
  if (signs === undefined || after === undefined) return given === ':' ? { ...magic, rest: '', top: true } : magic
  return { ...magic, rest: after, top: signs.includes('/'), exclude: /[!^]/.test(signs) }
}

function normal(path: string, given: string, root: string, isAbsolute: boolean): string {
  const names: string[] = []
  let inside = path
  if (isAbsolute) {
    const absolute = path.slice(path.indexOf('/'))
    const base = root === '/' ? '/' : `${root}/`
    if (absolute !== root && !absolute.startsWith(base)) throw outside(given, root)
    inside = absolute.slice(base.length)
  }
  for (const name of inside.split('/')) {
    if (name === '..') {
      if (names.length === 0) throw outside(given, root)
      names.pop()
    } else if (name !== '.' && name !== '') names.push(name)
  }
  return names.join('/')
}

function outside(given: string, root: string): Error {
  const shown = given.replace(/^:\(literal\)/, '')
  return fatal(`${shown}: '${shown}' is outside repository at '${root}'`)
}

/** A pattern as `fnmatch` reads it: without `glob`, `*` also matches slashes. A match of a directory matches what is in it. */
function patternOf(path: string, { icase, glob, literal: isLiteral }: Magic): Pattern {
  let source = ''
  for (let at = 0; at < path.length; at += 1) {
    const character = path[at] as string
    if (isLiteral) source += literal(character)
    else if (character === '*') {
      const isDouble = path[at + 1] === '*'
      if (!glob) source += '.*'
      else if (isDouble && path[at + 2] === '/') {
        source += '(.*/)?'
        at += 2
      } else if (isDouble) {
        source += '.*'
        at += 1
      } else source += '[^/]*'
      while (!glob && path[at + 1] === '*') at += 1
    } else if (character === '?') source += glob ? '[^/]' : '.'
    else if (character === '\\' && at + 1 < path.length) source += literal(path[(at += 1)] as string)
    else if (character === '[') {
      const close = path.indexOf(']', at + 2)
      if (close === -1) source += '\\['
      else {
        const inside = path.slice(at + 1, close)
        source += `[${inside.replace(/^!/, '^')}]`
        at = close
      }
    } else source += literal(character)
  }
  return regexPattern(`^${source}(/.*)?$`, { syntax: 'extended', ignoreCase: icase })
}
