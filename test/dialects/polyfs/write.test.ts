import { expect, test } from 'vitest'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace.js'

const latin1 = Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a)
const utf16 = Uint8Array.of(0xff, 0xfe, 0x61, 0x00, 0x0a, 0x00)

test.each([
  ['Latin-1', latin1, true],
  ['UTF-16', utf16, true],
  ['UTF-8', new TextEncoder().encode('café\n'), false],
  ['UTF-8 with a byte-order mark', Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), false],
  ['nothing', new Uint8Array(), false],
])('a write over %s warns when what was there was no UTF-8', async (_what, bytes, warns) => {
  const { callText } = tools(createWorkspace({ fs: memory({ 'a.txt': bytes }) }))
  const answer = await callText('write_file', { path: 'a.txt', content: 'café\n' })
  const warning =
    '[warning: a.txt was not UTF-8 and is now; if it was text in another encoding, undo the write with history, action "undo"]'
  expect(answer.split('\n').includes(warning)).toBe(warns)
})

test('bytes that were given as bytes are written without a warning', async () => {
  const { callText } = tools(createWorkspace({ fs: memory({ 'a.txt': latin1 }) }))
  expect(await callText('write_file', { path: 'a.txt', content: '6Q==', encoding: 'base64' })).not.toContain('warning')
})
