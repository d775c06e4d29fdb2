/** Pathname expansion. */
import { FsError } from '../../../src/errors.js'
import { resolve } from '../../../src/fs/path.js'
import type { Entry, Stat } from '../../../src/fs/types.js'
import { compilePattern, type Pattern, type PatternText } from './pattern.js'
import { charactersOf, isPattern } from './pattern-text.js'

/** The files that patterns are expanded to, by absolute paths. */
export interface GlobFiles {
  readDir(path: string): Promise<Entry[]>
  stat(path: string): Promise<Stat>
  lstat(path: string): Promise<Stat>
}

export interface GlobOptions {
  cwd: string
  files: GlobFiles
  dotglob?: boolean
  globstar?: boolean
  nocaseglob?: boolean
  extglob?: boolean
  /** Off: `.` and `..` match where they are named by a dot. Default: on. */
  globskipdots?: boolean
  /** A text with one character for each one of the locale. Default: as it is. */
  inCharacters?(text: string): string
  /** Called for each directory that is read. */
  step?(): void
}

/** A component of a path, and the slashes after it. */
interface Component {
  /** Nothing for plain text. */
  pattern: Pattern | undefined
  text: string
  /** `**` with `globstar`. */
  isDeep: boolean
  slashes: string
}

/** The paths that match, sorted by bytes; none when there are none, or when the text has nothing special. */
export async function expandGlob(text: PatternText, options: GlobOptions): Promise<string[]> {
  if (!isPattern(text, options.extglob ?? false)) return []
  const components = splitComponents(text, options)
  if (components.every(({ pattern }) => pattern === undefined)) return []
  const found = await expandFrom('', components, 0, options)
  return [...new Set(found)].sort(compareText)
}

function splitComponents(text: PatternText, options: GlobOptions): Component[] {
  const components: Component[] = []
  let current: Array<{ text: string; quoted: boolean }> = []
  let slashes = ''
  const finish = () => {
    components.push(componentOf(current, slashes, options))
    current = []
    slashes = ''
  }
  for (const character of charactersOf(text)) {
    if (character.text === '/') {
      slashes += '/'
      continue
    }
    if (slashes !== '') finish()
    current.push(character)
  }
  if (current.length > 0 || slashes !== '') finish()
  return joinSlashes(components)
}

/** Slashes are kept up to the first pattern; behind it several are one. */
function joinSlashes(components: Component[]): Component[] {
  const first = components.findIndex(({ pattern }) => pattern !== undefined)
  return components.map((component, index) => {
    const isKept = index < first || component.slashes === ''
    return isKept ? component : { ...component, slashes: '/' }
  })
}

function componentOf(
  characters: Array<{ text: string; quoted: boolean }>,
  slashes: string,
  { extglob = false, nocaseglob = false, globstar = false, inCharacters = asItIs }: GlobOptions,
): Component {
  const text = characters.map((character) => character.text).join('')
  // The characters are resolved already: an escaped backslash must not escape again.
  const pieces = characters.map((character) => (character.text === '\\' ? { ...character, quoted: true } : character))
  const isDeep = globstar && text === '**' && characters.every(({ quoted }) => !quoted)
  const isSpecial = isPattern(
    [{ text: pieces.map((piece) => (piece.quoted ? ' ' : piece.text)).join(''), quoted: false }],
    extglob,
  )
  const inLocale = pieces.map(({ text: given, quoted }) => ({ text: inCharacters(given), quoted }))
  const pattern = isSpecial ? compilePattern(inLocale, { extglob, nocase: nocaseglob }) : undefined
  return { pattern: pattern?.literal === undefined ? pattern : undefined, text, isDeep, slashes }
}

