import { describe, expect, test } from 'vitest'
import { randomFrom } from '../../core/search/generated-trees.js'
import { sample, scaled, seeded } from '../../scale.js'
import { sqliteBash } from './bash.js'
import { generatedScript } from './generated-scripts.js'
import { bothSqlites, otherSqlite } from './same-as-sqlite.js'
import { files, scripts } from './scripts.js'

describe('as the sqlite3 of the machine', () => {
  const both = bothSqlites()

  test.each(sample(scripts, { every: 4 }))('%s', async (script) => {
    if (otherSqlite !== undefined) return
    const { ours, theirs } = await both(script, files)
    expect(ours).toEqual(theirs)
  })

  test('generated tables in every mode', { timeout: 300_000 }, async (context) => {
    if (otherSqlite !== undefined) return context.skip(otherSqlite)
    for (let round = 0; round < scaled(150); round += 1) {
      const script = generatedScript(randomFrom(seeded(round)))
      const { ours, theirs } = await both(script)
      expect(ours, script).toEqual(theirs)
    }
  })

  test('a file that ours wrote is whole for theirs', { timeout: 60_000 }, async (context) => {
    if (otherSqlite !== undefined) return context.skip(otherSqlite)
    const write = `sqlite3 x.db "create table t(id integer primary key, s text, r real, b blob);
      create index i on t(s); create virtual table f using fts5(s); insert into f values('some words');
      with recursive c(n) as (select 1 union all select n+1 from c where n<20000)
      insert into t select n, printf('text %d', n*7919%20000), n/7.0, randomblob(n%50) from c;
      delete from t where id%3=0; create table w(k primary key) without rowid; insert into w values(1),(2)"`
    const read = `sqlite3 x.db 'pragma integrity_check; select count(*), sum(length(b)) > 0 from t; select * from w; select * from f'`
    expect(await both.readByTheirs(write, read)).toEqual({
      stdout: 'ok\n13334|1\n1\n2\nsome words\n',
      stderr: '',
      exitCode: 0,
    })
  })
})

describe('what runs and what it leaves', () => {
  const { sh } = sqliteBash()

  test('an endless query ends at the time of the command, and the shell goes on', async () => {
    const endless = 'with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c'
    expect(await sh(`timeout 0.3 sqlite3 :memory: '${endless}'; echo $?`)).toMatchObject({ stdout: '124\n' })
    expect((await sh(`sqlite3 :memory: '${endless}'`, 300)).exitCode).toBe(124)
    expect(await sh("sqlite3 :memory: 'select 1'")).toMatchObject({ stdout: '1\n', exitCode: 0 })
  })

  test('what was committed before the end of its time is in the file', async () => {
    const endless = 'with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c'
    await sh(`cd /; sqlite3 k.db 'create table t(a); insert into t values(1)'`)
    const script = `{ echo 'insert into t values(2);'; sleep 0.4; echo 'insert into t values(3);'; echo '${endless};'; } | sqlite3 k.db`
    await sh(script, 1500)
    expect((await sh("sqlite3 k.db 'select * from t; pragma integrity_check'")).stdout).toContain('1\n2\n')
  })

  test('a command that fails to store says so', async () => {
    expect(await sh('sqlite3 /dev/full.db "create table t(a)"; echo $?')).toMatchObject({ stdout: '1\n' })
  })

  test('options and commands that are missing are named', async () => {
    expect(await sh('sqlite3 -zip x.db')).toEqual({
      stdout: '',
      stderr: "sqlite3: option '-zip' is not supported by this shell\n",
      exitCode: 2,
    })
    expect(await sh("sqlite3 :memory: '.load x'")).toEqual({
      stdout: '',
      stderr: 'Error: .load is not supported by this shell\n',
      exitCode: 1,
    })
  })

  test('what a program beside it changed is seen', async () => {
    const script = `sqlite3 o.db 'create table t(a)'
sqlite3 o.db <<'EOF'
insert into t values(1);
.shell sqlite3 o.db 'insert into t values(2)'
select * from t;
EOF`
    expect(await sh(script)).toEqual({ stdout: '1\n2\n', stderr: '', exitCode: 0 })
  })

  test('numbers are random by the shell, and repeat with it', async () => {
    const { stdout } = await sh("sqlite3 :memory: 'select random() = random(), length(randomblob(8))'")
    expect(stdout).toBe('0|8\n')
  })
})
