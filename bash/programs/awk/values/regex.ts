/** Regular expressions of awk programs, compiled once. */
import { compileRegex, RegexError, type ShellRegex } from '../../../regex/index.js'
import { AwkFatal } from '../syntax/awk-error.js'
import { unescapeString } from '../syntax/lexer.js'

export interface RegexSettings {
  readonly ignoreCase: boolean
  /** Every byte is a character. */
  readonly bytes: boolean
}

export function awkRegex(source: string, { ignoreCase, bytes }: RegexSettings, captures = false): ShellRegex {
  try {
    return compileRegex(hyphens(bytes ? source : withCharacters(source)), {
      syntax: 'awk',
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

/** Bytes that are written as escapes one by one may be characters together. */
function withCharacters(source: string): string {
  if (!source.includes('\\')) return source
  return source.replace(/\\\\|(?:\\[23][0-7]{2}|\\x[89a-fA-F][0-9a-fA-F])+/g, (found) =>
    found === '\\\\' ? found : unescapeString(found),
  )
}

/** Compiles regular expressions that programs make as they run; keeps the last few at hand. */
export class RegexCache {
  ignoreCase = false
  private plain = new Map<string, ShellRegex>()
  private capturing = new Map<string, ShellRegex>()

  constructor(readonly bytes: boolean) {}

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

  private cached(cache: Map<string, ShellRegex>, source: string, captures: boolean): ShellRegex {
    const known = cache.get(source)
    if (known !== undefined) return known
    if (cache.size > 500) cache.clear()
    const made = awkRegex(source, this, captures)
    cache.set(source, made)
    return made
  }
}
