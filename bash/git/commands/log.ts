/** `git log`, `git show`, `git whatchanged` and `git reflog show`. */

import { lastValue } from '../../../src/git/config.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import { minutesWest } from '../../../src/git/objects/person.js'
import { modes } from '../../../src/git/objects/tree.js'
import type { Repository } from '../../../src/git/repository.js'
import { entryOf } from '../../../src/text/entry-of.js'
import { type Colors, colorsOf } from '../color.js'
import { type GitContext, open } from '../context.js'
import { combinedNames, combinedPatch } from '../diff/combined.js'
import {
  type DiffSettings,
  diffSettings,
  diffSpecs,
  printPairs,
  refinedPairs,
  unsupportedDiff,
} from '../diff/diff-options.js'
import { type FilePair, treePairs } from '../diff/pairs.js'
import { fatal } from '../git-error.js'
import { type Decorations, readDecorations } from '../history/decorations.js'
import { type Pretty, prettyFormat, type Shown } from '../history/format.js'
import { createGraph, type Graph } from '../history/graph.js'
import {
  chosenCommits,
  markOf,
  sideOf,
  startsOf,
  unsupportedWalk,
  walkOptions,
  walkSpecs,
} from '../history/log-options.js'
import { datePrinter } from '../history/print-date.js'
import type { WalkedCommit } from '../history/walk.js'
import { parseTagObject, readAny, typeOf } from '../objects.js'
import { flag, type GitArguments, optional, parseGit, value } from '../options.js'
import { type Pathspecs, pathspecsOf } from '../pathspec.js'
import { noObject, readReflog } from '../reflog.js'
import { findObject, fullRefName, rangeOf } from '../revisions.js'
import { splitOperands } from '../revisions-and-paths.js'

export const logSpecs = {
  ...diffSpecs,
  ...walkSpecs,
  pretty: optional('--pretty', '--format'),
  oneline: flag('--oneline'),
  graph: flag('--graph'),
  noGraph: flag('--no-graph'),
  decorate: optional('--decorate'),
  noDecorate: flag('--no-decorate'),
  abbrevCommit: flag('--abbrev-commit'),
  noAbbrevCommit: flag('--no-abbrev-commit'),
  abbrev: optional('--abbrev'),
  date: value('--date'),
  relativeDate: flag('--relative-date'),
  follow: flag('--follow'),
  parents: flag('--parents'),
  walkReflogs: flag('-g', '--walk-reflogs'),
  diffMerges: value('--diff-merges'),
  mergeDiffs: flag('-m'),
  combined: flag('-c'),
  denseCombined: flag('--cc'),
  root: flag('--root'),
  noNotes: flag('--no-notes'),
  noMailmap: flag('--no-mailmap', '--no-use-mailmap'),
  source: flag('--source'),
} as const

export const unsupportedLog = [
  ...unsupportedDiff,
  ...unsupportedWalk,
  '-L',
  '--notes',
  '--show-notes',
  '--show-signature',
  '--log-size',
  '--mailmap',
  '--use-mailmap',
  '--encoding',
  '--expand-tabs',
  '--no-expand-tabs',
  '--remerge-diff',
  '-t',
  '--decorate-refs',
  '--decorate-refs-exclude',
  '--clear-decorations',
  '--show-linear-break',
  '--source',
].filter((name) => name !== '--source')

export type LogArguments = GitArguments<typeof logSpecs>

