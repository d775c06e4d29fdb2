/** What a git command runs with: the repository, the configuration, the environment and its output. */
import type { Draft } from '../../src/change/draft.js'
import { isFsError } from '../../src/errors.js'
import { isWithin, join, relative } from '../../src/fs/path.js'
import type { Bytes } from '../../src/fs/types.js'
import { type GitConfig, isTrue, lastValue, parseGitConfig } from '../../src/git/config.js'
import { findRepository } from '../../src/git/git-directory.js'
import type { Person } from '../../src/git/objects/objects.js'
import { changeRepository, openRepository, type Repository } from '../../src/git/repository.js'
import { joinBytes } from '../../src/text/join-bytes.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { encodeText } from '../io/byte-text.js'
import type { EditedText, Ran } from '../io/host-programs.js'
import { fatal } from './git-error.js'
import { parseDate } from './history/parse-date.js'

export interface GitContext {
  readonly workspace: Workspace
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Reads all input. */
  readonly input: () => Promise<Bytes>
  /** Values of `-c`. */
  readonly settings: readonly (readonly [string, string])[]
  /** The name of the command. */
  readonly command: string
  /** What editors have made of texts so far, taken one by one. */
  readonly edited: EditedText[]
  /** What the shell has run for this command, which now goes on. */
  readonly ran: Ran | undefined
  readonly out: Text
  readonly err: Text
  /** The absolute path of what a user wrote. */
  path(given: string): string
  /** An absolute path as scripts call it. */
  shown(path: string): string
  now(): number
}

/** Text that is written piece by piece. */
export interface Text {
  write(text: string): void
  writeBytes(bytes: Bytes): void
  /** Hands over what was written so far. */
  flush(): void
  readonly isEmpty: boolean
}

export function createText(pass: (bytes: Bytes) => void): Text {
  let pieces: (string | Bytes)[] = []
  let isEmpty = true
  return {
    write: (text) => {
      if (text === '') return
      pieces.push(text)
      isEmpty = false
    },
    writeBytes: (bytes) => {
      pieces.push(bytes)
      isEmpty = false
    },
    get isEmpty() {
      return isEmpty
    },
    flush() {
      const encoded: Bytes[] = []
      let text: string[] = []
      const encode = () => {
        if (text.length > 0) encoded.push(encodeText(text.join('')))
        text = []
      }
      for (const piece of pieces) {
        if (typeof piece === 'string') text.push(piece)
        else {
          encode()
          encoded.push(piece)
        }
      }
      encode()
      pieces = []
      if (encoded.length > 0) pass(joinBytes(encoded))
    },
  }
}

/** Opens the repository around the working directory, with the user's configuration. */
export async function open(context: GitContext): Promise<Repository> {
  const repository = await openRepository(context.workspace, context.cwd, { allowsBare: true })
  refuseBare(context, repository)
  return { ...repository, config: await wholeConfig(context, repository.config) }
}

/** Changes the repository in one step. */
export async function change<Result>(
  context: GitContext,
  command: string,
  body: (repository: Repository, draft: Draft) => Promise<Result>,
): Promise<Result> {
  const call = { allowsBare: true }
  return changeRepository(context.workspace, context.cwd, `git ${command}`, call, async (repository, draft) => {
    refuseBare(context, repository)
    const config = await wholeConfig(context, repository.config)
    return body({ ...repository, config }, draft)
  })
}

/** Commands that have nothing to do where there is no working tree. */
const needsWorkTree = new Set(
  'add am checkout cherry-pick check-ignore clean commit grep merge mv pull rebase restore revert rm stage stash status switch update-index'.split(
    ' ',
  ),
)

function refuseBare({ command }: GitContext, { isBare }: Repository): void {
  if (isBare && needsWorkTree.has(command)) throw fatal('this operation must be run in a work tree')
}

export async function isInRepository(context: GitContext): Promise<boolean> {
  try {
    await findRepository(context.workspace.fs, context.cwd, { allowsBare: true })
    return true
  } catch (error) {
    if (isFsError(error)) return false
    throw error
  }
}

