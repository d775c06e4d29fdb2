/** Regular expressions of awk programs, compiled once. */
import { compileRegex, RegexError, type ShellRegex } from '../../../regex/index.js'
import { AwkFatal } from '../syntax/awk-error.js'

export function awkRegex(source: string, ignoreCase: boolean, captures = false): ShellRegex {
  try {
    return compileRegex(source, { syntax: 'awk', ignoreCase, captures })
  } catch (error) {
    if (error instanceof RegexError) throw new AwkFatal(`invalid regexp: ${error.message}: /${source}/`)
    throw error
  }
}

/** Compiles regular expressions that programs make as they run; keeps the last few at hand. */
export class RegexCache {
  ignoreCase = false
  private plain = new Map<string, ShellRegex>()
  private capturing = new Map<string, ShellRegex>()

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
    const made = awkRegex(source, this.ignoreCase, captures)
    cache.set(source, made)
    return made
  }
}
