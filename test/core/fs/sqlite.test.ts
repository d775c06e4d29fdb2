import { describe, expect, test } from 'vitest'
import { sqliteJournal } from '../../../src/change/journal/sqlite-journal.js'
import type { SqliteDatabase } from '../../../src/fs/backends/sqlite/database.js'
import { sqlite, sqliteWorkspaces } from '../../../src/fs/backends/sqlite/workspaces.js'
import { sha256 } from '../../../src/fs/digests/sha256.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { describeContract, describeWrapperContract } from '../../describe-contract.js'
import { sqlJs } from './sqlite-database.js'

const openDatabase = await sqlJs()
const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describeContract('sqlite', () => ({ fs: sqlite(openDatabase()), base: '/base' }), { skipsLimits: true })

describeWrapperContract('a fork in a database', () => {
  const original = sqlite(openDatabase())
  return { fs: original.fork('fork'), base: '/base' }
})

/** A file of several chunks whose bytes tell where they are. */
function largeBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8)) & 0xff
  return bytes
}

function count(database: SqliteDatabase, table: string): number {
  return database.run(`SELECT count(*) AS count FROM ${table}`, [])[0]?.count as number
}

/** Counts the bytes of values that are read. */
function measured(database: SqliteDatabase) {
  let bytes = 0
  const run: SqliteDatabase['run'] = (sql, values) => {
    const rows = database.run(sql, values)
    for (const row of rows)
      for (const value of Object.values(row)) if (value instanceof Uint8Array) bytes += value.length
    return rows
  }
  return { run, transaction: database.transaction, read: () => bytes }
}

describe('contents', () => {
  test('equal files are stored once, in all workspaces', async () => {
    const database = openDatabase()
    const fs = sqlite(database)
    await fs.writeFile('/a', encode('same'))
    await fs.writeFile('/b', encode('same'))
    await fs.fork('other').writeFile('/c', encode('same'))
    expect(count(database, 'polyfs_contents')).toBe(1)
  })

  test('a range of a large file reads only its chunks', async () => {
    const database = openDatabase()
    const bytes = largeBytes(3_000_000)
    await sqlite(database).writeFile('/large', bytes)
    const counted = measured(database)
    const fs = sqlite(counted)
    for (const [start, end] of [
      [0, 1],
      [262_143, 262_145],
      [1_000_000, 1_000_100],
      [2_999_999, 9_000_000],
    ] as const) {
      const before = counted.read()
      expect(await fs.readFile('/large', { start, end })).toEqual(bytes.slice(start, end))
      expect(counted.read() - before).toBeLessThan(600_000)
    }
    expect(await fs.readFile('/large', { start: 5_000_000, end: 6_000_000 })).toEqual(new Uint8Array())
    expect(sha256(await fs.readFile('/large'))).toBe(sha256(bytes))
  })

  test('content that is staged in pieces is found again as a whole', async () => {
    const database = openDatabase()
    const fs = sqlite(database)
    const bytes = largeBytes(700_001)
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += 100_003) yield bytes.subarray(at, at + 100_003)
    }
    for (const path of ['/one', '/two']) await fs.transactional?.stageFile(path, pieces, {})
    expect(sha256(await fs.readFile('/one'))).toBe(sha256(bytes))
    expect(count(database, 'polyfs_contents')).toBe(1)
    expect(count(database, 'polyfs_chunks')).toBe(3)
  })

  test('a stream that fails leaves nothing behind', async () => {
    const database = openDatabase()
    const fs = sqlite(database)
    const pieces = async function* () {
      yield largeBytes(600_000)
      throw new Error('the source failed')
    }
    await expect(fs.transactional?.stageFile('/one', pieces, {})).rejects.toThrow('the source failed')
    expect(await fs.readDir('/')).toEqual([])
    expect([count(database, 'polyfs_contents'), count(database, 'polyfs_chunks')]).toEqual([0, 0])
  })

  test('garbage is collected, and what snapshots and the history need stays', async () => {
    const database = openDatabase()
    const workspaces = sqliteWorkspaces(database)
    const fs = workspaces.open('main')
    const workspace = createWorkspace({ fs, journal: sqliteJournal(fs) })
    await fs.writeFile('/frozen', encode('in a snapshot'))
    await fs.writeFile('/kept', encode('in the history'))
    await fs.writeFile('/gone', encode('nowhere'))
    fs.snapshot('before')
    const request = { label: 'edit', scopes: [{ path: '/kept' }] }
    await workspace.changes.run(request, (draft) => draft.write('/kept', encode('changed')))
    for (const path of ['/frozen', '/gone']) await fs.remove(path)
    workspaces.drop('before')
    fs.fork('fork')
    workspaces.drop('fork')
    expect(workspaces.gc()).toMatchObject({ contents: 2, bytes: 'in a snapshotnowhere'.length })
    await workspace.history.undo()
    expect(decode(await fs.readFile('/kept'))).toBe('in the history')
  })
})

