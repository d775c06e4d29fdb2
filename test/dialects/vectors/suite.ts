import { afterAll, describe, expect, test } from 'vitest'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { describeTool } from '../../../src/tools/call-tool.js'
import { onlyInFull, sample } from '../../scale.js'
import { vectors } from './cases.js'
import { untried } from './coverage.js'
import { unmetNeed } from './needs.js'
import { type Outcome, play } from './play.js'
import type { Backend, Vector } from './stage.js'

const inSample = new Set(sample(vectors, { every: 24 }))

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

    test('every parameter of our own tools, and every choice it has, is in some case that is played', async () => {
      const own = vectors.filter(({ dialect }) => dialect === polyfs.name)
      const [first] = own
      if (first === undefined) throw new Error('there are no cases')
      const stage = await backend.openStage(first)
      const isPlayed = (vector: Vector) => !backend.unfit?.[vector.id] && unmetNeed(vector, stage) === undefined
      const played = own.filter(isPlayed)
      await stage.close()
      expect(untried((backend.ownTools ?? polyfs.tools).map(describeTool), played)).toEqual([])
    })

    for (const vector of vectors) {
      test(vector.id, { concurrent: backend.concurrent ?? false }, async (context) => {
        if (backend.isSampled && !inSample.has(vector)) context.skip(onlyInFull)
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
    return await play(vector, stage)
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
