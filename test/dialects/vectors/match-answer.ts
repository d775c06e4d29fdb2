import { isTextMatcher, matchText, matchValue, type Spot, show } from './match.js'
import type { Expectation } from './types.js'

/** The answer to a request: a result or a protocol error. */
export type Answer = { result: unknown } | { error: { code: number; message: string } }

/** The differences between an answer and the expected one, one line each. */
export function matchAnswer(expected: Expectation, answer: Answer, spot: Spot): string[] {
  const { where } = spot
  if (expected.oneOf !== undefined) {
    const faults = expected.oneOf.map((one) => matchAnswer(one, answer, spot))
    if (faults.some((found) => found.length === 0)) return []
    return [`${where}: no alternative fits: ${faults.map(([first]) => first).join(' | ')}`]
  }
  if (expected.fails !== undefined) return matchFailure(expected.fails, answer, spot)
  if (expected.error !== undefined) return matchError(expected.error, answer, spot)
  if ('error' in answer) return [`${where}: failed with ${show(answer.error)}`]
  return matchResult(expected, answer.result as RawResult, spot)
}

/** Everything is optional: the server under test has sent it. */
interface RawResult {
  content?: Array<{ text?: unknown }>
  structuredContent?: unknown
  isError?: unknown
  tools?: Array<{ name?: unknown }>
}

function matchFailure(message: NonNullable<Expectation['fails']>, answer: Answer, spot: Spot): string[] {
  const failure = 'error' in answer ? answer.error.message : failureText(answer.result as RawResult)
  if (failure === undefined) return [`${spot.where}: should fail, got ${show(answer)}`]
  return message === true ? [] : matchText(message, failure, spot)
}

function failureText({ isError, content = [] }: RawResult): string | undefined {
  return isError === true ? content.map(({ text = '' }) => text).join('\n') : undefined
}

function matchError({ code, message }: NonNullable<Expectation['error']>, answer: Answer, spot: Spot): string[] {
  if (!('error' in answer)) return [`${spot.where}: expected error ${show(code)}, got ${show(answer.result)}`]
  const { error } = answer
  return [
    ...(code === undefined ? [] : matchValue(code, error.code, { ...spot, where: `${spot.where} error code` })),
    ...(message === undefined
      ? []
      : matchText(message, error.message, { ...spot, where: `${spot.where} error message` })),
  ]
}

function matchResult(expected: Expectation, result: RawResult, spot: Spot): string[] {
  const { isError = false, tools = [], structuredContent } = result
  const content = (result.content ?? []).map((item) =>
    typeof item.text === 'string' ? { ...item, text: withoutIds(item.text) } : item,
  )
  const { where } = spot
  const at = (part: string): Spot => ({ ...spot, where: `${where} ${part}` })
  const { text, json, structured } = expected
  const isCall = expected.result === undefined && expected.tools === undefined
  if (isCall && isError !== (expected.isError ?? false)) {
    return [`${where}: isError is ${show(isError)}: ${show(content)}`]
  }
  const first = content[0]?.text
  const names = tools.map(({ name }) => name)
  return [
    ...(expected.result === undefined ? [] : matchValue(expected.result, result, at('result'))),
    ...(expected.tools === undefined ? [] : matchValue({ $set: expected.tools }, names, at('tools'))),
    ...(text === undefined ? [] : matchText(text, first, spot)),
    ...(json === undefined ? [] : matchText({ json }, first, spot)),
    ...(expected.content === undefined ? [] : matchContent(expected.content, content, at('content'))),
    ...(structured === undefined ? [] : matchValue(structured, structuredContent, at('structured'))),
  ]
}

/** The id of a change is another in each server: `[change 3-c384d452]` becomes `[change]`. */
function withoutIds(text: string): string {
  return text.replace(/(\[change) \d+-[0-9a-f]{8}/g, '$1')
}

function matchContent(
  expected: NonNullable<Expectation['content']>,
  content: NonNullable<RawResult['content']>,
  spot: Spot,
): string[] {
  if (content.length !== expected.length) {
    return [`${spot.where}: expected ${expected.length} items, got ${content.length}: ${show(content)}`]
  }
  return expected.flatMap((matcher, index) => {
    const at = { ...spot, where: `${spot.where}[${index}]` }
    const item = content[index]
    return isTextMatcher(matcher) ? matchText(matcher, item?.text, at) : matchValue(matcher, item, at)
  })
}
