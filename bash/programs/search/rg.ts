/** ripgrep: searches directories for lines that match, without what is ignored. */

import { isFsError } from '../../../src/errors.js'
import { entryOf } from '../../../src/text/entry-of.js'
import { decodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { readAll } from '../../io/streams.js'
import { compileRegex, compileRust, RegexError, type RegexMatch, type RustRegex } from '../../regex/index.js'
import { defineProgram } from '../define-program.js'
import type { ParsedArguments } from '../options.js'
import { ProgramError } from '../program-error.js'
import { type GrepSettings, type GrepState, grepInput } from './grep-input.js'
import type { LinePlace, LineWriter } from './grep-output.js'
import { lineFinders } from './line-finder.js'
import { nameGlob } from './name-globs.js'
import { rgGlobs } from './rg-globs.js'
import { rgOptions, rgUnsupported } from './rg-options.js'
import { fileTypes } from './rg-types.js'
import { type RgWalkOptions, walkRg } from './rg-walk.js'

type Given = ParsedArguments<typeof rgOptions>

export const rg = defineProgram({
  name: 'rg',
  usage: '[OPTIONS] PATTERN [PATH ...]',
  helpNames: ['-h', '--help'],
  options: rgOptions,
  unsupported: rgUnsupported,
  usageStatus: 2,
  usageHint: '',
  async run(io, given) {
    checkValues(given)
    if (given.has('typeList')) {
      for (const [name, globs] of Object.entries(fileTypes)) await io.stdout.write(`${name}: ${globs.join(', ')}\n`)
      return 0
    }
    const hasPattern = given.has('pattern') || given.has('patternFile') || given.has('files')
    const paths = hasPattern ? given.operands : given.operands.slice(1)
    if (given.has('files')) return listFiles(io, given, paths)
    const patterns = await readPatterns(io, given)
    if (patterns === undefined) {
      throw new ProgramError('the following required arguments were not provided: <PATTERN>', 2)
    }
    return search(io, given, compile(given, patterns), paths)
  },
})

function checkValues(given: Given): void {
  const color = given.value('color') ?? 'auto'
  if (color === 'always' || color === 'ansi') {
    throw new ProgramError(`option '--color ${color}' is not supported by this shell`, 2)
  }
  if (given.has('count') && given.has('onlyMatching')) {
    throw new ProgramError("options '-c' and '-o' together are not supported by this shell", 2)
  }
  for (const key of ['sort', 'sortReversed'] as const) {
    const order = given.value(key)
    if (order !== undefined && order !== 'path' && order !== 'none') {
      throw new ProgramError(`option '--sort ${order}' is not supported by this shell`, 2)
    }
  }
}

async function readPatterns(io: ProgramIo, given: Given): Promise<string[] | undefined> {
  const patterns: string[] = []
  for (const { key, value = '' } of given.given) {
    if (key === 'pattern') patterns.push(value)
    if (key !== 'patternFile') continue
    try {
      const text = decodeText(await readAll(value === '-' ? io.stdin : await io.fs.openRead(value)))
      patterns.push(...text.replace(/\n$/, '').split('\n'))
    } catch (error) {
      throw new ProgramError(`${value}: ${failure(error)}`, 2)
    }
  }
  if (given.has('pattern') || given.has('patternFile')) return patterns
  const [first] = given.operands
  return first === undefined ? undefined : [first]
}

function compile(given: Given, patterns: readonly string[]): RustRegex {
  const written = given.has('fixed')
    ? patterns.map((text) => text.replace(/[\\^$.*+?()[\]{}|#&~-]/g, '\\$&'))
    : patterns
  const joined = written.length === 1 ? (written[0] as string) : written.map((text) => `(?:${text})`).join('|')
  const isPerl = given.has('perl')
  const [start, end] = isPerl ? ['(?<!\\w)', '(?!\\w)'] : ['\\b{start-half}', '\\b{end-half}']
  const bounded = given.has('lineRegexp')
    ? `^(?:${joined})$`
    : given.has('wordRegexp')
      ? `${start}(?:${joined})${end}`
      : joined
  const ignoreCase = ignoresCase(given, patterns)
  try {
    if (!isPerl) return compileRust(bounded, { ignoreCase })
    return { regex: compileRegex(bounded, { syntax: 'perl', ignoreCase, lines: true }), names: new Map() }
  } catch (error) {
    if (error instanceof RegexError) throw new ProgramError(error.message, 2)
    throw error
  }
}

function ignoresCase(given: Given, patterns: readonly string[]): boolean {
  const last = given.last('ignoreCase', 'smartCase', 'caseSensitive')
  if (last !== 'smartCase') return last === 'ignoreCase'
  const letters = patterns.join('').replace(/\\(?:[pPx]\{[^}]*\}|[\s\S])|\[:\^?\w+:\]/g, '')
  return letters === letters.toLowerCase() && /[^\\^$.*+?()[\]{}|]/.test(letters)
}

function contextLength(given: Given, key: 'before' | 'after'): number {
  // Of -C and the two others, the last one given overrides what came before.
  const order = given.given.filter((option) => ['before', 'after', 'context'].includes(option.key))
  const both = order.map((option) => option.key).lastIndexOf('context')
  if (both >= 0 && both === order.length - 1) return numberOf(order[both]?.value ?? '0')
  return numberOf(
    order
      .slice(both + 1)
      .filter((option) => option.key === key)
      .at(-1)?.value ?? '0',
  )
}

function numberOf(value: string): number {
  if (!/^[0-9]+$/.test(value)) throw new ProgramError(`invalid number '${value}'`, 2)
  return Number(value)
}

function walkOptions(io: ProgramIo, given: Given): Omit<RgWalkOptions, 'visit' | 'fail'> {
  const unrestricted = given.given.filter(({ key }) => key === 'unrestricted').length
  const globs = given.given.flatMap(({ key, value }) => {
    if (value === undefined || (key !== 'glob' && key !== 'iglob')) return []
    return [{ pattern: value, ignoreCase: key === 'iglob' }]
  })
  const types = given.values('type').flatMap(globsOfType)
  const otherTypes = given.values('typeNot').flatMap(globsOfType)
  return {
    hidden: given.last('hidden', 'noHidden') === 'hidden' || unrestricted >= 2,
    noIgnore: given.has('noIgnore') || unrestricted >= 1,
    noGit: given.has('noIgnoreVcs'),
    requiresGit: !given.has('noRequireGit'),
    follow: given.has('follow'),
    maxDepth: given.has('maxDepth') ? numberOf(given.value('maxDepth') ?? '') : Infinity,
    isReversed: given.has('sortReversed'),
    globs: rgGlobs(globs, io.cwd),
    takesType: (name) =>
      (types.length === 0 || types.some((matches) => matches(name))) && !otherTypes.some((matches) => matches(name)),
  }
}

function globsOfType(name: string): Array<(name: string) => boolean> {
  if (name === 'all') return Object.values(fileTypes).flatMap((globs) => globs.map((glob) => nameGlob(glob)))
  const globs = entryOf(fileTypes, name)
  if (globs === undefined) throw new ProgramError(`unrecognized file type: ${name}`, 2)
  return globs.map((glob) => nameGlob(glob))
}

/** Calls `visit` for every file; returns whether something could not be read. */
async function eachFile(
  io: ProgramIo,
  given: Given,
  paths: readonly string[],
  visit: (name: string, isNamed: boolean) => Promise<void>,
): Promise<boolean> {
  const walk = walkOptions(io, given)
  let hasFailed = false
  const fail = async (message: string) => {
    hasFailed = true
    if (!given.has('noMessages')) await io.error(message)
  }
  for (const path of paths.length === 0 ? [''] : paths) {
    try {
      if (path !== '' && (path === '-' || (await io.fs.stat(path)).kind !== 'directory')) {
        await visit(path, true)
        continue
      }
    } catch (error) {
      if (!isFsError(error)) throw error
      await fail(`${path}: ${failure(error)}`)
      continue
    }
    const visitFound = async (name: string) => {
      try {
        await visit(name, false)
      } catch (error) {
        if (!isFsError(error)) throw error
        await fail(`${name}: ${failure(error)}`)
      }
    }
    await walkRg(io, path === '' ? '.' : path, path, { ...walk, visit: visitFound, fail })
  }
  return hasFailed
}

/** As the Rust library words it. */
function failure(error: unknown): string {
  const text = describeError(error)
  const numbers: Readonly<Record<string, number>> = {
    'No such file or directory': 2,
    'Permission denied': 13,
    'Is a directory': 21,
  }
  return numbers[text] === undefined ? text : `${text} (os error ${numbers[text]})`
}

async function listFiles(io: ProgramIo, given: Given, paths: readonly string[]): Promise<number> {
  let count = 0
  const hasFailed = await eachFile(io, given, paths, async (name) => {
    count += 1
    if (!given.has('quiet')) await io.stdout.write(name + (given.has('null') ? '\0' : '\n'))
  })
  return hasFailed ? 2 : count > 0 ? 0 : 1
}

/** The text for `$1`, `$name` and `${name}`. */
function replacer(template: string, { names }: RustRegex): (text: string, match: RegexMatch) => string {
  return (text, { start, end, groups }) =>
    template.replace(/\$(?:\$|([0-9A-Za-z_]+)|\{([^}]+)\})/g, (all, plain?: string, braced?: string) => {
      if (all === '$$') return '$'
      const name = plain ?? braced ?? ''
      const number = /^[0-9]+$/.test(name) ? Number(name) : (names.get(name) ?? -1)
      if (number === 0) return text.slice(start, end)
      const span = groups[number - 1]
      return span === undefined ? '' : text.slice(span[0], span[1])
    })
}

async function search(io: ProgramIo, given: Given, compiled: RustRegex, paths: readonly string[]): Promise<number> {
  const { regex } = compiled
  const source = await withStdin(io, paths)
  const list = source.paths
  const isOneFile = list.length === 1 && (list[0] === '-' || !(await isDirectory(io, list[0] as string)))
  const quiet = given.has('quiet')
  const lists = given.last('filesWithMatches', 'filesWithoutMatch')
  const vimgrep = given.has('vimgrep')
  const columns = given.has('column') || vimgrep
  const lineNumbers =
    given.last('lineNumber', 'noLineNumber') === 'lineNumber' || (columns && !given.has('noLineNumber'))
  const withName = nameShown(given, isOneFile)
  const heading = given.last('heading', 'noHeading') === 'heading' && withName && !vimgrep
  const change = given.has('replace') ? replacer(given.value('replace') ?? '', compiled) : undefined
  const state: GrepState = { hasWritten: false }
  let status = 1
  let isDone = false
  let hasHeading = false
  let headed = ''

  const writer: LineWriter = {
    head(name, place: LinePlace, separator) {
      let text = ''
      if (heading && headed !== name) {
        text += `${hasHeading ? '\n' : ''}${name}\n`
        headed = name
        hasHeading = true
      }
      if (withName && !heading) text += name + (given.has('null') ? '\0' : separator)
      if (lineNumbers) text += `${place.number}${separator}`
      if (columns && place.column !== undefined) text += `${place.column}${separator}`
      if (given.has('byteOffset')) text += `${place.offset}${separator}`
      return text
    },
    setSize() {},
    groupSeparator: given.has('noContextSeparator') ? '' : `${given.value('contextSeparator') ?? '--'}\n`,
  }

  function changeLine(text: string): string {
    const replaced = change === undefined || given.has('invert') ? text : replaceAll(text, change)
    return given.has('trim') ? replaced.replace(/^[\t\n\v\f\r ]+/, '') : replaced
  }

  function replaceAll(text: string, by: (text: string, match: RegexMatch) => string): string {
    let result = ''
    let done = 0
    for (let from = 0; from <= text.length; ) {
      const match = regex.exec(text, from)
      if (match === undefined) break
      result += text.slice(done, match.start) + by(text, match)
      done = match.end
      from = match.end > match.start ? match.end : match.end + 1
    }
    return result + text.slice(done)
  }

  const settings: GrepSettings = {
    regex,
    finders: lineFinders(regex, 10),
    writer,
    delimiter: 10,
    invert: given.has('invert'),
    onlyMatching: given.has('onlyMatching'),
    before: contextLength(given, 'before'),
    after: contextLength(given, 'after'),
    hasContext: contextLength(given, 'before') + contextLength(given, 'after') > 0,
    maxCount: given.has('maxCount') ? numberOf(given.value('maxCount') ?? '') : Infinity,
    isSilent: quiet || given.has('count') || lists !== undefined,
    stopsAtFirst: quiet || lists !== undefined,
    lineNumbers,
    byteOffsets: given.has('byteOffset'),
    binary: 'binary',
    colors: undefined,
    writesAnyBytes: true,
    columns,
    oncePerMatch: vimgrep,
    ...((change !== undefined || given.has('trim')) && { changeLine }),
    ...(change !== undefined && { changeMatch: change }),
  }
  if (settings.maxCount === 0) return 1

  async function visit(name: string, isNamed: boolean): Promise<void> {
    if (isDone) return
    if (heading) state.hasWritten = false
    const reader = name === '-' ? io.stdin : await io.fs.openRead(name)
    const shown = name === '-' ? '<stdin>' : name
    const binary = given.has('text') || unrestrictedBinary() ? 'text' : isNamed ? 'binary' : 'without-match'
    const { selected, isBinaryMatch } = await grepInput(io, reader, shown, { ...settings, binary }, state)
    if (name !== '-') reader.close()
    const isListed = lists === undefined ? selected > 0 : (lists === 'filesWithMatches') === selected > 0
    if (isListed) status = 0
    if (quiet) {
      isDone = selected > 0
      return
    }
    if (lists !== undefined) {
      if (isListed) await io.stdout.write(shown + (given.has('null') ? '\0' : '\n'))
    } else if (given.has('count')) {
      if (selected > 0)
        await io.stdout.write(`${withName ? `${shown}${given.has('null') ? '\0' : ':'}` : ''}${selected}\n`)
    } else if (isBinaryMatch) {
      const at = `${withName ? `${shown}: ` : ''}binary file matches (found "\\0" byte around offset `
      await io.stdout.write(`${at}${await zeroOffset(io, name)})\n`)
    }
  }

  function unrestrictedBinary(): boolean {
    return given.given.filter(({ key }) => key === 'unrestricted').length >= 3
  }

  try {
    const hasFailed = await eachFile(io, given, source.isImplicit ? [] : list, visit)
    if (isDone) return 0
    return hasFailed ? 2 : status
  } catch (error) {
    if (error instanceof RegexError) throw new ProgramError(error.message, 2)
    throw error
  }
}

async function zeroOffset(io: ProgramIo, name: string): Promise<number> {
  return name === '-' ? 0 : Math.max(0, (await io.fs.readFile(name, { start: 0, end: 1 << 20 })).indexOf(0))
}

function nameShown(given: Given, isOneFile: boolean): boolean {
  const last = given.last('withFilename', 'noFilename')
  if (last !== undefined) return last === 'withFilename'
  return !isOneFile || given.has('vimgrep')
}

async function isDirectory(io: ProgramIo, path: string): Promise<boolean> {
  try {
    return (await io.fs.stat(path)).kind === 'directory'
  } catch {
    return false
  }
}

/** Without a path, what is piped in is searched; if that is nothing, the working directory. */
async function withStdin(
  io: ProgramIo,
  paths: readonly string[],
): Promise<{ paths: readonly string[]; isImplicit: boolean }> {
  if (paths.length > 0) return { paths, isImplicit: false }
  const chunk = await io.stdin.read()
  if (chunk === undefined) return { paths: ['.'], isImplicit: true }
  io.stdin.unread(chunk)
  return { paths: ['-'], isImplicit: false }
}
