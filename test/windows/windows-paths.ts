/** Translates between the paths of the cases and those that a server on Windows gets and gives. */
import type { Answer } from '../dialects/vectors/match-answer.js'
import type { Session } from '../dialects/vectors/stage.js'

/** The directory with both sides of the border, as the cases and as Windows write it. */
export interface Base {
  here: string
  there: string
}

/** A session that gets and gives Windows paths, for cases that have POSIX paths. */
export function windowsSession({ request, sendLine }: Session, base: Base): Session {
  const { out, back } = translations(base)
  return {
    request: async (method, params) => mapTexts(await request(method, mapTexts(params, out)), back) as Answer,
    ...(sendLine && { sendLine }),
  }
}

/**
 * Only a path that is written as Windows does in every place is translated back; others stay, so that a case fails. In JSON within a text
 * backslashes are doubled.
 */
export function translations({ here, there }: Base): { out(text: string): string; back(text: string): string } {
  const outgoing = new RegExp(`${literal(here)}((?:/[^/\\s"']*)*)`, 'g')
  const incoming = [there, there.replaceAll('\\', '\\\\')].map((start, doubled) => {
    const separator = doubled ? '\\\\\\\\' : '\\\\'
    return new RegExp(`${literal(start)}((?:${separator}[^\\\\/\\n":<>|?]+)*)(?![/\\\\])`, 'g')
  })
  // In a URI a drive is the first name.
  const uri = new RegExp(`(polyfs|file):///${literal(there.replaceAll('\\', '/'))}(?=/)`, 'g')
  const below = (_: string, rest: string) => here + rest.replaceAll(/\\+/g, '/')
  return {
    out: (text) => text.replace(outgoing, (_, rest: string) => there + rest.replaceAll('/', '\\')),
    back: (text) =>
      incoming.reduce(
        (done, pattern) => done.replace(pattern, below),
        text.replace(uri, (_, scheme) => `${scheme}://${here}`),
      ),
  }
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapTexts(item, map)]))
}
