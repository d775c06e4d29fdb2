/** Lists of expressions: their commas and ends. */
import type { Expr } from './ast.js'
import type { ParserState } from './parser-state.js'

/** For the arguments of functions that take one: they bind closer than comparisons. */
export const unaryLevel = 8

export function atComma(state: ParserState): boolean {
  return state.sees(',') || state.sees('=>')
}

/** Items after a first one, from the comma on. */
export function moreItems(state: ParserState): Expr[] {
  const items: Expr[] = []
  while (takeComma(state)) {
    if (endsList(state)) break
    items.push(state.grammar.item(state))
  }
  return items
}

function takeComma(state: ParserState): boolean {
  let found = false
  while (state.take(',') || state.take('=>')) found = true
  return found
}

export function endsList(state: ParserState): boolean {
  state.skip()
  const next = state.text[state.at]
  if (next === undefined || ')]};:'.includes(next)) return true
  const word = state.word()
  if (word === undefined || !/^(?:if|unless|while|until|for|foreach|and|or|xor)$/.test(word)) return false
  return state.match(/\w+\s*=>/y) === undefined
}
