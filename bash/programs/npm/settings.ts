/** What npm is told: by options, by variables `npm_config_…`, and by `.npmrc` files. */
import type { ProgramIo } from '../../io/program.js'
import { defaults, flags, lists, type Setting, shorthands, withValue } from './option-names.js'

export interface Settings {
  /** The command and its arguments. */
  readonly words: readonly string[]
  /** About options that npm does not know. */
  readonly warnings: readonly string[]
  /** The options alone. */
  readonly given: ReadonlyMap<string, Setting>
  text(name: string): string | undefined
  is(name: string): boolean
  list(name: string): readonly string[]
  /** True when it is set to something, even to "no". */
  has(name: string): boolean
  /** What a file says of a name that is none of npm's own, such as `@scope:registry`. */
  scoped(name: string): string | undefined
  /** Adds what a file says; what is known already stays. */
  addFile(text: string): void
}

export function readSettings(io: ProgramIo, args: readonly string[]): Settings {
  const { given, words, warnings } = readOptions(args)
  const environment = readVariables(io.env)
  const files: Array<ReadonlyMap<string, Setting>> = []
  const texts: string[] = []
  const find = (name: string) =>
    [given, environment, ...files].find((layer) => layer.has(name))?.get(name) ?? defaults[name]
  return {
    words,
    warnings,
    given,
    has: (name) => [given, environment, ...files].some((layer) => layer.has(name)),
    text(name) {
      const value = find(name)
      return typeof value === 'string' ? value : Array.isArray(value) ? value.at(-1) : undefined
    },
    is: (name) => find(name) === true,
    list(name) {
      const value = find(name)
      return typeof value === 'string' ? [value] : Array.isArray(value) ? value : []
    },
    scoped: (name) => texts.flatMap((text) => scopedIn(text, name) ?? [])[0],
    addFile(text) {
      texts.push(text)
      files.push(readFileSettings(text))
    },
  }
}

interface Options {
  given: Map<string, Setting>
  words: string[]
  warnings: string[]
}

function readOptions(args: readonly string[]): Options {
  const given = new Map<string, Setting>()
  const words: string[] = []
  const warnings: string[] = []
  for (const name of Object.keys(shorthands)) {
    if (name.length > 1 && args.includes(`-${name}`)) {
      warnings.push(`-${name} is not a valid single-hyphen cli flag and will be removed in the future`)
    }
  }
  const queue = [...args]
  while (queue.length > 0) {
    const arg = queue.shift() as string
    if (/^-{2,}$/.test(arg)) {
      words.push(...queue)
      break
    }
    if (!/^-./.test(arg)) {
      words.push(arg)
      continue
    }
    const [, written = '', attached] = /^([^=]*)(?:=(.*))?$/s.exec(arg) ?? []
    const bare = written.replace(/^-+/, '')
    const expanded = expand(bare, written.startsWith('--'))
    if (expanded !== undefined) {
      queue.unshift(...expanded, ...(attached === undefined ? [] : [attached]))
      continue
    }
    const full = written.startsWith('--') ? completed(bare) : undefined
    if (full !== undefined) {
      warnings.push(`Expanding --${bare} to --${full}. This will stop working in the next major version of npm.`)
      queue.unshift(attached === undefined ? `--${full}` : `--${full}=${attached}`)
      continue
    }
    const negated = /^no-/.test(bare) && !withValue.has(bare) && !flags.has(bare)
    const name = negated ? bare.slice(3) : bare
    if (!flags.has(name) && !withValue.has(name)) {
      warnings.push(`Unknown cli config "--${name}". This will stop working in the next major version of npm.`)
      continue
    }
    if (negated || flags.has(name)) given.set(name, flagValue(queue, negated, attached))
    else add(given, name, attached ?? queue.shift() ?? '')
  }
  return { given, words, warnings }
}

/** The only option that begins so. */
function completed(bare: string): string | undefined {
  if (flags.has(bare) || withValue.has(bare) || Object.hasOwn(shorthands, bare)) return undefined
  const starting = [...flags, ...withValue].filter((name) => name.startsWith(bare))
  return starting.length === 1 ? starting[0] : undefined
}

/** The options that a short one stands for. */
function expand(bare: string, isLong: boolean): readonly string[] | undefined {
  if (flags.has(bare) || withValue.has(bare)) return undefined
  const known = Object.hasOwn(shorthands, bare) ? shorthands[bare] : undefined
  if (known !== undefined) return known
  if (isLong) return undefined
  const letters = [...bare]
  const all = letters.map((letter) => (Object.hasOwn(shorthands, letter) ? shorthands[letter] : undefined))
  return letters.length > 1 && all.every((each) => each !== undefined) ? all.flat() : undefined
}

function flagValue(queue: string[], negated: boolean, attached: string | undefined): boolean {
  const written = attached ?? (queue[0] === 'true' || queue[0] === 'false' ? queue.shift() : undefined)
  return negated ? written === 'false' : written !== 'false'
}

function add(settings: Map<string, Setting>, name: string, value: string): void {
  if (!lists.has(name)) settings.set(name, value)
  else settings.set(name, [...((settings.get(name) as readonly string[] | undefined) ?? []), value])
}

/** Text from outside is what the option takes. */
function set(settings: Map<string, Setting>, name: string, value: string): void {
  if (flags.has(name)) settings.set(name, value !== 'false' && value !== '')
  else if (lists.has(name)) settings.set(name, value.split('\n\n'))
  else if (withValue.has(name)) settings.set(name, value)
}

function readVariables(env: ReadonlyMap<string, string>): Map<string, Setting> {
  const settings = new Map<string, Setting>()
  for (const [key, value] of env) {
    if (!/^npm_config_/i.test(key) || value === '') continue
    set(settings, key.slice('npm_config_'.length).replaceAll('_', '-').toLowerCase(), value)
  }
  return settings
}

function scopedIn(text: string, name: string): string | undefined {
  for (const line of text.split(/\r?\n/)) {
    const [key, value] = line.split(/\s*=\s*/, 2)
    if (key?.trim() === name && value !== undefined) return value.trim()
  }
  return undefined
}

function readFileSettings(text: string): Map<string, Setting> {
  const settings = new Map<string, Setting>()
  for (const line of text.split(/\r?\n/)) {
    const [, key = '', isArray, written = 'true'] = /^\s*([^\s=;#[]+)(\[\])?\s*(?:=\s*(.*?))?\s*$/.exec(line) ?? []
    if (key === '') continue
    const value = written.replace(/^"(.*)"$|^'(.*)'$/s, '$1$2')
    if (isArray) add(settings, key, value)
    else set(settings, key, value)
  }
  return settings
}
