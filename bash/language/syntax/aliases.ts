/** Aliases. Their values take the place of their names in the text while it is read. */
import { type AliasReader, type Input, isMeta, lineEndsOf, skipBlanks } from './input.js'

/** No other character is part of a word that is replaced. */
const plainWord = /[^\s;&|<>()'"\\$`]+/y

/** Replaces an alias where a command begins. What is next then is no blank. */
export function expandAliases(input: Input): void {
  skipBlanks(input)
  if (input.aliases !== undefined) while (replaceWord(input, true)) skipBlanks(input)
}

/** Replaces an alias in another place, which only an alias before it allows. */
export function expandNext(input: Input): void {
  skipBlanks(input)
  if (input.aliases !== undefined) while (replaceWord(input, false)) skipBlanks(input)
}

function replaceWord(input: Input, isCommand: boolean): boolean {
  const { aliases, text, at } = input
  // The text of a substitution is read again when it runs.
  if (aliases === undefined || input.isEnclosed) return false
  leaveExpansions(aliases, at)
  const expandsNext = aliases.expandsNext
  plainWord.lastIndex = at
  const [name] = plainWord.exec(text) ?? []
  const isWord = name !== undefined && isMeta(text[at + name.length])
  const isUsed = aliases.expansions.some((expansion) => expansion.name === name)
  const value = isWord && !isUsed && (isCommand || expandsNext) ? aliases.lookUp(name) : undefined
  if (name === undefined || value === undefined) {
    if (name !== undefined) aliases.expandsNext = false
    return false
  }
  replaceText(input, at, name.length, value)
  for (const expansion of aliases.expansions) expansion.end += value.length - name.length
  aliases.expansions.push({ name, end: at + value.length, expandsNext: /[ \t]$/.test(value) })
  return true
}

/** Forgets the values that have been read to their ends. */
function leaveExpansions(aliases: AliasReader, at: number): void {
  const { expansions } = aliases
  for (let last = expansions.at(-1); last !== undefined && last.end <= at; last = expansions.at(-1)) {
    aliases.expandsNext ||= last.expandsNext
    expansions.pop()
  }
}

/** Lines stay those of the text as it was written. */
function replaceText(input: Input, at: number, length: number, value: string): void {
  const ends = lineEndsOf(input)
  input.text = input.text.slice(0, at) + value + input.text.slice(at + length)
  input.lineEnds = ends.map((end) => (end < at ? end : end + value.length - length))
  input.closings.clear()
}
