/** Checks of single files. */
import { isFsError } from '../../../src/errors.js'
import type { Bytes } from '../../../src/fs/types.js'
import { compile, type Regex } from '../../../src/search/patterns/regex/compile.js'
import { parse } from '../../../src/search/patterns/regex/parse.js'
import { decode } from '../../../src/text/decode/decode.js'
import { beyondBounds } from '../../../src/text/parse-json.js'
import { reasonOf } from '../../infra-error.js'
import type { Episode, Score, Scorer } from '../../types.js'
import { isSameValue, valueAtPointer } from './json-pointer.js'

/** A path, relative to the working directory or absolute, and what has to be true of it. */
export type FileCheck = FileCondition & {
  path: string
  /** Default: the path and the condition. */
  name?: string
  weight?: number
  gate?: boolean
}

export type FileCondition =
  | { present: true }
  | { absent: true }
  /** The file contains this text. */
  | { text: string }
  /** The file exists and does not contain this text. */
  | { without: string }
  /** An ECMAScript pattern that matches somewhere; `^` and `$` are the edges of lines. */
  | { regex: string }
  /** A JSON pointer, and the value that the JSON file has there. */
  | { pointer: string; value: unknown }
  /** The whole content. */
  | { equals: string | Bytes }

/** One score for each check. Fails immediately with `INVALID_PATTERN` for a pattern that can't be compiled. */
export function fileChecks(checks: readonly FileCheck[]): Scorer {
  const prepared = checks.map((check) => ({ check, test: testOf(check) }))
  return async ({ episode }) => {
    const scores: Score[] = []
    for (const { check, test } of prepared) scores.push(scoreOf(check, await outcome(episode, check, test)))
    return scores
  }
}

/** Undefined for a file that passes; otherwise why it does not. */
type Test = (bytes: Bytes) => string | undefined

function testOf(check: FileCheck): Test {
  if ('text' in check) return (bytes) => (textOf(bytes).includes(check.text) ? undefined : 'the text is not in it')
  if ('without' in check) return (bytes) => (textOf(bytes).includes(check.without) ? 'the text is in it' : undefined)
  if ('regex' in check) return matches(compiled(check.regex))
  if ('pointer' in check) return (bytes) => jsonFault(textOf(bytes), check)
  if (!('equals' in check)) return () => undefined
  const wanted = typeof check.equals === 'string' ? new TextEncoder().encode(check.equals) : check.equals
  return (bytes) => differenceOf(bytes, wanted)
}

async function outcome(episode: Episode, check: FileCheck, test: Test): Promise<string | undefined> {
  const { fs, root } = episode.workspace
  try {
    const path = fs.resolve(check.path, root)
    if ('present' in check || 'absent' in check) {
      await fs.stat(path)
      return 'absent' in check ? 'it exists' : undefined
    }
    return test(await fs.readFile(path))
  } catch (error) {
    if (!isFsError(error)) throw error
    const isMissing = error.code === 'NOT_FOUND' || error.code === 'NOT_A_DIRECTORY'
    if ('absent' in check && isMissing) return undefined
    return isMissing ? 'it is missing' : reasonOf(error)
  }
}

function scoreOf(check: FileCheck, fault: string | undefined): Score {
  const { path, name = `${path}: ${conditionName(check)}`, weight, gate } = check
  return {
    name,
    value: fault === undefined ? 1 : 0,
    reason: fault === undefined ? 'as it should be' : `${path}: ${fault}`,
    ...(weight !== undefined && { weight }),
    ...(gate && { gate }),
  }
}

function conditionName(check: FileCheck): string {
  if ('pointer' in check) return `value at ${JSON.stringify(check.pointer)}`
  if ('equals' in check) return 'content'
  return Object.keys(check).find((key) => ['present', 'absent', 'text', 'without', 'regex'].includes(key)) as string
}

function compiled(source: string): Regex {
  const pattern = parse(source, {
    syntax: 'ecmascript',
    ignoreCase: false,
    dotAll: false,
    maxLength: 1000,
    maxNesting: 50,
  })
  return compile(pattern, { multiline: true, source })
}

function matches(regex: Regex): Test {
  return (bytes) => {
    const found = regex.find(textOf(bytes), 0)
    if (found === undefined) return 'the pattern does not match'
    return typeof found === 'string' ? 'the pattern takes too long' : undefined
  }
}

/** Of a file that an agent has written: data may be long. */
const maxValues = 1_000_000

function jsonFault(text: string, { pointer, value }: { pointer: string; value: unknown }): string | undefined {
  const beyond = beyondBounds(text, { maxValues })
  if (beyond !== undefined) return `it is ${beyond}`
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return 'it is not JSON'
  }
  const found = valueAtPointer(content, pointer)
  if (found === undefined) return `there is nothing at ${JSON.stringify(pointer)}`
  if (isSameValue(found.value, value)) return undefined
  return `${JSON.stringify(pointer)} is ${shown(found.value)}, not ${shown(value)}`
}

/** Where two contents differ first. */
export function differenceOf(bytes: Bytes, wanted: Bytes): string | undefined {
  const length = Math.min(bytes.length, wanted.length)
  let at = 0
  while (at < length && bytes[at] === wanted[at]) at += 1
  if (at === bytes.length && at === wanted.length) return undefined
  let line = 1
  for (let index = 0; index < at; index += 1) if (bytes[index] === 10) line += 1
  return `it differs from line ${line} on (byte ${at})`
}

function textOf(bytes: Bytes): string {
  return decode(bytes).text
}

function shown(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? 'undefined'
    return text.length > 100 ? `${text.slice(0, 100)}…` : text
  } catch {
    // An agent may write JSON that is nested more deeply than the engine can print.
    return 'something else'
  }
}
