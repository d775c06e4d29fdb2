/** `git rev-parse`. */
import { join } from '../../../../src/fs/path.js'
import { isTrue } from '../../../../src/git/config.js'
import { readHead } from '../../../../src/git/refs/refs.js'
import type { Repository } from '../../../../src/git/repository.js'
import { type GitContext, isInRepository, open, prefixOf } from '../../context.js'
import { fatal, GitError } from '../../git-error.js'
import { abbreviate } from '../../objects.js'
import { refsBelow } from '../../ref-list.js'
import { findObject, fullRefName, rangeOf, unknownRevision, upstreamRef } from '../../revisions.js'
import { isFile } from '../../revisions-and-paths.js'

/** Its options are read one by one: they act in their order. */
export async function revParse(context: GitContext, args: readonly string[]): Promise<number> {
  const [first] = args
  if (first === '--parseopt' || first === '--sq-quote') throw fatal(`option '${first}' is not supported by this git`)
  const repository = (await isInRepository(context)) ? await open(context) : undefined
  if (repository === undefined) {
    if (first === '--is-inside-work-tree' || first === '--show-toplevel' || first === '--git-dir')
      throw fatal('not a git repository (or any of the parent directories): .git')
  }
  const own = repository ?? (await open(context))
  const prefix = await prefixOf(context, own)
  let short: number | undefined
  let abbrevRef: string | undefined
  let [isVerify, isQuiet, isSymbolic, isFull] = [false, false, false, false]
  const names: string[] = []
  /** Options act on what follows them. */
  const shortAt = new Map<number, number | undefined>()
  for (const arg of args) {
    shortAt.set(names.length, short)
    const [, option, text] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(arg) ?? []
    if (names.includes('--')) names.push(arg)
    else if (option === '--short') short = text === undefined ? 7 : Number(text)
    else if (option === '--abbrev-ref') abbrevRef = text ?? 'strict'
    else if (arg === '--verify') isVerify = true
    else if (arg === '-q' || arg === '--quiet') isQuiet = true
    else if (arg === '--symbolic') isSymbolic = true
    else if (arg === '--symbolic-full-name') isFull = true
    else if (option !== undefined && (await answered(context, own, option, text, prefix))) continue
    else if (
      arg === '--revs-only' ||
      arg === '--no-revs' ||
      arg === '--no-flags' ||
      arg === '--default' ||
      arg === '--flags'
    )
      throw fatal(`option '${arg}' is not supported by this git`)
    else if (arg.startsWith('-') && arg !== '-' && arg !== '--')
      throw fatal(`option '${arg}' is not supported by this git`)
    else names.push(arg)
  }
  if (isVerify && names.length !== 1) throw isQuiet ? new GitError('', 1) : fatal('Needed a single revision')
  for (const [i, name] of names.entries()) {
    if (name === '--') {
      // What follows are paths.
      for (const each of names.slice(i)) context.out.write(`${each}\n`)
      break
    }
    const line = await parsedName(own, name, { short: shortAt.get(i), abbrevRef, isSymbolic, isFull, prefix })
    if (line === undefined) {
      if (isVerify) throw isQuiet ? new GitError('', 1) : fatal('Needed a single revision')
      if (await isFile(context, name)) {
        context.out.write(`${name}\n`)
        continue
      }
      context.out.write(`${name}\n`)
      throw unknownRevision(name)
    }
    context.out.write(line)
  }
  return 0
}

