/** What `.gitattributes` files and `.git/info/attributes` say of paths. Nothing that they name is ever run. */
import { isFsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import { type IgnoreRules, parseIgnoreRules } from '../../search/patterns/ignore-rules.js'
import { isTrue } from '../config.js'
import type { Repository } from '../repository.js'

/** `true` for a name alone, `false` with a minus before it, else its value; what is not said is absent. */
export type Attributes = ReadonlyMap<string, string | boolean>

/** The text of a `.gitattributes` in a directory, which is relative to the repository; absent where there is none. */
export type ReadAttributes = (directory: string) => Promise<string | undefined>

interface Line {
  rules: IgnoreRules
  said: ReadonlyArray<[name: string, value: string | boolean | undefined]>
}

/** A hostile file ends here, and each of its patterns takes bounded time. */
const maxBytes = 262_144
const maxLines = 2_000

/** Looks up the attributes of paths; every file is read once. */
export function openAttributes(
  repository: Repository,
  read: ReadAttributes = (directory) => readInWorkTree(repository, directory),
): (path: string) => Promise<Attributes> {
  const ignoreCase = isTrue(repository.config, 'core.ignorecase') ?? !repository.fs.capabilities.caseSensitive
  const files = new Map<string, Promise<readonly Line[]>>()
  const own = () => readText(repository, join(repository.gitDirectory, 'info/attributes'))

  function linesOf(directory: string, text: () => Promise<string | undefined>): Promise<readonly Line[]> {
    const known = files.get(directory) ?? text().then((found) => parse(found ?? '', ignoreCase))
    files.set(directory, known)
    return known
  }

  return async (path) => {
    const found = new Map<string, string | boolean>()
    const names = path.split('/')
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
  for (const { rules, said } of lines) {
    if (!matches(rules, names)) continue
    for (const [name, value] of said) {
      if (value === undefined) found.delete(name)
      else found.set(name, value)
    }
  }
}

function matches({ automaton }: IgnoreRules, names: readonly string[]): boolean {
  return automaton.advance(automaton.start, names.join('/')).fileRule >= 0
}

function parse(text: string, ignoreCase: boolean): Line[] {
  const macros = new Map<string, Line['said']>([['binary', binary]])
  const lines: Line[] = []
  for (const line of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .slice(0, maxLines)) {
    const [, quoted, plain, rest = ''] = /^[ \t]*(?:"([^"]*)"|([^\s"#!]\S*))[ \t]*(.*)$/.exec(line) ?? []
    const pattern = quoted ?? plain
    if (pattern === undefined) continue
    const words = rest.split(/[ \t]+/).filter((word) => word !== '')
    const said = words.flatMap((word) => saidBy(word, macros))
    if (pattern.startsWith('[attr]')) {
      macros.set(pattern.slice('[attr]'.length), said)
      continue
    }
    const rules = parseIgnoreRules(pattern, { ignoreCase })
    if (rules !== undefined) lines.push({ rules, said })
  }
  return lines
}

const binary: Line['said'] = [
  ['binary', true],
  ['diff', false],
  ['merge', false],
  ['text', false],
]

function saidBy(word: string, macros: ReadonlyMap<string, Line['said']>): Line['said'] {
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

/** As git does: one that is a link does not count. */
async function readText({ fs }: Repository, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await fs.exact.readFile(path, { start: 0, end: maxBytes }))
  } catch (error) {
    if (!isFsError(error)) throw error
    return undefined
  }
}
