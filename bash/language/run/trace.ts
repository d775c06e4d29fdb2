/** `set -x` */
import { expandText } from '../expand/expand-word.js'
import { expandPrompt } from '../expand/prompt.js'
import { quoteSingle, quoteTraced } from '../expand/quote.js'
import { readText } from '../expand/variable-access.js'
import type { Assignment, Word } from '../syntax/ast.js'
import type { Shell } from './state/shell.js'
import type { Steps } from './state/steps.js'

/** Writes one traced line. */
export function* trace(shell: Shell, text: string): Steps<void> {
  const given = readText(shell, 'PS4') ?? ''
  shell.options.set('xtrace', false)
  const prompt = yield* expandPrompt(shell, given, expandText)
  shell.options.set('xtrace', true)
  const [first = ''] = [...prompt]
  yield* shell.complain(`${first.repeat(shell.traceDepth - 1)}${prompt}${text}\n`)
}

export function* traceWords(
  shell: Shell,
  argv: readonly string[],
  arrays: ReadonlyMap<number, Assignment>,
): Steps<void> {
  for (const array of arrays.values()) {
    yield* trace(shell, `${array.name}${array.appends ? '+' : ''}=(${quotedSourcesOf(array)})`)
  }
  yield* trace(shell, argv.map(traceWord).join(' '))
}

export function* traceAssignment(shell: Shell, assignment: Assignment, text: string): Steps<void> {
  const { name, subscript, appends, value } = assignment
  const key = subscript === undefined ? '' : `[${subscript.source}]`
  const shown = value.type === 'array' ? `(${sourcesOf(assignment)})` : quoteTraced(text)
  yield* trace(shell, `${name}${key}${appends ? '+' : ''}=${shown}`)
}

export function traceWord(word: string): string {
  return word === '' ? "''" : quoteTraced(word)
}

/** As bash shows the arrays of `declare`. */
function quotedSourcesOf({ value }: Assignment): string {
  if (value.type !== 'array') return ''
  const quote = (text: string) => quoteSingle(text.replace(/^(["'])(.*)\1$/s, '$2'))
  return value.elements
    .map(({ key, value: element }) => `${key === undefined ? '' : `[${quote(key.source)}]=`}${quote(element.source)}`)
    .join(' ')
}

function sourcesOf({ value }: Assignment): string {
  if (value.type !== 'array') return ''
  return value.elements
    .map((element) => {
      const text = element.value.source
      return element.key === undefined ? text : `[${element.key.source}]=${text}`
    })
    .join(' ')
}

/** As in `BASH_COMMAND`. */
export function loopHead(type: 'for' | 'select', name: string, words: readonly Word[] | undefined): string {
  return `${type} ${name} in ${words === undefined ? '"$@"' : words.map(({ source }) => source).join(' ')}`
}
