/** Splits operands into revisions and paths, as git guesses them without `--`. */
import { join } from '../../src/fs/path.js'
import type { Repository } from '../../src/git/repository.js'
import { type GitContext, prefixOf } from './context.js'
import { fatal } from './git-error.js'
import { typeOf } from './objects.js'
import { type Pathspecs, pathspecsOf } from './pathspec.js'
import { findObject, rangeOf, unknownRevision } from './revisions.js'

export interface Split {
  /** As given: revisions and ranges. */
  revisions: string[]
  specs: Pathspecs
  prefix: string
}

export async function splitOperands(
  context: GitContext,
  repository: Repository,
  { operands, paths }: { operands: readonly string[]; paths: readonly string[] | undefined },
): Promise<Split> {
  const prefix = await prefixOf(context, repository)
  const revisions: string[] = []
  const given = [...operands]
  while (given.length > 0) {
    const [first = ''] = given
    if (!(await isRevision(repository, first, prefix))) break
    if (paths === undefined && (await isFile(context, first)) && !first.includes(':')) {
      throw fatal(
        `ambiguous argument '${first}': both revision and filename\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
      )
    }
    revisions.push(first)
    given.shift()
  }
  if (paths !== undefined && given.length > 0) throw fatal(`bad revision '${given[0]}'`)
  for (const each of given) {
    if ((await isFile(context, each)) || /[*?[]|^:/.test(each)) continue
    throw (await missingPath(repository, each)) ?? unknownRevision(each)
  }
  return { revisions, specs: pathspecsOf([...given, ...(paths ?? [])], prefix, repository.root), prefix }
}

/** For `commit:path` where the commit is there. */
async function missingPath(repository: Repository, given: string) {
  const [, revision, path] = /^([^:]+):(.+)$/s.exec(given) ?? []
  if (revision === undefined || (await findObject(repository, revision).catch(() => undefined)) === undefined)
    return undefined
  return fatal(`path '${path}' does not exist in '${revision}'`)
}

async function isRevision(repository: Repository, given: string, prefix: string): Promise<boolean> {
  if ((await rangeOf(repository, given, prefix)) !== undefined) return true
  const found = await findObject(repository, given, prefix)
  return found !== undefined && (await typeOf(repository, found.oid)) !== undefined
}

export async function isFile(context: GitContext, given: string): Promise<boolean> {
  const { fs } = context.workspace
  const path = given.startsWith('/') ? given : join(context.cwd, given)
  return fs.stat(fs.resolve(path)).then(
    () => true,
    () => false,
  )
}
