/** Parameters as in replay: missing or mistyped values have its messages, and unknown parameters are ignored. */
import * as z from 'zod'

/** A required text. */
export function required(name: string, description: string) {
  return z.string(`Missing required param: ${name}`).describe(description)
}

export function optionalText(name: string, description: string) {
  return z.string(`Invalid param: ${name} must be a string`).exactOptional().describe(description)
}

/** A list of texts; other items are ignored. */
export function texts(error: string, description: string) {
  return z
    .array(z.unknown(), error)
    .meta({ description, items: { type: 'string' } })
    .transform((entries) => entries.filter((entry) => typeof entry === 'string'))
}

export function optionalTexts(name: string, description: string) {
  return texts(`Invalid param: ${name} must be an array of strings`, description).exactOptional()
}

export function flag(name: string, description: string) {
  return z.boolean(`Invalid param: ${name} must be a boolean`).default(false).describe(description)
}

export function integer(name: string) {
  return z.int(`Invalid param: ${name} must be an integer`)
}
