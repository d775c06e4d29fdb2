/** The command line of make, and `MAKEFLAGS`, which says the same to what make runs. */
import { ProgramError } from '../program-error.js'
import { wordsOf } from './characters.js'

export interface Options {
  makefiles: string[]
  directories: string[]
  includes: string[]
  evaluated: string[]
  oldFiles: string[]
  newFiles: string[]
  makesAll: boolean
  environmentWins: boolean
  ignoresErrors: boolean
  keepsGoing: boolean
  dryRuns: boolean
  asks: boolean
  touches: boolean
  isSilent: boolean
  traces: boolean
  /** Undefined: where it is of use. */
  printsDirectory: boolean | undefined
  hasRules: boolean
  hasVariables: boolean
  warnsUndefined: boolean
  /** As in `-j2`; empty for as many as there can be. */
  jobs: string | undefined
  load: string | undefined
  /** Of the text of `MAKEFLAGS`: options that do nothing here. */
  others: string[]
}

export interface Given {
  options: Options
  goals: string[]
  /** `NAME=VALUE`. */
  assignments: string[]
  asksFor: 'help' | 'version' | undefined
}

export function noOptions(): Options {
  return {
    makefiles: [],
    directories: [],
    includes: [],
    evaluated: [],
    oldFiles: [],
    newFiles: [],
    makesAll: false,
    environmentWins: false,
    ignoresErrors: false,
    keepsGoing: false,
    dryRuns: false,
    asks: false,
    touches: false,
    isSilent: false,
    traces: false,
    printsDirectory: undefined,
    hasRules: true,
    hasVariables: true,
    warnsUndefined: false,
    jobs: undefined,
    load: undefined,
    others: [],
  }
}

interface Switch {
  letter?: string
  names: readonly string[]
  value?: 'required' | 'optional'
  set(given: Given, value: string | undefined): void
}

const refuse = (name: string) => () => {
  throw new ProgramError(`option '${name}' is not supported by this shell`, 2)
}

const flag = (letter: string, names: string, set: (options: Options) => void): Switch => ({
  letter,
  names: wordsOf(names),
  set: ({ options }) => set(options),
})

const list = (letter: string, names: string, of: (options: Options) => string[]): Switch => ({
  letter,
  names: wordsOf(names),
  value: 'required',
  set: ({ options }, value = '') => of(options).push(value),
})

const long = (name: string, set: (options: Options) => void): Switch => ({
  names: [name],
  set: ({ options }) => set(options),
})

export const switches: readonly Switch[] = [
  flag('b', '', () => {}),
  flag('m', '', () => {}),
  flag('B', 'always-make', (options) => (options.makesAll = true)),
  list('C', 'directory', (options) => options.directories),
  { letter: 'd', names: [], set: refuse('-d') },
  { names: ['debug'], value: 'optional', set: refuse('--debug') },
  flag('e', 'environment-overrides', (options) => (options.environmentWins = true)),
  list('E', 'eval', (options) => options.evaluated),
  list('f', 'file makefile', (options) => options.makefiles),
  { letter: 'h', names: ['help'], set: (given) => (given.asksFor ??= 'help') },
  flag('i', 'ignore-errors', (options) => (options.ignoresErrors = true)),
  list('I', 'include-dir', (options) => options.includes),
  { letter: 'j', names: ['jobs'], value: 'optional', set: setJobs },
  { names: ['jobserver-auth'], value: 'required', set: () => {} },
  flag('k', 'keep-going', (options) => (options.keepsGoing = true)),
  {
    letter: 'l',
    names: ['load-average', 'max-load'],
    value: 'optional',
    set: ({ options }, value) => (options.load = value ?? ''),
  },
  { letter: 'L', names: ['check-symlink-times'], set: refuse('-L') },
  flag('n', 'just-print dry-run recon', (options) => (options.dryRuns = true)),
  list('o', 'old-file assume-old', (options) => options.oldFiles),
  { letter: 'O', names: ['output-sync'], value: 'optional', set: ({ options }, value) => setSync(options, value) },
  { letter: 'p', names: ['print-data-base'], set: refuse('-p') },
  flag('q', 'question', (options) => (options.asks = true)),
  flag('r', 'no-builtin-rules', (options) => (options.hasRules = false)),
  flag('R', 'no-builtin-variables', (options) => {
    options.hasVariables = false
    options.hasRules = false
  }),
  flag('s', 'silent quiet', (options) => (options.isSilent = true)),
  long('no-silent', (options) => (options.isSilent = false)),
  flag('S', 'no-keep-going stop', (options) => (options.keepsGoing = false)),
  flag('t', 'touch', (options) => (options.touches = true)),
  long('trace', (options) => (options.traces = true)),
  { letter: 'v', names: ['version'], set: (given) => (given.asksFor ??= 'version') },
  flag('w', 'print-directory', (options) => (options.printsDirectory = true)),
  long('no-print-directory', (options) => (options.printsDirectory = false)),
  list('W', 'what-if new-file assume-new', (options) => options.newFiles),
  long('warn-undefined-variables', (options) => (options.warnsUndefined = true)),
]