describe('a database', () => {
  test('of another schema version is refused and left as it is', () => {
    const database = openDatabase()
    sqlite(database)
    database.execute("UPDATE polyfs_meta SET value = 7 WHERE name = 'schema'")
    expect(() => sqlite(database)).toThrow(
      expect.objectContaining({
        code: 'IO',
        facts: { path: '/', detail: 'the database has schema version 7; this polyfs needs 1' },
      }),
    )
  })

  test('that is none is refused with a sentence', () => {
    expect(() => sqlite(openDatabase(encode('this is a text, and no database '.repeat(200))))).toThrow(
      expect.objectContaining({ code: 'IO', facts: { path: '/', detail: 'file is not a database' } }),
    )
  })

  test('with damaged pages fails with a sentence where they are met, and nowhere else', async () => {
    const database = openDatabase()
    const fs = sqlite(database)
    await fs.writeFile('/small', encode('small'))
    await fs.writeFile('/large', largeBytes(1_000_000))
    const bytes = database.bytes()
    bytes.fill(0xff, bytes.length - 300_000)
    const damaged = sqlite(openDatabase(bytes))
    expect(decode(await damaged.readFile('/small'))).toBe('small')
    const outcome = await damaged.readFile('/large').then(
      (read) => sha256(read) === sha256(largeBytes(1_000_000)),
      (error) => error.code,
    )
    expect(['IO', false]).toContain(outcome)
  })

  test('with tables of others beside ours leaves them alone', async () => {
    const database = openDatabase()
    database.execute('CREATE TABLE notes (text TEXT)')
    database.execute("INSERT INTO notes VALUES ('mine')")
    await sqlite(database).writeFile('/a', encode('a'))
    sqliteWorkspaces(database).gc()
    expect(database.run('SELECT text FROM notes', [])).toEqual([{ text: 'mine' }])
  })

  test.each([
    ['is full', 'database or disk is full', 'NO_SPACE'],
    ['is locked', 'database is locked', 'BUSY'],
    ['may not be written', 'attempt to write a readonly database', 'READ_ONLY'],
    ['fails otherwise', 'disk I/O error', 'IO'],
  ])('that %s says so with the path, and nothing is lost', async (_what, message, code) => {
    const database = openDatabase()
    let fails = false
    const failing: SqliteDatabase = {
      run(sql, values) {
        if (fails && sql.startsWith('UPDATE polyfs_workspaces')) throw new Error(message)
        return database.run(sql, values)
      },
      transaction: database.transaction,
    }
    const fs = sqlite(failing)
    await fs.writeFile('/a', encode('old'))
    fails = true
    await expect(fs.writeFile('/a', encode('new'))).rejects.toMatchObject({ code, facts: { path: '/a' } })
    await expect(fs.makeDir('/d')).rejects.toMatchObject({ code, facts: { path: '/d' } })
    fails = false
    expect(decode(await fs.readFile('/a'))).toBe('old')
    await fs.writeFile('/b', encode('next'))
    expect(decode(await fs.readFile('/a'))).toBe('old')
    expect(await fs.readDir('/')).toEqual([
      { name: 'a', kind: 'file' },
      { name: 'b', kind: 'file' },
    ])
  })
})

