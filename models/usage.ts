/** What answers of a model take, and cost. */

export interface Usage {
  inputTokens: number
  /** How many of them came from a cache. */
  cachedTokens?: number
  outputTokens: number
}

/** What a million tokens cost, in a currency of the user's choice. `cached` defaults to `input`. */
export interface Prices {
  input: number
  cached?: number
  output: number
}

export function costOf({ inputTokens, cachedTokens = 0, outputTokens }: Usage, prices: Prices): number {
  const { input, cached = input, output } = prices
  return ((inputTokens - cachedTokens) * input + cachedTokens * cached + outputTokens * output) / 1_000_000
}

export function addUsage(one: Usage, other: Usage): Usage {
  const cachedTokens = (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0)
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    ...(cachedTokens > 0 && { cachedTokens }),
    outputTokens: one.outputTokens + other.outputTokens,
  }
}

/** Undefined where an API says nothing, or nonsense. */
export function usageOf(inputTokens: unknown, cachedTokens: unknown, outputTokens: unknown): Usage | undefined {
  if (!isCount(inputTokens) || !isCount(outputTokens)) return undefined
  const isCached = isCount(cachedTokens) && cachedTokens > 0 && cachedTokens <= inputTokens
  return { inputTokens, ...(isCached && { cachedTokens }), outputTokens }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
