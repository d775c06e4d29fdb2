import { expect, test } from 'vitest'
import { seeded } from '../../scale.js'
import { runModels } from './lock-model.js'

test('however processes take turns, and wherever they die, one at a time holds the lock and the others get it', async () => {
  const { faults, runs, crashes, takenOver } = await runModels({ seed: seeded(1), runs: 400 })
  expect(faults).toEqual([])
  expect(runs).toBe(400)
  // Without these it would have shown nothing.
  expect(crashes).toBeGreaterThan(150)
  expect(takenOver).toBeGreaterThan(50)
})
