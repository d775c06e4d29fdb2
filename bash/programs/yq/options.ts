/** The arguments of yq. */
import { isFsError } from '../../../src/errors.js'
import { decodeText } from '../../io/byte-text.js'
import type { ProgramIo } from '../../io/program.js'
import { ProgramError } from '../program-error.js'
import { YqError } from './nodes.js'

export type Format = 'yaml' | 'json' | 'csv' | 'tsv' | 'props'

export interface Given {
  expression: string
  files: string[]
  /** All documents are one input. */
  isAll: boolean
  isWithoutInput: boolean
  isInPlace: boolean
  inputFormat: Format
  outputFormat: Format
  indent: number
  isUnwrapped: boolean
  isUnwrapGiven: boolean
  isCompact: boolean
  hidesMarks: boolean
  needsMatch: boolean
  endsWithNul: boolean
  /** Values of tables are YAML. */
  parsesCells: boolean
  hidesEnvironment: boolean
  hidesFiles: boolean
  /** What is printed instead of all else. */
  about: string | undefined
}

const formats: Readonly<Record<string, Format>> = {
  yaml: 'yaml',
  y: 'yaml',
  yml: 'yaml',
  json: 'json',
  j: 'json',
  csv: 'csv',
  c: 'csv',
  tsv: 'tsv',
  t: 'tsv',
  props: 'props',
  p: 'props',
}

/** By the letter, and whether a value follows. */
const letters: Readonly<Record<string, { name: string; value?: boolean }>> = {
  e: { name: 'exit-status' },
  i: { name: 'inplace' },
  n: { name: 'null-input' },
  N: { name: 'no-doc' },
  r: { name: 'unwrapScalar' },
  P: { name: 'prettyPrint' },
  M: { name: 'no-colors' },
  C: { name: 'colors' },
  j: { name: 'tojson' },
  c: { name: 'yaml-compact-seq-indent' },
  0: { name: 'nul-output' },
  V: { name: 'version' },
  h: { name: 'help' },
  v: { name: 'verbose' },
  I: { name: 'indent', value: true },
  o: { name: 'output-format', value: true },
  p: { name: 'input-format', value: true },
  s: { name: 'split-exp', value: true },
  f: { name: 'front-matter', value: true },
}
const withValue = new Set([
  ...Object.values(letters).flatMap(({ name, value }) => (value ? [name] : [])),
  'expression',
  'from-file',
  'split-exp-file',
])
const flags = ['csv-auto-parse', 'tsv-auto-parse', 'security-disable-env-ops', 'security-disable-file-ops']
const unsupported = [
  'colors',
  'split-exp',
  'front-matter',
  'split-exp-file',
  'verbose',
  'yaml-fix-merge-anchor-to-spec',
]
const withoutEffect = ['no-colors', 'header-preprocess', 'string-interpolation']

const usage = `yq is a portable command-line data file processor (https://github.com/mikefarah/yq/)

Usage:
  yq [flags]
  yq [command]

Commands: eval (default, alias e), eval-all (alias ea)

Flags:
  -e, --exit-status          set exit status if there are no matches or null or false is returned
      --expression string    forcibly set the expression argument
      --from-file string     load expression from a file
  -I, --indent int           sets indent level for output (default 2)
  -i, --inplace              update the first file in place
  -p, --input-format         auto, yaml, json, csv or tsv
  -N, --no-doc               don't print document separators (---)
  -0, --nul-output           use NUL to separate values
  -n, --null-input           don't read input
  -o, --output-format        auto, yaml, json, props, csv or tsv
  -P, --prettyPrint          shorthand for '... style = ""'
  -r, --unwrapScalar         print scalars without quotes, colours or comments (default true for yaml)
  -V, --version              print the version

This is the emulation in polyfs, not the original.
`

export async function readArguments(io: ProgramIo): Promise<Given> {
  const options = new Map<string, string>()
  const operands: string[] = []
  const words = [...io.args]
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string
    if (word === '--') {
      operands.push(...words.slice(at + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word)
      continue
    }
    at += readOption(word, words[at + 1], options)
  }
  return given(io, options, operands)
}

