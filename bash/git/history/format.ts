/** Prints commits in the formats of `--pretty`. */
import { lastValue } from '../../../src/git/config.js'
import type { Commit, Person } from '../../../src/git/objects/objects.js'
import type { Repository } from '../../../src/git/repository.js'
import { type Colors, noColors, parseColor, reset } from '../color.js'
import { fatal } from '../git-error.js'
import { abbreviate, readAny } from '../objects.js'
import type { ReflogEntry } from '../reflog.js'
import { type Decorations, decoratedNames, decorationOf } from './decorations.js'
import { datePrinter, relativeDate } from './print-date.js'

export interface FormatOptions {
  /** For the commit line and `Merge:`. */
  abbrevCommit: boolean
  abbrev: number
  date: string
  nowSeconds: number
  decorations?: Decorations
  /** Shows decorations in the formats that have them. */
  decorates: boolean
  colors?: Colors
  /** For what a format asks of them by itself. */
  formatColors?: Colors
  /** Parents are printed after the id, for `--parents`. */
  showsParents?: boolean
}

export interface Shown {
  commit: Commit
  reflog?: { entry: ReflogEntry; selector: string; fullSelector: string }
  /** `<`, `>` or `-` for `--left-right` and `--boundary`. */
  mark?: string
  /** For `%m`, also without these options. */
  side?: '<' | '>' | '-'
}

export interface Pretty {
  /** `oneline` and `tformat` end with a line end; the others are separated by one. */
  isTerminated: boolean
  isOneline: boolean
  /** `--format=`: nothing is printed, and no blank line before a diff. */
  isEmpty: boolean
  isUser: boolean
  print(shown: Shown): Promise<string>
}

const builtin = ['oneline', 'short', 'medium', 'full', 'fuller', 'reference', 'email', 'mboxrd', 'raw']

/** Parses the value of `--pretty` or `--format`. */
export function prettyFormat(repository: Repository, given: string, options: FormatOptions): Pretty {
  const [, kind, template] = /^(t?format):(.*)$/s.exec(given) ?? []
  if (template !== undefined) return userFormat(repository, template, kind === 'tformat', options)
  if (given.includes('%') || given === '') return userFormat(repository, given, true, options)
  const own = lastValue(repository.config, `pretty.${given}`)
  if (own !== undefined && own !== given) return prettyFormat(repository, own, options)
  if (!builtin.includes(given)) throw fatal(`invalid --pretty format: ${given}`)
  if (given === 'email' || given === 'mboxrd')
    throw fatal(`--pretty=${given} is not supported by this git; use format-patch`)
  if (given === 'reference') return userFormat(repository, '%C(auto)%h (%s, %as)', true, options)
  if (given === 'oneline') {
    return {
      isTerminated: true,
      isOneline: true,
      isEmpty: false,
      isUser: false,
      print: async (shown) => {
        const subject = subjectOf(shown.commit.message)
        const reflog = shown.reflog ? `${shown.reflog.selector}: ${shown.reflog.entry.message}` : undefined
        return `${await headLine(repository, shown, options)} ${reflog ?? subject}`
      },
    }
  }
  return {
    isTerminated: false,
    isOneline: false,
    isEmpty: false,
    isUser: false,
    print: (shown) =>
      given === 'raw' ? rawFormat(repository, shown, options) : fullFormat(repository, shown, given, options),
  }
}

async function headLine(
  repository: Repository,
  { commit, mark }: Shown,
  options: FormatOptions,
  word = '',
): Promise<string> {
  const colors = options.colors ?? noColors
  const name = async (oid: string) => (options.abbrevCommit ? abbreviate(repository, oid, options.abbrev) : oid)
  const parents = options.showsParents
    ? (await Promise.all(commit.parents.map(name))).map((each) => ` ${each}`).join('')
    : ''
  const decoration = options.decorates ? decorationOf(options.decorations, commit.oid, colors) : ''
  const shownMark = mark ? `${mark} ` : ''
  return `${colors.paint('diff.commit', `${word}${shownMark}${await name(commit.oid)}${parents}`)}${decoration}`
}

