/** Compares files and directories line by line. */
import { isFsError } from '../../../../src/errors.js'
import { basename } from '../../../../src/fs/path.js'
import type { Bytes, Stat } from '../../../../src/fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { compileRegex } from '../../../regex/compile-regex.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { nameMatcher } from '../name-matcher.js'
import { editScript, type LineRules } from './edit-script.js'
import { type DiffFormats, printFormatted } from './format-lines.js'
import {
  type FileLines,
  type Heading,
  printContext,
  printEd,
  printNormal,
  printSideBySide,
  printUnified,
  type Sides,
} from './print-changes.js'

const options = {
  brief: { names: ['-q', '--brief'] },
  reportSame: { names: ['-s', '--report-identical-files'] },
  normal: { names: ['--normal'] },
  unified: { names: ['-u', '-U', '--unified'], value: 'optional' },
  unifiedLines: { names: ['--unified-lines'], value: 'required' },
  context: { names: ['-c', '-C', '--context'], value: 'optional' },
  ed: { names: ['-e', '--ed'] },
  sideBySide: { names: ['-y', '--side-by-side'] },
  width: { names: ['-W', '--width'], value: 'required' },
  leftColumn: { names: ['--left-column'] },
  suppressCommon: { names: ['--suppress-common-lines'] },
  showFunction: { names: ['-p', '--show-c-function'] },
  functionLine: { names: ['-F', '--show-function-line'], value: 'required' },
  label: { names: ['-L', '--label'], value: 'required' },
  recursive: { names: ['-r', '--recursive'] },
  newFile: { names: ['-N', '--new-file'] },
  newFileFirst: { names: ['--unidirectional-new-file'] },
  noDereference: { names: ['--no-dereference'] },
  exclude: { names: ['-x', '--exclude'], value: 'required' },
  excludeFrom: { names: ['-X', '--exclude-from'], value: 'required' },
  startingFile: { names: ['-S', '--starting-file'], value: 'required' },
  fromFile: { names: ['--from-file'], value: 'required' },
  toFile: { names: ['--to-file'], value: 'required' },
  ignoreCase: { names: ['-i', '--ignore-case'] },
  ignoreTabs: { names: ['-E', '--ignore-tab-expansion'] },
  ignoreTrailing: { names: ['-Z', '--ignore-trailing-space'] },
  ignoreAmount: { names: ['-b', '--ignore-space-change'] },
  ignoreAll: { names: ['-w', '--ignore-all-space'] },
  ignoreBlank: { names: ['-B', '--ignore-blank-lines'] },
  ignoreMatching: { names: ['-I', '--ignore-matching-lines'], value: 'required' },
  text: { names: ['-a', '--text'] },
  stripReturns: { names: ['--strip-trailing-cr'] },
  minimal: { names: ['-d', '--minimal'] },
  speed: { names: ['--speed-large-files'] },
  horizon: { names: ['--horizon-lines'], value: 'required' },
  color: { names: ['--color'], value: 'optional' },
  lineFormat: { names: ['--line-format'], value: 'required' },
  oldLine: { names: ['--old-line-format'], value: 'required' },
  newLine: { names: ['--new-line-format'], value: 'required' },
  unchangedLine: { names: ['--unchanged-line-format'], value: 'required' },
  oldGroup: { names: ['--old-group-format'], value: 'required' },
  newGroup: { names: ['--new-group-format'], value: 'required' },
  unchangedGroup: { names: ['--unchanged-group-format'], value: 'required' },
  changedGroup: { names: ['--changed-group-format'], value: 'required' },
  initialTab: { names: ['-T', '--initial-tab'] },
} as const

type Given = ParsedArguments<typeof options>

const sameStatus = 0
const differentStatus = 1
const troubleStatus = 2
const defaultContext = 3
const defaultWidth = 130

