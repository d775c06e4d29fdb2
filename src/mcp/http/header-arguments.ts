/**
 * Arguments that a tool wants repeated in headers (`x-mcp-header` in its schema), so that proxies can route by them. A call whose header is
 * missing or differs from the argument is rejected: the proxy decided by the header, and the tool acts on the argument.
 */
import { isRecord } from '../../text/is-record.js'

export interface HeaderArgument {
  header: string
  path: readonly string[]
}

/** The arguments that a tool with this schema wants in headers. */
export function headerArguments(schema: Record<string, unknown>, path: readonly string[] = []): HeaderArgument[] {
  const { properties } = schema
  if (!isRecord(properties)) return []
  return Object.entries(properties).flatMap(([name, inner]) => {
    if (!isRecord(inner)) return []
    const here = [...path, name]
    const header = inner['x-mcp-header']
    const own = typeof header === 'string' ? [{ header: `Mcp-Param-${header}`, path: here }] : []
    return [...own, ...headerArguments(inner, here)]
  })
}

/** Why a call is rejected; undefined when its headers match its arguments. */
export function headerFault(
  wanted: readonly HeaderArgument[],
  args: unknown,
  headers: { get(name: string): string | null },
): string | undefined {
  for (const { header, path } of wanted) {
    const given = path.reduce(property, args)
    const text = asText(given)
    if (text === undefined) continue
    const sent = headers.get(header)
    if (sent === null) return `Header ${header} is missing`
    const value = decoded(sent)
    if (value === undefined) return `Header ${header} is not valid base64`
    if (value !== text && !areSameNumber(value, given)) {
      return `Header ${header} does not match the argument ${path.join('.')}`
    }
  }
  return undefined
}

function property(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The value as a header has it; undefined for values that are never sent in headers. */
function asText(value: unknown): string | undefined {
  return ['string', 'boolean', 'number'].includes(typeof value) ? String(value) : undefined
}

function areSameNumber(sent: string, value: unknown): boolean {
  return typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(sent) && Number(sent) === value
}

/** Text that is not valid in a header is sent as `=?base64?...?=`. */
function decoded(sent: string): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/s.exec(sent) ?? []
  if (base64 === undefined) return sent
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
