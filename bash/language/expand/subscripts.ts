/** Subscripts of arrays: keys of associative arrays are words, and all others arithmetic, in which single quotes are text. */
import { CommandFailure, ExpansionFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import type { Word } from '../syntax/ast.js'
import { parseArithmeticText, parseWord, SyntaxFault } from '../syntax/parse.js'
import type { Expander } from './expander.js'

const cacheSize = 500
const keys = new Map<string, Word>()
const expressions = new Map<string, Word>()
const needsExpansion = /[\\$`"']/
const quotes = /[\\"']/

/** The subscript of the script itself. `isKey`: that of an associative array. */
export function* expandSubscript(expander: Expander, shell: Shell, word: Word, isKey: boolean): Steps<string> {
  const quick = isKey || !quotes.test(word.source) ? expander.quick(shell, word) : undefined
  if (quick !== undefined) return quick
  if (isKey || !quotes.test(word.source)) return yield* expander.plain(shell, word)
  return yield* expander.arithmetic(shell, parsed(expressions, word.source, parseArithmeticText))
}

/** That of a name in a text, where commands can run. */
export function* expandSubscriptText(expander: Expander, shell: Shell, text: string, isKey: boolean): Steps<string> {
  if (!needsExpansion.test(text)) return text
  return isKey
    ? yield* expander.plain(shell, parsed(keys, text, parseWord))
    : yield* expander.arithmetic(shell, parsed(expressions, text, parseArithmeticText))
}

/** That of a name in a text, such as an argument of `unset` or the value of a reference, which is still to be expanded. */
export function subscriptOf(expander: Expander, shell: Shell, text: string, isKey: boolean): string {
  return needsExpansion.test(text) ? now(text, expandSubscriptText(expander, shell, text, isKey)) : text
}

function parsed(known: Map<string, Word>, text: string, parse: (text: string) => Word): Word {
  const before = known.get(text)
  if (before !== undefined) return before
  try {
    const word = parse(text)
    if (known.size >= cacheSize) known.clear()
    known.set(text, word)
    return word
  } catch (error) {
    throw error instanceof SyntaxFault ? new ExpansionFailure(`[${text}]: bad array subscript`) : error
  }
}

/** Arithmetic and references are read without waiting, which only commands in them would need. */
function now(text: string, steps: Steps<string>): string {
  const turn = steps.next()
  if (turn.done) return turn.value
  turn.value.catch(() => {})
  steps.return('')
  throw new CommandFailure(`${text}: a command that waits is not supported in a subscript`, 2)
}
