/** The options of `sort` and what they mean. */
import { encodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { requireInput } from '../common/inputs.js'
import { type KeyDefinition, parseKey, refuseIncompatible, sortKey, withGlobalLetters } from './keys.js'
import { type LineOrder, lineOrder } from './order.js'

const letterOptions = {
  b: { names: ['-b', '--ignore-leading-blanks'] },
  d: { names: ['-d', '--dictionary-order'] },
  f: { names: ['-f', '--ignore-case'] },
  g: { names: ['-g', '--general-numeric-sort'] },
  i: { names: ['-i', '--ignore-nonprinting'] },
  M: { names: ['-M', '--month-sort'] },
  h: { names: ['-h', '--human-numeric-sort'] },
  n: { names: ['-n', '--numeric-sort'] },
  R: { names: ['-R', '--random-sort'] },
  r: { names: ['-r', '--reverse'] },
  V: { names: ['-V', '--version-sort'] },
} as const

export const sortOptions = {
  ...letterOptions,
  kind: { names: ['--sort'], value: 'required' },
  randomSource: { names: ['--random-source'], value: 'required' },
  batchSize: { names: ['--batch-size'], value: 'required' },
  check: { names: ['-c'] },
  checkQuietly: { names: ['-C'] },
  checkHow: { names: ['--check'], value: 'optional' },
  files: { names: ['--files0-from'], value: 'required' },
  key: { names: ['-k', '--key'], value: 'required' },
  merge: { names: ['-m', '--merge'] },
  output: { names: ['-o', '--output'], value: 'required' },
  stable: { names: ['-s', '--stable'] },
  bufferSize: { names: ['-S', '--buffer-size'], value: 'required' },
  separator: { names: ['-t', '--field-separator'], value: 'required' },
  temporary: { names: ['-T', '--temporary-directory'], value: 'required' },
  parallel: { names: ['--parallel'], value: 'required' },
  unique: { names: ['-u', '--unique'] },
  zero: { names: ['-z', '--zero-terminated'] },
  /** `sort -y` is historic and does nothing. */
  historicSize: { names: ['-y'], value: 'optional' },
} as const

type Given = ParsedArguments<typeof sortOptions>

export interface SortRules {
  order: LineOrder
  isUnique: boolean
  isMerge: boolean
  check: 'quiet' | 'diagnose' | undefined
  output: string | undefined
  temporary: string | undefined
  delimiter: string
}

const kinds: Readonly<Record<string, string>> = {
  'general-numeric': 'g',
  'human-numeric': 'h',
  month: 'M',
  numeric: 'n',
  random: 'R',
  version: 'V',
}

export async function sortRules(io: ProgramIo, given: Given): Promise<SortRules> {
  const letters = new Set<string>(Object.keys(letterOptions).filter((letter) => given.has(letter as 'b')))
  for (const kind of given.values('kind')) letters.add(argument('sort', kind, Object.keys(kinds), kinds))
  const keys = given.values('key').map((text) => withGlobalLetters(parseKey(text), letters))
  const check = checkOf(given)
  if (keys.length === 0) keys.push(...wholeLine(letters))
  for (const key of keys) refuseIncompatible(key.letters)
  const [output, otherOutput] = [...new Set(given.values('output'))]
  if (otherOutput !== undefined) throw new ProgramError('multiple output files specified', 2)
  if (check !== undefined && output !== undefined) {
    throw new ProgramError(`options '-${check === 'quiet' ? 'C' : 'c'}o' are incompatible`, 2)
  }
  for (const size of given.values('bufferSize')) checkBufferSize(size)
  checkCount('parallel', given.value('parallel'))
  checkCount('batch-size', given.value('batchSize'))
  const separator = separatorOf(given.values('separator'))
  const hash = await hasher(io, given.value('randomSource'), keys)
  const isUnique = given.has('unique')
  return {
    order: lineOrder(
      keys.map((key) => sortKey(key, separator, hash)),
      { isReverse: letters.has('r'), isStable: given.has('stable'), isUnique, step: io.step },
    ),
    isUnique,
    isMerge: given.has('merge'),
    check,
    output,
    temporary: given.value('temporary'),
    delimiter: given.has('zero') ? '\0' : '\n',
  }
}

/** The whole line is a key when something else than bytes is compared. */
function wholeLine(letters: ReadonlySet<string>): KeyDefinition[] {
  if ([...letters].every((letter) => letter === 'r')) return []
  return [
    {
      start: { field: 1, character: 1, skipsBlanks: letters.has('b') },
      end: undefined,
      letters: new Set([...letters].filter((letter) => letter !== 'b')),
    },
  ]
}

function checkOf(given: Given): SortRules['check'] {
  const found = given.given.flatMap(({ key, value }): Array<'quiet' | 'diagnose'> => {
    if (key === 'check') return ['diagnose']
    if (key === 'checkQuietly') return ['quiet']
    if (key !== 'checkHow') return []
    if (value === undefined) return ['diagnose']
    const how = { quiet: 'quiet', silent: 'quiet', 'diagnose-first': 'diagnose' } as const
    return [argument('check', value, ['quiet', 'silent', 'diagnose-first'], how) as 'quiet' | 'diagnose']
  })
  if (new Set(found).size > 1) throw new ProgramError("options '-cC' are incompatible", 2)
  return found[0]
}

/** The meaning of a word or of an abbreviation that only one word has. */
function argument(
  option: string,
  given: string,
  words: readonly string[],
  meanings: Readonly<Record<string, string>>,
): string {
  const matching = words.includes(given) ? [given] : words.filter((word) => word.startsWith(given))
  const [word] = matching
  if (word !== undefined && matching.length === 1) return meanings[word] as string
  const list = words.map((one) => `\n  - ${quoted(one)}`).join('')
  const problem = matching.length > 1 ? 'ambiguous' : 'invalid'
  throw new ProgramError(
    `${problem} argument ${quoted(given)} for ${quoted(`--${option}`)}\nValid arguments are:${list}\nTry 'sort --help' for more information.`,
  )
}

function checkCount(option: string, text: string | undefined): void {
  if (text === undefined || /^\d+$/.test(text)) return
  throw new ProgramError(`invalid --${option} argument ${quotedName(text)}`, 2)
}

function checkBufferSize(text: string): void {
  if (/^\d+([%bkKmMgGtTPEZY]|)$/.test(text)) return
  throw new ProgramError(`invalid ${/^\d/.test(text) ? 'suffix in ' : ''}-S argument ${quotedName(text)}`, 2)
}

function separatorOf(given: readonly string[]): string | undefined {
  const found = given.map((text) => {
    if (text === '') throw new ProgramError('empty tab', 2)
    if (text === '\\0') return '\0'
    const bytes = encodeText(text)
    if (bytes.length > 1) throw new ProgramError(`multi-character tab ${quoted(text)}`, 2)
    return String.fromCharCode(bytes[0] as number)
  })
  if (new Set(found).size > 1) throw new ProgramError('incompatible tabs', 2)
  return found[0]
}

/** A hash with a random start, so that equal keys stay together in a random order. */
async function hasher(
  io: ProgramIo,
  source: string | undefined,
  keys: readonly KeyDefinition[],
): Promise<(text: string) => number> {
  if (!keys.some(({ letters }) => letters.has('R'))) return () => 0
  let seed = Math.floor(io.random() * 2 ** 32)
  if (source !== undefined) {
    const reader = await requireInput(io, source, (reason) => `open failed: ${source}: ${reason}`, 2)
    const bytes = (await reader.read()) ?? new Uint8Array()
    seed = bytes.subarray(0, 16).reduce((sum, byte) => Math.imul(sum, 31) + byte, 0)
    reader.close()
  }
  return (text) => {
    let hash = seed
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    return (hash ^ (hash >>> 13)) >>> 0
  }
}

/** `sort +1 -2`: positions from 0. */
export function rewriteHistoricKeys(args: readonly string[]): readonly string[] {
  const rewritten: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string
    if (arg === '--') return [...rewritten, ...args.slice(index)]
    const start = historicPosition(arg, '+')
    if (start === undefined) {
      rewritten.push(arg)
      continue
    }
    const end = historicPosition(args[index + 1] ?? '', '-')
    const from = `${start.field + 1}.${start.character + 1}${start.letters}`
    if (end === undefined) {
      rewritten.push('-k', from)
      continue
    }
    const to = end.character === 0 ? `${end.field}` : `${end.field + 1}.${end.character}`
    rewritten.push('-k', `${from},${to}${end.letters}`)
    index += 1
  }
  return rewritten
}

function historicPosition(text: string, sign: string) {
  const [, mark, field, character = '0', letters = ''] = /^([+-])(\d+)(?:\.(\d+))?([bdfgiMhnRrV]*)$/.exec(text) ?? []
  if (mark !== sign) return undefined
  return { field: Number(field), character: Number(character), letters }
}
