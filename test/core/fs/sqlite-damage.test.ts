/** Databases that a disk or another program has damaged: what was stored comes back, or an error that says so. */
import { describe, expect, test } from 'vitest'
import { sqliteJournal } from '../../../src/change/journal/sqlite-journal.js'
import type { SqliteFileSystem } from '../../../src/fs/backends/sqlite/file-system.js'
import { sqlite, sqliteWorkspaces } from '../../../src/fs/backends/sqlite/workspaces.js'
import { sha256 } from '../../../src/fs/digests/sha256.js'
import { wouldBlock } from '../../../src/fs/sync.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { sqlJs } from './sqlite-database.js'

const openDatabase = await sqlJs()
const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const blob = (text: string) => `x'${Buffer.from(text).toString('hex')}'`

const otherBytes =
  'the database has other bytes for this file than were stored: restore a backup of it, or write what it should contain to another file, which mends both'
const isDamaged = (path: string) => ({ code: 'IO', facts: { path, detail: otherBytes } })

/** Bytes that tell where they are. */
function largeBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8)) & 0xff
  return bytes
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
}

describe('content that is not what was stored', () => {
  async function damaged(files: Record<string, Uint8Array>, ...statements: string[]) {
    const database = openDatabase()
    const before = sqlite(database)
    for (const [path, bytes] of Object.entries(files)) await before.writeFile(path, bytes)
    for (const sql of statements) database.execute(sql)
    return { database, fs: sqlite(database) }
  }

  test('is an error in every way to read it', async () => {
    const { fs } = await damaged(
      { '/a': encode('amount: 100'), '/b': encode('other') },
      `UPDATE polyfs_contents SET data = ${blob('amount: 900')} WHERE data = ${blob('amount: 100')}`,
    )
    await expect(fs.readFile('/a')).rejects.toMatchObject(isDamaged('/a'))
    await expect(fs.readFile('/a', { start: 0, end: 3 })).rejects.toMatchObject(isDamaged('/a'))
    expect(() => fs.sync?.readFile('/a')).toThrow(expect.objectContaining(isDamaged('/a')))
    await expect(fs.transactional?.statAndRead('/a', 100)).rejects.toMatchObject(isDamaged('/a'))
    const source = await fs.open?.('/a')
    await expect(source?.read({ start: 0, end: 3 })).rejects.toMatchObject(isDamaged('/a'))
    const read = fs.sync?.fileReader?.('/')
    if (typeof read !== 'function') throw new Error('no reader')
    expect(decode(read('b') as Uint8Array)).toBe('other')
    // The asynchronous read reports it.
    expect(read('a')).toBe(wouldBlock)
  })

  test('does not become the content of another file, which mends it', async () => {
    const { database, fs } = await damaged(
      { '/a': encode('amount: 100') },
      `UPDATE polyfs_contents SET data = ${blob('amount: 900')}`,
    )
    await fs.writeFile('/new', encode('amount: 100'))
    const later = sqlite(database)
    expect(decode(await later.readFile('/new'))).toBe('amount: 100')
    expect(decode(await later.readFile('/a'))).toBe('amount: 100')
  })

  test('is noticed although it was read before it was changed', async () => {
    const { database, fs } = await damaged({ '/a': encode('amount: 100') })
    expect(decode(await fs.readFile('/a'))).toBe('amount: 100')
    database.execute(`UPDATE polyfs_contents SET data = ${blob('amount: 900')}`)
    await fs.writeFile('/new', encode('amount: 100'))
    expect(decode(await sqlite(database).readFile('/new'))).toBe('amount: 100')
  })

  test.each([
    ['another size', 'UPDATE polyfs_contents SET size = 4'],
    ['a text', "UPDATE polyfs_contents SET data = 'amount: 100'"],
    ['nothing', 'UPDATE polyfs_contents SET data = NULL'],
    ['another length', "UPDATE polyfs_contents SET data = x''"],
  ])('that is %s is written again with the content', async (_what, sql) => {
    const { database, fs } = await damaged({ '/a': encode('amount: 100') }, sql)
    await fs.writeFile('/new', encode('amount: 100'))
    const later = sqlite(database)
    for (const path of ['/a', '/new']) expect(decode(await later.readFile(path))).toBe('amount: 100')
  })

  test.each([
    ['the hash', "UPDATE polyfs_contents SET hash = 'x' || substr(hash, 2)"],
    ['the size of the file', 'UPDATE polyfs_entries SET size = 4'],
    ['the file, which has that of another', 'UPDATE polyfs_entries SET content = 2 WHERE content = 1'],
  ])('is an error where %s was changed', async (_what, sql) => {
    const { fs } = await damaged({ '/a': encode('amount: 100'), '/b': encode('other') }, sql)
    await expect(fs.readFile('/a')).rejects.toMatchObject(isDamaged('/a'))
  })

  test('in chunks is an error for ranges in a damaged one, and good elsewhere', async () => {
    const bytes = largeBytes(700_000)
    const { fs } = await damaged(
      { '/large': bytes },
      'UPDATE polyfs_chunks SET data = zeroblob(length(data)) WHERE position = 1',
    )
    expect(sha256(await fs.readFile('/large', { start: 10, end: 200_000 }))).toBe(sha256(bytes.slice(10, 200_000)))
    expect(sha256(await fs.readFile('/large', { start: 600_000, end: 900_000 }))).toBe(sha256(bytes.slice(600_000)))
    for (const range of [{ start: 300_000, end: 300_001 }, { start: 0, end: 300_000 }, undefined]) {
      await expect(fs.readFile('/large', range)).rejects.toMatchObject(isDamaged('/large'))
    }
  })

  test('in chunks is not needed whole for a range, with damaged hashes of chunks or none', async () => {
    const bytes = largeBytes(700_000)
    for (const list of ['NULL', "'damaged'", "replace(data, 'a', 'b')"]) {
      const { fs } = await damaged({ '/large': bytes }, `UPDATE polyfs_contents SET data = ${list}`)
      expect(sha256(await fs.readFile('/large', { start: 300_000, end: 300_100 }))).toBe(
        sha256(bytes.slice(300_000, 300_100)),
      )
    }
  })

  test.each([
    ['a changed chunk', 'UPDATE polyfs_chunks SET data = zeroblob(length(data)) WHERE position = 1'],
    ['a missing chunk', 'DELETE FROM polyfs_chunks WHERE position = 2'],
    ['a chunk too many', 'INSERT INTO polyfs_chunks SELECT content, 3, data FROM polyfs_chunks WHERE position = 0'],
    ['another size', 'UPDATE polyfs_contents SET size = 3'],
  ])('in chunks with %s is written again with the content, at once or in pieces', async (_what, sql) => {
    const bytes = largeBytes(700_000)
    const { database, fs } = await damaged({ '/large': bytes }, sql)
    await fs.writeFile('/new', bytes)
    for (const path of ['/large', '/new']) expect(sha256(await sqlite(database).readFile(path))).toBe(sha256(bytes))
    database.execute(sql)
    await fs.transactional?.stageFile('/newer', () => inPieces(bytes), {})
    const later = sqlite(database)
    for (const path of ['/large', '/new', '/newer']) expect(sha256(await later.readFile(path))).toBe(sha256(bytes))
    expect(sha256(await later.readFile('/large', { start: 300_000, end: 600_000 }))).toBe(
      sha256(bytes.slice(300_000, 600_000)),
    )
  })

  test('is not written by an undo, and the file stays as it is', async () => {
    const database = openDatabase()
    const fs = sqlite(database)
    const workspace = createWorkspace({ fs, journal: sqliteJournal(fs) })
    await fs.writeFile('/a', encode('amount: 100'))
    await workspace.changes.run({ label: 'edit', scopes: [{ path: '/a' }] }, (draft) =>
      draft.write('/a', encode('new')),
    )
    database.execute(`UPDATE polyfs_contents SET data = ${blob('amount: 900')} WHERE data = ${blob('amount: 100')}`)
    const later = sqlite(database)
    const { history } = createWorkspace({ fs: later, journal: sqliteJournal(later) })
    await expect(history.undo()).rejects.toMatchObject({ code: 'IO', facts: { path: '/a' } })
    expect(decode(await later.readFile('/a'))).toBe('new')
    expect(await history.earlierVersions('/a', 5)).toEqual([])
  })

  test('is not written by an undo if the history names other content', async () => {
    const database = openDatabase()
    const fs = sqlite(database)
    const workspace = createWorkspace({ fs, journal: sqliteJournal(fs) })
    await fs.writeFile('/a', encode('amount: 100'))
    await workspace.changes.run({ label: 'edit', scopes: [{ path: '/a' }] }, (draft) =>
      draft.write('/a', encode('new')),
    )
    database.execute(`UPDATE polyfs_kept SET content = (SELECT id FROM polyfs_contents WHERE data = ${blob('new')})`)
    await expect(workspace.history.undo()).rejects.toMatchObject({ code: 'IO', facts: { path: '/a' } })
    expect(decode(await fs.readFile('/a'))).toBe('new')
  })
})

