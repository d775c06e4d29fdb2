import { expect, test } from 'vitest'
import { toJsonl, toMarkdown } from '../../agent/transcript.js'
import { call, setting, text } from './fake-models.js'

async function conversation() {
  const { agent } = setting(
    [
      [text('I look.'), call('read_file', { path: 'a.txt' }, 'x'), call('fly', '{', 'y')],
      [text('It has a ``` fence.'), { type: 'usage', usage: { inputTokens: 9, outputTokens: 3 } }],
    ],
    { onEvent: (event) => event.type === 'call' && event.call.state === 'running' && agent.steer('Be quick') },
  )
  await agent.send('Read a.txt,\nplease')
  return agent.conversation
}

test('as JSON Lines', async () => {
  const lines = toJsonl(await conversation(), { model: 'fake', title: 'Test' })
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { type: 'header', format: 'polyfs-agent', version: 1, model: 'fake', title: 'Test' },
    { type: 'prompt', turn: 'turn-1', text: 'Read a.txt,\nplease', atMs: 0 },
    { type: 'text', text: 'I look.' },
    { type: 'call', id: 'x', tool: 'read_file', kind: 'read', args: { path: 'a.txt' }, state: 'done', changes: [] },
    { type: 'call', id: 'y', tool: 'fly', argsText: '{', state: 'wrong' },
    { type: 'steering', text: 'Be quick' },
    { type: 'text', text: 'It has a ``` fence.' },
    { type: 'end', turn: 'turn-1', reason: 'done', usage: { inputTokens: 9, outputTokens: 3 } },
  ])
})

test('as Markdown', async () => {
  const page = toMarkdown(await conversation(), { model: 'fake', title: 'Test' })
  expect(page.replace(/The tools are: .*/, 'The tools are: …')).toBe(`# Test

Model: fake

## You

> Read a.txt,
> please

I look.

### read_file

\`\`\`json
{
  "path": "a.txt"
}
\`\`\`

\`\`\`
1	one
[1 line, hash 2c8b08da5ce60398]
\`\`\`

### fly (wrong)

\`\`\`json
{
\`\`\`

\`\`\`
There is no tool "fly". The tools are: …
\`\`\`

## You, in the middle

> Be quick

It has a \`\`\` fence.

*9 tokens in, 3 out, 2 calls*
`)
})

test('a fence is longer than those in what it holds', async () => {
  const { agent } = setting([[call('write_file', { path: 'n.md', content: '````\nx\n````\n' })], []])
  await agent.send('Go')
  expect(toMarkdown(agent.conversation)).toContain('`````json\n')
})
