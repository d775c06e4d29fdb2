/** Searches files for lines that match patterns. */
import { isFsError } from '../../../src/errors.js'
import { decodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import { textLocale } from '../../io/locale.js'
import type { ProgramIo } from '../../io/program.js'
import { type ByteReader, readAll } from '../../io/streams.js'
import { sizeIfOutput } from '../../io/written-input.js'
import { compilePatterns, RegexError, type ShellRegex } from '../../regex/index.js'
import { defineProgram } from '../define-program.js'
import type { ParsedArguments } from '../options.js'
import { ProgramError } from '../program-error.js'
import { fileFilter } from './file-filter.js'
import { rewriteDigits } from './grep-digits.js'
import { walkFiles } from './grep-files.js'
import { type GrepSettings, type GrepState, grepInput } from './grep-input.js'
import { grepOptions } from './grep-options.js'
import { colored, colorsOf, lineWriter } from './grep-output.js'
import { lineFinders } from './line-finder.js'

type Given = ParsedArguments<typeof grepOptions>

const usageLines = "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n"

export const grep = defineProgram({
  name: 'grep',
  aliases: ['egrep', 'fgrep'],
  usage: '[OPTION]... PATTERNS [FILE]...',
  options: grepOptions,
  usageStatus: 2,
  usageHint: usageLines.trimEnd(),
  rewrite: rewriteDigits,
  async run(io, given) {
    if (isColored(given) === undefined) return io.run([io.name, '--help'])
    const patterns = await readPatterns(io, given)
    if (patterns === undefined) {
      await io.stderr.write(usageLines)
      return 2
    }
    const operands =
      given.values('pattern').length + given.values('patternFile').length > 0 ? given.operands : given.operands.slice(1)
    const status = await search(io, given, patterns, operands)
    await io.stdout.flush().catch(failToWrite)
    return status
  },
})

function failToWrite(error: unknown): never {
  if (!isFsError(error) || error.code !== 'NO_SPACE') throw error
  throw new ProgramError(`write error: ${describeError(error)}`, 2)
}

/** The lines of all patterns; undefined when none was given. */
async function readPatterns(io: ProgramIo, given: Given): Promise<string[] | undefined> {
  const texts: string[] = []
  for (const { key, value = '' } of given.given) {
    if (key === 'pattern') texts.push(...value.split('\n'))
    if (key === 'patternFile') texts.push(...(await readPatternFile(io, value)))
  }
  if (given.has('pattern') || given.has('patternFile')) return texts
  const [first] = given.operands
  return first?.split('\n')
}

async function readPatternFile(io: ProgramIo, name: string): Promise<string[]> {
  try {
    const text = decodeText(await readAll(name === '-' ? io.stdin : await io.fs.openRead(name)))
    io.account(2 * text.length)
    if (text === '') return []
    return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  } catch (error) {
    throw new ProgramError(`${name}: ${describeError(error)}`, 2)
  }
}

function syntaxOf(io: ProgramIo, given: Given): 'grep' | 'egrep' | 'fixed' | 'perl' {
  for (const value of given.values('matcher')) {
    if (!['grep', 'egrep', 'fgrep', 'perl'].includes(value)) throw new ProgramError(`invalid matcher ${value}`, 2)
  }
  const last = given.last('extended', 'fixed', 'basic', 'perl')
  if (last === 'extended') return 'egrep'
  if (last === 'fixed') return 'fixed'
  if (last === 'perl') return 'perl'
  if (last === 'basic') return 'grep'
  return io.name === 'egrep' ? 'egrep' : io.name === 'fgrep' ? 'fixed' : 'grep'
}

/** What selects lines, and what finds the matches in them. */
interface Matchers {
  lines: ShellRegex
  matches: ShellRegex
}

async function compile(io: ProgramIo, given: Given, patterns: readonly string[]): Promise<Matchers> {
  try {
    const locale = textLocale(io.env)
    const syntax = syntaxOf(io, given)
    const options = {
      ignoreCase: given.last('ignoreCase', 'noIgnoreCase') === 'ignoreCase',
      bounds: given.has('lineRegexp') ? 'line' : given.has('wordRegexp') ? 'word' : 'none',
      lines: !given.has('nullData'),
      bytes: locale.isBytes,
    } as const
    const texts = patterns.map(locale.text)
    const lines = compilePatterns(texts, { ...options, syntax })
    for (const warning of leadingOrStray(lines.warnings)) await io.error(`warning: ${warning}`)
    // GNU's second engine, which finds the matches, reads a brace at the start in another way.
    const differs = syntax === 'egrep' && texts.some((text) => leadingBrace.test(text))
    return { lines, matches: differs ? compilePatterns(texts, { ...options, syntax: 'egrep-spans' }) : lines }
  } catch (error) {
    if (error instanceof RegexError) throw new ProgramError(error.message, 2)
    throw error
  }
}

const leadingBrace = /(^|[(|^{*+?])\{/

/** A stray backslash is told once for each letter, a repetition of nothing each time. */
function leadingOrStray(warnings: readonly string[]): string[] {
  return warnings.filter((warning, index) => !warning.startsWith('stray') || warnings.indexOf(warning) === index)
}

function contextLength(given: Given, key: 'before' | 'after'): number {
  const last = given.given.filter((option) => option.key === key || option.key === 'context').at(-1)
  // -A and -B prevail over -C, wherever it comes.
  const value = given.value(key) ?? last?.value
  if (value === undefined) return 0
  if (!/^[0-9]+$/.test(value)) throw new ProgramError(`${value}: invalid context length argument`, 2)
  return Number(value)
}

function maxCountOf(given: Given): number {
  const value = given.value('maxCount')
  if (value === undefined) return Infinity
  if (!/^-?[0-9]+$/.test(value)) throw new ProgramError('invalid max count', 2)
  return Number(value) < 0 ? Infinity : Number(value)
}

function binaryMode(given: Given): GrepSettings['binary'] {
  const last = given.given.filter(({ key }) => ['text', 'skipBinary', 'binaryFiles'].includes(key)).at(-1)
  if (last === undefined) return 'binary'
  if (last.key === 'text') return 'text'
  if (last.key === 'skipBinary') return 'without-match'
  if (last.value === 'binary' || last.value === 'text' || last.value === 'without-match') return last.value
  throw new ProgramError('unknown binary-files type', 2)
}

/** Undefined for a word that says neither. */
function isColored(given: Given): boolean | undefined {
  const last = given.given.filter(({ key }) => key === 'color').at(-1)
  const value = last?.value ?? 'auto'
  if (['always', 'yes', 'force'].includes(value)) return true
  if (['never', 'no', 'none', 'auto', 'tty', 'if-tty'].includes(value)) return false
  return undefined
}

function directoryMode(given: Given): 'read' | 'skip' | 'recurse' {
  const last = given.given.filter(({ key }) => ['recursive', 'dereference', 'directories'].includes(key)).at(-1)
  if (last === undefined) return 'read'
  if (last.key !== 'directories') return 'recurse'
  if (last.value === 'read' || last.value === 'skip' || last.value === 'recurse') return last.value
  throw new ProgramError(
    `invalid argument ‘${last.value}’ for ‘--directories’\nValid arguments are:\n  - ‘read’\n  - ‘recurse’\n  - ‘skip’\n${usageLines.trimEnd()}`,
    1,
  )
}

async function search(
  io: ProgramIo,
  given: Given,
  patterns: readonly string[],
  operands: readonly string[],
): Promise<number> {
  const directories = directoryMode(given)
  for (const value of given.values('devices')) {
    if (value !== 'read' && value !== 'skip') throw new ProgramError('unknown devices method', 2)
  }
  const maxCount = maxCountOf(given)
  const before = contextLength(given, 'before')
  const after = contextLength(given, 'after')
  const binary = binaryMode(given)
  const colors = isColored(given) ? colorsOf(io.env.get('GREP_COLORS')) : undefined
  const matchers = await compile(io, given, patterns)
  const quiet = given.has('quiet')
  const lists = given.last('filesWithMatches', 'filesWithoutMatch')
  const counts = given.has('count')
  const invert = given.has('invert')
  const selectsNothing = maxCount === 0 || neverSelects(given, patterns)
  if (selectsNothing && lists !== 'filesWithoutMatch') return 1

  const nameOption = given.last('withFilename', 'noFilename')
  let withName = nameOption === undefined ? operands.length > 1 : nameOption === 'withFilename'
  const state: GrepState = { hasWritten: false }
  const rules = {
    file: fileFilter(await fileRules(io, given)),
    directory: fileFilter(
      given.values('excludeDir').map((pattern) => ({ isInclude: false, pattern: pattern.replace(/(?<=.)\/+$/, '') })),
    ),
  }
  let status = 1
  let hasFailed = false
  let isDone = false

  const settings = (): GrepSettings => ({
    regex: matchers.matches,
    finders,
    writer: lineWriter({
      withName,
      lineNumbers: given.has('lineNumber'),
      byteOffsets: given.has('byteOffset'),
      nullAfterName: given.has('null'),
      alignTabs: given.has('initialTab'),
      groupSeparator: given.has('noGroupSeparator') ? undefined : (given.value('groupSeparator') ?? '--'),
      colors,
    }),
    delimiter: given.has('nullData') ? 0 : 10,
    invert,
    onlyMatching: given.has('onlyMatching'),
    before,
    after,
    hasContext: given.has('before') || given.has('after') || given.has('context'),
    maxCount,
    isSilent: quiet || counts || lists !== undefined,
    stopsAtFirst: quiet || lists !== undefined,
    lineNumbers: given.has('lineNumber'),
    byteOffsets: given.has('byteOffset'),
    binary,
    colors,
    decode: locale.decode,
    writesAnyBytes: locale.isBytes,
  })
  const locale = textLocale(io.env)
  const finders = lineFinders(matchers.lines, given.has('nullData') ? 0 : 10, locale.decode)
  let current = settings()

  async function fail(message: string): Promise<void> {
    hasFailed = true
    if (!given.has('noMessages')) await io.error(message)
  }

  async function searchFile(name: string, path: string | undefined, opened?: Promise<ByteReader>): Promise<void> {
    if (isDone) return
    try {
      const reader = path === undefined ? io.stdin : await (opened ?? io.fs.openRead(path))
      if (given.has('initialTab')) {
        current.writer.setSize(path === undefined ? undefined : (await io.fs.stat(path)).size)
      }
      const isWritten = !quiet && !counts && lists === undefined && maxCount > 1
      if (isWritten && (await sizeIfOutput(io, path ?? '-', reader)) !== undefined) {
        await fail(`${name}: input file is also the output`)
        return
      }
      const result = await grepInput(io, reader, name, current, state)
      if (path !== undefined) reader.close()
      await report(name, result.selected, result.isBinaryMatch)
    } catch (error) {
      if (error instanceof RegexError) throw new ProgramError(error.message, 2)
      if (isFsError(error) && error.code === 'NO_SPACE') failToWrite(error)
      await fail(`${name}: ${describeError(error)}`)
    }
  }

  async function report(name: string, selected: number, isBinaryMatch: boolean): Promise<void> {
    if (selected > 0) status = 0
    if (quiet) {
      isDone = selected > 0
      return
    }
    const shown = colored(name, colors?.name)
    if (counts && lists === undefined) {
      const separator = given.has('null') ? '\0' : colored(':', colors?.separator)
      await io.stdout.write(`${withName ? `${shown}${separator}` : ''}${selected}\n`)
    }
    if (lists !== undefined && (lists === 'filesWithMatches') === selected > 0) {
      await io.stdout.write(`${shown}${given.has('null') ? '\0' : '\n'}`)
    }
    if (isBinaryMatch) await io.error(`${name}: binary file matches`)
  }

  async function searchOperand(operand: string): Promise<void> {
    if (operand === '-') {
      await searchFile(given.value('label') ?? '(standard input)', undefined)
      return
    }
    const kind = await kindOf(operand)
    if (kind === undefined) return
    if (kind !== 'directory') {
      if (rules.file(operand, true)) await searchFile(operand, operand)
      return
    }
    if (!rules.directory(operand, true) || directories === 'skip') return
    if (directories === 'read') {
      await fail(`${operand}: Is a directory`)
      await report(operand, 0, false)
      return
    }
    await searchDirectory(operand, operand)
  }

  async function kindOf(path: string): Promise<string | undefined> {
    try {
      return (await io.fs.stat(path)).kind
    } catch (error) {
      await fail(`${path}: ${describeError(error)}`)
      return undefined
    }
  }

  async function searchDirectory(path: string, shown: string): Promise<void> {
    if (nameOption === undefined && !withName) {
      withName = true
      current = settings()
    }
    await walkFiles(io, path, shown, {
      followsLinks: given.last('recursive', 'dereference') === 'dereference',
      takesFile: (name) => rules.file(name, false),
      takesDirectory: (name) => rules.directory(name, false),
      visit: (name, opened) => searchFile(name, name, opened),
      fail,
    })
  }

  if (operands.length === 0 && directories === 'recurse') await searchDirectory('.', '')
  for (const operand of operands.length === 0 && directories !== 'recurse' ? ['-'] : operands) {
    if (!isDone) await searchOperand(operand)
  }
  if (isDone) return 0
  return hasFailed ? 2 : status
}

/** Without patterns, or with `-v` and one that every line has, no file is opened. */
function neverSelects(given: Given, patterns: readonly string[]): boolean {
  if (!given.has('invert')) return patterns.length === 0
  return (
    patterns.length > 0 &&
    patterns.every((pattern) => pattern === '') &&
    !given.has('lineRegexp') &&
    !given.has('wordRegexp')
  )
}

async function fileRules(io: ProgramIo, given: Given): Promise<Array<{ isInclude: boolean; pattern: string }>> {
  const rules: Array<{ isInclude: boolean; pattern: string }> = []
  for (const { key, value = '' } of given.given) {
    if (key === 'include') rules.push({ isInclude: true, pattern: value })
    if (key === 'exclude') rules.push({ isInclude: false, pattern: value })
    if (key !== 'excludeFrom') continue
    for (const pattern of await readPatternFile(io, value)) {
      if (pattern.trim() !== '') rules.push({ isInclude: false, pattern })
    }
  }
  return rules
}
