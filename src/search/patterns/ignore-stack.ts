import { isFsError } from '../../errors.js'
import { find } from '../../fs/if-there.js'
import { basename, dirname, join, relative, split } from '../../fs/path.js'
import { isPromise, syncOrAsync } from '../../fs/sync.js'
import type { Entry, Tree } from '../../fs/types.js'
import type { State } from './automaton.js'
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.js'
import { maxIgnoreFileBytes, type RuleFile, type RulesAbove } from './rules-above.js'

export interface IgnoreOptions {
  /** Ignore files above this directory are not read: the root of the workspace. */
  top: string
  /** The rules above `top`, read by someone else. */
  above?: RulesAbove
  /**
   * Whether `.gitignore` files, `.git/info/exclude` and `globalRules` apply: always (default), only below a directory that contains
   * `.git`, or never.
   */
  git?: 'always' | 'in-repository' | 'never'
  /** The text of the user's ignore file for all repositories: the core does not know where it is stored. */
  globalRules?: string
  /** Read `.ignore` files, which override every `.gitignore`. */
  dotIgnore?: boolean
  /** Rules that override all others, relative to the directory the stack is opened at. */
  always?: readonly string[]
  /** If the directory that the stack is opened at is itself ignored, so is everything in it. False unless given. */
  startToo?: boolean
  /** As the file system does, unless given. */
  ignoreCase?: boolean
}

/** The part of a file system that is read. */
export type IgnoreFiles = Pick<Tree, 'capabilities' | 'sync' | 'stat' | 'readFile'>

/** What is ignored in one directory. */
export interface IgnoreLevel {
  ignores(name: string, isDirectory: boolean): boolean
  /** The level of a directory in this one. Reads only ignore files in the given listing; a promise only if there are any. */
  enter(name: string, entries: readonly Entry[]): IgnoreLevel | Promise<IgnoreLevel>
}

export interface IgnoreStack {
  /** The level of a directory at or below `top`, with the rules of all directories above. The directory itself is never ignored. */
  open(directory: string, entries: readonly Entry[]): Promise<IgnoreLevel>
  /** The same for a directory below `start`, as if the stack had been opened at `start`. */
  reopen(start: string, directory: string): Promise<IgnoreLevel>
  /** Ignore files that could not be read, or only in part. */
  readonly incomplete: readonly string[]
}

/** Rules, and the state of their automaton at the current directory. */
interface Source {
  weight: number
  rules: IgnoreRules
  state: State
}

interface Scope {
  directory: string
  /** In order of precedence. */
  sources: readonly Source[]
  inRepository: boolean
}

/** The precedence of sources; among equals the deeper one comes first. */
const weights = { always: 4, ignore: 3, gitignore: 2, exclude: 1, global: 0 }

/**
 * The ignore files of a tree. A walk enters levels directory by directory, and only ignore files in its listings are read.
 *
 * A directory that contains `.git` is a repository of its own: git rules of the directories above do not apply inside.
 */