describe('a tree that does not fit', () => {
  /** `/one/two/three` with the numbers 2, 3 and 4, and `/other` with 5; the root has 1. */
  async function tree(...statements: string[]) {
    const database = openDatabase()
    const before = sqlite(database)
    for (const path of ['/one', '/one/two', '/one/two/three', '/other']) await before.makeDir(path)
    for (const sql of statements) database.execute(sql)
    return database
  }

  const circle = 'the database has a directory that lies in itself or in two others: restore a backup of it'

  async function everything(fs: SqliteFileSystem, path = '/'): Promise<string[]> {
    const found: string[] = []
    for (const { name, kind } of await fs.readDir(path)) {
      const at = path === '/' ? `/${name}` : `${path}/${name}`
      found.push(at, ...(kind === 'directory' ? await everything(fs, at) : []))
    }
    return found
  }

  test.each([
    [
      'lies in itself',
      'UPDATE polyfs_entries SET child = 3 WHERE child = 4',
      '/one/two',
      'the database has the directory "three" in two places: restore a backup of it',
    ],
    ['is the top', 'UPDATE polyfs_entries SET child = 1 WHERE child = 4', '/one/two', circle],
    ['lies in one that lies in it', 'UPDATE polyfs_entries SET child = 2 WHERE child = 4', '/one/two', circle],
    ['lies in two others', 'UPDATE polyfs_entries SET child = 3 WHERE child = 5', '/', undefined],
    [
      'was never given a number',
      'UPDATE polyfs_entries SET child = 77 WHERE child = 4',
      '/one/two',
      'the database has a directory whose number was never given out: restore a backup of it',
    ],
  ])('because a directory %s is an error', async (_what, sql, path, detail) => {
    const error = await everything(sqlite(await tree(sql))).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'IO', facts: detail === undefined ? {} : { path, detail } })
  })

  test('is no longer one when it is mended', async () => {
    const database = await tree('UPDATE polyfs_entries SET child = 2 WHERE child = 4')
    const fs = sqlite(database)
    await expect(fs.readDir('/one/two')).rejects.toMatchObject({ code: 'IO' })
    database.execute('UPDATE polyfs_entries SET child = 4 WHERE directory = 3')
    database.execute('UPDATE polyfs_workspaces SET version = version + 1')
    expect(await everything(fs)).toEqual(['/one', '/one/two', '/one/two/three', '/other'])
  })

  test('is not compared for ever', async () => {
    const database = await tree()
    const workspaces = sqliteWorkspaces(database)
    workspaces.open('empty')
    database.execute('UPDATE polyfs_entries SET child = 2 WHERE child = 4')
    const fails = () => workspaces.diff('empty', 'main')
    expect(fails).toThrow(expect.objectContaining({ code: 'IO', facts: { path: '/', detail: circle } }))
  })

  test('has no number given out twice', async () => {
    const database = await tree("UPDATE polyfs_meta SET value = 0 WHERE name = 'directories'")
    expect(() => sqlite(database)).toThrow(expect.objectContaining({ code: 'IO' }))
  })

  test.each([
    ['name', "''"],
    ['name', "'.'"],
    ['name', "'a/b'"],
    ['name', "x'6f6e65'"],
    ['name', "CAST(x'ff' AS TEXT)"],
    ['kind', "'socket'"],
    ['mode', "'text'"],
    ['mode', '-1'],
    ['modified', "x'00'"],
    ['created', '9e999'],
    ['child', 'NULL'],
    ['child', '1.5'],
    ['child', '9007199254740993'],
  ])('because of %s = %s is an error that names the directory', async (column, value) => {
    const database = await tree(`UPDATE polyfs_entries SET ${column} = ${value} WHERE child = 3`)
    const fs = sqlite(database)
    expect(await fs.readDir('/')).toHaveLength(2)
    await expect(fs.readDir('/one')).rejects.toMatchObject({ code: 'IO', facts: { path: '/one' } })
  })

  test('while another process moves a directory is read again', async () => {
    const database = await tree()
    const [one, other] = [sqlite(database), sqlite(database)]
    await one.readDir('/one/two')
    let isMoved = false
    const between = sqlite({
      transaction: database.transaction,
      run(sql, values) {
        // After the directory was found in its old place, and before it is found in its new one.
        if (!isMoved && sql.includes('FROM polyfs_entries WHERE directory') && values[0] === 5) {
          isMoved = true
          void other.rename('/one/two', '/other/two')
        }
        return database.run(sql, values)
      },
    })
    await between.readDir('/one')
    expect(await between.readDir('/other')).toEqual([{ name: 'two', kind: 'directory' }])
  })
})

