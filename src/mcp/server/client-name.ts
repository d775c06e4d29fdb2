import { isRecord } from '../../text/is-record.js'
import type { ClientInfo } from '../../workspace/workspace.js'

/** A client may call itself anything. */
const maxLength = 100

/** What a client says about itself, in one short line each; undefined without a name. */
export function asClientInfo(given: unknown): ClientInfo | undefined {
  if (!isRecord(given)) return undefined
  const [name, version] = [oneLine(given.name), oneLine(given.version)]
  if (name === '') return undefined
  return version === '' ? { name } : { name, version }
}

function oneLine(given: unknown): string {
  if (typeof given !== 'string') return ''
  const text = given.slice(0, 4 * maxLength).replace(/[\p{C}\s]+/gu, ' ')
  return text.trim().slice(0, maxLength).trim()
}
