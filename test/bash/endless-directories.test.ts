/** Programs that walk a tree without end: a store that somebody else has made has one directory in 2^40 places. */
import { expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { keyValueJournal } from '../../src/change/journal/key-value-journal.js'
import { keyValue } from '../../src/fs/backends/key-value/file-system.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { endlessStore, nodeHashes } from '../core/fs/key-value-stores.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'
import { sample } from '../scale.js'

const shell = emulatedShell({ worker: built('node/emulated-worker.js'), workers: 1 })

test.each(
  sample(
    [
      ['find top', 1],
      ['rm -rf top', 1],
      ['cp -r top other', 1],
      ['grep -r nothing top', 2],
      ['ls -R top', 1],
      ['du top', 1],
      ['tar cf other.tar top', 1],
    ] as const,
    { every: 4 },
  ),
)('%s ends, and says what it could not read', async (command, status) => {
  const fs = keyValue(await endlessStore(), nodeHashes)
  const workspace = createWorkspace({ fs, journal: keyValueJournal(fs), shell })
  const { ended, exitCode, stderr } = await run(workspace, `${command} > /dev/null`, { timeoutMs: 300_000 })
  expect([ended, exitCode]).toEqual(['exit', status])
  expect(stderr).toMatch(/\btop\/a\/.*: Input\/output error\n/)
})