async function fullFormat(repository: Repository, shown: Shown, kind: string, options: FormatOptions): Promise<string> {
  const { commit } = shown
  const { author, committer } = commit
  const lines = [await headLine(repository, shown, options, 'commit ')]
  if (shown.reflog) {
    const { entry, selector } = shown.reflog
    lines.push(`Reflog: ${selector} (${entry.who.replace(/ \d+ [+-]\d+$/, '')})`, `Reflog message: ${entry.message}`)
  }
  if (commit.parents.length > 1) {
    lines.push(
      `Merge: ${(await Promise.all(commit.parents.map((oid) => abbreviate(repository, oid, options.abbrev)))).join(' ')}`,
    )
  }
  const date = datePrinter(options.date, options.nowSeconds)
  const who = ({ name, email }: Person) => `${name} <${email}>`
  if (kind === 'fuller') {
    lines.push(
      `Author:     ${who(author)}`,
      `AuthorDate: ${date(author)}`,
      `Commit:     ${who(committer)}`,
      `CommitDate: ${date(committer)}`,
    )
  } else {
    lines.push(`Author: ${who(author)}`)
    if (kind === 'full') lines.push(`Commit: ${who(committer)}`)
    if (kind === 'medium') lines.push(`Date:   ${date(author)}`)
  }
  const text = kind === 'short' ? subjectLines(commit.message) : commit.message
  return `${lines.join('\n')}\n\n${indented(text)}`
}

async function rawFormat(repository: Repository, shown: Shown, options: FormatOptions): Promise<string> {
  const { bytes } = await readAny(repository, shown.commit.oid)
  const text = new TextDecoder().decode(bytes)
  const end = text.indexOf('\n\n')
  const head = end === -1 ? text.replace(/\n$/, '') : text.slice(0, end)
  return `${await headLine(repository, shown, options, 'commit ')}\n${head}\n\n${indented(end === -1 ? '' : text.slice(end + 2))}`
}

/** The message with four spaces before each line. */
function indented(message: string): string {
  const text = message.replace(/^\n+/, '').trimEnd()
  return text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => `    ${expandTabs(line.trimEnd())}`)
        .join('\n') + '\n'
}

/** Git expands tabs in messages that it indents. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line
  let [text, column] = ['', 0]
  for (const character of line) {
    if (character === '\t') {
      const width = 8 - (column % 8)
      text += ' '.repeat(width)
      column += width
    } else {
      text += character
      column += 1
    }
  }
  return text
}

/** The first paragraph on one line. */
export function subjectOf(message: string): string {
  return subjectLines(message).replaceAll(/\s*\n\s*/g, ' ')
}

function subjectLines(message: string): string {
  const lines = message
    .replace(/^\s*\n/, '')
    .replace(/^\n+/, '')
    .split('\n')
  const end = lines.findIndex((line) => line.trim() === '')
  return (end === -1 ? lines : lines.slice(0, end)).map((line) => line.trimEnd()).join('\n')
}

export function bodyOf(message: string): string {
  const lines = message.replace(/^\n+/, '').split('\n')
  const end = lines.findIndex((line) => line.trim() === '')
  if (end === -1) return ''
  let start = end
  while (start < lines.length && (lines[start] as string).trim() === '') start += 1
  return lines.slice(start).join('\n')
}

/** The subject as a file name. */
export function subjectAsName(message: string): string {
  return subjectOf(message)
    .replaceAll(/[^A-Za-z0-9._]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^-+|[-.]+$/g, '')
}

type Part = (shown: Shown) => string | Promise<string>

function userFormat(repository: Repository, template: string, isTerminated: boolean, options: FormatOptions): Pretty {
  const parts = parseTemplate(repository, template, options)
  return {
    isTerminated,
    isOneline: false,
    isEmpty: template === '',
    isUser: true,
    async print(shown) {
      let text = ''
      for (const part of parts) text = await part(text, shown)
      return text
    },
  }
}

type Piece = (before: string, shown: Shown) => Promise<string>

