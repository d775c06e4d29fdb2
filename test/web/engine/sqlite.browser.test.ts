import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { createBash } from '../../../web/bash.js'

const sqlite = '/node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm'

test('sqlite3 runs on the files of a page', async () => {
  const bash = createBash({ fs: memory({ 'a.csv': 'id,name\n1,Ann\n2,Bob\n' }), sqlite })
  const script = `sqlite3 x.db '.import --csv a.csv t' 'create index i on t(name)'
    sqlite3 -json x.db "attach 'y.db' as y; create table y.u as select * from t where id > 1; select * from y.u"
    sqlite3 y.db .dump; sqlite3 x.db 'selec'`
  expect(await bash.exec(script)).toMatchObject({
    stdout: `[{"id":"2","name":"Bob"}]
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE u(id TEXT,name TEXT);
INSERT INTO u VALUES('2','Bob');
COMMIT;
`,
    stderr: 'Error: in prepare, near "selec": syntax error\n  selec\n  ^--- error here\n',
    exitCode: 1,
  })
  const endless = 'with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c'
  expect((await bash.exec(`sqlite3 :memory: '${endless}'`, { timeoutMs: 500 })).exitCode).toBe(124)
  await bash.close()
})

test('where its engine is not, sqlite3 says where it would be', async () => {
  const bash = createBash({ fs: memory(), sqlite: '/nowhere/sqlite3.wasm' })
  const { stderr, exitCode } = await bash.exec('sqlite3 :memory: "select 1"')
  expect(exitCode).toBe(127)
  expect(stderr).toContain('/nowhere/sqlite3.wasm, which is dist/sqlite3.wasm of the package @sqlite.org/sqlite-wasm@')
  await bash.close()
})
