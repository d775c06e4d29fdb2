/** JSON that others have written, parsed only within bounds. */
import { defaultJsonBounds, type JsonBounds, jsonScanner } from './json-scanner.js'

const encoder = new TextEncoder()

/** The value, or what is wrong, as it follows “they are”. */
export function parseJson(text: string, bounds: JsonBounds = {}): { value: unknown } | { fault: string } {
  const { maxDepth, maxValues } = { ...defaultJsonBounds, ...bounds }
  const exceeded = jsonScanner({ maxDepth, maxValues }).push(encoder.encode(text))
  if (exceeded === 'depth') return { fault: `nested deeper than ${maxDepth} levels` }
  if (exceeded === 'values') return { fault: `longer than ${maxValues} values` }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: `not valid JSON (${(error as Error).message})` }
  }
}
