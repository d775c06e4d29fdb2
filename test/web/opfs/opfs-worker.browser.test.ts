import { afterAll, describe, expect, test } from 'vitest'
import { contractCases } from '../../../contract/fs/index.js'
import { sampleOf } from '../../describe-contract.js'
import { onlyInFull } from '../../scale.js'
import { opfsDeviations as deviations } from './opfs-deviations.js'
import type { Answer, Question } from './opfs-worker.js'
import { put, scratchDirectory } from './scratch.js'

const worker = new Worker(new URL('./opfs-worker.ts', import.meta.url), { type: 'module' })
afterAll(() => worker.terminate())

function ask(question: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.postMessage(question)
  })
}

describe('OPFS in a worker keeps the contract', () => {
  const played = new Set(sampleOf('OPFS in a worker'))
  for (const contractCase of contractCases) {
    const { name } = contractCase
    test(name, async (context) => {
      if (!played.has(contractCase)) context.skip(onlyInFull)
      const result = await ask({ case: name, deviations })
      if (result.outcome === 'skipped') context.skip(result.reason)
      if (result.outcome === 'failed') expect.fail(result.message)
    })
  }
})

test('a file held open in a worker is read through a sync access handle, which blocks writers until it is closed', async () => {
  const directory = await scratchDirectory()
  await put(directory, 'f', 'a file held open')
  expect(await ask({ holdOpen: directory.name, name: 'f' })).toEqual({
    outcome: 'held',
    reads: ['a file held open', 'held', 'open', ''],
    writeWhileOpen: 'BUSY',
    writeAfterClose: 'ok',
  })
})
