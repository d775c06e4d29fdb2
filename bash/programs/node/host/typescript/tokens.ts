/** The parser of sucrase, which is made for speed and marks the tokens of types. The only file that imports it. */
import { parse, type Token } from 'sucrase/dist/parser/index.js'
import { TokenType } from 'sucrase/dist/parser/tokenizer/types.js'

export type { Token }

/** The text has a mistake. */
export class SyntaxFault extends Error {}

export function tokensOf(text: string): Token[] {
  try {
    return parse(text, false, true, false).tokens
  } catch (error) {
    throw new SyntaxFault((error as Error).message.replace(/ \(\d+:\d+\)$/, ''))
  }
}

export const nonNull = TokenType.nonNullAssertion
export const regularExpression = TokenType.regexp
export const text = [TokenType.string, TokenType.template]
export const end = TokenType.eof
/** `abstract`, `declare` and the like, where they are not names. */
export const keyword = (word: string): number => TokenType[`_${word}`] ?? -1
