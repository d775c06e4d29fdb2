import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { dialects } from '../../dialects/all.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const calls: Record<string, [string, object]> = {
  polyfs: ['read_file', { path: 'a.txt' }],
  fs: ['read_file', { path: 'a.txt' }],
  'fs-context': ['read_file', { path: 'a.txt' }],
  replay: ['read_file', { path: 'a.txt' }],
}

async function answerOf(dialect: Dialect, how: 'removed' | 'replaced', name: string): Promise<string> {
  const above = fs.realpathSync(await temporaryDirectory())
  const root = path.join(above, 'root')
  fs.mkdirSync(root)
  fs.writeFileSync(path.join(root, 'a.txt'), 'one\n')
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: fs.realpathSync(await temporaryDirectory()),
    fsync: false,
    commands: false,
  })
  onTestFinished(() => workspace.close())
  fs.rmSync(root, { recursive: true })
  if (how === 'replaced') {
    fs.mkdirSync(root)
    fs.writeFileSync(path.join(root, 'a.txt'), 'another\n')
  }
  const [tool, args] = calls[name] as [string, object]
  try {
    return JSON.stringify(
      await callTool(workspace, dialect, tool, name === 'fs-context' ? { path: path.join(root, 'a.txt') } : args),
    )
  } catch (error) {
    return (error as Error).message
  }
}

for (const name of Object.keys(calls)) {
  test.each(['removed', 'replaced'] as const)(
    `${name} says that the root was %s, and that the server has to be restarted`,
    async (how) => {
      const answer = await answerOf(dialects[name] as Dialect, how, name)
      expect(answer).toMatch(/was removed or replaced since the server was started/)
      expect(answer).toMatch(/restart/)
      expect(answer).not.toContain('another')
    },
  )
}

test('our own tools say so in one sentence and what to do, whatever is asked', async () => {
  const above = fs.realpathSync(await temporaryDirectory())
  const root = path.join(above, 'root')
  fs.mkdirSync(root)
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: fs.realpathSync(await temporaryDirectory()),
    fsync: false,
    commands: false,
  })
  onTestFinished(() => workspace.close())
  fs.rmSync(root, { recursive: true })
  for (const [tool, args] of [
    ['list_dir', {}],
    ['grep', { pattern: 'x' }],
    ['write_file', { path: 'new.txt', content: 'x' }],
    ['write_file', { path: 'a/b.txt', content: 'x', parents: true }],
    ['delete', { path: 'a.txt' }],
  ] as const) {
    const { content, isError } = await callTool(workspace, dialects.polyfs, tool, args)
    expect(isError, tool).toBe(true)
    expect(content[0]?.text, tool).toBe(
      `root_gone: The root directory ${root} was removed or replaced since the server was started. Ask the user to restart the server.`,
    )
  }
})
