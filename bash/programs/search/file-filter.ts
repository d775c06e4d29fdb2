/** Which files `grep -r` searches: `--include`, `--exclude` and `--exclude-dir`. */
import { nameGlob } from './name-globs.js'

export interface FileRule {
  isInclude: boolean
  pattern: string
}

/** The last rule that matches decides; without one, a file is left out if the first rule is one that includes. */
export function fileFilter(rules: readonly FileRule[]): (name: string, isOperand: boolean) => boolean {
  const compiled = rules.map(({ isInclude, pattern }) => ({ isInclude, matches: nameGlob(pattern) }))
  return (name, isOperand) => {
    const names = isOperand ? suffixes(name) : [name]
    const last = compiled.filter(({ matches }) => names.some(matches)).at(-1)
    return last === undefined ? compiled[0]?.isInclude !== true : last.isInclude
  }
}

/** A name that was given matches as a whole and by every part of it that begins after a slash. */
function suffixes(name: string): string[] {
  const all = [name]
  for (const { index } of name.matchAll(/\/(?=[^/])/g)) all.push(name.slice(index + 1))
  return all
}
