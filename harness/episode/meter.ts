import type { Budget, TraceEvent } from '../types.js'

/** Counts what an episode uses. */
export interface Meter {
  readonly spent: Readonly<Budget>
  readonly exhausted: keyof Budget | undefined
  count(event: TraceEvent): void
  /** One of its own that goes on from here. */
  fork(): Meter
}

const names = ['calls', 'turns', 'tokens', 'bytes'] as const

export function createMeter(budget: Partial<Budget>, given?: Budget): Meter {
  const spent: Budget = { calls: 0, turns: 0, tokens: 0, bytes: 0, ...given }
  return {
    spent,
    get exhausted() {
      return names.find((name) => spent[name] >= (budget[name] ?? Infinity))
    },
    count(event) {
      if (event.type === 'call') {
        spent.calls += 1
        // Counted only where they are limited, as that takes longer than all else here.
        if (budget.bytes !== undefined) spent.bytes += JSON.stringify(event.result).length
      }
      if (event.type !== 'message' || event.role !== 'assistant') return
      spent.turns += 1
      if (event.usage) spent.tokens += event.usage.inputTokens + event.usage.outputTokens
    },
    fork: () => createMeter(budget, spent),
  }
}

/** What an agent reads when its calls can't be recorded any more. */
export function fullText(maxBytes: number): string {
  return `The memory of this task is used up: ${maxBytes} bytes. No further call is possible; finish with what you have.`
}

/** What an agent reads when nothing is left. */
export function exhaustedText(what: keyof Budget, budget: Partial<Budget>): string {
  return `The budget of this task is used up: ${budget[what]} ${what}. No further call is possible; finish with what you have.`
}