export function createIgnoreStack(fs: IgnoreFiles, options: IgnoreOptions): IgnoreStack {
  const { top, git = 'always', globalRules = '', dotIgnore = false, always = [], above } = options
  const ignoreCase = options.ignoreCase ?? !fs.capabilities.caseSensitive
  const incomplete: string[] = []
  /** Rules by text: many directories have the same, and an automaton gets faster with every name it reads. */
  const known = new Map<string, IgnoreRules | undefined>()
  /** Levels by directory: many parts of a walk are in the same directories. */
  const reopened = new Map<string, Promise<IgnoreLevel>>()
  const userRules = git === 'never' ? undefined : parseIgnoreRules(globalRules, { ignoreCase })
  const firstRules = parseIgnoreRules(always.join('\n'), { ignoreCase })

  function isIgnoreFile({ name, kind }: Entry): boolean {
    if (name === '.git') return git !== 'never' && (kind === 'directory' || kind === 'file')
    // As in git: an ignore file that is a link could lead anywhere.
    if (kind !== 'file') return false
    return (name === '.gitignore' && git !== 'never') || (name === '.ignore' && dotIgnore)
  }

  /** Adds the rules of a directory. */
  async function addRulesOf(scope: Scope, found: readonly Entry[]): Promise<Scope> {
    let { sources } = scope
    const { directory } = scope
    const repository = found.find(({ name }) => name === '.git')
    const inRepository = scope.inRepository || repository !== undefined
    if (repository !== undefined) {
      sources = sources.filter(({ weight }) => weight > weights.gitignore)
      sources = withRules(sources, weights.global, userRules)
      if (repository.kind === 'directory') {
        sources = withRules(sources, weights.exclude, await read(join(directory, '.git/info/exclude')))
      } else if (directory === top && above?.ownExclude !== undefined) {
        sources = withRules(sources, weights.exclude, rulesFrom(above.ownExclude))
      }
    }
    for (const { name } of found) {
      const counts = name === '.ignore' || (name === '.gitignore' && (git === 'always' || inRepository))
      if (!counts) continue
      const weight = name === '.ignore' ? weights.ignore : weights.gitignore
      sources = withRules(sources, weight, await read(join(directory, name)))
    }
    return { directory, sources, inRepository }
  }

  async function read(path: string): Promise<IgnoreRules | undefined> {
    try {
      const range = { start: 0, end: maxIgnoreFileBytes + 1 }
      const bytes = await syncOrAsync(fs.sync?.readFile(path, range), () => fs.readFile(path, range))
      const rules = rulesFrom(new TextDecoder().decode(bytes.subarray(0, maxIgnoreFileBytes)))
      if (bytes.length > maxIgnoreFileBytes || rules?.complete === false) incomplete.push(path)
      return rules
    } catch (error) {
      if (!isFsError(error)) throw error
      if (!isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_LINK', 'OUTSIDE')) incomplete.push(path)
      return undefined
    }
  }

  function rulesFrom(text: string): IgnoreRules | undefined {
    if (!known.has(text)) known.set(text, parseIgnoreRules(text, { ignoreCase }))
    return known.get(text)
  }

  /** The ignore files of a directory without listing it, as it may be large. */
  async function ignoreFilesIn(directory: string): Promise<Entry[]> {
    const found: Entry[] = []
    for (const name of ['.git', '.gitignore', '.ignore']) {
      if (!isIgnoreFile({ name, kind: 'file' })) continue
      try {
        const looked = find(fs, join(directory, name))
        const kind = (isPromise(looked) ? await looked : looked)?.kind
        if (kind !== undefined && isIgnoreFile({ name, kind })) found.push({ name, kind })
      } catch (error) {
        if (!isFsError(error)) throw error
      }
    }
    return found
  }

  /** The sources at `top` before its own ignore files are read. */
  function sourcesAbove(): readonly Source[] {
    const { namesFromTop } = above ?? {}
    const applies = git === 'always' || (git === 'in-repository' && namesFromTop !== undefined)
    // Like git, which reads them as if they were in the top directory of the repository.
    let sources = applies ? (namesFromTop ?? []).reduce(below, withRules([], weights.global, userRules)) : []
    for (const { kind, text, names } of above?.files ?? []) {
      if (!counts(kind)) continue
      const [source] = names.reduce(below, withRules([], weights[kind], rulesFrom(text)))
      if (source !== undefined) sources = withSource(sources, source)
    }
    return sources
  }

  function counts(kind: RuleFile['kind']): boolean {
    return kind === 'ignore' ? dotIgnore : git !== 'never'
  }

  function levelOf(scope: Scope): IgnoreLevel {
    const { directory, sources, inRepository } = scope
    return {
      ignores: (name, isDirectory) => isIgnored(sources, name, isDirectory),
      enter(name, entries) {
        const inner = { directory: join(directory, name), sources: below(sources, name), inRepository }
        const found = entries.filter(isIgnoreFile)
        return found.length === 0 ? levelOf(inner) : addRulesOf(inner, found).then(levelOf)
      },
    }
  }

  async function open(directory: string, entries: readonly Entry[]): Promise<IgnoreLevel> {
    let scope: Scope = { directory: top, sources: sourcesAbove(), inRepository: above?.namesFromTop !== undefined }
    const alwaysRules = withRules([], weights.always, firstRules)
    for (const name of split(`/${relative(top, directory)}`)) {
      scope = await addRulesOf(scope, await ignoreFilesIn(scope.directory))
      if (options.startToo && isIgnored([...alwaysRules, ...scope.sources], name, true)) return everythingIgnored
      scope = { ...scope, directory: join(scope.directory, name), sources: below(scope.sources, name) }
    }
    scope = await addRulesOf(scope, entries.filter(isIgnoreFile))
    return levelOf({ ...scope, sources: withRules(scope.sources, weights.always, firstRules) })
  }

  function reopen(start: string, directory: string): Promise<IgnoreLevel> {
    const known = reopened.get(directory) ?? levelBelow(start, directory)
    reopened.set(directory, known)
    return known
  }

  async function levelBelow(start: string, directory: string): Promise<IgnoreLevel> {
    const found = await ignoreFilesIn(directory)
    if (directory === start) return open(directory, found)
    const above = await reopen(start, dirname(directory))
    return above.enter(basename(directory), found)
  }

  return { incomplete, open, reopen }
}

const everythingIgnored: IgnoreLevel = { ignores: () => true, enter: () => everythingIgnored }

function isIgnored(sources: readonly Source[], name: string, isDirectory: boolean): boolean {
  for (const { rules, state } of sources) {
    const reached = rules.automaton.advance(state, name)
    const rule = isDirectory ? reached.directoryRule : reached.fileRule
    if (rule >= 0) return rules.negated[rule] === false
  }
  return false
}

function withRules(sources: readonly Source[], weight: number, rules: IgnoreRules | undefined): readonly Source[] {
  return rules === undefined ? sources : withSource(sources, { weight, rules, state: rules.automaton.start })
}

function withSource(sources: readonly Source[], added: Source): readonly Source[] {
  const at = sources.findIndex((source) => source.weight <= added.weight)
  return at === -1 ? [...sources, added] : [...sources.slice(0, at), added, ...sources.slice(at)]
}

/** The sources one directory further down, without those that can't match there. */
function below(sources: readonly Source[], name: string): readonly Source[] {
  const step = `${name}/`
  return sources
    .map(({ weight, rules, state }) => ({ weight, rules, state: rules.automaton.advance(state, step) }))
    .filter(({ state }) => !state.isDead)
}
