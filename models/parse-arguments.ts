import { isRecord } from '../src/text/is-record.js'
import { parseJson } from '../src/text/parse-json.js'

/** Arguments as models write them: the text of a JSON object, or nothing at all where a tool needs none. `fault` is the beginning of a sentence. */
export function parseArguments(text: string): { args: Readonly<Record<string, unknown>> } | { fault: string } {
  if (text.trim() === '') return { args: {} }
  const parsed = parseJson(text)
  if ('fault' in parsed) return { fault: `the arguments are ${parsed.fault}` }
  return isRecord(parsed.value) ? { args: parsed.value } : { fault: 'the arguments are not an object' }
}