/** The formats of the command line and the configuration. */
async function prettyOf(
  context: GitContext,
  repository: Repository,
  given: LogArguments,
): Promise<{ pretty: Pretty; decorations: Decorations | undefined }> {
  let form = lastValue(repository.config, 'format.pretty') ?? 'medium'
  let abbrevCommit = lastValue(repository.config, 'log.abbrevcommit') === 'true'
  for (const { key, value: of } of given.given) {
    if (key === 'pretty') form = of ?? 'medium'
    if (key === 'oneline') form = 'oneline'
    if (key === 'oneline' || key === 'abbrevCommit') abbrevCommit = true
    if (key === 'noAbbrevCommit') abbrevCommit = false
  }
  const decorate = given.last('decorate', 'noDecorate')
  const setting =
    decorate === 'noDecorate'
      ? 'no'
      : decorate === 'decorate'
        ? (given.value('decorate') ?? 'short')
        : (lastValue(repository.config, 'log.decorate') ?? 'no')
  const decorates = ['short', 'full', 'true', 'yes'].includes(setting)
  const needsDecorations = decorates || /%[-+ ]?[dD]/.test(form)
  const decorations = needsDecorations ? await readDecorations(repository, setting === 'full') : undefined
  const date =
    given.has('relativeDate') && given.value('date') === undefined
      ? 'relative'
      : (given.value('date') ?? lastValue(repository.config, 'log.date') ?? 'default')
  const nowSeconds = Math.floor(context.now() / 1000)
  datePrinter(date, nowSeconds)
  const abbrev = given.value('abbrev')
  const colors = colorsOf(given, repository.config, 'diff')
  const pretty = prettyFormat(repository, form, {
    abbrevCommit,
    abbrev: abbrev === undefined ? Number(lastValue(repository.config, 'core.abbrev') ?? 7) || 7 : Number(abbrev),
    date,
    nowSeconds,
    decorates,
    colors,
    formatColors: colors,
    ...(decorations && { decorations }),
    ...(given.has('parents') && { showsParents: true }),
  })
  return { pretty, decorations }
}

type MergeDiff = 'off' | 'first-parent' | 'separate' | 'combined' | 'dense'

function mergeDiffOf(given: LogArguments, byDefault: MergeDiff): MergeDiff {
  const named = given.value('diffMerges')
  const last = given.last('diffMerges', 'mergeDiffs', 'combined', 'denseCombined')
  if (last === 'mergeDiffs') return 'separate'
  if (last === 'combined') return 'combined'
  if (last === 'denseCombined') return 'dense'
  if (last === undefined) return given.has('firstParent') ? 'first-parent' : byDefault
  const names: Record<string, MergeDiff> = {
    off: 'off',
    none: 'off',
    on: 'separate',
    m: 'separate',
    separate: 'separate',
    'first-parent': 'first-parent',
    '1': 'first-parent',
    combined: 'combined',
    c: 'combined',
    'dense-combined': 'dense',
    cc: 'dense',
  }
  const found = entryOf(names, named ?? '')
  if (found === undefined) throw fatal(`unknown value for --diff-merges: ${named}`)
  return found
}

/** Prints commits one after the other, with their differences. */
class LogPrinter {
  #isFirst = true
  readonly #context: GitContext
  readonly #repository: Repository
  readonly #pretty: Pretty
  readonly #settings: DiffSettings
  readonly #merges: MergeDiff
  readonly #graph: Graph | undefined

  constructor(
    context: GitContext,
    repository: Repository,
    options: { pretty: Pretty; settings: DiffSettings; merges: MergeDiff; graph?: Graph },
  ) {
    this.#context = context
    this.#repository = repository
    this.#pretty = options.pretty
    this.#settings = options.settings
    this.#merges = options.merges
    this.#graph = options.graph
  }

  async print(shown: Shown, specs: Pathspecs): Promise<void> {
    const { commit } = shown
    const real = await this.#repository.objects.readCommit(commit.oid)
    if (real.parents.length > 1 && this.#merges === 'separate' && this.#settings.formats.size > 0) {
      for (const parent of real.parents) await this.#one(shown, await this.#between(parent, real, specs), parent)
      return
    }
    await this.#one(shown, await this.#changes(real, specs))
  }

  async #between(parent: string | undefined, { tree }: Commit, specs: Pathspecs): Promise<string> {
    return printPairs(this.#repository, await this.pairsBetween(parent, tree, specs), this.#settings)
  }