/** Its message is printed with make's help. */
export class WrongOption extends Error {}

function setJobs({ options }: Given, value: string | undefined): void {
  if (value !== undefined && !/^[1-9][0-9]*$/.test(value)) {
    throw new WrongOption("the '-j' option requires a positive integer argument")
  }
  options.jobs = value ?? ''
}

function setSync(options: Options, value = 'target'): void {
  if (!['none', 'line', 'target', 'recurse'].includes(value))
    throw new WrongOption(`unknown output-sync type '${value}'`)
  options.others.push(`-O${value}`)
}

/** Options may stand anywhere; what has `=` is a variable. */
export function readArguments(args: readonly string[], given: Given, isEnvironment = false): void {
  let isOver = false
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] as string
    if (isOver || word === '-' || !word.startsWith('-')) addOperand(given, word, isEnvironment)
    else if (word === '--') isOver = true
    else if (word.startsWith('--')) index += readLong(word, args.slice(index + 1), given)
    else index += readShort(word, args.slice(index + 1), given)
  }
}

function addOperand(given: Given, word: string, isEnvironment: boolean): void {
  if (/^[^=]*=/.test(word) && !word.startsWith('=')) given.assignments.push(word)
  else if (!isEnvironment) given.goals.push(word)
}

function readLong(word: string, rest: readonly string[], given: Given): number {
  const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? []
  const all = switches.flatMap((one) => one.names.map((known) => ({ known, one })))
  const exact = all.filter(({ known }) => known === name)
  const matching = exact.length > 0 ? exact : all.filter(({ known }) => known.startsWith(name))
  const different = new Set(matching.map(({ one }) => one))
  const [first] = matching
  if (first === undefined) throw new WrongOption(`unrecognized option '--${name}'`)
  if (different.size > 1) {
    const names = matching.map(({ known }) => ` '--${known}'`).join('')
    throw new WrongOption(`option '${word}' is ambiguous; possibilities:${names}`)
  }
  const { one, known } = first
  if (one.value === undefined && value !== undefined)
    throw new WrongOption(`option '--${known}' doesn't allow an argument`)
  if (one.value !== 'required' || value !== undefined) {
    one.set(given, value)
    return 0
  }
  if (rest.length === 0) throw new WrongOption(`option '--${known}' requires an argument`)
  one.set(given, rest[0])
  return 1
}

function readShort(word: string, rest: readonly string[], given: Given): number {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] as string
    const one = switches.find((known) => known.letter === letter)
    if (one === undefined) throw new WrongOption(`invalid option -- '${letter}'`)
    if (one.value === undefined) {
      one.set(given, undefined)
      continue
    }
    const attached = word.slice(at + 1)
    if (attached !== '') {
      one.set(given, attached)
      return 0
    }
    // A number may stand by itself behind -j and -l.
    const takesNext = one.value === 'required' || /^[0-9]+$/.test(rest[0] ?? '')
    if (one.value === 'required' && rest.length === 0)
      throw new WrongOption(`option requires an argument -- '${letter}'`)
    one.set(given, takesNext ? rest[0] : undefined)
    return takesNext ? 1 : 0
  }
  return 0
}

/** The words of `MAKEFLAGS`: the first may have letters without a dash. */
export function wordsOfFlags(text: string): string[] {
  const words: string[] = []
  let word = ''
  let isWord = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    if (character === ' ' || character === '\t') {
      if (isWord) words.push(word)
      word = ''
      isWord = false
      continue
    }
    if (character === '\\' && at + 1 < text.length) {
      at += 1
      word += text[at]
    } else word += character
    isWord = true
  }
  if (isWord) words.push(word)
  const [first] = words
  if (first !== undefined && !first.startsWith('-') && !first.includes('=')) words[0] = `-${first}`
  return words
}

/** The options for `MFLAGS`, as they are handed on. */
export function flagsText(options: Options): string {
  const letters = [
    options.makesAll && 'B',
    options.environmentWins && 'e',
    options.ignoresErrors && 'i',
    options.keepsGoing && 'k',
    options.dryRuns && 'n',
    options.asks && 'q',
    !options.hasRules && 'r',
    !options.hasVariables && 'R',
    options.isSilent && 's',
    options.touches && 't',
    options.printsDirectory === true && 'w',
  ]
    .filter((letter) => letter !== false)
    .join('')
  const words = [
    letters === '' ? '' : `-${letters}`,
    ...options.includes.map((name) => `-I${quoted(name)}`),
    options.jobs === undefined ? '' : `-j${options.jobs}`,
    (options.jobs ?? '') === '' || options.jobs === '1' ? '' : '--jobserver-auth=3,4',
    options.load === undefined ? '' : `-l${options.load}`,
    ...options.others,
    options.traces ? '--trace' : '',
    options.printsDirectory === false ? '--no-print-directory' : '',
    options.warnsUndefined ? '--warn-undefined-variables' : '',
  ]
  return words.filter((word) => word !== '').join(' ')
}

export function quoted(text: string): string {
  return text.replace(/[\s\\$]/g, (character) => (character === '$' ? '$$' : `\\${character}`))
}
