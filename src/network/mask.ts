/** Blanks secrets where an answer repeats them, as servers for debugging do. */
import type { Bytes } from '../fs/types.js'
import type { Headers, NetworkAnswer } from './types.js'

/** Shorter ones would be found in what is none. */
const shortest = 6

/** The values of headers, and what follows a word such as `Bearer`. */
export function secretsOf(headers: Headers): readonly string[] {
  const all = headers.flatMap(([, value]) => [value, ...value.split(' ').slice(1)])
  const decoded = all.flatMap((value) => decodedLogin(value) ?? [])
  return [...new Set([...all, ...decoded])]
    .filter((value) => value.length >= shortest)
    .sort((one, other) => other.length - one.length)
}

/** User and password of a `Basic` login. */
function decodedLogin(value: string): string[] | undefined {
  try {
    const login = atob(value)
    const [, password] = /^[^:\s]*:(.+)$/.exec(login) ?? []
    return password === undefined ? undefined : [login, password]
  } catch {
    return undefined
  }
}

/** With as many asterisks: lengths stay true. */
export function masked(answer: NetworkAnswer, secrets: readonly string[]): NetworkAnswer {
  if (secrets.length === 0) return answer
  const clean = (text: string) => secrets.reduce((each, one) => each.replaceAll(one, '*'.repeat(one.length)), text)
  return {
    ...answer,
    statusText: clean(answer.statusText),
    headers: answer.headers.map(([name, value]) => [clean(name), clean(value)] as const),
    body: secrets.reduce(blanked, answer.body),
  }
}

function blanked(body: Bytes, secret: string): Bytes {
  const wanted = new TextEncoder().encode(secret)
  const [first = 0] = wanted
  let result = body
  for (let at = body.indexOf(first); at >= 0; at = body.indexOf(first, at + 1)) {
    if (!wanted.every((byte, index) => body[at + index] === byte)) continue
    if (result === body) result = body.slice()
    result.fill(0x2a, at, at + wanted.length)
    at += wanted.length - 1
  }
  return result
}
