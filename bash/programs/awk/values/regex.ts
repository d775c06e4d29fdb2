/** Regular expressions of awk programs, compiled once. */
import { byteLocale } from '../../../io/locale.js'
import { compileRegex, RegexError, type ShellRegex } from '../../../regex/index.js'
import { AwkFatal } from '../syntax/awk-error.js'
import type { Dialect } from '../syntax/dialect.js'
import { unescapeString } from '../syntax/lexer.js'

export interface RegexSettings {
  readonly dialect: Dialect
  readonly ignoreCase: boolean
  /** Every byte is a character. */
  readonly bytes: boolean
}

export function awkRegex(source: string, { dialect, ignoreCase, bytes }: RegexSettings, captures = false): ShellRegex {
  try {
    return compileRegex(hyphens(withCharacters(source, dialect, bytes)), {
      syntax: dialect.posix ? 'posix-awk' : dialect.traditional ? 'traditional-awk' : 'awk',
      ignoreCase,
      captures,
      bytes,
    })
  } catch (error) {
    if (error instanceof RegexError) throw new AwkFatal(`invalid regexp: ${error.message}: /${source}/`)
    throw error
  }
}

/** Three hyphens in brackets are one, not a range. */
function hyphens(source: string): string {
  return source.includes('---') ? source.replace(/(\[[^\]]*?)---/g, '$1\\-') : source
}

const numericEscapes = /\\(?:[^0-7x]|x(?![0-9a-fA-F]))|(?:\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}))+/g

/**
 * Characters that are written as numbers mean what they mean where they stand as they are: `\052` repeats. The first awk
 * took them for themselves. Bytes that are written one by one may be characters together.
 */
function withCharacters(source: string, dialect: Dialect, bytes: boolean): string {
  if (!source.includes('\\')) return source
  return source.replace(numericEscapes, (found) => {
    if (!/^\\[0-7x]/.test(found)) return found
    const text = unescapeString(found, dialect)
    const plain = bytes ? byteLocale.text(text) : text
    return dialect.traditional && !dialect.posix ? plain.replace(/[()|*+?.^$\\[\]]/g, '\\$&') : plain
  })
}

/** Compiles regular expressions that programs make as they run; keeps the last few at hand. */
export class RegexCache {
  ignoreCase = false
  private plain = new Map<string, ShellRegex>()
  private capturing = new Map<string, ShellRegex>()
  private readonly told = new Set<string>()

  constructor(
    readonly bytes: boolean,
    readonly dialect: Dialect,
  ) {}

  of(source: string): ShellRegex {
    return this.cached(this.plain, source, false)
  }

  /** With groups. */
  withGroups(source: string): ShellRegex {
    return this.cached(this.capturing, source, true)
  }

  setIgnoreCase(ignoreCase: boolean): void {
    if (ignoreCase === this.ignoreCase) return
    this.ignoreCase = ignoreCase
    this.plain.clear()
    this.capturing.clear()
  }

  /** What is said of backslashes that mean nothing, once for each letter. */
  oddEscapes(source: string): string[] {
    if (!source.includes('\\')) return []
    const known = this.dialect.posix
      ? '{}()|*+?.^$\\[]/-'
      : this.dialect.traditional
        ? '()|*+?.^$\\[]/-'
        : "<>`'BywWsS{}()|*+?.^$\\[]/-"
    const messages: string[] = []
    for (const [, letter = ''] of source.matchAll(/\\([\s\S])/gu)) {
      if (`abfnrtvx01234567${known}`.includes(letter) || this.told.has(letter)) continue
      this.told.add(letter)
      const said = letter === '8' || letter === '9' ? `treated as plain \`${letter}'` : 'is not a known regexp operator'
      messages.push(`regexp escape sequence \`\\${letter}' ${said}`)
    }
    return messages
  }

  private cached(cache: Map<string, ShellRegex>, source: string, captures: boolean): ShellRegex {
    const known = cache.get(source)
    if (known !== undefined) return known
    if (cache.size > 500) cache.clear()
    const made = awkRegex(source, this, captures)
    cache.set(source, made)
    return made
  }
}
