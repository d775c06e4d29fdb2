import { expect, test } from 'vitest'
import { runConcurrently } from '../../../src/change/run-concurrently.js'

const twenty = Array.from({ length: 20 }, (_, index) => index)

/** What was begun, and the means to end each. */
function work() {
  const begun: number[] = []
  const ended: number[] = []
  const ends = new Map<number, (error?: Error) => void>()
  const act = (item: number) => {
    begun.push(item)
    return new Promise<void>((resolve, reject) => {
      ends.set(item, (error) => {
        ended.push(item)
        if (error === undefined) resolve()
        else reject(error)
      })
    })
  }
  return { begun, ended, act, end: (item: number, error?: Error) => ends.get(item)?.(error) }
}

test('eight run at a time, and when one ends the next begins', async () => {
  const { begun, ended, act, end } = work()
  const all = runConcurrently(twenty, act)
  expect(begun).toEqual(twenty.slice(0, 8))
  end(5)
  await expect.poll(() => begun).toEqual(twenty.slice(0, 9))
  for (const item of twenty.filter((each) => each !== 5)) {
    await expect.poll(() => begun).toContain(item)
    end(item)
  }
  await all
  expect([...ended].sort((a, b) => a - b)).toEqual(twenty)
})

test('after a failure none begins, and it is reported when all running ones have ended', async () => {
  const { begun, ended, act, end } = work()
  let thrown: unknown
  const all = runConcurrently(twenty, act).catch((error) => {
    thrown = error
  })
  end(3, new Error('first'))
  for (const item of [0, 1, 2, 4, 5, 6]) end(item, item === 6 ? new Error('second') : undefined)
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual(twenty.slice(0, 8))
  expect(thrown).toBeUndefined()
  end(7)
  await all
  expect(ended).toHaveLength(8)
  expect(thrown).toEqual(new Error('first'))
})

test('synchronous results are handled before anything is awaited, in order', () => {
  const done: number[] = []
  void runConcurrently(twenty, (item) => void done.push(item))
  expect(done).toEqual(twenty)
})