async function answered(
  context: GitContext,
  repository: Repository,
  option: string,
  text: string | undefined,
  prefix: string,
): Promise<boolean> {
  const say = (line: string) => {
    context.out.write(`${line}\n`)
    return true
  }
  const { root, gitDirectory, commonDirectory, isBare } = repository
  const gitDir = isBare
    ? '.'
    : gitDirectory === join(root, '.git')
      ? prefix === ''
        ? '.git'
        : gitDirectory
      : gitDirectory
  switch (option) {
    case '--show-toplevel':
      if (isBare) throw fatal('this operation must be run in a work tree')
      return say(context.shown(root))
    case '--git-dir':
      return say(gitDir)
    case '--absolute-git-dir':
      return say(context.shown(gitDirectory))
    case '--git-common-dir':
      return say(commonDirectory === gitDirectory ? gitDir : commonDirectory)
    case '--show-prefix':
      return say(prefix)
    case '--show-cdup':
      return say(prefix === '' ? '' : '../'.repeat(prefix.split('/').length - 1))
    case '--is-inside-work-tree':
      return say(`${!isBare}`)
    case '--is-inside-git-dir':
      return say(`${isBare}`)
    case '--is-bare-repository':
      return say(`${isTrue(repository.config, 'core.bare') === true}`)
    case '--is-shallow-repository':
      return say((await repository.staged.stat(join(commonDirectory, 'shallow'))) === undefined ? 'false' : 'true')
    case '--show-object-format':
      return say('sha1')
    case '--git-path':
      throw fatal("option '--git-path' is not supported by this git")
    case '--all':
    case '--branches':
    case '--tags':
    case '--remotes': {
      const where = {
        '--all': 'refs/',
        '--branches': 'refs/heads/',
        '--tags': 'refs/tags/',
        '--remotes': 'refs/remotes/',
      }[option]
      if (text !== undefined) return false
      for (const { oid } of await refsBelow(repository, where)) say(oid)
      return true
    }
    default:
      return false
  }
}

interface NameOptions {
  short: number | undefined
  abbrevRef: string | undefined
  isSymbolic: boolean
  isFull: boolean
  prefix: string
}

async function parsedName(repository: Repository, name: string, options: NameOptions): Promise<string | undefined> {
  const { short, abbrevRef, isSymbolic, isFull, prefix } = options
  if (abbrevRef !== undefined || isFull) {
    const ref = await symbolicName(repository, name)
    if (ref === undefined) {
      if ((await findObject(repository, name, prefix)) === undefined) return undefined
      return abbrevRef === undefined ? '' : ''
    }
    return `${isFull && abbrevRef === undefined ? ref : ref.replace(/^refs\/(heads|tags|remotes)\//, '')}\n`
  }
  const shown = async (oid: string) => (short === undefined ? oid : abbreviate(repository, oid, short))
  if (/\.\./.test(name) || /^\^/.test(name) || /\^[@!]$/.test(name)) {
    const range = await rangeOf(repository, name, prefix)
    if (range === undefined) return undefined
    const lines: string[] = []
    const isDots = /^[^.]*\.\.[^.]/.test(name) || name.endsWith('..')
    for (const oid of isDots || /\.\.\./.test(name) ? [...range.include].reverse() : range.include)
      lines.push(`${await shown(oid)}\n`)
    for (const oid of range.exclude) lines.push(`^${await shown(oid)}\n`)
    return lines.join('')
  }
  const found = await findObject(repository, name, prefix)
  if (found === undefined) return undefined
  if (isSymbolic) return `${name}\n`
  return `${await shown(found.oid)}\n`
}

async function symbolicName(repository: Repository, name: string): Promise<string | undefined> {
  const [, of = '', kind] = /^(.*?)@\{(u|upstream|push)\}$/i.exec(name) ?? []
  if (kind !== undefined) {
    const branch = of === '' || of === 'HEAD' ? (await readHead(repository)).branch : of
    const upstream = branch === undefined ? undefined : upstreamRef(repository, branch)
    if (upstream === undefined) throw fatal(`no upstream configured for branch '${branch}'`)
    return upstream
  }
  const full = await fullRefName(repository, name)
  if (full !== 'HEAD') return full
  const { branch } = await readHead(repository)
  return branch === undefined ? 'HEAD' : `refs/heads/${branch}`
}