/** Returns how many words after it belong to it. */
function readOption(word: string, next: string | undefined, options: Map<string, string>): number {
  const long = /^--([\w-]+)(?:=([\s\S]*))?$/.exec(word)
  if (long !== null) {
    const [, name = '', value] = long
    const needsValue = withValue.has(name)
    const isKnown =
      needsValue ||
      flags.includes(name) ||
      unsupported.includes(name) ||
      withoutEffect.includes(name) ||
      Object.values(letters).some((each) => each.name === name)
    if (!isKnown) throw new YqError(`unknown flag: --${name}`)
    if (needsValue && value === undefined && next === undefined) throw new YqError(`flag needs an argument: --${name}`)
    options.set(name, value ?? (needsValue ? (next as string) : 'true'))
    return needsValue && value === undefined ? 1 : 0
  }
  for (let at = 1; at < word.length; at += 1) {
    const letter = letters[word[at] as string]
    if (letter === undefined) throw new YqError(`unknown shorthand flag: '${word[at]}' in ${word}`)
    const rest = word.slice(at + 1).replace(/^=/, '')
    if (letter.value) {
      if (rest === '' && next === undefined) throw new YqError(`flag needs an argument: '${word[at]}' in ${word}`)
      options.set(letter.name, rest === '' ? (next as string) : rest)
      return rest === '' ? 1 : 0
    }
    const isNegated = word[at + 1] === '='
    options.set(letter.name, isNegated ? rest : 'true')
    if (isNegated) break
  }
  return 0
}

function formatOf(name: string | undefined, file: string | undefined): Format {
  if (name !== undefined && name !== 'auto' && name !== 'a') {
    const found = formats[name]
    if (found === undefined) throw new ProgramError(`format '${name}' is not supported by this shell`, 2)
    return found
  }
  const [, end = ''] = /\.(\w+)$/.exec(file ?? '') ?? []
  if (['xml', 'toml', 'lua', 'properties', 'ini', 'hcl', 'tf'].includes(end))
    throw new ProgramError(`format '${end}' is not supported by this shell`, 2)
  return end === 'json' || end === 'csv' || end === 'tsv' ? end : 'yaml'
}

async function given(io: ProgramIo, options: ReadonlyMap<string, string>, operands: string[]): Promise<Given> {
  const isSet = (name: string) => options.has(name) && options.get(name) !== 'false'
  for (const name of unsupported)
    if (isSet(name)) throw new ProgramError(`option '--${name}' is not supported by this shell`, 2)
  const isAll = operands[0] === 'eval-all' || operands[0] === 'ea'
  if (isAll || operands[0] === 'eval' || operands[0] === 'e') operands.shift()
  let expression = options.get('expression')
  const source = options.get('from-file')
  if (source !== undefined) expression = decodeText(await io.fs.readFile(io.path(source)))
  const isWithoutInput = isSet('null-input')
  // The first word is the expression, unless it is the only one and names a file.
  if (
    expression === undefined &&
    operands.length > 0 &&
    !(operands.length === 1 && !isWithoutInput && (await isFile(io, operands[0] as string)))
  )
    expression = operands.shift()
  const files = isWithoutInput ? [] : operands.length > 0 ? operands : ['-']
  const inputFormat = formatOf(options.get('input-format'), files[0])
  const outputFormat = options.has('tojson')
    ? 'json'
    : options.has('output-format') && !['auto', 'a'].includes(options.get('output-format') as string)
      ? formatOf(options.get('output-format'), undefined)
      : // What is said about the input says nothing about the output.
        ['auto', 'a', undefined].includes(options.get('input-format'))
        ? inputFormat
        : 'yaml'
  if (isSet('inplace') && files[0] === '-')
    throw new YqError('write inplace flag only applicable when giving an expression and at least one file')
  const isPretty = isSet('prettyPrint')
  const unwrap = options.get('unwrapScalar')
  return {
    expression: isPretty
      ? `${expression === undefined || expression === '' ? '.' : `(${expression})`} | (... style="")`
      : (expression ?? '.'),
    files,
    isAll,
    isWithoutInput,
    isInPlace: isSet('inplace'),
    inputFormat,
    outputFormat,
    indent: Number(options.get('indent') ?? 2),
    isUnwrapped: unwrap === undefined ? outputFormat !== 'json' : unwrap !== 'false',
    isUnwrapGiven: unwrap !== undefined && unwrap !== 'false',
    isCompact: isSet('yaml-compact-seq-indent'),
    hidesMarks: isSet('no-doc'),
    needsMatch: isSet('exit-status'),
    endsWithNul: isSet('nul-output'),
    parsesCells: !['f', 'false'].includes(
      options.get(inputFormat === 'tsv' ? 'tsv-auto-parse' : 'csv-auto-parse') ?? '',
    ),
    hidesEnvironment: isSet('security-disable-env-ops'),
    hidesFiles: isSet('security-disable-file-ops'),
    about: isSet('version') ? 'version' : isSet('help') || io.args.length === 0 ? usage : undefined,
  }
}

async function isFile(io: ProgramIo, name: string): Promise<boolean> {
  if (name === '-') return true
  try {
    return (await io.fs.stat(io.path(name))).kind === 'file'
  } catch (error) {
    if (isFsError(error)) return false
    throw error
  }
}
