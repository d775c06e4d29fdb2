import { expect, test } from 'vitest'
import { openOpfs } from '../../../web/opfs/opfs-workspace.js'

test('`auto` gives a workspace in the browser the emulated shell', async () => {
  const workspace = await openOpfs('shell-selection', { shell: 'auto' })
  try {
    const command = 'echo one > chosen.txt; cat chosen.txt; rm chosen.txt'
    const ran = await workspace.shell?.exec({ command, cwd: '/', timeoutMs: 50_000, maxStreamBytes: 1000 })
    expect([workspace.shell?.kind, ran?.ended, new TextDecoder().decode(ran?.stdout.bytes)]).toEqual([
      'emulated',
      'exit',
      'one\n',
    ])
  } finally {
    await workspace.close()
  }
})

test('there is no shell by default, nor in a read-only workspace', async () => {
  const plain = await openOpfs('shell-selection')
  const readOnly = await openOpfs('shell-selection', { shell: 'auto', readOnly: true })
  try {
    expect([plain.shell, readOnly.shell]).toEqual([undefined, undefined])
  } finally {
    await plain.close()
    await readOnly.close()
  }
})
