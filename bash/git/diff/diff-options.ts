/** The options that all commands share that show differences, and what they print. */

import { lastValue } from '../../../src/git/config.js'
import type { Repository } from '../../../src/git/repository.js'
import { splitAfterLf } from '../../../src/text/diff/diff-lines.js'
import { quotedName } from '../../../src/text/diff/unified-diff.js'
import { decodeText } from '../../io/byte-text.js'
import { colorsFrom, colorsOf } from '../color.js'
import { fatal, GitError } from '../git-error.js'
import { abbreviate } from '../objects.js'
import { flag, type Given, optional, value } from '../options.js'
import { countMatches, regexPattern } from '../patterns.js'
import { type FilePair, type FileSide, maxScore, reversed } from './pairs.js'
import { changesOf, contentsOf, type PatchOptions, patchOf, percent } from './patch-text.js'
import { detectRenames } from './renames.js'
import { printNumStat, printStat, printSummary, printTotals, statsOf } from './stat-text.js'
import type { WordOptions } from './word-diff.js'

export const diffSpecs = {
  patch: flag('-p', '-u', '--patch'),
  noPatch: flag('-s', '--no-patch'),
  unified: value('-U', '--unified'),
  interHunk: value('--inter-hunk-context'),
  raw: flag('--raw'),
  stat: optional('--stat'),
  statWidth: value('--stat-width'),
  statNameWidth: value('--stat-name-width'),
  statCount: value('--stat-count'),
  compactSummary: flag('--compact-summary'),
  numstat: flag('--numstat'),
  shortstat: flag('--shortstat'),
  summary: flag('--summary'),
  patchWithStat: flag('--patch-with-stat'),
  patchWithRaw: flag('--patch-with-raw'),
  nameOnly: flag('--name-only'),
  nameStatus: flag('--name-status'),
  renames: optional('-M', '--find-renames'),
  noRenames: flag('--no-renames'),
  reverse: flag('-R'),
  diffFilter: value('--diff-filter'),
  ignoreAllSpace: flag('-w', '--ignore-all-space'),
  ignoreSpaceChange: flag('-b', '--ignore-space-change'),
  ignoreSpaceAtEol: flag('--ignore-space-at-eol'),
  ignoreCrAtEol: flag('--ignore-cr-at-eol'),
  minimal: flag('--minimal'),
  diffAlgorithm: value('--diff-algorithm'),
  indentHeuristic: flag('--indent-heuristic'),
  noIndentHeuristic: flag('--no-indent-heuristic'),
  text: flag('-a', '--text'),
  noPrefix: flag('--no-prefix'),
  srcPrefix: value('--src-prefix'),
  dstPrefix: value('--dst-prefix'),
  relative: optional('--relative'),
  noRelative: flag('--no-relative'),
  fullIndex: flag('--full-index'),
  exitCode: flag('--exit-code'),
  quiet: flag('--quiet'),
  nul: flag('-z'),
  color: optional('--color'),
  noColor: flag('--no-color'),
  noExtDiff: flag('--no-ext-diff'),
  noTextconv: flag('--no-textconv'),
  pickaxe: value('-S'),
  pickaxeLines: value('-G'),
  pickaxeRegex: flag('--pickaxe-regex'),
  pickaxeAll: flag('--pickaxe-all'),
  wordDiff: optional('--word-diff'),
  wordRegex: value('--word-diff-regex'),
  colorWords: optional('--color-words'),
} as const

export const unsupportedDiff = [
  '-W',
  '--function-context',
  '--ignore-blank-lines',
  '--dirstat',
  '--cumulative',
  '--dirstat-by-file',
  '--check',
  '--binary',
  '-B',
  '--break-rewrites',
  '-C',
  '--find-copies',
  '--find-copies-harder',
  '-D',
  '--irreversible-delete',
  '-l',
  '-O',
  '--patience',
  '--histogram',
  '--anchored',
  '--ext-diff',
  '--textconv',
  '--ignore-submodules',
  '--submodule',
  '-I',
  '--ignore-matching-lines',
  '--find-object',
  '--output',
  '--line-prefix',
  '--color-moved',
  '--ws-error-highlight',
  '--ita-invisible-in-index',
  '--rotate-to',
  '--skip-to',
  '--output-indicator-new',
  '--output-indicator-old',
] as const