export const diff = defineProgram({
  name: 'diff',
  usage: '[OPTION]... FILES',
  options,
  unsupported: [
    '--rcs',
    '-n',
    '-t',
    '--expand-tabs',
    '--tabsize',
    '--suppress-blank-empty',
    '-l',
    '--paginate',
    '-D',
    '--ifdef',
    '--palette',
    '--ignore-file-name-case',
    '--no-ignore-file-name-case',
  ],
  usageStatus: troubleStatus,
  usageHint: "diff: Try 'diff --help' for more information.",
  rewrite,
  async run(io, given) {
    if (['always'].includes(given.value('color') ?? '')) {
      throw new ProgramError("option '--color=always' is not supported by this shell", troubleStatus)
    }
    if (given.has('initialTab')) throw new ProgramError("option '-T' is not supported by this shell", troubleStatus)
    let worst = sameStatus
    for (const [old, fresh] of pairsOf(given)) {
      // The standard input is the same as itself, and is not read.
      if (old === '-' && fresh === '-') continue
      worst = Math.max(worst, await compare(io, given, old, fresh, true))
    }
    return worst
  },
})

/** `-U3` and `-C 3` take a number, `-u` and `-c` none, and `-3` sets the context of either. */
function rewrite(args: readonly string[]): readonly string[] {
  const result: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string
    if (arg === '--') return [...result, ...args.slice(index)]
    const [, letters = '', last = '', value = ''] = /^-([A-Za-z]*?)([UC])(\d*)$/.exec(arg) ?? []
    const [, before = '', style = '', digits = ''] = /^-([a-zA-Z]*)([uc])(\d+)$/.exec(arg) ?? []
    if (last !== '') {
      if (letters !== '') result.push(`-${letters}`)
      const lines = value === '' ? args[(index += 1)] : value
      if (lines === undefined) throw new ProgramError(`option requires an argument -- '${last}'`, troubleStatus)
      result.push(`${last === 'U' ? '--unified' : '--context'}=${lines}`)
    } else if (style !== '') {
      if (before !== '') result.push(`-${before}`)
      result.push(`${style === 'u' ? '--unified' : '--context'}=${digits}`)
    } else if (/^-[A-Za-z]*[uc][A-Za-z]+$/.test(arg) && !arg.startsWith('--')) {
      // Letters after `u` or `c` are further options, not its value.
      result.push(...splitLetters(arg))
    } else result.push(arg)
  }
  return result
}

function splitLetters(arg: string): string[] {
  const takesValue = /[LWxXSFI]/
  const [, plain = '', rest = ''] = /^-([^LWxXSFI]*)(.*)$/s.exec(arg) ?? []
  return [...[...plain].map((letter) => `-${letter}`), ...(takesValue.test(rest) ? [`-${rest}`] : [])]
}

function pairsOf(given: Given): Array<[string, string]> {
  const { operands } = given
  const from = given.value('fromFile')
  const to = given.value('toFile')
  if (from !== undefined) return operands.map((name) => [from, name])
  if (to !== undefined) return operands.map((name) => [name, to])
  const [old, fresh, extra] = operands
  if (fresh === undefined || old === undefined) {
    throw new ProgramError(
      `missing operand after '${old ?? 'diff'}'\ndiff: Try 'diff --help' for more information.`,
      troubleStatus,
    )
  }
  if (extra !== undefined) {
    throw new ProgramError(`extra operand '${extra}'\ndiff: Try 'diff --help' for more information.`, troubleStatus)
  }
  return [[old, fresh]]
}

async function statOf(io: ProgramIo, given: Given, name: string): Promise<Stat | undefined> {
  if (name === '-') return { kind: 'file' }
  const links = given.has('noDereference')
  try {
    return await (links ? io.fs.lstat(name) : io.fs.stat(name))
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) throw error
    return undefined
  }
}

