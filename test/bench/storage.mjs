/** A workspace in a SQLite database beside the same in memory and on a disk. Uses the SQLite of Node, or sql.js where Node has none. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { compare, median, timed } from './measure.mjs'
import { agentFs } from './storage-agentfs.mjs'
import { benchKeyValue } from './storage-key-value.mjs'

const files = 10_000

export async function benchStorage(ours, rows, { rounds, only }) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-storage-'))
  try {
    const open = await opener(ours, rows, scratch)
    const parts = { grep, read: reads, edit: edits, fork: forks, agentfs: agentFs }
    for (const [name, run] of Object.entries(parts))
      if (name.includes(only)) await run(ours, rows, { open, rounds, scratch })
    await benchKeyValue(ours, rows, {
      rounds,
      only,
      scratch,
      parts: { treeOfFiles, fill, searching, reading, editing },
    })
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

/** Opens databases: files where Node has SQLite. `synchronous` is whether a transaction waits for the disk. */
async function opener(ours, rows, scratch) {
  const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
  if (isBuiltin('node:sqlite')) {
    const { DatabaseSync } = await import('node:sqlite')
    rows.note('databases are files, opened with node:sqlite')
    return (name, synchronous = 'NORMAL') => {
      const file = path.join(scratch, name)
      const driver = new DatabaseSync(file)
      driver.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
      const database = ours.fromNodeSqlite(driver)
      const bytes = () => {
        driver.exec('PRAGMA wal_checkpoint(TRUNCATE)')
        return fs.statSync(file).size
      }
      return { database, workspaces: ours.sqliteWorkspaces(database, { sha256 }), bytes, close: () => driver.close() }
    }
  }
  const { default: initSqlJs } = await import('sql.js')
  const { Database } = await initSqlJs()
  rows.note('this Node has no SQLite: databases are in memory, opened with sql.js')
  return () => {
    const driver = new Database()
    const database = ours.fromSqlJs(driver)
    const pages = () =>
      database.run('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size', [])
    return {
      database,
      workspaces: ours.sqliteWorkspaces(database, { sha256 }),
      bytes: () => pages()[0].bytes,
      close: () => driver.close(),
    }
  }
}

function treeOfFiles() {
  const tree = {}
  for (let i = 0; i < files; i += 1) {
    const lines = Array.from({ length: 40 }, (_, line) => `export const value${line} = compute(${i}, ${line}) // note`)
    if (i % 50 === 0) lines[20] = 'const needle = 1'
    tree[`/work/part-${i % 40}/module-${i}.ts`] = `${lines.join('\n')}\n`
  }
  return tree
}

async function fill(target, tree) {
  const directories = new Set()
  const actions = []
  const hash = (bytes) => createHash('sha256').update(bytes).digest('hex')
  for (const [file, text] of Object.entries(tree)) {
    const above = path.dirname(file)
    for (const directory of [path.dirname(above), above]) {
      if (directory === '/' || directories.has(directory)) continue
      directories.add(directory)
      actions.push({ do: 'makeDir', path: directory })
    }
    const bytes = Buffer.from(text)
    actions.push({ do: 'write', path: file, bytes, hash: hash(bytes) })
  }
  await target.transactional.atomic.apply(actions)
}

function searching(ours, workspace, pattern) {
  const args = { pattern, path: '/work' }
  return async () => {
    const { isError, content } = await ours.callTool(workspace, ours.clarvis, 'grep', args)
    if (isError) throw new Error(content[0].text)
    return content[0].text.length
  }
}