/** Placeholders, with the modifiers `%+`, `%-`, `% ` and the columns of `%<(N)`. */
function parseTemplate(repository: Repository, template: string, options: FormatOptions): Piece[] {
  const pieces: Piece[] = []
  let column: Column | undefined
  const pattern =
    /%([-+ ]?)(?:x([0-9a-fA-F]{2})|([<>]{1,2}\|?)\(\s*(\d+)\s*(?:,\s*(trunc|ltrunc|mtrunc)\s*)?\)|C\(([^)]*)\)|C(red|green|blue|reset)|w\(([^)]*)\)|\(([a-z]+)([^)]*)\)|(G[?SKFPT]|a[a-zA-Z]|c[a-zA-Z]|g[a-zA-Z]|[A-Za-z%]))/g
  let at = 0
  /** `%>>` takes spaces away that stand before. */
  let takesSpaces = false
  /** After `%C(auto)`. */
  let isAuto = false
  for (const found of template.matchAll(pattern)) {
    const literal = template.slice(at, found.index)
    if (literal !== '') pieces.push(async (before) => before + literal)
    at = found.index + found[0].length
    const [whole, modifier = '', hex, side, width, trunc, color, colorName, wrap, name, args = '', letter] = found
    if (color !== undefined || colorName !== undefined) {
      const chosen = colorPart(color ?? (colorName as string), options)
      if (chosen.auto !== undefined) isAuto = chosen.auto
      pieces.push(async (before) => (chosen.auto && before === '' ? before : before + chosen.code))
      continue
    }
    if (wrap !== undefined) throw fatal(`the format '${whole}' is not supported by this git`)
    if (side !== undefined && width !== undefined) {
      const [sides, to] = [side.replace('|', ''), Number(width)]
      takesSpaces = sides === '>>'
      // Up to a column of the line, whatever stands before.
      column = side.endsWith('|')
        ? (text, before) => columnOf(sides, to - [...(before.split('\n').at(-1) as string)].length, trunc)(text)
        : columnOf(sides, to, trunc)
      continue
    }
    const part: Part =
      hex !== undefined
        ? () => String.fromCharCode(Number.parseInt(hex, 16))
        : name !== undefined
          ? longPart(name, args, whole)
          : letterPart(
              repository,
              letter as string,
              isAuto ? { ...options, colors: options.formatColors ?? noColors } : { ...options, colors: noColors },
              whole,
            )
    const inColumn = column
    const isTaking = takesSpaces && inColumn !== undefined
    column = undefined
    pieces.push(async (given, shown) => {
      const text = await part(shown)
      const fitted = inColumn === undefined ? text : inColumn(text, given)
      const spaces = isTaking ? (/ *$/.exec(given)?.[0].length ?? 0) : 0
      const over = spaces === 0 ? 0 : [...fitted].length - [...(inColumn?.('', given) ?? '')].length
      const before = given.slice(0, given.length - Math.max(0, Math.min(spaces, over)))
      if (modifier === '+' && fitted !== '') return `${before}\n${fitted}`
      if (modifier === ' ' && fitted !== '') return `${before} ${fitted}`
      if (modifier === '-' && fitted === '') return before.replace(/\n+$/, '')
      return before + fitted
    })
  }
  const rest = template.slice(at)
  if (rest !== '') pieces.push(async (before) => before + rest)
  return pieces
}

/** What `%C…` begins; `auto` turns the automatic colours on or off. */
function colorPart(text: string, { formatColors }: FormatOptions): { code: string; auto?: boolean } {
  const [, forced, named = text] = /^(always,|auto,)?(.*)$/s.exec(text) ?? []
  if (text === 'auto') return { code: formatColors?.isOn ? reset : '', auto: true }
  const code = parseColor(named)
  return { code: forced === 'always,' || formatColors?.isOn ? code : '', auto: false }
}

/** Fits a text into its column, after what stands before it. */
type Column = (text: string, before: string) => string

function columnOf(side: string, width: number, trunc: string | undefined): (text: string) => string {
  return (text) => {
    const characters = [...text]
    const missing = width - characters.length
    if (missing >= 0) {
      if (side === '<') return text + ' '.repeat(missing)
      if (side === '><')
        return ' '.repeat(Math.floor(missing / 2)) + text + ' '.repeat(missing - Math.floor(missing / 2))
      return ' '.repeat(missing) + text
    }
    if (trunc === 'trunc') return `${characters.slice(0, Math.max(0, width - 2)).join('')}..`
    if (trunc === 'ltrunc') return `..${characters.slice(characters.length - width + 2).join('')}`
    if (trunc === 'mtrunc') {
      const half = Math.floor(width / 2) - 1
      return `${characters.slice(0, half).join('')}..${characters.slice(characters.length - (width - half - 2)).join('')}`
    }
    return text
  }
}

function longPart(name: string, args: string, whole: string): Part {
  if (name === 'trailers') return ({ commit }) => trailers(commit.message, args)
  throw fatal(`the format '${whole}' is not supported by this git`)
}

