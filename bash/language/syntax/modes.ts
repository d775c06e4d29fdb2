/** The ways in which text is read as parts of a word. */
import type { PartsMode } from './input.js'

const escapedInQuotes = '$`"\\'

export const wordMode: PartsMode = {
  quoted: false,
  singleQuotes: true,
  doubleQuotes: true,
  stops: ' \t\n;&|<>()',
  isWord: true,
}

/** Inside of double quotes. */
export const doubleMode: PartsMode = {
  quoted: true,
  escapes: escapedInQuotes,
  singleQuotes: false,
  doubleQuotes: false,
  stops: '"',
}

/** The body of a here-document. */
export const heredocMode: PartsMode = {
  quoted: true,
  escapes: '$`\\',
  singleQuotes: false,
  doubleQuotes: false,
  stops: '',
}

/** Prompts: as in double quotes, which are text. */
export const promptMode: PartsMode = { ...heredocMode, escapes: escapedInQuotes }

/** The word of `${x:-word}`. */
export const operandMode: PartsMode = { quoted: false, singleQuotes: true, doubleQuotes: true, stops: '}' }

/** The same inside of double quotes and in here-documents: single quotes are text, but hide the end. */
export const quotedOperandMode: PartsMode = {
  quoted: true,
  escapes: `${escapedInQuotes}}`,
  singleQuotes: false,
  doubleQuotes: true,
  stops: '}',
  pairsQuotes: true,
}

/** The pattern of `${x/pattern/replacement}`. */
export const replacedMode: PartsMode = { ...operandMode, stops: '/}' }

/** The pattern of `${x//pattern/replacement}`, which may begin with a slash. */
export const allReplacedMode: PartsMode = { ...replacedMode, startsWithStop: true }

/** The offset of `${x:offset:length}`. */
export const offsetMode: PartsMode = {
  quoted: true,
  escapes: escapedInQuotes,
  singleQuotes: false,
  doubleQuotes: true,
  stops: ':}',
  open: '(',
  close: ')',
  conditional: true,
}

export const sliceLengthMode: PartsMode = { ...offsetMode, stops: '}', conditional: false }

/** The text between `((` and `))`. */
export const arithmeticMode: PartsMode = {
  quoted: true,
  escapes: escapedInQuotes,
  singleQuotes: false,
  doubleQuotes: true,
  stops: ')',
  open: '(',
  close: ')',
}

/** One part of `for ((a; b; c))`. */
export const arithmeticForMode: PartsMode = { ...arithmeticMode, stops: ';)' }

/** `$[…]` */
export const bracketArithmeticMode: PartsMode = { ...arithmeticMode, stops: ']', open: '[', close: ']' }

/** The text between the brackets of `a[…]`. */
export const subscriptMode: PartsMode = {
  quoted: false,
  singleQuotes: true,
  doubleQuotes: true,
  stops: ']',
  open: '[',
  close: ']',
}

/** The right side of `=~`. */
export const regexMode: PartsMode = {
  quoted: false,
  singleQuotes: true,
  doubleQuotes: true,
  stops: ' \t\n;&<>)',
  open: '(',
  close: ')',
  isRegex: true,
}
