/** How much the long suites do: a part of it by default, all of it where POLYFS_TEST_FULL is set, as `npm test -- --full` does. */
import { inject, type TestContext, type TestOptions, test } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    isFull: boolean
  }
}

export const isFull = inject('isFull')

export const onlyInFull = 'only in npm test -- --full'

/** A test that takes long, and that a default run skips with the reason. */
export function longTest(name: string, run: (context: TestContext) => unknown, options: TestOptions = {}): void {
  test(name, options, (context) => (isFull ? run(context) : context.skip(onlyInFull)))
}

/** A number of rounds, or a tenth of it by default. */
export function scaled(count: number): number {
  return isFull ? count : Math.ceil(count / 10)
}

/** All items, or every nth by default, beginning with the first. */
export function sample<Item>(items: readonly Item[], { every = 10 } = {}): Item[] {
  return items.filter((_, index) => isFull || index % every === 0)
}
