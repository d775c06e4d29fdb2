/** How much the long suites do: a part of it by default, all of it where POLYFS_TEST_FULL is set, as `npm test -- --full` does. */
import { inject, type TestContext, type TestOptions, test } from 'vitest'
import { mix } from './mix.mjs'

declare module 'vitest' {
  interface ProvidedContext {
    isFull: boolean
    seed: number
  }
}

export const isFull = inject('isFull')

/** Chooses the parts, and what is generated. `npm test` prints it; POLYFS_TEST_SEED sets it. */
const runSeed = inject('seed')

export const onlyInFull = 'only in npm test -- --full'

/** A test that takes long, and that a default run skips with the reason. */
export function longTest(name: string, run: (context: TestContext) => unknown, options: TestOptions = {}): void {
  test(name, options, (context) => (isFull ? run(context) : context.skip(onlyInFull)))
}

/** A test that takes long, and that every second run has: which ones is up to its seed. */
export function testInTurn(name: string, run: (context: TestContext) => unknown): void {
  const number = [...name].reduce((sum, character) => Math.imul(sum, 31) + (character.codePointAt(0) ?? 0), 7)
  const isTaken = isFull || seeded(number) % 2 === 0
  test(name, (context) => (isTaken ? run(context) : context.skip('the seed leaves it to other runs')))
}

/** A number of rounds, or a tenth of it by default. */
export function scaled(count: number): number {
  return isFull ? count : Math.ceil(count / 10)
}

/** All items, or one of every n by default: another one with each seed. */
export function sample<Item>(items: readonly Item[], { every = 10 } = {}): Item[] {
  if (isFull) return [...items]
  const taken: Item[] = []
  for (let start = 0; start < items.length; start += every) {
    const size = Math.min(every, items.length - start)
    taken.push(items[start + (seeded(start) % size)] as Item)
  }
  return taken
}

/** The same for places that are counted: which is the first, from 0, and how far it is to the next. */
export function stride(every: number): { first: number; step: number } {
  return isFull ? { first: 0, step: 1 } : { first: seeded(every) % every, step: every }
}

/** A number for a random generator: one for each number that is given, and others with each seed. */
export function seeded(number: number): number {
  return mix(runSeed, number)
}
