/** Patterns that are plain text. */
import type { Node } from '../../src/search/patterns/regex/ast.js'
import type { RegexMatch, ShellRegex } from './types.js'

/** As long as the needles of other patterns. */
const maxNeedleUnits = 64

/** The text that alone matches; undefined when there is not one, or when it has bytes that are not characters. */
export function plainText(root: Node): string | undefined {
  const items = root.kind === 'sequence' ? root.items : [root]
  let text = ''
  for (const item of items) {
    if (item.kind !== 'set' || item.set.length !== 2 || item.set[0] !== item.set[1]) return undefined
    text += String.fromCodePoint(item.set[0] as number)
  }
  return text !== '' && text.isWellFormed() ? text : undefined
}

export function literalRegex(plain: string, warnings: readonly string[]): ShellRegex {
  const expression = new RegExp(plain.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'g')

  function exec(text: string, from = 0): RegexMatch | undefined {
    const start = text.indexOf(plain, from)
    return start < 0 ? undefined : { start, end: start + plain.length, groups: [] }
  }

  return {
    groups: 0,
    exec,
    test: (text, from = 0) => text.indexOf(plain, from) >= 0,
    // The platform's own search is not slow where a long text nearly repeats itself.
    literals: plain.length > maxNeedleUnits ? undefined : { needles: [{ text: plain, folded: false }], whole: true },
    globalFor: () => expression,
    warnings,
  }
}
