import { expect, test } from 'vitest'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { withoutSessions } from '../../change-ids.js'

const latin1 = Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a)
const utf16 = Uint8Array.of(0xff, 0xfe, 0x61, 0x00, 0x0a, 0x00)

test.each([
  ['Latin-1', latin1, 'a.txt was Windows-1252 and is now UTF-8; to keep it, write with encoding "windows-1252"'],
  ['UTF-16', utf16, 'a.txt was UTF-16LE and is now UTF-8; to keep it, write with encoding "utf-16le"'],
  ['UTF-8', new TextEncoder().encode('café\n'), undefined],
  [
    'UTF-8 with a byte-order mark',
    Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
    'a.txt had a byte-order mark and has none now; to keep it, begin content with \\ufeff',
  ],
  ['nothing', new Uint8Array(), undefined],
])('a write over %s warns when what was there was not plain UTF-8', async (what, bytes, warning) => {
  const { callText } = tools(createWorkspace({ fs: memory({ 'a.txt': bytes }) }))
  const answer = await callText('write_file', { path: 'a.txt', content: 'café\n' })
  const [, ...notes] = withoutSessions(answer).split('\n')
  const isChanged = what !== 'UTF-8'
  expect(notes).toEqual([warning !== undefined && `[warning: ${warning}]`, isChanged && '[change 1]'].filter(Boolean))
})

test('bytes that were given as bytes are written without a warning', async () => {
  const { callText } = tools(createWorkspace({ fs: memory({ 'a.txt': latin1 }) }))
  expect(await callText('write_file', { path: 'a.txt', content: '6Q==', encoding: 'base64' })).not.toContain('warning')
})