/** `isOperand`: named on the command line, so that it must exist, and no header precedes its differences. */
async function compare(io: ProgramIo, given: Given, old: string, fresh: string, isOperand: boolean): Promise<number> {
  const [oldStat, newStat] = [await statOf(io, given, old), await statOf(io, given, fresh)]
  const absent = [...(oldStat ? [] : [old]), ...(newStat ? [] : [fresh])]
  const fillsIn = given.has('newFile') || (given.has('newFileFirst') && oldStat === undefined)
  if (absent.length > 0 && !(fillsIn && absent.length === 1)) {
    for (const name of absent) await io.error(`${name}: No such file or directory`)
    return troubleStatus
  }
  const areDirectories = [oldStat, newStat].map((stat) => stat?.kind === 'directory')
  if (areDirectories[0] && areDirectories[1]) return compareDirectories(io, given, old, fresh, isOperand)
  if (isOperand && areDirectories[0] && newStat)
    return compare(io, given, `${old}/${basename(fresh)}`, fresh, isOperand)
  if (isOperand && areDirectories[1] && oldStat) return compare(io, given, old, `${fresh}/${basename(old)}`, isOperand)
  if (areDirectories[0] || areDirectories[1]) {
    if (absent.length > 0) return compareDirectories(io, given, old, fresh, isOperand)
    await io.stdout.write(`File ${old} is a ${kindName(oldStat)} while file ${fresh} is a ${kindName(newStat)}\n`)
    return differentStatus
  }
  if (oldStat?.kind === 'symlink' || newStat?.kind === 'symlink') {
    return compareLinks(io, old, fresh, [oldStat, newStat])
  }
  return compareFiles(io, given, { name: old, stat: oldStat }, { name: fresh, stat: newStat }, isOperand)
}

function kindName(stat: Stat | undefined): string {
  if (stat?.kind === 'directory') return 'directory'
  if (stat?.kind === 'symlink') return 'symbolic link'
  return stat?.size === 0 ? 'regular empty file' : 'regular file'
}

async function compareLinks(io: ProgramIo, old: string, fresh: string, stats: Array<Stat | undefined>) {
  if (stats[0]?.kind === 'symlink' && stats[1]?.kind === 'symlink') {
    if ((await io.fs.readLink(old)) === (await io.fs.readLink(fresh))) return sameStatus
    await io.stdout.write(`Symbolic links ${old} and ${fresh} differ\n`)
    return differentStatus
  }
  await io.stdout.write(`File ${old} is a ${kindName(stats[0])} while file ${fresh} is a ${kindName(stats[1])}\n`)
  return differentStatus
}

async function compareDirectories(io: ProgramIo, given: Given, old: string, fresh: string, isOperand: boolean) {
  if (!given.has('recursive') && !isOperand) {
    await io.stdout.write(`Common subdirectories: ${old} and ${fresh}\n`)
    return sameStatus
  }
  const isExcluded = await exclusion(io, given)
  const oldNames = await namesIn(io, old)
  const newNames = await namesIn(io, fresh)
  const starts = given.value('startingFile')
  const names = [...new Set([...oldNames, ...newNames])]
    .filter((name) => !isExcluded(name) && (starts === undefined || !isOperand || name >= starts))
    .sort(byCodePoint)
  let worst = sameStatus
  for (const name of names) {
    const [inOld, inNew] = [oldNames.has(name), newNames.has(name)]
    const paths = [pathIn(old, name), pathIn(fresh, name)] as const
    const fills = given.has('newFile') || (given.has('newFileFirst') && !inOld)
    if ((inOld && inNew) || fills) worst = Math.max(worst, await compare(io, given, paths[0], paths[1], false))
    else {
      await io.stdout.write(`Only in ${(inOld ? old : fresh).replace(/(.)\/+$/, '$1')}: ${name}\n`)
      worst = Math.max(worst, differentStatus)
    }
  }
  return worst
}

function pathIn(directory: string, name: string): string {
  return `${directory.replace(/\/+$/, '')}/${name}`
}

async function namesIn(io: ProgramIo, directory: string): Promise<Set<string>> {
  try {
    return new Set((await io.fs.readDir(directory)).map(({ name }) => name))
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
    return new Set()
  }
}

