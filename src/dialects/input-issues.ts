import type * as z from 'zod'
import type { InputIssue } from '../errors.js'

/** What zod found wrong, in neutral terms, so that each dialect can word it like its own validator. */
export function inputIssues(error: z.ZodError): InputIssue[] {
  return error.issues.flatMap((issue): InputIssue[] => {
    const at = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))
    const { message } = issue
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined && at.length > 0) return [{ at, kind: 'missing', message }]
        return [{ at, kind: 'wrong-type', expected: issue.expected === 'int' ? 'integer' : issue.expected, message }]
      case 'unrecognized_keys':
        return issue.keys.map((key) => ({ at, kind: 'unknown-key', expected: key, message }))
      case 'too_small':
        return [{ at, kind: 'too-small', expected: String(issue.minimum), message }]
      case 'too_big':
        return [{ at, kind: 'too-big', expected: String(issue.maximum), message }]
      case 'invalid_value':
        return [{ at, kind: 'not-allowed', expected: issue.values.map(String).join(', '), message }]
      default:
        return [{ at, kind: 'other', message }]
    }
  })
}
