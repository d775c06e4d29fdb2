/** The expression of `find`: tests and actions, with `!`, `-a`, `-o`, `,` and parentheses. */
import { entryOf } from '../../../../src/text/entry-of.js'
import { ProgramError } from '../../program-error.js'
import { lstatIfThere } from '../shared/facts.js'
import { printAction, toStdout } from './actions.js'
import type { Found, Search, Test } from './found.js'
import { type Given, primaries } from './primaries.js'

const orWords = ['-o', '-or']
const andWords = ['-a', '-and']
const notWords = ['!', '-not']
const operators = [...orWords, ...andWords, ...notWords, '(', ')', ',']

/** Reads all words. Without an action, what matches is printed. */
export async function parseExpression(words: readonly string[], search: Search): Promise<Test> {
  const given: Given = {
    search,
    regexSyntax: 'emacs',
    hasAction: false,
    hasPrune: false,
    hasDelete: false,
    isDepthAsked: false,
  }
  let at = 0
  let previous = ''

  const peek = () => words[at]

  async function list(): Promise<Test> {
    let test = await alternatives()
    while (peek() === ',') {
      next()
      requireOperand(',')
      test = sequence(test, await alternatives())
    }
    return test
  }

  async function alternatives(): Promise<Test> {
    let test = await conjunction()
    while (orWords.includes(peek() ?? '')) {
      const word = next()
      requireOperand(word)
      test = either(test, await conjunction())
    }
    return test
  }

  async function conjunction(): Promise<Test> {
    let test = await negation()
    for (;;) {
      const word = peek()
      if (word === undefined || word === ')' || word === ',' || orWords.includes(word)) return test
      if (andWords.includes(word)) {
        next()
        requireOperand(word)
      }
      test = both(test, await negation())
    }
  }

  async function negation(): Promise<Test> {
    const word = next()
    if (notWords.includes(word)) {
      if (peek() === undefined) throw new ProgramError(`expected an expression after '${word}'`)
      return not(await negation())
    }
    if (word === '(') return group()
    if (word === ')') throw new ProgramError("invalid expression; you have too many ')'")
    if (operators.includes(word)) {
      throw new ProgramError(`invalid expression; you have used a binary operator '${word}' with nothing before it.`)
    }
    return primary(word)
  }

  async function group(): Promise<Test> {
    if (peek() === ')') {
      throw new ProgramError('invalid expression; empty parentheses are not allowed.')
    }
    if (peek() === undefined) {
      throw new ProgramError(
        "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('",
      )
    }
    const test = await list()
    if (peek() !== ')') {
      throw new ProgramError("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
    }
    next()
    return test
  }

  async function primary(word: string): Promise<Test> {
    const make = entryOf(primaries, word) ?? primaries[word.replace(/^--(?=[a-z])/, '-')]
    if (make === undefined && /^-newer[aBcm][aBcmt]$/.test(word)) {
      return newerPrimary(word)
    }
    if (make === undefined) {
      if (/^-newer..$/.test(word)) throw new ProgramError(`invalid predicate \`${word}'`)
      if (word.startsWith('-')) throw new ProgramError(`unknown predicate \`${word}'`)
      const isThere = (await lstatIfThere(search.io.fs, word)) !== undefined
      const hint = isThere && previous !== '' ? `\nfind: possible unquoted pattern after predicate \`${previous}'?` : ''
      throw new ProgramError(`paths must precede expression: \`${word}'${hint}`)
    }
    previous = word
    return make({ ...argumentsOf(word), given })
  }

  async function newerPrimary(word: string): Promise<Test> {
    const make = primaries['-newerXY']
    if (make === undefined) throw new ProgramError(`unknown predicate \`${word}'`)
    previous = word
    return make({ ...argumentsOf(word), given })
  }

  /** How a primary takes its arguments. */
  function argumentsOf(word: string) {
    return {
      word,
      argument(): string {
        const value = words[at]
        if (value === undefined) throw new ProgramError(`missing argument to \`${word}'`)
        at += 1
        return value
      },
      rest: () => words.slice(at),
      skip(count: number): void {
        at += count
      },
    }
  }

  function next(): string {
    const word = words[at]
    if (word === undefined) throw new ProgramError('invalid expression')
    at += 1
    return word
  }

  function requireOperand(word: string): void {
    if (peek() === undefined) throw new ProgramError(`expected an expression after '${word}'`)
  }

  const print = printAction(toStdout, '\n')
  if (words.length === 0) return print
  const test = await list()
  if (peek() !== undefined) throw new ProgramError("you have too many ')'")
  if (given.hasDelete) {
    if (given.hasPrune && !given.isDepthAsked) {
      throw new ProgramError(
        'The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you want to carry on anyway, just explicitly use the -depth option.',
      )
    }
    search.isDepthFirst = true
  }
  return given.hasAction ? test : both(test, print)
}

type Result = boolean | Promise<boolean>

/** Stays synchronous where the tests are: most searches look at names only. */
function then(result: Result, go: (value: boolean) => Result): Result {
  return typeof result === 'boolean' ? go(result) : result.then(go)
}

function both(a: Test, b: Test): Test {
  return (found, search) => then(a(found, search), (value) => (value && !search.hasQuit ? b(found, search) : false))
}

function either(a: Test, b: Test): Test {
  return (found, search) => then(a(found, search), (value) => (value || search.hasQuit ? true : b(found, search)))
}

function not(a: Test): Test {
  return (found, search) => then(a(found, search), (value) => !value)
}

function sequence(a: Test, b: Test): Test {
  return (found: Found, search: Search) => then(a(found, search), () => (search.hasQuit ? true : b(found, search)))
}
