import { expect, test } from 'vitest'
import { runModels } from '../node/locks/lock-model.js'

test('one at a time holds the lock, over many more orders and deaths', async () => {
  const seed = 20_260
  const runs = 30_000
  const { faults, steps, crashes, takenOver } = await runModels({ seed, runs })
  console.log(`seed ${seed}: ${runs} runs, ${steps} steps, ${crashes} deaths, ${takenOver} locks taken over`)
  expect(faults.slice(0, 5)).toEqual([])
})
