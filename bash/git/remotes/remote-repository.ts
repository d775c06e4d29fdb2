/** The other repository of `clone`, `fetch` and `push`: a directory of the workspace or of scratch space. */
import { isFsError } from '../../../src/errors.js'
import { basename, dirname, join } from '../../../src/fs/path.js'
import { type GitConfig, lastValue } from '../../../src/git/config.js'
import { isGitDirectory, kindAt } from '../../../src/git/git-directory.js'
import { openAt, type Repository } from '../../../src/git/repository.js'
import type { GitContext } from '../context.js'
import { fatal, type GitError } from '../git-error.js'
import { peelTags } from '../objects.js'

export interface Remote {
  /** As it was named; for an address that is not configured the address. */
  name: string
  isConfigured: boolean
  url: string
  pushUrls: readonly string[]
  fetch: readonly string[]
}

/** A configured remote, or an address. */
export function remoteNamed(config: GitConfig, name: string): Remote {
  const urls = config.get(`remote.${name}.url`)
  const url = urls?.[0] ?? name
  return {
    name,
    isConfigured: urls !== undefined,
    url,
    pushUrls: config.get(`remote.${name}.pushurl`) ?? urls ?? [url],
    fetch: config.get(`remote.${name}.fetch`) ?? [],
  }
}

/** The remote that is meant where none is named. */
export function defaultRemote(config: GitConfig, branch: string | undefined, isPush = false): string {
  const own = branch === undefined ? undefined : lastValue(config, `branch.${branch}.remote`)
  if (!isPush) return own ?? 'origin'
  const push = branch === undefined ? undefined : lastValue(config, `branch.${branch}.pushremote`)
  return push ?? lastValue(config, 'remote.pushdefault') ?? own ?? 'origin'
}

/** Whether an address leads out of the machine: with a scheme, or as `host:path`. */
export function isNetworkAddress(url: string): boolean {
  return (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !url.startsWith('file://')) || /^[^/]*:/.test(withoutScheme(url))
}

function withoutScheme(url: string): string {
  return url.replace(/^file:\/\//, '')
}

export function noRepository(url: string): GitError {
  return fatal(
    `'${url}' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.`,
  )
}

/** Where the repository of an address is; undefined where there is none. */
export async function placeOf(context: GitContext, url: string): Promise<string | undefined> {
  if (isNetworkAddress(url)) throw fatal(`unable to access '${url}': there is no network in this shell`)
  const { fs } = context.workspace
  for (const suffix of ['', '.git']) {
    try {
      const path = await fs.realPath(context.path(`${withoutScheme(url).replace(/(?<=.)\/+$/, '')}${suffix}`))
      const kind = await kindAt(fs, join(path, '.git'))
      if (kind === 'directory' || kind === 'file') return path
      if (!(await isGitDirectory(fs, path))) continue
      return basename(path) === '.git' ? dirname(path) : path
    } catch (error) {
      if (!isFsError(error)) throw error
    }
  }
  return undefined
}

/** Opens it for reading; relative addresses begin at the top of our own repository. */
export async function openRemote(context: GitContext, own: Repository, url: string): Promise<Repository> {
  const place = await placeOf(beside(context, own), url)
  if (place === undefined) throw noRepository(url)
  return openPlace(context, place)
}

export async function openPlace(context: GitContext, place: string): Promise<Repository> {
  const repository = await openAt(context.workspace, place, { allowsBare: true })
  if ((await repository.staged.stat(join(repository.commonDirectory, 'shallow'))) !== undefined)
    throw fatal('a remote with a part of its history (shallow) is not supported by this git')
  return repository
}

/** The context with the top of a repository as its directory. */
export function beside(context: GitContext, { root }: Pick<Repository, 'root'>): GitContext {
  return {
    ...context,
    cwd: root,
    path: (given) => (given.startsWith('/') ? context.path(given) : context.workspace.fs.resolve(given, root)),
  }
}

export interface RemoteRef {
  name: string
  oid: string
  /** What an annotated tag leads to. */
  peeled?: string
}

/** All refs that another repository may see, in order. */
export async function refsOf(repository: Repository): Promise<RemoteRef[]> {
  const found: RemoteRef[] = []
  for (const name of await repository.refs.list('refs/')) {
    const { oid } = await repository.refs.resolve(name)
    if (oid === undefined) continue
    const peeled = name.startsWith('refs/tags/') ? (await peelTags(repository, oid)).oid : oid
    found.push({ name, oid, ...(peeled !== oid && { peeled }) })
  }
  return found
}

/** An address as messages have it. */
export function shownUrl(url: string): string {
  const bare = url.replace(/\/+$/, '')
  return bare.length > 5 && bare.endsWith('.git') ? bare.slice(0, -4) : bare
}
