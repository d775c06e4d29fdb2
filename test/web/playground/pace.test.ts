import { expect, test } from 'vitest'
import { pace } from '../../../playground/page/pace.js'

test('work that is repeated rests fifty times as long as it took', async () => {
  let nowMs = 1000
  const searching = pace(() => nowMs)
  expect(searching.isDue()).toBe(true)
  const work = searching.run(async () => {
    expect(searching.isDue()).toBe(false)
    nowMs += 20
    return 'found'
  })
  expect(await work).toBe('found')
  nowMs += 999
  expect(searching.isDue()).toBe(false)
  nowMs += 1
  expect(searching.isDue()).toBe(true)
})

test('work that fails rests too', async () => {
  let nowMs = 0
  const reading = pace(() => nowMs)
  const failed = reading.run(async () => {
    nowMs = 10
    throw new Error('gone')
  })
  await expect(failed).rejects.toThrow('gone')
  expect(reading.isDue()).toBe(false)
  nowMs = 510
  expect(reading.isDue()).toBe(true)
})