async function grep(ours, rows, { open, rounds }) {
  const tree = treeOfFiles()
  const inMemory = searching(ours, ours.createWorkspace({ fs: ours.memory(tree) }), 'needle')
  const { workspaces, bytes, close } = open('grep')
  const target = workspaces.open('main')
  const filling = await timed(() => fill(target, tree))
  const textBytes = Object.values(tree).reduce((sum, text) => sum + text.length, 0)
  const kilobytes = { oursMs: bytes() / 1000, theirsMs: textBytes / 1000, ratio: bytes() / textBytes, unit: 'kB' }
  rows.row(`size of a database with ${files} files`, 'size of their text', kilobytes)
  rows.note(`${files} files are stored in one transaction in ${filling.toFixed(0)} ms`)
  const stored = searching(ours, ours.createWorkspace({ fs: target }), 'needle')
  rows.row(
    `grep ${files} files in a database`,
    'in memory',
    await compare({ ours: stored, theirs: inMemory, rounds }),
    3,
  )
  // Opened again, nothing is cached.
  const cold = []
  for (let i = 0; i < 3; i += 1) {
    const again = ours.sqliteWorkspaces(open('grep').database).open('main')
    const found = (await again.readDir('/')).length > 0
    if (!found) break
    cold.push(await timed(searching(ours, ours.createWorkspace({ fs: again }), 'needle')))
  }
  const warm = median(await Promise.all([timed(inMemory), timed(inMemory), timed(inMemory)]))
  if (cold.length > 0) {
    rows.row(`the first grep of ${files} files in a database`, 'in memory', {
      oursMs: median(cold),
      theirsMs: warm,
      ratio: median(cold) / warm,
    })
  }
  close()
}

function reading(ours, workspace, file) {
  return async () => {
    for (let i = 0; i < 200; i += 1) {
      const { isError, content } = await ours.callTool(workspace, ours.clarvis, 'read_file', { path: file })
      if (isError) throw new Error(content[0].text)
    }
  }
}

async function reads(ours, rows, { open, rounds }) {
  const tree = { '/work/file.txt': 'some text of a line of a file\n'.repeat(137) }
  const { workspaces, close } = open('read')
  const target = workspaces.open('main')
  await fill(target, { '/work/d/file.txt': tree['/work/file.txt'] })
  const result = await compare({
    ours: reading(ours, ours.createWorkspace({ fs: target }), '/work/d/file.txt'),
    theirs: reading(
      ours,
      ours.createWorkspace({ fs: ours.memory({ '/work/d/file.txt': tree['/work/file.txt'] }) }),
      '/work/d/file.txt',
    ),
    rounds: 3 * rounds,
  })
  rows.row('200 reads of 4 KB in a database', 'in memory', result, 2)
  close()
}

function editing(ours, workspace) {
  let value = 0
  return async () => {
    for (let i = 0; i < 50; i += 1) {
      const args = { path: 'file.txt', old_string: `value = ${value}`, new_string: `value = ${value + 1}` }
      const { isError, content } = await ours.callTool(workspace, ours.clarvis, 'edit_file', args)
      if (isError) throw new Error(content[0].text)
      value += 1
    }
  }
}

async function edits(ours, rows, { open, rounds, scratch }) {
  const text = `${'some text of a line\n'.repeat(200)}value = 0\n`
  const root = path.join(scratch, 'root')
  fs.mkdirSync(root)
  fs.writeFileSync(path.join(root, 'file.txt'), text)
  const disk = await ours.openDirectories([{ directory: root, access: 'read-write' }], {
    fsync: false,
    stateDirectory: path.join(scratch, 'state'),
    searchThreads: 0,
  })
  const { workspaces, close } = open('edit')
  const target = workspaces.open('main')
  await target.writeFile('/file.txt', Buffer.from(text))
  const stored = ours.createWorkspace({ fs: target, journal: ours.sqliteJournal(target) })
  const inMemory = ours.createWorkspace({ fs: ours.memory({ '/file.txt': text }) })
  const edit = editing(ours, stored)
  rows.row(
    '50 edits in a database, with history',
    'on a disk, not durable',
    await compare({ ours: edit, theirs: editing(ours, disk), rounds }),
    2,
  )
  const measured = await compare({ ours: edit, theirs: editing(ours, inMemory), rounds })
  rows.row('50 edits in a database, with history', 'in memory', measured)
  close()
  disk.close()
}

async function forks(ours, rows, { open, rounds }) {
  const { workspaces, bytes, close } = open('fork')
  const target = workspaces.open('main')
  await fill(target, treeOfFiles())
  const original = ours.memory(treeOfFiles())
  let count = 0
  const before = bytes()
  const ofOurs = () => {
    for (let i = 0; i < 100; i += 1) target.fork(`fork-${count++}`)
  }
  const ofMemory = () => {
    for (let i = 0; i < 100; i += 1) original.fork()
  }
  rows.row(
    `100 forks of ${files} files in a database`,
    'in memory',
    await compare({ ours: ofOurs, theirs: ofMemory, rounds }),
  )
  rows.note(`a fork takes ${Math.round((bytes() - before) / count)} bytes`)
  close()
}
