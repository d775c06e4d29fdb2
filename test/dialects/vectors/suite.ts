import { afterAll, describe, expect, test } from 'vitest'
import { vectors } from './cases.js'
import { type Outcome, play } from './play.js'
import type { Backend, Vector } from './stage.js'

/** One test for every case of every dialect, and the counts at the end. */
export function describeVectors(backend: Backend): void {
  describe(`vectors on ${backend.name}`, () => {
    const tally = new Map<string, Map<string, number>>()

    afterAll(async () => {
      await backend.close?.()
      console.log(report(backend.name, tally))
    })

    test('what is unfit is a case', () => {
      const ids = new Set(vectors.map(({ id }) => id))
      expect(Object.keys(backend.unfit ?? {}).filter((id) => !ids.has(id))).toEqual([])
    })

    for (const vector of vectors) {
      test(vector.id, { concurrent: backend.concurrent ?? false }, async (context) => {
        const outcome = await playOn(backend, vector)
        count(tally, vector.dialect, outcome)
        if ('skipped' in outcome) context.skip(outcome.skipped)
        else expect(outcome.faults).toEqual([])
      })
    }
  })
}

async function playOn(backend: Backend, vector: Vector): Promise<Outcome> {
  const skipped = backend.unfit?.[vector.id]
  if (skipped !== undefined) return { skipped }
  const stage = await backend.openStage(vector)
  try {
    return await play(vector, stage, { needsShell: backend.hasShell })
  } finally {
    await stage.close()
  }
}

function count(tally: Map<string, Map<string, number>>, dialect: string, outcome: Outcome): void {
  const counts = tally.get(dialect) ?? new Map<string, number>()
  const what = 'skipped' in outcome ? `skipped: ${outcome.skipped}` : outcome.faults.length > 0 ? 'failed' : 'passed'
  tally.set(dialect, counts.set(what, (counts.get(what) ?? 0) + 1))
}

function report(backend: string, tally: ReadonlyMap<string, ReadonlyMap<string, number>>): string {
  const lines = [...tally].map(
    ([dialect, counts]) => `  ${dialect}: ${[...counts].map(([what, number]) => `${number} ${what}`).join(', ')}`,
  )
  return [`vectors on ${backend}`, ...lines].join('\n')
}