/** The matches of the components from `index` on, below `prefix`, which ends in a slash or is empty. */
async function expandFrom(
  prefix: string,
  components: readonly Component[],
  index: number,
  options: GlobOptions,
): Promise<string[]> {
  const component = components[index]
  if (component === undefined) return [prefix]
  const isLast = index === components.length - 1
  if (component.isDeep) return expandDeep(prefix, components, index, options)
  if (component.pattern === undefined) {
    const path = prefix + component.text + component.slashes
    if (isLast) return (await exists(path, component.slashes !== '', options)) ? [path] : []
    return expandFrom(path, components, index + 1, options)
  }
  const found: string[] = []
  const { inCharacters = asItIs } = options
  const dots = options.globskipdots === false ? await dotEntries(prefix, options) : []
  for (const entry of [...dots, ...(await readDirectory(prefix, options))]) {
    const { pattern } = component
    const isShown = isDots(entry) ? pattern.matchesLeadingDot : isVisible(entry.name, pattern, options)
    if (!isShown || !pattern.matches(inCharacters(entry.name))) continue
    const path = prefix + entry.name
    if (component.slashes === '') found.push(path)
    else if (await isDirectory(entry, path, options)) {
      found.push(...(await expandFrom(path + component.slashes, components, index + 1, options)))
    }
  }
  return found
}

/** `**`: the directory itself and all below; links to directories are not entered. */
async function expandDeep(
  prefix: string,
  components: readonly Component[],
  index: number,
  options: GlobOptions,
): Promise<string[]> {
  const isLast = index === components.length - 1
  const slashes = (components[index] as Component).slashes
  const followsPattern = components.slice(0, index).some(({ pattern }) => pattern !== undefined)
  const found: string[] = []
  const waiting = [prefix]
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const entries = await tryReadDirectory(directory, options)
    if (entries === undefined) continue
    if (!isLast) found.push(...(await expandFrom(directory, components, index + 1, options)))
    else if (directory !== '' && slashes !== '') found.push(directory)
    else if (directory !== '' && directory === prefix) found.push(followsPattern ? prefix.slice(0, -1) : prefix)
    for (const entry of entries) {
      if (!options.dotglob && entry.name.startsWith('.')) continue
      const path = directory + entry.name
      if (isLast && slashes === '') found.push(path)
      if (entry.kind === 'directory') waiting.push(`${path}${slashes === '' ? '/' : slashes}`)
      else if (isLast && slashes !== '' && (await isDirectory(entry, path, options))) found.push(path + slashes)
    }
  }
  return found
}

function asItIs(text: string): string {
  return text
}

function isDots({ name }: Entry): boolean {
  return name === '.' || name === '..'
}

/** The directory itself and the one above, where there is a directory. */
async function dotEntries(prefix: string, options: GlobOptions): Promise<Entry[]> {
  if ((await tryReadDirectory(prefix, options)) === undefined) return []
  return ['.', '..'].map((name) => ({ name, kind: 'directory' }))
}

function isVisible(name: string, pattern: Pattern, { dotglob = false }: GlobOptions): boolean {
  return dotglob || !name.startsWith('.') || pattern.matchesLeadingDot
}

async function readDirectory(prefix: string, options: GlobOptions): Promise<Entry[]> {
  return (await tryReadDirectory(prefix, options)) ?? []
}

async function tryReadDirectory(prefix: string, { cwd, files, step }: GlobOptions): Promise<Entry[] | undefined> {
  step?.()
  try {
    return await files.readDir(resolve(cwd, prefix === '' ? '.' : prefix))
  } catch (error) {
    ignoreMissing(error)
    return undefined
  }
}

async function isDirectory(entry: Entry, path: string, { cwd, files }: GlobOptions): Promise<boolean> {
  if (entry.kind === 'directory') return true
  if (entry.kind !== 'symlink') return false
  try {
    return (await files.stat(resolve(cwd, path))).kind === 'directory'
  } catch (error) {
    ignoreMissing(error)
    return false
  }
}

async function exists(path: string, asDirectory: boolean, { cwd, files }: GlobOptions): Promise<boolean> {
  try {
    if (asDirectory) return (await files.stat(resolve(cwd, path))).kind === 'directory'
    await files.lstat(resolve(cwd, path))
    return true
  } catch (error) {
    ignoreMissing(error)
    return false
  }
}

/** What cannot be read has no matches; other failures, such as a cancelled command, go on. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof FsError)) throw error
}

/** The order of the bytes in UTF-8, which is that of the code points. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at += 1) {
    const first = left.charCodeAt(at)
    const second = right.charCodeAt(at)
    if (first === second) continue
    return rank(first) - rank(second)
  }
  return left.length - right.length
}

/** Pairs of surrogates are characters above all that are one unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
}
