/** SQLite in WebAssembly, in a page. */
import wasm from 'sql.js/dist/sql-wasm-browser.wasm?url'
import { expect, test } from 'vitest'
import { sqliteJournal } from '../../../src/change/journal/sqlite-journal.js'
import { sqlite } from '../../../src/fs/backends/sqlite/workspaces.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { sqlJs } from '../../core/fs/sqlite-database.js'
import { describeWrapperContract } from '../../describe-contract.js'

const openDatabase = await sqlJs(wasm)

describeWrapperContract('sqlite in a page', () => ({ fs: sqlite(openDatabase()), base: '/base' }))

test('a workspace is reopened from its bytes, with its history', async () => {
  const database = openDatabase()
  const fs = sqlite(database)
  const request = { label: 'write', scopes: [{ path: '/a' }] }
  const { changes } = createWorkspace({ fs, journal: sqliteJournal(fs) })
  for (const text of ['one', 'two']) {
    await changes.run(request, (draft) => draft.write('/a', new TextEncoder().encode(text)))
  }
  const again = sqlite(openDatabase(database.bytes()))
  expect(new TextDecoder().decode(await again.readFile('/a'))).toBe('two')
  await createWorkspace({ fs: again, journal: sqliteJournal(again) }).history.undo()
  expect(new TextDecoder().decode(await again.readFile('/a'))).toBe('one')
})
