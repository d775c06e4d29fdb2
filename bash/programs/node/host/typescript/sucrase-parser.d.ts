/** What is used of the parser inside of sucrase: its tokens, which say whether they belong to a type. */
declare module 'sucrase/dist/parser/index.js' {
  export interface Token {
    type: number
    contextualKeyword: number
    start: number
    end: number
    isType: boolean
  }
  export function parse(
    input: string,
    isJSXEnabled: boolean,
    isTypeScriptEnabled: boolean,
    isFlowEnabled: boolean,
  ): { tokens: Token[] }
}

declare module 'sucrase/dist/parser/tokenizer/types.js' {
  export const TokenType: Readonly<Record<string, number>>
}