  async pairsBetween(parent: string | undefined, tree: string, specs: Pathspecs): Promise<FilePair[]> {
    const before = parent === undefined ? undefined : (await this.#repository.objects.readCommit(parent)).tree
    return refinedPairs(await treePairs(this.#repository, before, tree, specs), this.#settings)
  }

  async #changes(commit: Commit, specs: Pathspecs): Promise<string> {
    if (this.#settings.formats.size === 0) return ''
    const { parents } = commit
    if (parents.length < 2) return this.#between(parents[0], commit, specs)
    if (this.#merges === 'off') return ''
    if (this.#merges === 'first-parent') return this.#between(parents[0], commit, specs)
    return this.#combined(commit, specs)
  }

  /** Statistics of a merge are against its first parent; names and patches only of what differs from all parents. */
  async #combined(commit: Commit, specs: Pathspecs): Promise<string> {
    const { formats } = this.#settings
    const parts: string[] = []
    const numbers = new Set([...formats].filter((each) => ['stat', 'numstat', 'shortstat', 'summary'].includes(each)))
    if (numbers.size > 0) {
      const pairs = await this.pairsBetween(commit.parents[0], commit.tree, specs)
      parts.push(await printPairs(this.#repository, pairs, { ...this.#settings, formats: numbers }))
    }
    if (formats.has('raw') || formats.has('name-only') || formats.has('name-status')) {
      parts.push(await combinedNames(this.#repository, commit, specs, this.#settings))
    }
    if (formats.has('patch'))
      parts.push(await combinedPatch(this.#repository, commit, specs, this.#settings, this.#merges === 'dense'))
    return parts.filter((part) => part !== '').join('\n')
  }

  async #one(shown: Shown, diff: string, from?: string): Promise<void> {
    const { out } = this.#context
    const pretty = this.#pretty
    let text = await pretty.print(shown)
    if (from !== undefined && !pretty.isUser)
      text = text.replace(
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the end of a colour.
        /^((?:\x1b\[[\d;]*m)?(?:commit )?[^\s\x1b]+)/,
        (whole) => `${whole} (from ${pretty.isOneline ? from.slice(0, 7) : from})`,
      )
    const { formats, isNul } = this.#settings
    const end = isNul ? '\0' : '\n'
    const real = await this.#repository.objects.readCommit(shown.commit.oid)
    const isCombined = real.parents.length > 1 && (this.#merges === 'combined' || this.#merges === 'dense')
    const hasBlank = !pretty.isEmpty && (isCombined ? formats.size > 0 : diff !== '' && !pretty.isOneline)
    const isBoth = formats.has('stat') && formats.has('patch')
    if (this.#graph !== undefined) {
      const separator = hasBlank ? (isBoth ? '---\n' : '\n') : ''
      out.write(
        this.#graph.print(shown.commit, text, `${separator}${diff}`, {
          isSeparated: !pretty.isTerminated && !this.#isFirst,
          isTerminated: pretty.isTerminated && !pretty.isEmpty,
        }),
      )
      this.#isFirst = false
      return
    }
    if (!this.#isFirst && !pretty.isTerminated) out.write(end)
    this.#isFirst = false
    out.write(text)
    if (pretty.isTerminated && !pretty.isEmpty) out.write(end)
    if (hasBlank) out.write(isBoth ? '---\n' : '\n')
    out.write(diff)
  }
}

export async function log(context: GitContext, args: readonly string[], { isRaw = false } = {}): Promise<number> {
  const given = parseGit('log', args, logSpecs, { unsupported: unsupportedLog, number: 'maxCount' })
  const repository = await open(context)
  const { revisions, specs, prefix } = await splitOperands(context, repository, given)
  if (given.has('walkReflogs')) return showReflog(context, repository, given, revisions, specs, prefix)
  const { pretty } = await prettyOf(context, repository, given)
  const isGraph = given.last('graph', 'noGraph') === 'graph'
  if (isGraph && given.has('reverseOrder')) throw fatal(`options '--reverse' and '--graph' cannot be used together`)
  const isCombined = given.has('combined') || given.has('denseCombined')
  const defaultFormat = isRaw ? ('raw' as const) : isCombined ? ('patch' as const) : undefined
  const settings = diffSettings(given, repository, { prefix, ...(defaultFormat && { defaultFormat }) })
  const [only] = specs.specs
  if (given.has('follow') && specs.specs.length !== 1) throw fatal('--follow requires exactly one pathspec')
  const follow = given.has('follow') && only !== undefined ? only.path : undefined
  const starts = await startsOf(repository, given, revisions)
  const walk = await walkOptions(context, given, starts, specs, {
    isGraph,
    rewritesParents: isGraph || given.has('parents'),
    ...(follow !== undefined && { follow }),
  })
  if (isGraph && given.has('leftRight')) throw fatal(`option '--left-right' is not supported by this git with --graph`)
  const inGraph = new Set<string>()
  const printer = new LogPrinter(context, repository, {
    pretty,
    settings,
    merges: mergeDiffOf(given, 'off'),
    ...(isGraph && { graph: createGraph((oid) => inGraph.has(oid), settings.patch.colors) }),
  })
  const hasPicked = async (commit: WalkedCommit): Promise<boolean> => {
    if (settings.pickaxe === undefined && settings.filter === undefined && !isRaw) return true
    const { parents, tree } = await repository.objects.readCommit(commit.oid)
    if (parents.length > 1 && mergeDiffOf(given, 'off') === 'off') return false
    return (await printer.pairsBetween(parents[0], tree, specs)).length > 0
  }
  if (isGraph)
    for await (const { oid } of chosenCommits(repository, given, walk, hasPicked, { isUnlimited: true }))
      inGraph.add(oid)
  for await (const commit of chosenCommits(repository, given, walk, hasPicked)) {
    const own =
      commit.followed === undefined ? specs : pathspecsOf([`:(top,literal)${commit.followed}`], '', repository.root)
    if (commit.followed !== undefined && settings.formats.size > 0) await printFollowed(printer, repository, commit)
    else {
      const mark = markOf(given, starts, commit)
      await printer.print({ commit, side: sideOf(starts, commit), ...(mark !== undefined && { mark }) }, own)
    }
  }
  return 0
}

/** With `--follow`, a rename is shown with the name before it. */
async function printFollowed(printer: LogPrinter, repository: Repository, commit: WalkedCommit): Promise<void> {
  const all = pathspecsOf([], '', repository.root)
  const pairs = await printer.pairsBetween(commit.parents[0], commit.tree, all)
  const own = pairs.find(({ path }) => path === commit.followed)
  const paths = own === undefined ? [commit.followed ?? ''] : [own.path, own.oldPath]
  await printer.print(
    { commit },
    pathspecsOf(
      paths.map((path) => `:(top,literal)${path}`),
      '',
      repository.root,
    ),
  )
}

async function showReflog(
  context: GitContext,
  repository: Repository,
  given: LogArguments,
  revisions: readonly string[],
  specs: Pathspecs,
  prefix: string,
): Promise<number> {
  const [name = 'HEAD'] = revisions
  const bare = name.replace(/@\{\d+\}$/, '')
  const ref = await fullRefName(repository, bare === '' ? 'HEAD' : bare)
  if (ref === undefined) throw fatal(`ambiguous argument '${name}': unknown revision or path not in the working tree.`)
  const { pretty } = await prettyOf(context, repository, given)
  const settings = diffSettings(given, repository, { prefix })
  const printer = new LogPrinter(context, repository, { pretty, settings, merges: mergeDiffOf(given, 'off') })
  const limit = given.value('maxCount')
  const isDated = given.value('date') !== undefined
  let shown = 0
  for (const [i, entry] of (await readReflog(repository, ref)).entries()) {
    if (entry.after === noObject || (await typeOf(repository, entry.after)) !== 'commit') continue
    if (limit !== undefined && shown >= Number(limit)) break
    shown += 1
    const commit = await repository.objects.readCommit(entry.after)
    const at = isDated
      ? datePrinter(given.value('date') ?? 'default', Math.floor(context.now() / 1000))(whenOf(entry.who))
      : `${i}`
    await printer.print(
      {
        commit,
        reflog: {
          entry,
          selector: `${bare === '' ? 'HEAD' : bare.replace(/^refs\/heads\//, '')}@{${at}}`,
          fullSelector: `${ref}@{${at}}`,
        },
      },
      specs,
    )
  }
  return 0
}

function whenOf(who: string): { timestamp: number; timezoneOffset: number } {
  const [, seconds = '0', sign, hours, minutes] = / (\d+) ([+-])(\d\d)(\d\d)$/.exec(who) ?? []
  return { timestamp: Number(seconds), timezoneOffset: minutesWest(sign, hours, minutes) }
}

export async function show(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('show', args, logSpecs, { unsupported: unsupportedLog, number: 'maxCount' })
  const repository = await open(context)
  const { revisions, specs, prefix } = await splitOperands(context, repository, given)
  const { pretty } = await prettyOf(context, repository, given)
  const settings = diffSettings(given, repository, { prefix, defaultFormat: 'patch' })
  const printer = new LogPrinter(context, repository, { pretty, settings, merges: mergeDiffOf(given, 'dense') })
  const date = datePrinter(given.value('date') ?? 'default', Math.floor(context.now() / 1000))
  const colors = colorsOf(given, repository.config, 'diff')
  let isFirst = true
  for (const revision of revisions.length === 0 ? ['HEAD'] : revisions) {
    if (/\.\./.test(revision) || revision.startsWith('^')) {
      const range = await rangeOf(repository, revision)
      if (range === undefined) throw fatal(`bad revision '${revision}'`)
      const walk = await walkOptions(context, given, range, specs)
      for await (const commit of chosenCommits(repository, given, walk)) await printer.print({ commit }, specs)
      continue
    }
    const found = await findObject(repository, revision, prefix)
    if (found === undefined) throw fatal(`bad revision '${revision}'`)
    await showObject(context, repository, found.oid, { revision, isFirst, printer, specs, date, colors })
    isFirst = false
  }
  return 0
}

async function showObject(
  context: GitContext,
  repository: Repository,
  oid: string,
  how: {
    revision: string
    isFirst: boolean
    printer: LogPrinter
    specs: Pathspecs
    colors: Colors
    date: (when: { timestamp: number; timezoneOffset: number }) => string
  },
): Promise<void> {
  const { out } = context
  const type = await typeOf(repository, oid)
  if (type === 'commit') {
    await how.printer.print({ commit: await repository.objects.readCommit(oid) }, how.specs)
  } else if (type === 'tag') {
    const tag = parseTagObject((await readAny(repository, oid)).bytes)
    const who =
      tag.tagger === undefined
        ? ''
        : `Tagger: ${tag.tagger.replace(/ \d+ [+-]\d+$/, '')}\nDate:   ${how.date(whenOf(tag.tagger))}\n`
    out.write(
      `${how.isFirst ? '' : '\n'}${how.colors.paint('diff.commit', `tag ${tag.tag}`)}\n${who}\n${tag.message}\n`,
    )
    await showObject(context, repository, tag.object, { ...how, isFirst: true })
  } else if (type === 'tree') {
    const entries = await repository.objects.readTree(oid)
    out.write(
      `${how.isFirst ? '' : '\n'}${how.colors.paint('diff.commit', `tree ${how.revision}`)}\n\n${entries.map(({ name, mode }) => `${name}${mode === modes.directory ? '/' : ''}\n`).join('')}`,
    )
  } else out.writeBytes((await readAny(repository, oid)).bytes)
}

export async function reflog(context: GitContext, args: readonly string[]): Promise<number> {
  const [first, ...rest] = args
  if (first === 'expire' || first === 'delete' || first === 'exists')
    throw fatal(`'git reflog ${first}' is not supported by this git`)
  const given = first === 'show' ? rest : args
  return log(context, ['-g', '--abbrev-commit', '--pretty=oneline', ...given])
}

export function whatchanged(context: GitContext, args: readonly string[]): Promise<number> {
  return log(context, ['--no-merges', ...args], { isRaw: true })
}
