/**
 * Code that is no ES module can import one, and so can code of `eval`. The browser's own `import` would ask the network, so it is made a call of the
 * engine's; what `eval` gets is changed in the same way when it gets it. A call of `eval` stays one, so that it sees the variables around it.
 */
import { parse } from 'es-module-lexer/js'
import { type Edited, type Edits, editsOf } from './edits.js'
import { type Word, wordsOf } from './syntax.js'

/** Code for what acts on behalf of the file. */
export interface Importer {
  /** In place of `import`. */
  readonly imports: string
  /** A function for what `eval` gets. */
  readonly text: string
  /** In place of `eval`, where it is not called by its name. */
  readonly evaluator: string
}

/** Larger code is not looked through for `eval`. */
const maxLookedThrough = 2 << 20

/** `importer` is made when it is needed. `isOwn`: code of the library, which hands `eval` itself to scripts. */
export function withoutImports(source: string, importer: () => Importer, { isOwn = false } = {}): Edited {
  const edits = editsOf(source)
  if (/\bimport\s*(?:\(|\/[/*])/.test(source)) {
    for (const { ss, d } of importsOf(source)) if (d > -1) edits.replace(ss, d, importer().imports)
  }
  if (!isOwn && source.length <= maxLookedThrough && /\beval\b/.test(source)) changeEval(source, edits, importer)
  return edits.edited()
}

/** What is no code fails when it is compiled. */
function importsOf(source: string): ReturnType<typeof parse>[0] {
  try {
    return parse(source)[0]
  } catch {
    return []
  }
}

function changeEval(source: string, edits: Edits, importer: () => Importer): void {
  const tokens = wordsOf(source)
  const word = (index: number) => tokens[index]?.word ?? ''
  for (const [index, { word: own, start, end }] of tokens.entries()) {
    if (own !== 'eval') continue
    const [before, after] = [word(index - 1), word(index + 1)]
    if (before === '.' || before === '?.') {
      const object = tokens[index - 2]
      if (object === undefined || !/^(?:globalThis|global)$/.test(object.word) || after === '=') continue
      edits.replace(object.start, end, importer().evaluator)
    } else if (after === '(' && before !== 'function') {
      const close = closing(tokens, index + 1)
      const open = tokens[index + 1] as Word
      if (close === undefined) continue
      edits.replace(open.end, open.end, `${importer().text}(`)
      edits.replace(close.start, close.start, ')')
    } else if (
      !/^(?:=|:|=>)$/.test(after) &&
      !/^(?:typeof|function|delete|let|const|var)$/.test(before) &&
      start !== end
    ) {
      edits.replace(start, end, importer().evaluator)
    }
  }
}

function closing(tokens: readonly Word[], open: number): Word | undefined {
  let depth = 0
  for (let index = open; index < tokens.length; index += 1) {
    const token = tokens[index] as Word
    if (/^(?:[([{]|\$\{)$/.test(token.word)) depth += 1
    else if (/^[)\]}]$/.test(token.word)) depth -= 1
    if (depth === 0) return token
  }
  return undefined
}
