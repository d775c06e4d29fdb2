/** The command line of jq, which is not that of the other programs. */
import { decodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { ProgramError } from '../program-error.js'
import { createJsonReader, parseJson } from './json/json-reader.js'
import { JsonSyntaxError } from './json/syntax-error.js'
import type { Json } from './values.js'

export interface JqArguments {
  program: string | undefined
  files: string[]
  flags: Set<Flag>
  indent: string | undefined
  named: Map<string, Json>
  positional: Json[]
}

export type Flag =
  | 'slurp'
  | 'raw-input'
  | 'null-input'
  | 'raw-output'
  | 'join-output'
  | 'ascii-output'
  | 'compact-output'
  | 'color-output'
  | 'sort-keys'
  | 'exit-status'
  | 'from-file'
  | 'stream'
  | 'seq'
  | 'help'
  | 'version'

const shortFlags: Readonly<Record<string, Flag | undefined>> = {
  s: 'slurp',
  R: 'raw-input',
  n: 'null-input',
  r: 'raw-output',
  j: 'join-output',
  a: 'ascii-output',
  c: 'compact-output',
  C: 'color-output',
  S: 'sort-keys',
  e: 'exit-status',
  f: 'from-file',
  h: 'help',
  V: 'version',
}
const longFlags: ReadonlyArray<string | undefined> = [...Object.values(shortFlags), 'stream', 'seq']
const ignored = ['unbuffered', 'monochrome-output']
const unsupported = ['--stream-errors', '--debug-dump-disasm', '--debug-trace', '--run-tests']

const hint =
  'Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://stedolan.github.io/jq'

function wrong(message: string): ProgramError {
  return new ProgramError(`${message}\n${hint}`, 2)
}

export async function parseJqArguments(io: ProgramIo): Promise<JqArguments> {
  const flags = new Set<Flag>()
  const parsed: JqArguments = { program: undefined, files: [], flags, indent: '  ', named: new Map(), positional: [] }
  const words = [...io.args]
  let positionalMode: 'files' | 'args' | 'jsonargs' = 'files'
  let areOptionsOver = false

  function value(option: string, count: number, example: string): string[] {
    if (words.length < count) {
      throw wrong(`--${option} takes ${count === 1 ? 'one parameter' : 'two parameters'} (e.g. --${option} ${example})`)
    }
    return words.splice(0, count)
  }

  function operand(word: string): void {
    if (parsed.program === undefined) parsed.program = word
    else if (positionalMode === 'files') parsed.files.push(word)
    else if (positionalMode === 'args') parsed.positional.push(wellFormed(word))
    else {
      const json = readJson(word)
      if (json === undefined) throw wrong('invalid JSON text passed to --jsonargs')
      parsed.positional.push(json)
    }
  }

  async function long(name: string): Promise<void> {
    if (longFlags.includes(name)) {
      flags.add(name as Flag)
      if (name === 'compact-output') parsed.indent = undefined
      return
    }
    if (ignored.includes(name)) {
      if (name === 'monochrome-output') flags.delete('color-output')
      return
    }
    switch (name) {
      case 'library-path':
        words.shift()
        return
      case 'tab':
        parsed.indent = '\t'
        return
      case 'indent': {
        if (words.length === 0) throw wrong('--indent takes one parameter')
        const size = Number(words.shift())
        if (!(size >= -1 && size <= 7)) throw wrong('--indent takes a number between -1 and 7')
        parsed.indent = size > 0 ? ' '.repeat(size) : size === -1 ? '\t' : undefined
        return
      }
      case 'arg': {
        const [key = '', text = ''] = value('arg', 2, 'varname value')
        setNamed(key, wellFormed(text))
        return
      }
      case 'argjson': {
        const [key = '', text = ''] = value('argjson', 2, 'varname text')
        const json = readJson(text)
        if (json === undefined) throw wrong('invalid JSON text passed to --argjson')
        setNamed(key, json)
        return
      }
      case 'argfile':
      case 'slurpfile':
      case 'rawfile': {
        const [key = '', file = ''] = value(name, 2, 'varname filename')
        setNamed(key, await readFile(io, name, key, file))
        return
      }
      case 'args':
      case 'jsonargs':
        positionalMode = name
        return
      default:
        if (unsupported.includes(`--${name}`)) {
          throw new ProgramError(`option '--${name}' is not supported by this shell`, 2)
        }
        throw wrong(`Unknown option --${name}`)
    }
  }

  function setNamed(key: string, json: Json): void {
    if (!parsed.named.has(key)) parsed.named.set(key, json)
  }

  while (words.length > 0) {
    const word = words.shift() as string
    if (areOptionsOver || !/^-[-A-Za-z]/.test(word)) {
      operand(word)
      continue
    }
    if (word === '--') {
      areOptionsOver = true
      continue
    }
    if (word.startsWith('--')) {
      await long(word.slice(2))
      continue
    }
    // Where modules are looked for: there are none, and a program that wants one is refused.
    if (/^-[a-zA-Z]*L/.test(word)) {
      if (word.endsWith('L')) words.shift()
      if (word.startsWith('-L')) continue
    }
    for (const letter of word.replace(/L.*$/, '').slice(1)) {
      const flag = shortFlags[letter]
      if (flag === 'compact-output') parsed.indent = undefined
      if (flag !== undefined) flags.add(flag)
      else if (letter === 'M') flags.delete('color-output')
      else throw wrong(`Unknown option ${word}`)
    }
  }
  return parsed
}

function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}

function readJson(text: string): Json | undefined {
  try {
    return text.trim() === '' ? undefined : parseJson(text)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

async function readFile(io: ProgramIo, option: string, key: string, file: string): Promise<Json> {
  let text: string
  try {
    text = decodeText(await io.fs.readFile(file))
  } catch (error) {
    throw wrong(`Bad JSON in --${option} ${key} ${file}: Could not open ${file}: ${describeError(error)}`)
  }
  if (option === 'rawfile') return wellFormed(text)
  const reader = createJsonReader()
  reader.add(text)
  reader.end()
  const values: Json[] = []
  try {
    for (let found = reader.next(); found !== undefined; found = reader.next()) values.push(found.value)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw wrong(`Bad JSON in --${option} ${key} ${file}: ${error.message}`)
  }
  const [only] = values
  return option === 'argfile' && values.length === 1 && only !== undefined ? only : values
}
