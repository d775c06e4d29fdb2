/** Hostile patterns through the tool: each is answered, and other calls are answered meanwhile. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryWorkspace, openDirectories } from '../../../node/workspace/directory-workspace.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { SearchRequest } from '../../../src/search/run/records.js'
import { collectMatches } from '../../../src/search/run/searcher.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import corpus from '../../data/redos.json' with { type: 'json' }
import { sample } from '../../scale.js'
import { built } from '../cli/built.js'

const searchWorker = built('node/search-worker.js')

type Part =
  | string
  | { repeat: string; times: number }
  | { from: number; times: number }
  | { counted: string; times: number }

function build(parts: string | readonly Part[]): string {
  if (typeof parts === 'string') return parts
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      if ('repeat' in part) return part.repeat.repeat(part.times)
      if ('from' in part) return String.fromCodePoint(...Array.from({ length: part.times }, (_, i) => part.from + i))
      return Array.from({ length: part.times }, (_, i) => `${part.counted}${i}`).join('|')
    })
    .join('')
}

/** Every text of the corpus, and enough other files that the pool takes the search. */
const texts = corpus.map(({ text }) => build(text as Part[]))
const tree = Object.fromEntries(
  Array.from({ length: 250 }, (_, i) => [`file-${i}.txt`, `${texts[i] ?? 'const value = compute(1)'}\n`]),
)

/** Far more than any of them takes, even where several tests share the machine. */
const longestMs = 30_000

async function answersMeanwhile(workspace: Workspace, pattern: string): Promise<void> {
  const started = Date.now()
  let isDone = false
  const searching = callTool(workspace, clarvis, 'grep', { pattern, output_mode: 'count' }).finally(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const asked = Date.now()
    const { content } = await callTool(workspace, clarvis, 'list_dir', {})
    expect(content[0]?.text).toContain('file-0.txt')
    longest = Math.max(longest, Date.now() - asked)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { content } = await searching
  expect(content[0]?.text).toBeTypeOf('string')
  expect(Date.now() - started).toBeLessThan(longestMs)
  expect(longest).toBeLessThan(longestMs / 6)
}

describe.each(['disk', 'memory'])('on %s', (kind) => {
  let directory: string
  let disk: DirectoryWorkspace | undefined
  let workspace: Workspace
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'polyfs-redos-'))
    if (kind === 'memory') {
      workspace = createWorkspace({ fs: memory(tree) })
      return
    }
    await Promise.all(Object.entries(tree).map(([name, text]) => writeFile(join(directory, name), text)))
    disk = await openDirectories([{ directory, access: 'read-only' }], { readOnly: true, searchWorker })
    workspace = disk
  })
  afterAll(async () => {
    disk?.close()
    await rm(directory, { recursive: true, force: true })
  })

  it.each(sample(corpus, { every: 4 }).map(({ id, pattern }) => [id, build(pattern as Part[])]))(
    '%s is answered',
    async (_, pattern) => {
      await answersMeanwhile(workspace, pattern)
    },
  )
})

describe('a thread that hangs', () => {
  it('is ended after the time limit and replaced; searches that wait for it are answered', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'polyfs-hang-'))
    const worker = join(directory, 'worker.mjs')
    await writeFile(
      worker,
      `import { parentPort, workerData } from 'node:worker_threads'
       let hangs
       parentPort.on('message', (message) => {
         if (message.kind === 'start' && message.request.matcher.pattern === 'hang') hangs = message.job
         if (message.kind !== 'batch' || message.job !== hangs) return
         Atomics.store(workerData.inHand, 0, message.job)
         for (;;);
       })
       await import(${JSON.stringify(searchWorker)})`,
    )
    const names = Array.from({ length: 300 }, (_, i) => `file-${i}.txt`)
    await Promise.all(names.map((name) => writeFile(join(directory, name), 'some text\n')))
    const hanging = await openDirectories([{ directory, access: 'read-only' }], {
      readOnly: true,
      searchWorker: worker,
    })
    async function* files() {
      yield { directory: hanging.root, entries: names.map((name) => ({ name })) }
    }
    const find = (pattern: string, limits: Partial<SearchRequest> = {}) => {
      const request: SearchRequest = { matcher: { pattern, syntax: 'literal' }, mode: 'files', ...limits }
      return collectMatches(hanging.internals.searcher!.search(files(), request))
    }
    const [stopped, answered] = await Promise.all([find('hang', { timeoutMs: 300 }), find('text')])
    expect(stopped.summary.truncated).toBe('time')
    expect(answered.files.length).toBe(300)
    expect((await find('some')).files.length).toBe(300)
    hanging.close()
    await rm(directory, { recursive: true, force: true })
  })
})
