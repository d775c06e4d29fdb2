/** The rule of `--network`: texts, and files of JSON that take secrets from the environment. */
import { readFileSync } from 'node:fs'
import { type AllowedOrigin, type NetworkRule, parseAllowance } from '../../src/network/rule.js'

type Environment = Readonly<Record<string, string | undefined>>

const limitNames = ['maxAnswerBytes', 'maxRequestBytes', 'timeoutMs', 'maxExchanges', 'maxBytes'] as const
const originNames = ['origin', 'methods', 'paths', 'headers', 'addresses']

/** Each is a rule such as `GET,POST https://example.com/api/`, or the name of a file that ends with `.json`. Throws an error that says what is wrong. */
export function networkRule(given: readonly string[], env: Environment = process.env): NetworkRule {
  const rule: { -readonly [Key in keyof NetworkRule]: NetworkRule[Key] } = { allow: [] }
  for (const each of given) {
    const { allow, ...limits } = each.endsWith('.json') ? fromFile(each, env) : { allow: [each] }
    rule.allow = [...rule.allow, ...allow]
    Object.assign(rule, limits)
  }
  for (const each of rule.allow) parseAllowance(each)
  return rule
}

function fromFile(file: string, env: Environment): NetworkRule {
  const wrong = (what: string) => new Error(`${file}: ${what}`)
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    // A message of the parser may repeat a secret.
    throw wrong(error instanceof SyntaxError ? 'this is not JSON' : (error as Error).message)
  }
  if (!isObject(parsed) || !Array.isArray(parsed.allow)) throw wrong('it has no list "allow"')
  const { allow, ...limits } = parsed
  for (const [name, value] of Object.entries(limits)) {
    if (!limitNames.some((known) => known === name)) throw wrong(`there is no "${name}"`)
    if (typeof value !== 'number' || !(value > 0)) throw wrong(`"${name}" must be a number above 0`)
  }
  return { ...limits, allow: allow.map((each: unknown) => (typeof each === 'string' ? each : originOf(each))) }

  function originOf(given: unknown): AllowedOrigin {
    if (!isObject(given) || typeof given.origin !== 'string') throw wrong('each rule has an "origin"')
    for (const name of Object.keys(given)) if (!originNames.includes(name)) throw wrong(`an origin has no "${name}"`)
    const { origin, methods, paths, addresses, headers } = given
    for (const [name, list] of Object.entries({ methods, paths, addresses })) {
      if (list !== undefined && !isTexts(list)) throw wrong(`"${name}" of ${origin} must be a list of texts`)
    }
    if (headers !== undefined && !(isObject(headers) && isTexts(Object.values(headers)))) {
      throw wrong(`"headers" of ${origin} must be texts`)
    }
    const filled = Object.entries((headers ?? {}) as Record<string, string>).map(([name, value]) => [
      name,
      filledIn(value),
    ])
    return { ...(given as unknown as AllowedOrigin), headers: Object.fromEntries(filled) }
  }

  /** `${NAME}` stands for a variable of the server's environment, so that the file holds no secret. */
  function filledIn(text: string): string {
    return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const value = env[name]
      if (value === undefined || value === '') throw wrong(`the variable ${name} is not set`)
      return value
    })
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
