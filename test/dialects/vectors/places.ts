import type { Generated } from './types.js'

/** Where a stage keeps the workspace, and what lies beside it. */
export interface Places {
  readonly ROOT: string
  readonly OUTSIDE: string
  readonly BASE: string
}

export function placesIn(base: string): Places {
  return { BASE: base, ROOT: `${base}/work`, OUTSIDE: `${base}/outside` }
}

/** A text with the places in it. */
export function fill(text: string, places: Places): string {
  return text.replace(placeholder, (_, name: keyof Places) => places[name])
}

/** A pattern in which each place stands for itself, whatever characters its path has. */
export function fillPattern(pattern: string, places: Places): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(pattern.replace(placeholder, (_, name: keyof Places) => literal(places[name])))
}

/** JSON with the places in its texts and keys, and generated texts written out. */
export function fillAll(value: unknown, places: Places): unknown {
  if (typeof value === 'string') return fill(value, places)
  if (Array.isArray(value)) return value.map((item) => fillAll(item, places))
  if (typeof value !== 'object' || value === null) return value
  // Arguments are data of the cases; nothing else has this key.
  if ('$gen' in value) return generate(value.$gen as Generated)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fill(key, places), fillAll(item, places)]))
}

export function generate(generated: Generated): string {
  const { prefix = '', suffix = '' } = generated
  return prefix + body(generated) + suffix
}

function body(generated: Generated): string {
  if ('repeat' in generated) return generated.repeat.repeat(generated.times)
  const { line, from = 1, to } = generated
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const number = String(from + index)
    return line
      .replaceAll('{i}', number)
      .replaceAll('{i6}', number.padStart(6))
      .replaceAll('{i3}', number.padStart(3, '0'))
  }).join('')
}

const placeholder = /\{(ROOT|OUTSIDE|BASE)\}/g