export type DiffArguments = Given<typeof diffSpecs>

type Format = 'raw' | 'stat' | 'numstat' | 'shortstat' | 'summary' | 'name-only' | 'name-status' | 'patch'

export interface DiffSettings {
  formats: ReadonlySet<Format>
  /** True when a format was chosen, or `-s`. */
  isChosen: boolean
  patch: PatchOptions
  renames: number | undefined
  isReversed: boolean
  filter?: string
  isNul: boolean
  statWidth?: number
  statNameWidth?: number
  statCount?: number
  compactSummary: boolean
  /** With `--relative`, only paths with this prefix. */
  onlyBelow: string
  pickaxe?: { text: string; kind: 'S' | 'G'; isRegex: boolean; showsAll: boolean }
}

/** How paths are quoted by the configuration. */
export function quoter(repository: Pick<Repository, 'config'> | undefined): (path: string) => string {
  const setting = repository === undefined ? undefined : lastValue(repository.config, 'core.quotepath')?.toLowerCase()
  if (setting !== 'false' && setting !== '0' && setting !== 'no' && setting !== 'off') return quotedName
  return (path) =>
    /["\\\p{Cc}]/u.test(path)
      ? `"${[...path].map((c) => (c < '\x7f' ? quotedName(c).replace(/^"(.*)"$/s, '$1') : c)).join('')}"`
      : path
}

/** What differences are shown, and how. `prefix` is the working directory. */
export function diffSettings(
  given: DiffArguments,
  repository: Repository | undefined,
  {
    prefix = '',
    defaultFormat,
    renamesByDefault = true,
    isPlumbing = false,
  }: { prefix?: string; defaultFormat?: Format; renamesByDefault?: boolean; isPlumbing?: boolean } = {},
): DiffSettings {
  // Plumbing has colours by its option alone.
  const colors = colorsOf(given, repository && !isPlumbing ? repository.config : new Map(), 'diff')
  const formats = new Set<Format>()
  for (const { key, value: of } of given.given) {
    if (key === 'noPatch') formats.clear()
    if (key === 'patch' || key === 'unified') formats.add('patch')
    if (key === 'raw' || key === 'numstat' || key === 'shortstat' || key === 'summary') formats.add(key)
    if (
      key === 'stat' ||
      key === 'statWidth' ||
      key === 'statCount' ||
      key === 'statNameWidth' ||
      key === 'compactSummary'
    )
      formats.add('stat')
    if (key === 'nameOnly') formats.add('name-only')
    if (key === 'nameStatus') formats.add('name-status')
    if (key === 'patchWithStat') formats.add('patch').add('stat')
    if (key === 'patchWithRaw') formats.add('patch').add('raw')
    void of
  }
  if (formats.has('name-only') && formats.has('name-status')) {
    throw fatal(`options '--name-only' and '--name-status' cannot be used together`)
  }
  const hasNoPatch = given.has('noPatch')
  const isChosen = formats.size > 0 || hasNoPatch
  if (formats.size === 0 && !hasNoPatch && defaultFormat !== undefined) formats.add(defaultFormat)
  const algorithm = given.value('diffAlgorithm')
  if (algorithm !== undefined && !['default', 'myers', 'minimal'].includes(algorithm)) {
    throw fatal(`--diff-algorithm=${algorithm} is not supported by this git`)
  }
  const relativeTo =
    given.has('noRelative') || !given.has('relative')
      ? ''
      : given.value('relative') === undefined
        ? prefix
        : `${given.value('relative')?.replace(/\/$/, '')}/`
  const [statWidth, statNameWidth, statCount] = (given.value('stat') ?? '').split(',')
  const noPrefix =
    given.has('noPrefix') || (repository !== undefined && lastValue(repository.config, 'diff.noprefix') === 'true')
  const numberOf = (text: string | undefined) => (text === undefined || text === '' ? undefined : Number(text))
  const width = numberOf(given.value('statWidth') ?? statWidth)
  const nameWidth = numberOf(given.value('statNameWidth') ?? statNameWidth)
  const count = numberOf(given.value('statCount') ?? statCount)
  const filter = given.value('diffFilter')
  const shown = (path: string) =>
    relativeTo !== '' && path.startsWith(relativeTo) ? path.slice(relativeTo.length) : path
  const keyOf = lineKey(given)
  const words = wordOptions(given, repository)
  const isColored = colors.isOn || words?.mode === 'color'
  const pickaxe = given.value('pickaxe') ?? given.value('pickaxeLines')
  return {
    formats,
    isChosen,
    renames:
      given.last('renames', 'noRenames') === 'noRenames'
        ? undefined
        : given.has('renames') || rendersRenames(repository, renamesByDefault)
          ? scoreOf(given.value('renames'))
          : undefined,
    isReversed: given.has('reverse'),
    isNul: given.has('nul'),
    compactSummary: given.has('compactSummary'),
    onlyBelow: relativeTo,
    ...(filter !== undefined && { filter }),
    ...(width !== undefined && { statWidth: width }),
    ...(nameWidth !== undefined && { statNameWidth: nameWidth }),
    ...(count !== undefined && { statCount: count }),
    ...(pickaxe !== undefined && {
      pickaxe: {
        text: pickaxe,
        kind: given.value('pickaxe') === undefined ? ('G' as const) : ('S' as const),
        isRegex: given.has('pickaxeRegex'),
        showsAll: given.has('pickaxeAll'),
      },
    }),
    patch: {
      context: contextOf(given, repository),
      interHunk: Number(given.value('interHunk') ?? 0),
      ...(keyOf && { keyOf }),
      minimal: given.has('minimal') || algorithm === 'minimal',
      indentHeuristic: given.last('indentHeuristic', 'noIndentHeuristic') !== 'noIndentHeuristic',
      allText: given.has('text'),
      oldPrefix: given.value('srcPrefix') ?? (noPrefix ? '' : given.has('reverse') ? 'b/' : 'a/'),
      newPrefix: given.value('dstPrefix') ?? (noPrefix ? '' : given.has('reverse') ? 'a/' : 'b/'),
      abbrev: 7,
      fullIndex: given.has('fullIndex'),
      ...(isColored && { colors: repository ? colorsFrom(repository.config) : colorsFrom(new Map()) }),
      ...(words && { words }),
      quote: given.has('nul') ? (path) => path : quoter(repository),
      shown,
    },
  }
}

function wordOptions(given: DiffArguments, repository: Repository | undefined): WordOptions | undefined {
  const chosen = given.last('wordDiff', 'wordRegex', 'colorWords')
  if (chosen === undefined) return undefined
  const mode = given.last('wordDiff', 'colorWords') === 'colorWords' ? 'color' : (given.value('wordDiff') ?? 'plain')
  if (mode === 'none') return undefined
  if (mode !== 'plain' && mode !== 'color' && mode !== 'porcelain') {
    throw new GitError(`error: bad --word-diff argument: ${mode}`, 129)
  }
  const set = repository === undefined ? undefined : lastValue(repository.config, 'diff.wordregex')
  const source = given.value('colorWords') ?? given.value('wordRegex') ?? set
  return { mode, ...(source !== undefined && { word: regexPattern(source, { syntax: 'extended', lines: true }) }) }
}

function rendersRenames(repository: Repository | undefined, byDefault: boolean): boolean {
  if (!byDefault) return false
  const setting = repository === undefined ? undefined : lastValue(repository.config, 'diff.renames')?.toLowerCase()
  return setting === undefined || !['false', 'no', '0', 'off'].includes(setting)
}

function contextOf(given: DiffArguments, repository: Repository | undefined): number {
  const text =
    given.value('unified') ??
    (repository === undefined ? undefined : lastValue(repository.config, 'diff.context')) ??
    '3'
  if (!/^\d+$/.test(text)) throw new GitError(`error: -U expects a numerical value`, 129)
  return Number(text)
}

/** `50`, `50%` or `5` as git reads them: a number without a percent sign is a fraction. */
function scoreOf(text: string | undefined): number {
  if (text === undefined || text === '') return maxScore / 2
  const [, digits = '', sign] = /^(\d+)(%?)$/.exec(text) ?? []
  if (digits === '') throw new GitError(`error: invalid argument to find-renames`, 129)
  if (sign === '%') return Math.min(maxScore, (Number(digits) / 100) * maxScore)
  return Math.min(maxScore, Math.trunc(Number(`0.${digits}`) * maxScore))
}

function lineKey(given: DiffArguments): ((line: string) => string) | undefined {
  if (given.has('ignoreAllSpace')) return (line) => line.replaceAll(/[ \t\n\r\f\v]+/g, '')
  if (given.has('ignoreSpaceChange')) return (line) => line.replaceAll(/[ \t\n\r\f\v]+/g, ' ').replace(/ $/, '')
  if (given.has('ignoreSpaceAtEol')) return (line) => line.replace(/[ \t\n\r\f\v]+$/, '')
  return given.has('ignoreCrAtEol') ? (line) => line.replace(/\r?\n?$/, '') : undefined
}

/** Renames, filters and the pickaxe applied. */
export async function refinedPairs(pairs: readonly FilePair[], settings: DiffSettings): Promise<FilePair[]> {
  const below = settings.onlyBelow === '' ? pairs : pairs.filter(({ path }) => path.startsWith(settings.onlyBelow))
  const turned = settings.isReversed ? reversed(below) : below
  const renamed = settings.renames === undefined ? [...turned] : await detectRenames(turned, settings.renames)
  const picked = settings.pickaxe === undefined ? renamed : await withText(renamed, settings.pickaxe, settings)
  return settings.filter === undefined ? picked : filtered(picked, settings.filter)
}

function filtered(pairs: FilePair[], filter: string): FilePair[] {
  const wanted = filter.replaceAll(/[a-z]/g, '')
  const unwanted = filter.replaceAll(/[^a-z]/g, '').toUpperCase()
  if (wanted.includes('*')) return pairs.some(({ status }) => wanted.includes(status)) ? pairs : []
  return pairs.filter(({ status }) => (wanted === '' || wanted.includes(status)) && !unwanted.includes(status))
}

async function withText(
  pairs: FilePair[],
  pickaxe: NonNullable<DiffSettings['pickaxe']>,
  settings: DiffSettings,
): Promise<FilePair[]> {
  const found: FilePair[] = []
  for (const pair of pairs) if (await hasText(pair, pickaxe, settings)) found.push(pair)
  return pickaxe.showsAll && found.length > 0 ? pairs : found
}

async function hasText(
  pair: FilePair,
  { text, kind, isRegex }: NonNullable<DiffSettings['pickaxe']>,
  settings: DiffSettings,
): Promise<boolean> {
  if (pair.before?.oid === pair.after?.oid) return false
  const { before, after, isBinary } = await contentsOf(pair, settings.patch)
  const [old, now] = [decodeText(before), decodeText(after)]
  if (kind === 'S') return occurrences(old, text, isRegex) !== occurrences(now, text, isRegex)
  if (isBinary) return false
  const pattern = regexPattern(text, { syntax: 'extended', lines: true })
  const [oldLines, newLines] = [splitAfterLf(old), splitAfterLf(now)]
  return changesOf(oldLines, newLines, settings.patch).some(
    ({ oldStart, oldEnd, newStart, newEnd }) =>
      oldLines.slice(oldStart, oldEnd).some((line) => pattern.test(line.replace(/\n$/, ''))) ||
      newLines.slice(newStart, newEnd).some((line) => pattern.test(line.replace(/\n$/, ''))),
  )
}

function occurrences(text: string, wanted: string, isRegex: boolean): number {
  if (isRegex) return countMatches(regexPattern(wanted, { syntax: 'extended', lines: true }), text)
  if (wanted === '') return 0
  return text.split(wanted).length - 1
}

/** Prints pairs in the chosen formats. */
export async function printPairs(
  repository: Repository | undefined,
  pairs: readonly FilePair[],
  settings: DiffSettings,
): Promise<string> {
  const { formats, patch, isNul } = settings
  const { quote, shown } = patch
  const end = isNul ? '\0' : '\n'
  const parts: string[] = []
  const lists: string[] = []
  if (formats.has('raw')) lists.push(await printRaw(repository, pairs, settings))
  if (formats.has('name-status')) lists.push(pairs.map((pair) => nameStatus(pair, settings)).join(''))
  if (formats.has('name-only')) lists.push(pairs.map(({ path }) => `${quote(shown(path))}${end}`).join(''))
  const needsStats = formats.has('stat') || formats.has('numstat') || formats.has('shortstat')
  const stats = needsStats ? await statsOf(pairs, patch) : []
  if (formats.has('numstat')) lists.push(printNumStat(stats, quote, shown, isNul))
  if (formats.has('stat')) {
    const { statWidth: width, statNameWidth: nameWidth, statCount: count, compactSummary } = settings
    lists.push(
      printStat(stats, {
        quote,
        shown,
        compactSummary,
        ...(patch.colors && { colors: patch.colors }),
        ...(width && { width }),
        ...(nameWidth && { nameWidth }),
        ...(count !== undefined && { count }),
      }),
    )
  }
  if (formats.has('shortstat') && stats.length > 0) lists.push(printTotals(stats))
  if (formats.has('summary') && !settings.compactSummary) lists.push(printSummary(pairs, quote, shown))
  parts.push(lists.join(''))
  if (formats.has('patch')) {
    const patches: string[] = []
    for (const pair of pairs) patches.push(await patchOf(repository, pair, patch))
    parts.push(patches.join(''))
  }
  return parts.filter((part) => part !== '').join(isNul && !formats.has('patch') ? '' : '\n')
}

function nameStatus(pair: FilePair, { patch: { quote, shown }, isNul }: DiffSettings): string {
  const [separator, end] = isNul ? ['\0', '\0'] : ['\t', '\n']
  if (pair.status === 'R' || pair.status === 'C') {
    const score = `${percent(pair.score ?? maxScore)}`.padStart(3, '0')
    return `${pair.status}${score}${separator}${quote(shown(pair.oldPath))}${separator}${quote(shown(pair.path))}${end}`
  }
  return `${pair.status}${separator}${quote(shown(pair.path))}${end}`
}

async function printRaw(
  repository: Repository | undefined,
  pairs: readonly FilePair[],
  settings: DiffSettings,
): Promise<string> {
  const rows: string[] = []
  const length = settings.patch.fullIndex ? 40 : settings.patch.abbrev
  const name = async (side: FileSide | undefined) => {
    if (side === undefined || side.isInWorkTree) return '0'.repeat(length)
    return repository === undefined || length === 40
      ? side.oid.slice(0, length)
      : abbreviate(repository, side.oid, length)
  }
  for (const pair of pairs) {
    const octal = (mode = 0) => mode.toString(8).padStart(6, '0')
    rows.push(
      `:${octal(pair.before?.mode)} ${octal(pair.after?.mode)} ${await name(pair.before)} ${await name(pair.after)} ${nameStatus(pair, settings)}`,
    )
  }
  return rows.join('')
}

/** False when only files are left in which `-w` and the like find nothing. */
export async function hasDifferences(pairs: readonly FilePair[], settings: DiffSettings): Promise<boolean> {
  if (settings.patch.keyOf === undefined) return pairs.length > 0
  return (await statsOf(pairs, settings.patch)).length > 0
}
