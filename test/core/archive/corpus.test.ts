/** Every archive of the corpus in memory and on a real disk: a refused archive leaves nothing behind. */
import { describe, expect, test } from 'vitest'
import { FsError } from '../../../src/errors.js'
import { extractArchive } from '../../../src/ops/archive/extract-archive.js'
import { backends, type Stage } from '../ops/stage.js'
import { type CorpusCase, corpus, moreCases } from './corpus.js'

test('the corpus has 37 archives to refuse, 6 to take and 6 to take with a warning', () => {
  const count = (verdict: string) => corpus.filter(({ expected }) => expected.verdict === verdict).length
  expect([corpus.length, count('deny'), count('allow'), count('flag')]).toEqual([49, 37, 6, 6])
})

const made = new Map<CorpusCase, Promise<Uint8Array>>()

function bytesOf(each: CorpusCase): Promise<Uint8Array> {
  const bytes = made.get(each) ?? each.make()
  made.set(each, bytes)
  return bytes
}

describe.each(backends)('%s', (_name, open) => {
  test.each([...corpus, ...moreCases].map((each) => [each.name, each] as const))('%s', async (_case, each) => {
    const stage = await open({ 'archive.zip': await bytesOf(each) })
    const input = { path: 'archive.zip', to: 'out' }
    const { expected } = each
    if (expected.verdict === 'deny') {
      const failure = { path: expect.stringMatching(/\/w\/archive\.zip$/), ...expected.failure }
      expect(await failureOf(stage, input)).toEqual(failure)
      expect(Object.keys(await stage.tree())).toEqual(['archive.zip'])
      expect([await stage.workspace.history.list(), await stage.leftovers()]).toEqual([[], []])
      return
    }
    const { result, tree } = await stage.change(extractArchive, input)
    const { 'archive.zip': _archive, 'out/': _out, ...rest } = tree
    expect(readable(rest)).toEqual(treeOf(expected))
    expect(result.warnings).toEqual(expected.verdict === 'flag' ? expected.warnings : [])
  })
})

async function failureOf(stage: Stage, input: { path: string; to: string }): Promise<object> {
  const error = await stage.run(extractArchive, input).catch((reason) => reason)
  expect(error).toBeInstanceOf(FsError)
  return { code: error.code, ...error.facts }
}

function treeOf({ tree }: Extract<CorpusCase['expected'], { tree: object }>): object {
  return Object.fromEntries(Object.entries(tree).map(([path, text]) => [`out/${path}`, text]))
}

/** Text as it is, without its mode: the corpus is about names and content. */
function readable(tree: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(tree).map(([path, leaf]) => {
      if (typeof leaf === 'string') return [path, leaf]
      return [path, leaf instanceof Uint8Array ? '(binary)' : (leaf as { text: string }).text]
    }),
  )
}
