/** Parameters that are one value, or one value per file. */
import * as z from 'zod'

const noPath = 'Invalid file path: must be a non-empty string'

export const onePath = z.string({ error: noPath })

export const onePathOrMore = z.union([z.string(), z.array(z.string())], { error: noPath })

/** One value for each of `count` files; a single value is used for all. Undefined when the numbers differ. */
export function forEach<Value>(given: Value | readonly Value[], count: number): readonly Value[] | undefined {
  if (!isList(given)) return Array.from({ length: count }, () => given)
  return given.length === count ? given : undefined
}

export function isList<Value>(given: Value | readonly Value[]): given is readonly Value[] {
  return Array.isArray(given)
}
