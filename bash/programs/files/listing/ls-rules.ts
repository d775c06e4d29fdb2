/** What the options of `ls` mean together. */
import { entryOf } from '../../../../src/text/entry-of.js'
import type { ProgramIo } from '../../../io/program.js'
import { choice, whenWords } from '../../choice.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { blockSizeStyle, type SizeStyle } from '../shared/sizes.js'
import type { lsOptions } from './ls-options.js'

export type Format = 'long' | 'single' | 'columns' | 'across' | 'commas'
export type Sort = 'name' | 'none' | 'time' | 'size' | 'extension' | 'version' | 'width'
export type TimeKind = 'modified' | 'accessed' | 'changed' | 'created'
export type Indicators = 'none' | 'slash' | 'file-type' | 'classify'
export type QuotingStyle = 'literal' | 'c' | 'escape' | 'shell' | 'shell-always' | 'locale'

export interface ListingRules {
  shows: 'all' | 'almost-all' | 'visible'
  format: Format
  sort: Sort
  isReversed: boolean
  directoriesFirst: boolean
  time: TimeKind
  /** Formats of `date` for recent times and for the others. */
  timeFormats: readonly [recent: string, old: string]
  indicators: Indicators
  follows: 'all' | 'operands' | 'operand-directories' | 'none'
  isDirectoryItself: boolean
  isRecursive: boolean
  showsInode: boolean
  /** Of the security context, which nothing has here. */
  showsContext: boolean
  showsBlocks: boolean
  showsOwner: boolean
  showsGroup: boolean
  showsAuthor: boolean
  isNumeric: boolean
  /** How sizes of files and of blocks are shown. */
  fileSizes: SizeStyle
  blockSizes: SizeStyle
  quoting: QuotingStyle
  hidesControl: boolean
  width: number
  tabSize: number
  ignored: readonly string[]
  hidden: readonly string[]
  end: string
}

type Given = ParsedArguments<typeof lsOptions>

/** Output never goes to a terminal, so `auto` means no. */
const never = ['auto', 'tty', 'if-tty', 'never', 'no', 'none']

export function listingRules(io: ProgramIo, given: Given): ListingRules {
  refuseTerminalFeatures(io, given)
  const format = formatOf(io, given)
  return {
    shows: showsOf(given),
    format,
    sort: sortOf(io, given, format === 'long'),
    isReversed: given.has('reverse'),
    directoriesFirst: given.has('groupDirectories') && !given.has('unsortedAll'),
    time: timeOf(io, given),
    timeFormats: timeFormats(io, given),
    indicators: indicatorsOf(io, given),
    follows: followsOf(io, given, format),
    isDirectoryItself: given.has('directory'),
    isRecursive: given.has('recursive') && !given.has('directory'),
    showsInode: given.has('inode'),
    showsContext: given.has('context'),
    showsBlocks: given.has('size'),
    showsOwner: !given.has('noOwner'),
    showsGroup: !given.has('noGroup') && !given.has('noGroupLong'),
    showsAuthor: given.has('author'),
    isNumeric: given.has('numeric'),
    ...sizeStyles(io, given),
    quoting: quotingOf(io, given),
    hidesControl: given.last('hideControl', 'showControl') === 'hideControl',
    width: widthOf(io, given),
    tabSize: widthOf(io, given) === Number.POSITIVE_INFINITY ? 0 : tabSizeOf(given),
    ignored: [...given.values('ignore'), ...(given.has('ignoreBackups') ? ['*~', '.*~'] : [])],
    hidden: given.values('hide'),
    end: given.has('zero') ? '\0' : '\n',
  }
}

function refuseTerminalFeatures(io: ProgramIo, given: Given): void {
  for (const { key, value = 'always' } of given.given) {
    if (key !== 'color' && key !== 'hyperlink') continue
    if (choice(io, `--${key}`, value, whenWords) !== 'always') continue
    throw new ProgramError(`option '--${key}=${value}' is not supported by this shell`, 2)
  }
}

function showsOf(given: Given): ListingRules['shows'] {
  const last = given.last('all', 'almostAll', 'unsortedAll')
  if (last === undefined) return 'visible'
  return last === 'almostAll' ? 'almost-all' : 'all'
}

const formats: Readonly<Record<string, Format>> = {
  verbose: 'long',
  long: 'long',
  commas: 'commas',
  horizontal: 'across',
  across: 'across',
  vertical: 'columns',
  'single-column': 'single',
}
const longKeys = ['long', 'noOwner', 'noGroupLong', 'numeric', 'fullTime']

function formatOf(io: ProgramIo, given: Given): Format {
  let format: Format = 'single'
  for (const { key, value = '' } of given.given) {
    if (longKeys.includes(key)) format = 'long'
    if (key === 'columns' || key === 'across' || key === 'commas') format = key
    if ((key === 'onePerLine' || key === 'zero') && format !== 'long') format = 'single'
    if (key === 'format') format = choice(io, '--format', value, formats)
    if (key === 'unsortedAll' && format === 'long') format = 'single'
  }
  return format
}

const sorts: Readonly<Record<string, Sort>> = {
  none: 'none',
  time: 'time',
  size: 'size',
  extension: 'extension',
  version: 'version',
  width: 'width',
}

const sortKeys: Readonly<Record<string, Sort>> = {
  unsorted: 'none',
  unsortedAll: 'none',
  byTime: 'time',
  bySize: 'size',
  byExtension: 'extension',
  byVersion: 'version',
}

