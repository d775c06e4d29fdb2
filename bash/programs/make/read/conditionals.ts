/** `ifeq`, `ifdef`, `else` and `endif`. */
import { endOfWord, isBlank, skipSpace } from '../characters.js'
import { expand } from '../expand/expand.js'
import type { Place } from '../make-error.js'
import type { MakeState } from '../state.js'

/** `yes`: what is read counts. `later`: it does not, but a branch that follows may. `done`: no further branch does. */
type Reading = 'yes' | 'later' | 'done'

export interface Conditional {
  reading: Reading
  sawElse: boolean
}

const words = ['ifdef', 'ifndef', 'ifeq', 'ifneq', 'else', 'endif']

export function isIgnoring(stack: readonly Conditional[]): boolean {
  return stack.some(({ reading }) => reading !== 'yes')
}

/** False when the line is no directive of this kind. `word` and `rest` are its first word and what follows. */
export async function readConditional(
  make: MakeState,
  stack: Conditional[],
  word: string,
  rest: string,
  place: Place,
): Promise<boolean> {
  if (!words.includes(word)) return false
  if (word === 'endif') {
    if (rest !== '') await extraneous(make, word, place)
    if (stack.pop() === undefined) throw make.fail("extraneous 'endif'")
  } else if (word === 'else') await readElse(make, stack, rest, place)
  else await readIf(make, stack, word, rest, place)
  return true
}

async function extraneous(make: MakeState, word: string, place: Place): Promise<void> {
  await make.complain(`extraneous text after '${word}' directive`, place)
}

async function readElse(make: MakeState, stack: Conditional[], rest: string, place: Place): Promise<void> {
  const own = stack.at(-1)
  if (own === undefined) throw make.fail("extraneous 'else'")
  if (own.sawElse) throw make.fail("only one 'else' per conditional")
  own.reading = own.reading === 'later' ? 'yes' : 'done'
  if (rest === '' || rest.startsWith('#')) {
    own.sawElse = true
    return
  }
  const end = endOfWord(rest, 0)
  const word = rest.slice(0, end)
  const isIf = words.includes(word) && word !== 'else' && word !== 'endif'
  if (!isIf) {
    await extraneous(make, 'else', place)
    return
  }
  await readIf(make, stack, word, rest.slice(skipSpace(rest, end)), place)
  const inner = stack.pop()
  if (own.reading !== 'done' && inner !== undefined) own.reading = inner.reading
}

async function readIf(make: MakeState, stack: Conditional[], word: string, rest: string, place: Place): Promise<void> {
  // What is passed over is not expanded.
  const own: Conditional = { reading: 'later', sawElse: false }
  if (isIgnoring(stack)) {
    stack.push(own)
    return
  }
  const isTrue =
    word === 'ifdef' || word === 'ifndef' ? await isDefined(make, rest) : await areEqual(make, word, rest, place)
  own.reading = isTrue === (word === 'ifdef' || word === 'ifeq') ? 'yes' : 'later'
  stack.push(own)
}

async function isDefined(make: MakeState, text: string): Promise<boolean> {
  const name = await expand(make, text)
  const end = endOfWord(name, 0)
  if (skipSpace(name, end) !== name.length) throw make.fail('invalid syntax in conditional')
  return (make.lookup(name.slice(0, end))?.value ?? '') !== ''
}

/** `(A,B)`, or each in quotes. */
async function areEqual(make: MakeState, word: string, text: string, place: Place): Promise<boolean> {
  const wrong = () => make.fail('invalid syntax in conditional')
  const mark = text[0] ?? ''
  let first: string
  let second: string
  let at: number
  if (mark === '(') {
    const comma = endOfArgument(text, 1, ',')
    if (comma < 0) throw wrong()
    let end = comma
    while (end > 1 && isBlank(text[end - 1])) end -= 1
    first = text.slice(1, end)
    const start = skipSpace(text, comma + 1)
    at = endOfArgument(text, start, ')')
    if (at < 0) throw wrong()
    second = text.slice(start, at)
  } else {
    if (mark !== '"' && mark !== "'") throw wrong()
    const end = text.indexOf(mark, 1)
    if (end < 0) throw wrong()
    first = text.slice(1, end)
    const start = skipSpace(text, end + 1)
    const other = text[start] ?? ''
    at = other === '"' || other === "'" ? text.indexOf(other, start + 1) : -1
    if (at < 0) throw wrong()
    second = text.slice(start + 1, at)
  }
  const one = await expand(make, first)
  if (skipSpace(text, at + 1) !== text.length) await extraneous(make, word, place)
  return one === (await expand(make, second))
}

function endOfArgument(text: string, from: number, end: ',' | ')'): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (character === end && depth <= 0) return at
    if (character === '(') depth += 1
    else if (character === ')') depth -= 1
  }
  return -1
}