describe('two openings of a workspace', () => {
  test('see what the other changed', async () => {
    const database = openDatabase()
    const [one, other] = [sqlite(database), sqlite(database)]
    await one.makeDir('/d')
    await other.writeFile('/d/a', encode('a'))
    expect(decode(await one.readFile('/d/a'))).toBe('a')
    await one.rename('/d', '/e')
    await expect(other.stat('/d')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(decode(await other.readFile('/e/a'))).toBe('a')
  })

  test('a change that began on older content is a conflict, even if size and time are the same', async () => {
    const database = openDatabase()
    const now = () => 5
    const [one, other] = [sqlite(database, { now }), sqlite(database, { now })]
    await one.writeFile('/a', encode('old'))
    const workspace = createWorkspace({ fs: one, journal: sqliteJournal(one) })
    const change = workspace.changes.run({ label: 'edit', scopes: [{ path: '/a' }] }, async (draft) => {
      await draft.read('/a')
      await other.writeFile('/a', encode('new'))
      await draft.write('/a', encode('mine'))
    })
    await expect(change).rejects.toMatchObject({ code: 'CONFLICT', facts: { path: '/a' } })
    expect(decode(await one.readFile('/a'))).toBe('new')
  })

  test('a dropped workspace fails with a sentence', async () => {
    const workspaces = sqliteWorkspaces(openDatabase())
    const fs = workspaces.open('a')
    workspaces.drop('a')
    await expect(fs.readDir('/')).rejects.toMatchObject({ code: 'IO', facts: { detail: 'the workspace was dropped' } })
  })
})

describe('names of workspaces', () => {
  test('exist once, and have no slash', () => {
    const fs = sqlite(openDatabase())
    fs.fork('fork')
    expect(() => fs.fork('fork')).toThrow(expect.objectContaining({ code: 'EXISTS' }))
    expect(() => fs.snapshot('main')).toThrow(expect.objectContaining({ code: 'EXISTS' }))
    expect(() => fs.fork('a/b')).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }))
    expect(() => fs.restore('nothing')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }))
  })

  test('a snapshot can be read, and not changed', async () => {
    const workspaces = sqliteWorkspaces(openDatabase())
    const fs = workspaces.open('main')
    await fs.writeFile('/a', encode('a'))
    fs.snapshot('frozen')
    const frozen = workspaces.open('frozen')
    expect(frozen.capabilities.writable).toBe(false)
    expect(decode(await frozen.readFile('/a'))).toBe('a')
    await expect(frozen.writeFile('/a', encode('b'))).rejects.toMatchObject({
      code: 'READ_ONLY',
      facts: { path: '/a' },
    })
  })
})

test('a fork and a rename of a directory take the same statements for any size', async () => {
  const counts: number[] = []
  for (const files of [1, 300]) {
    const database = openDatabase()
    const fs = sqlite(database)
    await fs.makeDir('/d')
    for (let index = 0; index < files; index += 1) await fs.writeFile(`/d/${index}`, encode(`${index}`))
    await fs.stat('/d/0')
    database.dieAt(Infinity)
    fs.fork('fork')
    await fs.rename('/d', '/e')
    counts.push(database.statements.length)
  }
  expect(counts[1]).toBe(counts[0])
})

test('64 edits of one file at once are all in it, and each can be undone', async () => {
  const fs = sqlite(openDatabase())
  const workspace = createWorkspace({ fs, journal: sqliteJournal(fs) })
  await fs.writeFile('/a', encode(Array.from({ length: 64 }, (_, line) => `line ${line};\n`).join('')))
  const edits = Array.from({ length: 64 }, (_, line) =>
    workspace.changes.run({ label: 'edit', scopes: [{ path: '/a' }] }, async (draft) => {
      const text = decode(await draft.read('/a'))
      await draft.write('/a', encode(text.replace(`line ${line};`, `done ${line};`)))
    }),
  )
  await Promise.all(edits)
  expect(decode(await fs.readFile('/a'))).toBe(Array.from({ length: 64 }, (_, line) => `done ${line};\n`).join(''))
  for (let undone = 0; undone < 64; undone += 1) await workspace.history.undo()
  expect(decode(await fs.readFile('/a'))).toBe(Array.from({ length: 64 }, (_, line) => `line ${line};\n`).join(''))
})