async function exclusion(io: ProgramIo, given: Given): Promise<(name: string) => boolean> {
  const patterns = [...given.values('exclude')]
  for (const file of given.values('excludeFrom')) {
    patterns.push(
      ...decodeText(await io.fs.readFile(file))
        .split('\n')
        .filter((line) => line !== ''),
    )
  }
  const matchers = patterns.map(nameMatcher)
  return (name) => matchers.some((matches) => matches(name))
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

interface File {
  name: string
  stat: Stat | undefined
}

async function compareFiles(io: ProgramIo, given: Given, old: File, fresh: File, isOperand: boolean): Promise<number> {
  let contents: [Bytes, Bytes]
  try {
    contents = [await read(io, old), await read(io, fresh)]
  } catch (error) {
    const path = isFsError(error) && 'path' in error.facts ? error.facts.path : old.name
    await io.error(`${path}: ${describeError(error)}`)
    return troubleStatus
  }
  const [oldBytes, newBytes] = contents
  io.account(oldBytes.length + newBytes.length)
  const areSame = sameBytes(oldBytes, newBytes)
  const names = `${old.name} and ${fresh.name}`
  const showsAll = given.has('sideBySide') || formatsOf(given) !== undefined
  if (areSame && !showsAll) return reportSame(io, given, names)
  if (!given.has('text') && (isBinary(oldBytes) || isBinary(newBytes))) {
    await io.stdout.write(given.has('brief') ? `Files ${names} differ\n` : `Binary files ${names} differ\n`)
    return differentStatus
  }
  const sides = sidesOf(oldBytes, newBytes, rulesOf(given), given)
  if (sides.changes.length === 0) {
    if (showsAll && !given.has('brief')) await io.stdout.write(print(sides, given, old, fresh))
    return reportSame(io, given, names)
  }
  if (given.has('brief')) {
    await io.stdout.write(`Files ${names} differ\n`)
    return differentStatus
  }
  if (!isOperand) await io.stdout.write(`diff ${switches(io.args)}${quoted(old.name)} ${quoted(fresh.name)}\n`)
  await io.stdout.write(print(sides, given, old, fresh))
  if (!given.has('ed') || !(sides.old.isCut || sides.fresh.isCut)) return differentStatus
  // A script for ed can't say that a line feed is missing.
  await io.error(`${sides.old.isCut ? old.name : fresh.name}: No newline at end of file`)
  return troubleStatus
}

async function reportSame(io: ProgramIo, given: Given, names: string): Promise<number> {
  if (given.has('reportSame')) await io.stdout.write(`Files ${names} are identical\n`)
  return sameStatus
}

async function read(io: ProgramIo, { name, stat }: File): Promise<Bytes> {
  if (stat === undefined) return new Uint8Array()
  return readAll(name === '-' ? io.stdin : await io.fs.openRead(name))
}

/** The options as given, for the header of each file in a directory. */
function switches(args: readonly string[]): string {
  const end = args.indexOf('--')
  const given = (end === -1 ? args : args.slice(0, end)).filter((arg) => arg.startsWith('-') && arg !== '-')
  return given.map((arg) => `${quoted(arg)} `).join('')
}

function quoted(name: string): string {
  return /^[\w%+,./:=@^-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`
}

function sameBytes(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false
  return true
}

const sniffedBytes = 4096

function isBinary(bytes: Bytes): boolean {
  return bytes.subarray(0, sniffedBytes).includes(0)
}

function linesOf(bytes: Bytes): FileLines {
  const lines = decodeText(bytes).split('\n')
  const isCut = lines.at(-1) !== ''
  if (!isCut) lines.pop()
  return { lines, isCut }
}

function sidesOf(oldBytes: Bytes, newBytes: Bytes, rules: LineRules, given: Given): Sides {
  const [old, fresh] = [linesOf(oldBytes), linesOf(newBytes)]
  const missing = given.has('ed') ? { old: false, fresh: false } : { old: old.isCut, fresh: fresh.isCut }
  const changes = editScript(old.lines, fresh.lines, rules, missing, horizonOf(given))
  return { old, fresh, changes }
}

function rulesOf(given: Given): LineRules {
  const space = given.has('ignoreAll')
    ? 'ignore-all'
    : given.has('ignoreAmount')
      ? 'ignore-amount'
      : given.has('ignoreTrailing')
        ? 'ignore-trailing'
        : 'exact'
  return {
    space,
    ignoreCase: given.has('ignoreCase'),
    ignoreTabs: given.has('ignoreTabs'),
    ignoreBlankLines: given.has('ignoreBlank'),
    stripReturns: given.has('stripReturns'),
    ignored: given.values('ignoreMatching').map((source) => {
      const regex = compileRegex(source, { syntax: 'basic' })
      return (line) => regex.test(line)
    }),
  }
}

/** Undefined when no format was given. */
function formatsOf(given: Given): DiffFormats | undefined {
  const line = (key: 'oldLine' | 'newLine' | 'unchangedLine') => given.value(key) ?? given.value('lineFormat') ?? '%L'
  const changed = given.value('changedGroup')
  const oldGroup = given.value('oldGroup') ?? changed ?? '%<'
  const newGroup = given.value('newGroup') ?? changed ?? '%>'
  const keys = ['lineFormat', 'oldLine', 'newLine', 'unchangedLine', 'oldGroup', 'newGroup'] as const
  if (![...keys, 'unchangedGroup' as const, 'changedGroup' as const].some((key) => given.has(key))) return undefined
  return {
    lines: { old: line('oldLine'), new: line('newLine'), unchanged: line('unchangedLine') },
    groups: {
      old: oldGroup,
      new: newGroup,
      unchanged: given.value('unchangedGroup') ?? '%=',
      changed: changed ?? oldGroup + newGroup,
    },
  }
}

function print(sides: Sides, given: Given, old: File, fresh: File): string {
  const formats = formatsOf(given)
  if (formats !== undefined) return printFormatted(sides, formats)
  const style =
    given.last('normal', 'unified', 'context', 'ed', 'sideBySide') ?? (given.has('showFunction') ? 'context' : 'normal')
  if (style === 'ed') return printEd(sides)
  if (style === 'sideBySide') {
    const width = numberOf(given.value('width') ?? String(defaultWidth), 'width')
    return printSideBySide(sides, {
      width,
      leftColumn: given.has('leftColumn'),
      suppressCommon: given.has('suppressCommon'),
    })
  }
  if (style === 'normal') return printNormal(sides)
  const context = contextOf(given, style as 'unified' | 'context')
  const labels = given.values('label')
  const head = (file: File, index: number) => labels[index] ?? `${file.name}\t${timestamp(file.stat)}`
  const heading = headingRule(given)
  if (style === 'context') {
    return `*** ${head(old, 0)}\n--- ${head(fresh, 1)}\n${printContext(sides, context, heading)}`
  }
  return `--- ${head(old, 0)}\n+++ ${head(fresh, 1)}\n${printUnified(sides, context, heading)}`
}

function contextOf(given: Given, style: 'unified' | 'context'): number {
  return numberOf(given.values(style).at(-1) ?? String(defaultContext), 'context length')
}

function horizonOf(given: Given): number {
  const style = given.last('normal', 'unified', 'context', 'ed', 'sideBySide')
  const context = style === 'unified' || style === 'context' ? contextOf(given, style) : 0
  return Math.max(context, numberOf(given.value('horizon') ?? '0', 'horizon length'))
}

function headingRule(given: Given): Heading | undefined {
  const source = given.value('functionLine') ?? (given.has('showFunction') ? '^[[:alpha:]$_]' : undefined)
  if (source === undefined) return undefined
  const regex = compileRegex(source, { syntax: 'basic' })
  return (line) => regex.test(line)
}

function numberOf(text: string, what: string): number {
  if (!/^\d+$/.test(text)) throw new ProgramError(`invalid ${what} '${text}'`, troubleStatus)
  return Number(text)
}

function timestamp(stat: Stat | undefined): string {
  const iso = new Date(stat?.modifiedMs ?? 0).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}000000 +0000`
}
