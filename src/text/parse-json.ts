/** JSON that others have written, parsed only within bounds. */
import { defaultJsonBounds, type JsonBounds, jsonScanner } from './json-scanner.js'

const encoder = new TextEncoder()

/** The value, or what is wrong, as it follows “they are”. */
export function parseJson(text: string, bounds: JsonBounds = {}): { value: unknown } | { fault: string } {
  const fault = beyondBounds(text, bounds)
  if (fault !== undefined) return { fault }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: `not valid JSON (${(error as Error).message})` }
  }
}

/** Which bound the text exceeds, as it follows “they are”. */
export function beyondBounds(text: string, bounds: JsonBounds = {}): string | undefined {
  const { maxDepth, maxValues } = { ...defaultJsonBounds, ...bounds }
  const exceeded = jsonScanner({ maxDepth, maxValues }).push(encoder.encode(text))
  if (exceeded === 'depth') return `nested deeper than ${maxDepth} levels`
  return exceeded === 'values' ? `longer than ${maxValues} values` : undefined
}