function sortOf(io: ProgramIo, given: Given, isLong: boolean): Sort {
  let sort: Sort | undefined
  for (const { key, value = '' } of given.given) {
    sort = key === 'sort' ? choice(io, '--sort', value, sorts) : (sortKeys[key] ?? sort)
  }
  const hasTime = given.has('changeTime') || given.has('accessTime') || given.has('time')
  return sort ?? (hasTime && !isLong ? 'time' : 'name')
}

const times: Readonly<Record<string, TimeKind>> = {
  atime: 'accessed',
  access: 'accessed',
  use: 'accessed',
  ctime: 'changed',
  status: 'changed',
  birth: 'created',
  creation: 'created',
  mtime: 'modified',
  modification: 'modified',
}

function timeOf(io: ProgramIo, given: Given): TimeKind {
  const last = given.last('changeTime', 'accessTime', 'time')
  if (last === 'changeTime') return 'changed'
  if (last === 'accessTime') return 'accessed'
  return last === 'time' ? choice(io, '--time', given.value('time') ?? '', times) : 'modified'
}

function timeFormats(io: ProgramIo, given: Given): readonly [string, string] {
  const wanted = given.value('timeStyle') ?? (io.env.get('TIME_STYLE') || 'locale')
  const style = given.last('fullTime', 'timeStyle') === 'fullTime' ? 'full-iso' : wanted.replace(/^posix-/, '')
  if (style.startsWith('+')) {
    // The first of two formats is for times that are not recent.
    const [old = '', recent = old, more] = style.slice(1).split('\n')
    if (more !== undefined) throw new ProgramError(`invalid time style format ${quoted(style.slice(1))}`, 2)
    return [recent, old]
  }
  const full = '%Y-%m-%d %H:%M:%S.%N %z'
  return choice<readonly [string, string]>(io, 'time style', style, {
    'full-iso': [full, full],
    'long-iso': ['%Y-%m-%d %H:%M', '%Y-%m-%d %H:%M'],
    iso: ['%m-%d %H:%M', '%Y-%m-%d '],
    locale: ['%b %e %H:%M', '%b %e  %Y'],
  })
}

function indicatorsOf(io: ProgramIo, given: Given): Indicators {
  let indicators: Indicators = 'none'
  for (const { key, value } of given.given) {
    if (key === 'classify') indicators = 'classify'
    if (key === 'classifyWhen' && !never.includes(value ?? 'always')) indicators = 'classify'
    if (key === 'fileType') indicators = 'file-type'
    if (key === 'slash') indicators = 'slash'
    if (key !== 'indicatorStyle') continue
    indicators = choice<Indicators>(io, '--indicator-style', value ?? '', {
      none: 'none',
      slash: 'slash',
      'file-type': 'file-type',
      classify: 'classify',
    })
  }
  return indicators
}

function followsOf(io: ProgramIo, given: Given, format: Format): ListingRules['follows'] {
  const last = given.last('dereference', 'followOperands', 'followOperandDirectories')
  if (last === 'dereference') return 'all'
  if (last === 'followOperands') return 'operands'
  if (last === 'followOperandDirectories') return 'operand-directories'
  const keepsLinks = given.has('directory') || format === 'long' || indicatorsOf(io, given) === 'classify'
  return keepsLinks ? 'none' : 'operand-directories'
}

function sizeStyles(io: ProgramIo, given: Given): Pick<ListingRules, 'fileSizes' | 'blockSizes'> {
  const last = given.last('human', 'si', 'blockSize')
  if (last === 'human' || last === 'si') {
    const style: SizeStyle = { base: last === 'human' ? 1024 : 1000, unit: 1 }
    return { fileSizes: style, blockSizes: style }
  }
  const text = given.value('blockSize') ?? io.env.get('LS_BLOCK_SIZE') ?? io.env.get('BLOCK_SIZE')
  if (!text) return { fileSizes: { unit: 1 }, blockSizes: { unit: 1024 } }
  const style = blockSizeStyle(text)
  return { fileSizes: style, blockSizes: style }
}

const quotingStyles: Readonly<Record<string, QuotingStyle>> = {
  literal: 'literal',
  shell: 'shell',
  'shell-always': 'shell-always',
  'shell-escape': 'shell',
  'shell-escape-always': 'shell-always',
  c: 'c',
  escape: 'escape',
  locale: 'locale',
}

function quotingOf(io: ProgramIo, given: Given): QuotingStyle {
  const last = given.last('escape', 'literal', 'quote', 'quotingStyle')
  if (last === 'escape') return 'escape'
  if (last === 'quote') return 'c'
  if (last === 'quotingStyle') return choice(io, '--quoting-style', given.value('quotingStyle') ?? '', quotingStyles)
  const fromEnvironment = last === undefined ? io.env.get('QUOTING_STYLE') : undefined
  return (fromEnvironment && entryOf(quotingStyles, fromEnvironment)) || 'literal'
}

function widthOf(io: ProgramIo, given: Given): number {
  const value = given.value('width')
  if (value !== undefined) {
    if (!/^\d+$/.test(value)) throw new ProgramError(`invalid line width: ${quoted(value)}`, 2)
    return Number(value) || Number.POSITIVE_INFINITY
  }
  const columns = Number(io.env.get('COLUMNS') ?? '')
  return Number.isInteger(columns) && columns > 0 ? columns : 80
}

function tabSizeOf(given: Given): number {
  const value = given.value('tabSize') ?? '8'
  if (!/^\d+$/.test(value)) throw new ProgramError(`invalid tab size: ${quoted(value)}`, 2)
  return Number(value)
}
