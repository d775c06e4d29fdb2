/** `-g` of ripgrep: rules as in ignore files, but a plain one includes and one with `!` leaves out. */
import { relative } from '../../../src/fs/path.js'
import { type IgnoreRules, parseIgnoreRules } from '../../../src/search/patterns/ignore-rules.js'

export interface RgGlobs {
  /** `included` overrides ignore files and hidden names. */
  choose(path: string, isDirectory: boolean): 'included' | 'ignored' | 'unknown'
}

export function rgGlobs(globs: ReadonlyArray<{ pattern: string; ignoreCase: boolean }>, cwd: string): RgGlobs {
  const rules = globs.map(({ pattern, ignoreCase }) => ({
    includes: !pattern.startsWith('!'),
    rules: parseIgnoreRules(pattern.replace(/^!/, ''), { ignoreCase }),
  }))
  const mustMatch = rules.some(({ includes }) => includes)
  return {
    choose(path, isDirectory) {
      const name = relative(cwd, path)
      const last = rules.filter((rule) => rule.rules !== undefined && matches(rule.rules, name, isDirectory)).at(-1)
      if (last !== undefined) return last.includes ? 'included' : 'ignored'
      return mustMatch && !isDirectory ? 'ignored' : 'unknown'
    },
  }
}

function matches({ automaton }: IgnoreRules, path: string, isDirectory: boolean): boolean {
  const reached = automaton.advance(automaton.start, path)
  return (isDirectory ? reached.directoryRule : reached.fileRule) >= 0
}
