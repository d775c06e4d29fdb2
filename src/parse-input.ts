import type * as z from 'zod'
import { FsError, type InputIssue } from './errors.js'

/**
 * A schema of zod 4, of whichever copy of zod. It names only what the schema takes and gives: to compare all of zod's types with those
 * of another copy takes the compiler minutes.
 */
export interface Schema<Output = unknown, Given = unknown> {
  readonly _zod: { readonly output: Output; readonly input: Given }
  parse(given: unknown): Output
}

/** The value with its defaults filled in; fails with `INVALID_INPUT`. */
export function parseInput<Input>(given: Schema<Input>, value: unknown): Input {
  const schema = given as z.ZodType<Input>
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  // `reportInput` makes parsing several times slower, so only what failed is parsed with it.
  const { error = parsed.error } = schema.safeParse(value, { reportInput: true })
  throw new FsError('INVALID_INPUT', { issues: inputIssues(error) })
}

/** Bounds the size of an answer to input that is wrong in thousands of places. */
const mostIssues = 50

/** What zod found wrong, in neutral terms, so that each dialect can word it like its own validator. */
function inputIssues(error: z.ZodError): InputIssue[] {
  return error.issues.slice(0, mostIssues).flatMap((issue): InputIssue[] => {
    const at = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))
    const { message } = issue
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined && at.length > 0) return [{ at, kind: 'missing', message }]
        return [{ at, kind: 'wrong-type', expected: nameOf(issue.expected), message }]
      case 'unrecognized_keys':
        return issue.keys.slice(0, mostIssues).map((key) => ({ at, kind: 'unknown-key', expected: key, message }))
      case 'too_small':
        return [{ at, kind: 'too-small', expected: String(issue.minimum), ...unitOf(issue.origin), message }]
      case 'too_big':
        return [{ at, kind: 'too-big', expected: String(issue.maximum), ...unitOf(issue.origin), message }]
      case 'invalid_value':
        return [{ at, kind: 'not-allowed', expected: issue.values.map(String).join(', '), message }]
      case 'invalid_union': {
        if (issue.input === undefined && at.length > 0) return [{ at, kind: 'missing', message }]
        const expected = issue.errors.flatMap(([first]) => {
          if (first?.code !== 'invalid_type') return []
          return first.path.length === 0 ? nameOf(first.expected) : `array of ${nameOf(first.expected)}`
        })
        if (expected.length === 0) return [{ at, kind: 'other', message }]
        return [{ at, kind: 'wrong-type', expected: expected.join(' or '), message }]
      }
      default:
        return [{ at, kind: 'other', message }]
    }
  })
}

function nameOf(type: string): string {
  return type === 'int' ? 'integer' : type
}

function unitOf(origin: string): Pick<InputIssue, 'unit'> {
  if (origin === 'string') return { unit: 'characters' }
  return origin === 'array' ? { unit: 'items' } : {}
}
