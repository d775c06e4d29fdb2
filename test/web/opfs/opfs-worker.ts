/** Runs tests on OPFS in a dedicated worker: one request, one answer. */

import { type CaseResult, contractCases, type Deviations, runContract } from '../../../contract/fs/index.js'
import { isFsError } from '../../../src/errors.js'
import { opfs } from '../../../web/opfs/opfs.js'

export type Question = { case: string; deviations: Deviations } | { holdOpen: string; name: string }

export type Answer = CaseResult | { outcome: 'held'; reads: string[]; writeWhileOpen: string; writeAfterClose: string }

self.onmessage = async ({ data }: MessageEvent<Question>) => {
  self.postMessage('case' in data ? await runOne(data.case, data.deviations) : await holdOpen(data.holdOpen, data.name))
}

async function runOne(name: string, deviations: Deviations): Promise<Answer> {
  const target = { fs: await opfs(), base: `/${crypto.randomUUID()}` }
  const cases = contractCases.filter((contractCase) => contractCase.name === name)
  const { results } = await runContract(target, { cases, deviations })
  return results.find((result) => result.name === name) ?? { name, outcome: 'failed', message: 'there is no such case' }
}

async function holdOpen(directory: string, name: string): Promise<Answer> {
  const fs = await opfs(directory)
  const path = `/${name}`
  const source = await fs.open?.(path)
  if (source === undefined) throw new Error('open is absent')
  const write = () => fs.writeFile(path, new Uint8Array(3)).then(() => 'ok', codeOf)
  const reads: string[] = []
  for (const [start, end] of [
    [0, source.size],
    [7, 11],
    [12, 99],
    [99, 100],
  ] as const) {
    reads.push(new TextDecoder().decode(await source.read({ start, end })))
  }
  const writeWhileOpen = await write()
  await source.close()
  return { outcome: 'held', reads, writeWhileOpen, writeAfterClose: await write() }
}

function codeOf(error: unknown): string {
  return isFsError(error) ? error.code : String(error)
}
