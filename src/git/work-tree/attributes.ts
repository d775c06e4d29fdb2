/** Reads `.gitattributes` files, `.git/info/attributes` and the user's own attributes. Programs they name are never run. */
import { isFsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import { type IgnoreRules, parseIgnoreRules } from '../../search/patterns/ignore-rules.js'
import { isTrue } from '../config.js'
import type { Repository } from '../repository.js'

/** `true` for a name alone, `false` with a leading minus, else the value; unspecified attributes are absent. */
export type Attributes = ReadonlyMap<string, string | boolean>

/** Reads the `.gitattributes` of a directory relative to the repository; undefined where there is none. */
export type ReadAttributes = (directory: string) => Promise<string | undefined>

interface Line {
  rules: IgnoreRules
  attributes: ReadonlyArray<[name: string, value: string | boolean | undefined]>
}

/** Limits for hostile files; each pattern takes bounded time. */
const maxBytes = 262_144
const maxLines = 2_000

/** Looks up the attributes of paths; every file is read once. */
export function openAttributes(
  repository: Repository,
  read: ReadAttributes = (directory) => readInWorkTree(repository, directory),
): (path: string) => Promise<Attributes> {
  const ignoreCase = isTrue(repository.config, 'core.ignorecase') ?? !repository.fs.capabilities.caseSensitive
  const files = new Map<string, Promise<readonly Line[]>>()
  const own = () => readText(repository, join(repository.commonDirectory, 'info/attributes'))

  function linesOf(directory: string, text: () => Promise<string | undefined>): Promise<readonly Line[]> {
    const known = files.get(directory) ?? text().then((found) => parse(found ?? '', ignoreCase))
    files.set(directory, known)
    return known
  }

  return async (path) => {
    const found = new Map<string, string | boolean>()
    const names = path.split('/')
    apply(await linesOf('\0global', async () => repository.globalAttributes), names, found)
    for (let depth = 0; depth < names.length; depth += 1) {
      const directory = names.slice(0, depth).join('/')
      const lines = await linesOf(directory, () => read(directory))
      apply(lines, names.slice(depth), found)
    }
    apply(await linesOf('\0info', own), names, found)
    return found
  }
}

function apply(lines: readonly Line[], names: readonly string[], found: Map<string, string | boolean>): void {
  for (const { rules, attributes } of lines) {
    if (!matches(rules, names)) continue
    for (const [name, value] of attributes) {
      if (value === undefined) found.delete(name)
      else found.set(name, value)
    }
  }
}

function matches({ automaton }: IgnoreRules, names: readonly string[]): boolean {
  return automaton.advance(automaton.start, names.join('/')).fileRule >= 0
}

function parse(text: string, ignoreCase: boolean): Line[] {
  const macros = new Map<string, Line['attributes']>([['binary', binary]])
  const lines: Line[] = []
  for (const line of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .slice(0, maxLines)) {
    const [, quoted, plain, rest = ''] = /^[ \t]*(?:"([^"]*)"|([^\s"#!]\S*))[ \t]*(.*)$/.exec(line) ?? []
    const pattern = quoted ?? plain
    if (pattern === undefined) continue
    const words = rest.split(/[ \t]+/).filter((word) => word !== '')
    const attributes = words.flatMap((word) => attributesIn(word, macros))
    if (pattern.startsWith('[attr]')) {
      macros.set(pattern.slice('[attr]'.length), attributes)
      continue
    }
    const rules = parseIgnoreRules(pattern, { ignoreCase })
    if (rules !== undefined) lines.push({ rules, attributes })
  }
  return lines
}

const binary: Line['attributes'] = [
  ['binary', true],
  ['diff', false],
  ['merge', false],
  ['text', false],
]

function attributesIn(word: string, macros: ReadonlyMap<string, Line['attributes']>): Line['attributes'] {
  if (word.startsWith('-')) return [[word.slice(1), false]]
  if (word.startsWith('!')) return [[word.slice(1), undefined]]
  const equals = word.indexOf('=')
  if (equals > 0) return [[word.slice(0, equals), word.slice(equals + 1)]]
  return macros.get(word) ?? [[word, true]]
}

function readInWorkTree(repository: Repository, directory: string): Promise<string | undefined> {
  return readText(
    repository,
    join(repository.root, directory === '' ? '.gitattributes' : `${directory}/.gitattributes`),
  )
}

/** Like git, ignores a file that is a link. */
async function readText({ fs }: Repository, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await fs.exact.readFile(path, { start: 0, end: maxBytes }))
  } catch (error) {
    if (!isFsError(error)) throw error
    return undefined
  }
}
