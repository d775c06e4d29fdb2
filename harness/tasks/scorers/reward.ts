/** What a test script says in `reward.txt` or `reward.json`. */
import { beyondBounds } from '../../../src/text/parse-json.js'

export type Rewards = { rewards: { name?: string; value: number }[] } | { fault: string }

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** A number, or in JSON also an object: its `reward`, or else every number in it by its name. */
export function parseReward(kind: 'text' | 'json', text: string): Rewards {
  return kind === 'text' ? parseText(text) : parseNamed(text)
}

function parseText(text: string): Rewards {
  const trimmed = text.trim()
  if (!decimal.test(trimmed)) return { fault: `the reward is not a number: ${short(trimmed)}` }
  return inRange([{ value: Number(trimmed) }])
}

function parseNamed(text: string): Rewards {
  const beyond = beyondBounds(text)
  if (beyond !== undefined) return { fault: `the reward is ${beyond}: ${short(text.trim())}` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: `the reward is not JSON: ${short(text.trim())}` }
  }
  if (typeof value === 'number') return inRange([{ value }])
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fault: `the reward is neither a number nor an object: ${short(text.trim())}` }
  }
  const named = Object.entries(value)
  const main = named.find(([name]) => name === 'reward')
  const counted = main === undefined ? named : [['', main[1]] as const]
  if (counted.length === 0) return { fault: 'the reward is an empty object' }
  const wrong = counted.find(([, each]) => typeof each !== 'number')
  if (wrong !== undefined) return { fault: `the reward ${short(wrong[0] || 'reward')} is not a number` }
  return inRange(counted.map(([name, each]) => ({ ...(name !== '' && { name }), value: each as number })))
}

function inRange(rewards: { name?: string; value: number }[]): Rewards {
  const outside = rewards.find(({ value }) => !(value >= 0 && value <= 1))
  return outside === undefined ? { rewards } : { fault: `the reward ${outside.value} is not from 0 to 1` }
}

function short(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
