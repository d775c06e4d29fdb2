/** `git config` and `git init`. */

import { type FsError, isFsError } from '../../../src/errors.js'
import { dirname, join } from '../../../src/fs/path.js'
import { initRepository } from '../../../src/git/commands/init.js'
import { type GitConfig, lastValue, parseGitConfig } from '../../../src/git/config.js'
import type { Repository } from '../../../src/git/repository.js'
import { exists } from '../../io/exists.js'
import { editConfig, removeSection, renameSection, unsetValues } from '../config-file.js'
import {
  change,
  type GitContext,
  globalConfigPaths,
  isInRepository,
  open,
  readIfThere,
  wholeConfig,
} from '../context.js'
import { failure, fatal, GitError } from '../git-error.js'
import { flag, parseGit, value } from '../options.js'
import { type Pattern, regexPattern } from '../patterns.js'

const configSpecs = {
  local: flag('--local'),
  global: flag('--global'),
  system: flag('--system'),
  worktree: flag('--worktree'),
  file: value('-f', '--file'),
  list: flag('-l', '--list'),
  get: flag('--get'),
  getAll: flag('--get-all'),
  getRegexp: flag('--get-regexp'),
  add: flag('--add'),
  unset: flag('--unset'),
  unsetAll: flag('--unset-all'),
  replaceAll: flag('--replace-all'),
  removeSection: flag('--remove-section'),
  renameSection: flag('--rename-section'),
  nameOnly: flag('--name-only'),
  nul: flag('-z', '--null'),
  bool: flag('--bool'),
  int: flag('--int'),
  boolOrInt: flag('--bool-or-int'),
  type: value('--type'),
  default: value('--default'),
  showOrigin: flag('--show-origin'),
  showScope: flag('--show-scope'),
  includes: flag('--includes'),
  noIncludes: flag('--no-includes'),
} as const

interface Source {
  scope: 'system' | 'global' | 'local' | 'command'
  origin: string
  config: GitConfig
}

export async function config(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('config', args, configSpecs, {
    unsupported: [
      '--blob',
      '-e',
      '--edit',
      '--get-urlmatch',
      '--get-color',
      '--get-colorbool',
      '--path',
      '--expiry-date',
      '--fixed-value',
      '--worktree',
      '--bool-or-str',
    ],
  })
  const [key, text, pattern] = given.all
  const isReading = given.has('list') || given.has('get') || given.has('getAll') || given.has('getRegexp')
  const type =
    given.value('type') ??
    (given.has('bool') ? 'bool' : given.has('int') ? 'int' : given.has('boolOrInt') ? 'bool-or-int' : undefined)
  if (
    !isReading &&
    (text !== undefined ||
      given.has('unset') ||
      given.has('unsetAll') ||
      given.has('removeSection') ||
      given.has('add'))
  ) {
    return writeConfig(context, given, typed(text, type, key ?? ''))
  }
  const sources = await sourcesOf(context, given)
  const end = given.has('nul') ? '\0' : '\n'
  const head = ({ scope, origin }: Source) =>
    `${given.has('showScope') ? `${scope}\t` : ''}${given.has('showOrigin') ? `${origin}\t` : ''}`
  if (given.has('list')) {
    for (const source of sources) {
      for (const [name, of] of orderedEntries(source.config))
        context.out.write(
          `${head(source)}${given.has('nameOnly') ? name : `${name}${given.has('nul') ? '\n' : '='}${of}`}${end}`,
        )
    }
    return 0
  }
  if (key === undefined) throw new GitError('usage: git config [<options>]', 129)
  if (given.has('getRegexp')) return printMatching(context, sources, key, text, given.has('nameOnly'))
  const full = keyOf(key)
  const filter = (given.has('get') || given.has('getAll')) && text !== undefined ? valuePattern(text) : undefined
  void pattern
  const found = sources
    .flatMap((source) => (source.config.get(full) ?? []).map((each) => ({ source, text: each })))
    .filter((each) => filter === undefined || filter.test(each.text))
  const fallback = given.value('default')
  if (found.length === 0 && fallback !== undefined) {
    context.out.write(`${typed(fallback, type, key)}${end}`)
    return 0
  }
  if (found.length === 0) return 1
  for (const each of given.has('getAll') ? found : found.slice(-1))
    context.out.write(`${head(each.source)}${typed(each.text, type, key)}${end}`)
  return 0
}

function valuePattern(text: string): Pattern {
  return regexPattern(text, { syntax: 'extended' })
}

