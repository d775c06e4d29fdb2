import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { type ToolSet, tools } from '../../../src/dialects/tool-definitions.js'
import { temporaryDirectory } from '../../node/cli/run-cli.js'

async function open(): Promise<ToolSet & { root: string }> {
  const root = await temporaryDirectory()
  const stateDirectory = await temporaryDirectory()
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory, fsync: false })
  onTestFinished(() => workspace.close())
  return { root, ...tools(workspace) }
}

test('undo after a command that touched forty files brings them all back', async () => {
  const { root, callText } = await open()
  mkdirSync(join(root, 'd'))
  const files = Array.from({ length: 40 }, (_, at) => join(root, 'd', `f${at}.txt`))
  for (const file of files) writeFileSync(file, 'before\n')
  const command = 'for f in d/*.txt; do echo after > $f; done; rm d/f7.txt; echo new > new.txt'
  expect(await callText('bash', { command })).toBe('[exit code 0]\n[changed 41 paths; undo with history]')
  expect(await callText('history', { action: 'undo' })).toMatch(/^took back \S+: 41 paths\n/)
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(files.map(() => 'before\n'))
  expect(readdirSync(root)).toEqual(['d'])
})

test('output too long for its budget is stored in a file that read_file can read to the end', async () => {
  const { call, callText } = await open()
  const { content, facts } = await call('bash', { command: 'seq 1 5000', max_tokens: 500 })
  const [shown = ''] = content.map(({ text }) => text)
  expect(shown).toMatch(/^1\n2\n[\s\S]*\n… \d+ lines left out …\n[\s\S]*\n4999\n5000$/)
  const [path] = (facts as { output: string[] }).output
  expect(await callText('read_file', { path, offset: -1 })).toMatch(/^5000\t5000\n/)
  expect(await callText('grep', { pattern: '^4321$', path })).toContain('4321: 4321')
  expect(await callText('bash', { command: `tail -n 1 ${path}` })).toBe('5000\n[exit code 0]')
  expect(await callText('list_dir', { depth: 3, ignored: true })).toBe('(no entries)')
})

test('a command that is cancelled ends', async () => {
  const { callText } = await open()
  const controller = new AbortController()
  const running = callText('bash', { command: 'echo begun; sleep 60' }, { signal: controller.signal })
  setTimeout(() => controller.abort(), 200)
  expect(await running).toContain('[cancelled]')
})
