import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openEpisode } from '../../harness/episode/episode.js'
import { InfraError } from '../../harness/infra-error.js'
import { commandAgent } from '../../node/eval/command-agent.js'

const files = { '/a.txt': 'hello\n' }
const cwd = fileURLToPath(new URL('../..', import.meta.url))
const signal = new AbortController().signal

/** A program that calls tools as any MCP client does. */
const client = `
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
let instruction = ''
for await (const chunk of process.stdin) instruction += chunk
const client = new Client({ name: 'test', version: '1' })
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.POLYFS_MCP_URL)))
const { content } = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })
await client.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: instruction } })
await client.close()
console.log('thinking')
console.log(JSON.stringify(content[0].text.includes('hello')))
`

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

test('a program gets the tools over MCP and the instruction on its input', async () => {
  const episode = await openEpisode({ files })
  const agent = commandAgent(`node --input-type=module -e ${quoted(client)}`, { cwd, name: 'mine' })
  const { answer } = await agent.run({ episode, instruction: 'Größe\n', signal })
  expect([agent.name, answer]).toEqual(['mine', 'thinking\ntrue'])
  expect(episode.trace.events.flatMap((event) => (event.type === 'call' ? [event.tool] : []))).toEqual([
    'read_file',
    'write_file',
  ])
  expect(new TextDecoder().decode(await episode.workspace.fs.readFile('/b.txt'))).toBe('Größe\n')
})

test('a program that fails is an error with the end of what it said, and without keys', async () => {
  const episode = await openEpisode({ files })
  const failing = commandAgent('echo early >&2; echo "my key is $MY_API_KEY" >&2; exit 3', {
    env: { MY_API_KEY: 'sk-0123456789' },
  })
  const failure = await failing.run({ episode, instruction: '', signal }).catch((error) => error)
  expect(failure).not.toBeInstanceOf(InfraError)
  expect(failure.message).toMatch(/ended with exit code 3: early\nmy key is \(secret\)$/)
})

test('a program that does not exist leaves no result', async () => {
  const episode = await openEpisode({ files })
  const missing = commandAgent('there-is-no-such-program')
  await expect(missing.run({ episode, instruction: '', signal })).rejects.toThrow(InfraError)
})

test('only the end of a long output is the answer', async () => {
  const episode = await openEpisode({ files })
  const { answer } = await commandAgent('yes x | head -c 3000000; echo; echo end').run({
    episode,
    instruction: '',
    signal,
  })
  expect([answer.length <= 1 << 20, answer.length > 1_000_000, answer.slice(-4)]).toEqual([true, true, '\nend'])
})

test('a program that does not read its input is not a failure', async () => {
  const episode = await openEpisode({ files })
  const { answer } = await commandAgent('exec <&-; echo done').run({
    episode,
    instruction: 'x'.repeat(1 << 20),
    signal,
  })
  expect(answer).toBe('done')
})

test('the signal ends the program and all that it has started', async () => {
  const episode = await openEpisode({ files })
  const stopper = new AbortController()
  const began = performance.now()
  const ran = commandAgent(`trap '' TERM; (sleep 100 & wait); sleep 100`).run({
    episode,
    instruction: '',
    signal: stopper.signal,
  })
  setTimeout(() => stopper.abort(new Error('enough')), 300)
  await expect(ran).rejects.toThrow('enough')
  expect(performance.now() - began).toBeLessThan(30_000)
})