function printMatching(
  context: GitContext,
  sources: readonly Source[],
  key: string,
  text: string | undefined,
  isNameOnly: boolean,
): number {
  const matches = valuePattern(key.toLowerCase())
  const wanted = text === undefined ? undefined : valuePattern(text)
  let hasFound = false
  for (const { config: each } of sources) {
    for (const [name, of] of orderedEntries(each)) {
      if (!matches.test(name) || (wanted !== undefined && !wanted.test(of))) continue
      hasFound = true
      context.out.write(isNameOnly ? `${name}\n` : `${name} ${of}\n`)
    }
  }
  return hasFound ? 0 : 1
}

function orderedEntries(of: GitConfig): [string, string][] {
  return [...of].flatMap(([name, values]) => values.map((each): [string, string] => [name, each]))
}

function keyOf(key: string): string {
  const parts = key.split('.')
  if (parts.length < 2) throw new GitError(`error: key does not contain a section: ${key}`, 1)
  const [section = '', ...rest] = parts
  const name = rest.pop() ?? ''
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name)) throw new GitError(`error: invalid key: ${key}`, 1)
  return [section.toLowerCase(), ...rest, name.toLowerCase()].join('.')
}

function typed(text: string | undefined, type: string | undefined, key: string): string | undefined {
  if (text === undefined || type === undefined) return text
  const lower = text.toLowerCase()
  const number = /^(-?\d+)([kmg]?)$/.exec(lower)
  const amount =
    number === null
      ? undefined
      : Number(number[1]) * { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[number[2] as '' | 'k' | 'm' | 'g']
  if (type === 'bool' || (type === 'bool-or-int' && amount === undefined)) {
    if (['true', 'yes', 'on'].includes(lower)) return 'true'
    if (['false', 'no', 'off', ''].includes(lower)) return 'false'
    if (amount !== undefined) return amount === 0 ? 'false' : 'true'
    throw fatal(`bad boolean config value '${text}' for '${key.toLowerCase()}'`)
  }
  if (type === 'int' || type === 'bool-or-int') {
    if (amount === undefined) throw fatal(`bad numeric config value '${text}' for '${key.toLowerCase()}': invalid unit`)
    return `${amount}`
  }
  throw fatal(`--type=${type} is not supported by this git`)
}

type Given = ReturnType<typeof parse>
const parse = (args: readonly string[]) => parseGit('config', args, configSpecs)

async function sourcesOf(context: GitContext, given: Given): Promise<Source[]> {
  const file = given.value('file')
  if (file !== undefined) {
    const text = await readIfThere(context, file)
    if (text === undefined && given.has('list'))
      throw fatal(`unable to read config file '${file}': No such file or directory`)
    return [{ scope: 'command', origin: `file:${file}`, config: parseGitConfig(text ?? '') }]
  }
  const sources: Source[] = []
  const isAny = !given.has('local') && !given.has('global') && !given.has('system')
  if (isAny || given.has('global')) {
    for (const path of globalConfigPaths(context)) {
      const text = await readIfThere(context, path)
      if (text !== undefined) sources.push({ scope: 'global', origin: `file:${path}`, config: parseGitConfig(text) })
    }
    if (given.has('global') && given.has('list') && sources.length === 0) {
      throw fatal(`unable to read config file '${globalConfigPaths(context).at(-1)}': No such file or directory`)
    }
  }
  const inRepository = await isInRepository(context)
  if (given.has('local') && !inRepository) throw fatal('--local can only be used inside a git repository')
  if ((isAny || given.has('local')) && inRepository) {
    const { commonDirectory } = await open(context)
    const text = await readIfThere(context, join(commonDirectory, 'config'))
    sources.push({ scope: 'local', origin: 'file:.git/config', config: parseGitConfig(text ?? '') })
  }
  if (isAny && context.settings.length > 0) {
    const values = new Map<string, string[]>()
    for (const [name, of] of context.settings) values.set(name, [...(values.get(name) ?? []), of])
    sources.push({ scope: 'command', origin: 'command line:', config: values })
  }
  return sources
}

async function writeConfig(context: GitContext, given: Given, text: string | undefined): Promise<number> {
  const [key = '', , pattern] = given.all
  const edit = (before: string): string => {
    if (given.has('removeSection') || given.has('renameSection')) {
      const after = given.has('removeSection') ? removeSection(before, key) : renameSection(before, key, text ?? '')
      if (after === undefined) throw fatal(`no such section: ${key}`)
      return after
    }
    const full = keyOf(key)
    const known = parseGitConfig(before).get(full) ?? []
    if (given.has('unset') || given.has('unsetAll')) {
      if (known.length === 0) throw new GitError('', 5)
      if (known.length > 1 && given.has('unset') && text === undefined)
        throw new GitError(`warning: ${key} has multiple values`, 5)
      return unsetValues(before, full, text === undefined ? undefined : valuePattern(text))
    }
    if (text === undefined) throw new GitError('usage: git config [<options>]', 129)
    if (known.length > 1 && !given.has('add') && !given.has('replaceAll') && pattern === undefined) {
      throw new GitError(
        `warning: ${key} has multiple values\nerror: cannot overwrite multiple values with a single value\n       Use a regexp, --add or --replace-all to change ${key}.`,
        5,
      )
    }
    return editConfig(before, key, text, given.has('add'))
  }
  if (given.has('global') || given.value('file') !== undefined) {
    const path = context.path(given.value('file') ?? globalConfigPaths(context).at(-1) ?? '')
    await writeFileOf(context, path, edit)
    return 0
  }
  if (given.has('system')) throw failure('could not lock config file /etc/gitconfig: Permission denied', 255)
  if (!(await isInRepository(context))) throw fatal('not in a git directory')
  return change(context, 'config', async (repository) => {
    await changeConfigFile(repository, edit)
    return 0
  })
}

/** Edits the repository's own file. */
export async function changeConfigFile(
  { staged, commonDirectory }: Repository,
  edit: (before: string) => string,
): Promise<void> {
  const path = join(commonDirectory, 'config')
  const before = (await staged.stat(path)) === undefined ? '' : new TextDecoder().decode(await staged.reader(path)())
  const after = edit(before)
  if (after !== before) await staged.write(path, new TextEncoder().encode(after))
}

async function writeFileOf(context: GitContext, path: string, edit: (before: string) => string): Promise<void> {
  const { workspace } = context
  await workspace.ready
  if (!(await exists(workspace.fs, dirname(path)))) {
    throw failure(`could not lock config file ${path}: No such file or directory`, 255)
  }
  try {
    await workspace.changes.run({ label: 'git config', scopes: [{ path }] }, async (draft) => {
      const { kind } = (await draft.entry(path)).image
      const before = kind === 'file' ? new TextDecoder().decode(await draft.read(path)) : ''
      await draft.write(path, new TextEncoder().encode(edit(before)))
    })
  } catch (error) {
    if (isFsError(error, 'OUTSIDE', 'DENIED', 'READ_ONLY' as never))
      throw failure(`could not lock config file ${path}: Permission denied`, 255)
    throw error
  }
}

const initSpecs = {
  quiet: flag('-q', '--quiet'),
  branch: value('-b', '--initial-branch'),
  objectFormat: value('--object-format'),
  bare: flag('--bare'),
} as const

export async function init(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('init', args, initSpecs, {
    unsupported: ['--shared', '--template', '--separate-git-dir'],
  })
  const [directory = '.'] = given.all
  if ((given.value('objectFormat') ?? 'sha1') !== 'sha1')
    throw fatal('only the object format sha1 is supported by this git')
  const settings = await wholeConfig(context, parseGitConfig(''))
  const configured = lastValue(settings, 'init.defaultbranch')
  const branch = given.value('branch') ?? configured ?? 'master'
  const path = context.path(directory)
  const isBare = given.has('bare')
  const placed = (root: string) => `${root === '/' ? '' : context.shown(root)}/${isBare ? '' : '.git/'}`
  try {
    const { root } = await initRepository(context.workspace, path, { branch, isBare })
    if (given.value('branch') === undefined && configured === undefined && !given.has('quiet'))
      context.err.write(masterHint)
    if (!given.has('quiet')) context.out.write(`Initialized empty Git repository in ${placed(root)}\n`)
  } catch (error) {
    if (!isFsError(error, 'GIT_REFUSED') || (error as FsError<'GIT_REFUSED'>).facts.reason !== 'repository-exists')
      throw error
    if (given.value('branch') !== undefined)
      context.err.write(`warning: re-init: ignored --initial-branch=${given.value('branch')}\n`)
    if (!given.has('quiet')) context.out.write(`Reinitialized existing Git repository in ${placed(path)}\n`)
  }
  return 0
}

const masterHint = `hint: Using 'master' as the name for the initial branch. This default branch name
hint: is subject to change. To configure the initial branch name to use in all
hint: of your new repositories, which will suppress this warning, call:
hint: 
hint: 	git config --global init.defaultBranch <name>
hint: 
hint: Names commonly chosen instead of 'master' are 'main', 'trunk' and
hint: 'development'. The just-created branch can be renamed via this command:
hint: 
hint: 	git branch -m <name>
`

export function remotesOf(of: GitConfig): string[] {
  const names = [...of.keys()].flatMap((key) => /^remote\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? [])
  return [...new Set(names)].sort()
}
