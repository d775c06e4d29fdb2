/** Files of gigabytes are copied, moved and deleted in little memory; sparse ones, so that the disk need not have room for them. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { createArchive } from '../../../src/ops/archive/create-archive.js'
import { extractArchive } from '../../../src/ops/archive/extract-archive.js'
import { copyEntry } from '../../../src/ops/copy-entry.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { moveEntry } from '../../../src/ops/move-entry.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { longTest } from '../../scale.js'

const largeSize = 3 * 1024 ** 3
/** Of one whose bytes are looked at: more takes long where the processor has no instruction for the hash. */
const readSize = 400 * 1024 ** 2
/** Far less than the file, far more than a call takes. */
const allowance = 64 * 1024 ** 2

/** Of each of two files, and less than both of them. */
const archivedSize = 48 * 1024 ** 2
const archiveAllowance = 90 * 1024 ** 2

async function stage(size = largeSize) {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-large-')))
  const root = path.join(base, 'root')
  const other = path.join(base, 'other')
  for (const directory of [root, other]) fs.mkdirSync(directory)
  const big = fs.openSync(path.join(root, 'big'), 'w')
  fs.ftruncateSync(big, size)
  if (size > 7) fs.writeSync(big, 'the end', size - 7)
  fs.closeSync(big)
  const readWrite = (directory: string) => ({ directory, access: 'read-write' as const })
  const workspace = await openDirectories([readWrite(root), readWrite(other)], {
    stateDirectory: path.join(base, 'state'),
    fsync: false,
  })
  onTestFinished(() => {
    workspace.close()
    fs.rmSync(base, { recursive: true })
  })
  await workspace.ready
  const at = (name: string) => fs.lstatSync(path.join(root, name), { throwIfNoEntry: false })?.size
  return { workspace, root, other, at, names: () => fs.readdirSync(root).sort() }
}

/** Size and end of a file, and whether it takes more of the disk than a few blocks. */
function shape(host: string) {
  const { size: bytes, blocks } = fs.statSync(host)
  const end = Buffer.alloc(7)
  const descriptor = fs.openSync(host, 'r')
  fs.readSync(descriptor, end, 0, 7, bytes - 7)
  fs.closeSync(descriptor)
  return { bytes, end: end.toString(), isSparse: blocks * 512 < 16 * 1024 ** 2 }
}

/** How much more memory the process has at its most. */
async function growth(run: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 1)
  try {
    await run()
  } finally {
    clearInterval(timer)
  }
  return Math.max(most, process.memoryUsage().rss) - before
}

test('one is copied in little memory, and a hole stays a hole', async () => {
  const { workspace, root } = await stage(readSize)
  const grown = await growth(() => copyEntry.run({ from: 'big', to: 'd/copy', makeParents: true }, workspace, {}))
  expect(shape(path.join(root, 'd/copy'))).toEqual({ bytes: readSize, end: 'the end', isSparse: true })
  expect(grown).toBeLessThan(allowance)
})

test('it moves to another root, and says that it can not be undone', async () => {
  const { workspace, names, other } = await stage(readSize)
  const grown = await growth(() =>
    moveEntry.run({ from: 'big', to: path.join(other, 'moved'), ...plain }, workspace, {}),
  )
  expect(names()).toEqual([])
  expect(fs.readdirSync(other)).toEqual(['moved'])
  expect(shape(path.join(other, 'moved'))).toEqual({ bytes: readSize, end: 'the end', isSparse: true })
  expect(grown).toBeLessThan(allowance)
  await expect(workspace.history.undo()).rejects.toMatchObject({ code: 'NOT_UNDOABLE' })
})

longTest('an archive of large files is made, and unpacked again, in little memory', async () => {
  const { workspace, root } = await stage(1)
  // What repeats itself only after longer than the compressor looks back: otherwise the archive would be small.
  const block = randomBytes(64 * 1024)
  fs.mkdirSync(path.join(root, 'src'))
  for (const name of ['a', 'b']) fs.writeFileSync(path.join(root, 'src', name), Buffer.alloc(archivedSize, block))
  const made = await growth(() =>
    createArchive.run(createArchive.input.parse({ path: 'all.zip', from: ['src'] }), workspace, {}),
  )
  const unpacked = await growth(() =>
    extractArchive.run(extractArchive.input.parse({ path: 'all.zip', to: 'out' }), workspace, {}),
  )
  for (const name of ['a', 'b']) {
    const [packed, back] = ['src', 'out/src'].map((directory) => fs.readFileSync(path.join(root, directory, name)))
    expect(packed?.equals(back as Buffer)).toBe(true)
  }
  expect([made < archiveAllowance, unpacked < archiveAllowance, made, unpacked]).toEqual([true, true, made, unpacked])
})

const plain = { replace: false, makeParents: true }

test('a file of 3 GB moves and comes back by undo, in little memory', async () => {
  const { workspace, at, names } = await stage()
  const grown = await growth(async () => {
    await moveEntry.run({ from: 'big', to: 'd/e/moved', ...plain }, workspace, {})
    expect([names(), at('d/e/moved')]).toEqual([['d'], largeSize])
    await workspace.history.undo()
    expect([names(), at('big')]).toEqual([['big'], largeSize])
  })
  expect(grown).toBeLessThan(allowance)
})

test('a directory that holds one is deleted for good, and says so', async () => {
  const { workspace, names } = await stage()
  const grown = await growth(async () => {
    await moveEntry.run({ from: 'big', to: 'd/big', ...plain }, workspace, {})
    const result = await deleteEntry.run({ path: 'd', recursive: true }, workspace, {})
    expect(result).toMatchObject({ entries: 2, undoable: false })
  })
  expect(names()).toEqual([])
  expect(grown).toBeLessThan(allowance)
  const [newest] = await workspace.history.list()
  await expect(workspace.history.undo(newest?.id)).rejects.toMatchObject({ code: 'NOT_UNDOABLE' })
})

test('one that a write or a move replaces goes, and nothing is left beside', async () => {
  const { workspace, at, names } = await stage()
  const grown = await growth(async () => {
    await moveEntry.run({ from: 'big', to: 'other', ...plain }, workspace, {})
    const files = [{ path: 'other', content: 'small', expect: 'existing' as const }]
    await writeFiles.run({ files, makeParents: false, finalLink: 'follow' }, workspace, {})
  })
  expect([names(), at('other')]).toEqual([['other'], 5])
  expect(grown).toBeLessThan(allowance)
})

test('a file of 3 GB is read in part, searched past, and refused where it would be read whole', async () => {
  const { workspace } = await stage()
  const textOf = async (tool: string, args: object) =>
    (await callTool(workspace, polyfs, tool, args)).content.map((item) => item.text).join('\n')
  expect(await textOf('read_file', { path: 'big', unit: 'bytes', offset: largeSize - 7, format: 'raw' })).toBe(
    `the end\n[bytes ${largeSize - 7}-${largeSize} of ${largeSize}]`,
  )
  expect(await textOf('grep', { pattern: 'end' })).toBe(
    '(no matches)\n[0 matches in 0 files; 0 files searched; not searched: 1 over 19 MB (big)]',
  )
  const refusal = `too_large: big has ${largeSize} bytes, more than the 20000000 that are read or edited whole. Read a part with offset and limit, or search it with grep.`
  const hash = { expected_hash: '00000000' }
  expect(await textOf('write_file', { path: 'big', content: 'x', ...hash })).toBe(refusal)
  expect(await textOf('edit_file', { path: 'big', old_string: 'x', new_string: 'y', ...hash })).toBe(refusal)
})