/** The trailers of a message, with the options `key=`, `valueonly`, `separator=`, `only` and `unfold`. */
function trailers(message: string, args: string): string {
  const options = args
    .replace(/^:/, '')
    .split(',')
    .filter((each) => each !== '')
  const keys = options
    .filter((each) => each.startsWith('key='))
    .map((each) => each.slice(4).replace(/:$/, '').toLowerCase())
  const isValueOnly = options.some((each) => /^valueonly(=(true|yes|on))?$/.test(each))
  const separator = options
    .find((each) => each.startsWith('separator='))
    ?.slice('separator='.length)
    .replaceAll(/%x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const last =
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? ''
  if (!message.trimEnd().includes('\n\n')) return ''
  const lines = last.split('\n').filter((line) => /^[A-Za-z0-9-]+\s*:/.test(line))
  const chosen = lines
    .map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()] as const)
    .filter(([key]) => keys.length === 0 || keys.includes(key.toLowerCase()))
    .map(([key, text]) => (isValueOnly ? text : `${key}: ${text}`))
  if (chosen.length === 0) return ''
  return separator === undefined ? chosen.map((line) => `${line}\n`).join('') : chosen.join(separator)
}

function letterPart(repository: Repository, letter: string, options: FormatOptions, whole: string): Part {
  const shortOf = (oid: string) => abbreviate(repository, oid, options.abbrev)
  const colors = options.colors ?? noColors
  const parts: Record<string, Part> = {
    H: ({ commit }) => colors.paint('diff.commit', commit.oid),
    h: async ({ commit }) => colors.paint('diff.commit', await shortOf(commit.oid)),
    T: ({ commit }) => commit.tree,
    t: ({ commit }) => shortOf(commit.tree),
    P: ({ commit }) => commit.parents.join(' '),
    p: async ({ commit }) => (await Promise.all(commit.parents.map(shortOf))).join(' '),
    s: ({ commit }) => subjectOf(commit.message),
    f: ({ commit }) => subjectAsName(commit.message),
    b: ({ commit }) => bodyOf(commit.message),
    B: ({ commit }) => commit.message.replace(/^\n+/, ''),
    N: () => '',
    n: () => '\n',
    '%': () => '%',
    d: ({ commit }) => decorationOf(options.decorations, commit.oid, colors),
    D: ({ commit }) => {
      const names = options.decorations?.get(commit.oid)
      const edge = names === undefined ? '' : colors.paint('diff.commit', '')
      return `${edge}${decoratedNames(names ?? [], colors)}${edge}`
    },
    e: () => '',
    m: ({ side }) => side ?? '>',
    gd: ({ reflog }) => reflog?.selector ?? '',
    gD: ({ reflog }) => reflog?.fullSelector ?? '',
    gs: ({ reflog }) => reflog?.entry.message ?? '',
    gn: ({ reflog }) => reflog?.entry.who.replace(/ <.*$/, '') ?? '',
    ge: ({ reflog }) => /<(.*)>/.exec(reflog?.entry.who ?? '')?.[1] ?? '',
    'G?': () => 'N',
    GS: () => '',
    GK: () => '',
    GF: () => '',
    GP: () => '',
    GT: () => 'undefined',
  }
  const own = parts[letter]
  if (own !== undefined) return own
  const [role, field] = [letter[0], letter[1]]
  if ((role !== 'a' && role !== 'c') || field === undefined) {
    if (/^[A-Za-z]$/.test(letter) && !'SC'.includes(letter)) return () => whole
    throw fatal(`the format '${whole}' is not supported by this git`)
  }
  return personPart(role, field, options, whole)
}

function personPart(role: 'a' | 'c', field: string, options: FormatOptions, whole: string): Part {
  const of = ({ commit }: Shown): Person => (role === 'a' ? commit.author : commit.committer)
  const dated = (form: string): Part => {
    const print = datePrinter(form, options.nowSeconds)
    return (shown) => print(of(shown))
  }
  switch (field) {
    case 'n':
    case 'N':
      return (shown) => of(shown).name
    case 'e':
    case 'E':
      return (shown) => of(shown).email
    case 'l':
    case 'L':
      return (shown) => of(shown).email.replace(/@.*$/, '')
    case 'd':
      return dated(options.date)
    case 'D':
      return dated('rfc')
    case 'r':
      return (shown) => relativeDate(of(shown).timestamp, options.nowSeconds)
    case 't':
      return dated('unix')
    case 'i':
      return dated('iso')
    case 'I':
      return dated('iso-strict')
    case 's':
      return dated('short')
    case 'h':
      return dated('human')
    default:
      return () => whole
  }
}
