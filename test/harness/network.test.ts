import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEpisode } from '../../harness/episode/episode.js'
import { replayTrace } from '../../harness/trace/replay.js'
import { parseTrace } from '../../harness/trace/trace.js'
import type { TraceCall } from '../../harness/types.js'
import { nodeNetwork } from '../../node/network/node-network.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { type TestServer, testServer } from '../bash/network/test-server.js'
import { built } from '../node/cli/built.js'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const files = { 'a.txt': 'a\n' }
const shell = () => emulatedShell({ worker: built('node/emulated-worker.js') })
const textOf = ({ result }: TraceCall) => ('content' in result ? JSON.stringify(result.content) : '')

async function recorded() {
  const allow = [{ origin: server.origin, headers: { 'x-token': 't0ken-of-the-host' } }]
  const episode = await openEpisode({ files, shell: shell(), network: nodeNetwork({ allow }) })
  await episode.tools.call('bash', {
    command: `curl -s ${server.origin}/echo; curl -s -o z.gz ${server.origin}/gzip; zcat z.gz | md5sum`,
  })
  await episode.tools.call('bash', {
    command: `curl -sS http://example.com/; wget -q ${server.origin}/text & wget -qO- ${server.origin}/many; wait`,
  })
  await episode.close()
  return episode.trace
}

test('an episode records what commands asked, and a replay repeats it without a network', async () => {
  const trace = await recorded()
  const text = trace.toJsonl()
  const calls = trace.events.filter((event): event is TraceCall => event.type === 'call')
  expect(calls.map(({ network = [] }) => network.map(({ request }) => request.url.replace(server.origin, '')))).toEqual(
    [['/echo', '/gzip'], expect.arrayContaining(['http://example.com/', '/text', '/many'])],
  )
  expect(textOf(calls[0] as TraceCall)).toContain('x-token: *****************')
  expect(text).not.toContain('t0ken-of-the-host')
  const asked = server.seen.length
  const again = await replayTrace(text, { files, shell: shell() })
  expect(again.trace.transcriptHash()).toBe(trace.transcriptHash())
  expect(server.seen).toHaveLength(asked)
  await again.close()
})

test('a replay that asks for something else says what', async () => {
  const text = (await recorded()).toJsonl().replace(`${server.origin}/echo; curl`, `${server.origin}/other; curl`)
  await expect(replayTrace(text, { files, shell: shell() })).rejects.toThrow(
    /Call 1 is not as recorded:[\s\S]*-.*\/echo"[\s\S]*\+.*\/other"/,
  )
  const [header = '', first = ''] = text.split('\n')
  const forged = JSON.stringify({ ...JSON.parse(first), network: [{ request: 1 }] })
  expect(() => parseTrace(`${header}\n${forged}\n`)).toThrow('line 2 is not an event')
})