/** The user's, then the repository's configuration, then `-c`. */
export async function wholeConfig(context: GitContext, own: GitConfig): Promise<GitConfig> {
  const merged = new Map<string, string[]>()
  const add = (config: GitConfig) => {
    for (const [key, values] of config) merged.set(key, [...(merged.get(key) ?? []), ...values])
  }
  for (const path of globalConfigPaths(context)) {
    const text = await readIfThere(context, path)
    if (text !== undefined) add(parseGitConfig(text))
  }
  add(own)
  for (const [key, value] of context.settings) merged.set(key, [...(merged.get(key) ?? []), value])
  return merged
}

export function globalConfigPaths({ env }: GitContext): string[] {
  if (env.GIT_CONFIG_GLOBAL !== undefined) return env.GIT_CONFIG_GLOBAL === '' ? [] : [env.GIT_CONFIG_GLOBAL]
  const home = env.HOME
  const xdg = env.XDG_CONFIG_HOME || (home ? join(home, '.config') : undefined)
  return [...(xdg ? [join(xdg, 'git/config')] : []), ...(home ? [join(home, '.gitconfig')] : [])]
}

export async function readIfThere(context: GitContext, path: string): Promise<string | undefined> {
  try {
    const { fs } = context.workspace
    return new TextDecoder().decode(await fs.readFile(fs.resolve(path, context.cwd)))
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}

/** The working directory below the repository: empty, or ending with a slash. */
export async function prefixOf(
  context: GitContext,
  { root, isBare }: Pick<Repository, 'root' | 'isBare'>,
): Promise<string> {
  if (isBare) return ''
  const real = await context.workspace.fs.realPath(context.cwd)
  if (!isWithin(root, real)) return ''
  const inside = relative(root, real)
  return inside === '' ? '' : `${inside}/`
}

/** A path of the repository as it is shown from the working directory. */
export function fromPrefix(prefix: string, path: string): string {
  if (prefix === '') return path
  const from = prefix.split('/').slice(0, -1)
  const to = path.split('/')
  let same = 0
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) same += 1
  const shown = [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/')
  return shown === '' ? './' : shown
}

/** The author or committer by the environment and the configuration. */
export function identity(
  context: GitContext,
  config: GitConfig,
  role: 'AUTHOR' | 'COMMITTER',
  given: { date?: string } = {},
): Person {
  const { env } = context
  const section = role.toLowerCase()
  const name =
    env[`GIT_${role}_NAME`] ||
    lastValue(config, `${section}.name`) ||
    lastValue(config, 'user.name') ||
    // Stands for the full name of the account, which git takes last.
    env.POLYFS_USER_NAME ||
    undefined
  const email =
    env[`GIT_${role}_EMAIL`] ||
    lastValue(config, `${section}.email`) ||
    lastValue(config, 'user.email') ||
    env.EMAIL ||
    undefined
  if (name === undefined || email === undefined) {
    const who = role === 'AUTHOR' ? 'Author' : 'Committer'
    throw fatal(`unable to auto-detect email address (got 'user@localhost.(none)')`, 128, whoAreYou(who))
  }
  const date = given.date ?? env[`GIT_${role}_DATE`]
  return { ...cleanIdentity(name, email), ...timeOf(context, date) }
}

function whoAreYou(who: string): string {
  return `${who} identity unknown

*** Please tell me who you are.

Run

  git config --global user.email "you@example.com"
  git config --global user.name "Your Name"

to set your account's default identity.
Omit --global to set the identity only in this repository.

`
}

/** Without characters that git does not allow in names. */
export function cleanIdentity(name: string, email: string): { name: string; email: string } {
  const clean = (text: string) =>
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: git removes control characters.
      .replaceAll(/[\n<>\u0000]/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
      .replaceAll(/^[\u0000- .,:;<>"\\']+|[\u0000- .,:;<>"\\']+$/g, '')
  return { name: clean(name), email: clean(email) }
}

export function timeOf(context: GitContext, date: string | undefined): Pick<Person, 'timestamp' | 'timezoneOffset'> {
  const nowSeconds = Math.floor(context.now() / 1000)
  if (date === undefined || date === '') return { timestamp: nowSeconds, timezoneOffset: 0 }
  const parsed = parseDate(date, nowSeconds)
  if (parsed === undefined) throw fatal(`invalid date format: ${date}`)
  return parsed
}

export function isSet(config: GitConfig, key: string): boolean {
  return isTrue(config, key) === true
}