describe('tables that polyfs did not make', () => {
  test.each([
    [
      'a trigger',
      'CREATE TRIGGER spy AFTER INSERT ON polyfs_contents BEGIN SELECT 1; END',
      'has the trigger spy on a table of polyfs',
    ],
    [
      'an index',
      'CREATE INDEX slow ON polyfs_entries (length(hex(zeroblob(10))))',
      'has the index slow on a table of polyfs',
    ],
    [
      'a view in place of one',
      'DROP TABLE polyfs_kept; CREATE VIEW polyfs_kept AS SELECT 1 AS workspace',
      'has another polyfs_kept than polyfs makes',
    ],
    ['another column', 'ALTER TABLE polyfs_kept ADD COLUMN more', 'has another polyfs_kept than polyfs makes'],
    ['one too few', 'DROP TABLE polyfs_kept', 'has no polyfs_kept'],
  ])('are refused: %s', (_what, sql, detail) => {
    const database = openDatabase()
    sqlite(database)
    database.execute(sql)
    const whole = `the database ${detail}, so it is not used: remove that, or restore a backup`
    expect(() => sqlite(database)).toThrow(expect.objectContaining({ code: 'IO', facts: { path: '/', detail: whole } }))
  })

  test('are known again as other tools write them', async () => {
    const database = openDatabase()
    const fs = sqlite(database)
    await fs.writeFile('/a', encode('a'))
    for (const name of ['polyfs_contents', 'polyfs_kept']) {
      database.execute(`ALTER TABLE ${name} RENAME TO other; ALTER TABLE other RENAME TO ${name}`)
    }
    expect(decode(await sqlite(database).readFile('/a'))).toBe('a')
  })
})
