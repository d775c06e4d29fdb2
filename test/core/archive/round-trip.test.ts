/** Any tree comes back from an archive, and other programs read the same from it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { listArchive, readArchive } from '../../../src/archive/read-archive.js'
import { type ArchiveInput, writeArchive } from '../../../src/archive/write-archive.js'
import { endRecords } from '../../../src/archive/zip-layout.js'
import { isFull, onlyInFull } from '../../scale.js'
import { zipBytes } from './zip-bytes.js'

const directory = mkdtempSync(join(tmpdir(), 'polyfs-zip-'))
afterAll(() => rmSync(directory, { recursive: true }))

const name = fc.stringMatching(/^[^/\0]{1,12}$/u).filter((text) => text !== '.' && text !== '..' && text.isWellFormed())
const leaf = fc.record({
  bytes: fc.uint8Array({ maxLength: 300 }),
  mode: fc.integer({ min: 0, max: 0o777 }),
  modifiedMs: fc.integer({ min: 400_000_000, max: 2_000_000_000 }).map((seconds) => seconds * 1000),
})

test('every tree survives the round trip', async () => {
  const tree = fc.uniqueArray(fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), leaf), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(tree, async (leaves) => {
      const entries = treeOf(leaves)
      const { files } = await readArchive(await writeArchive(entries), { names: 'relative' })
      expect(files.map(({ path, kind, bytes, mode, modifiedMs }) => ({ path, kind, bytes, mode, modifiedMs }))).toEqual(
        entries.map((entry) => ({ bytes: undefined, ...entry })),
      )
    }),
    { numRuns: 60 },
  )
})

/** One entry a path, and none below a file. */
function treeOf(leaves: Array<[string[], { bytes: Uint8Array; mode: number; modifiedMs: number }]>): ArchiveInput[] {
  const entries = new Map<string, ArchiveInput>()
  for (const [components, { bytes, ...known }] of leaves) {
    const paths = components.map((_, depth) => components.slice(0, depth + 1).join('/'))
    const path = paths.at(-1) as string
    const isFree = !entries.has(path) && paths.slice(0, -1).every((above) => entries.get(above)?.kind !== 'file')
    if (!isFree) continue
    for (const above of paths.slice(0, -1)) entries.set(above, { path: above, kind: 'directory', ...known })
    entries.set(path, { path, kind: 'file', bytes, ...known })
  }
  return [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Why other programs can't be asked here. */
function missing(...programs: string[]): string | undefined {
  const absent = programs.filter((program) => spawnSync(program, ['--help']).error !== undefined)
  return absent.length === 0 ? undefined : `this machine has no ${absent.join(' and no ')}`
}

const sample: ArchiveInput[] = [
  { path: 'dir', kind: 'directory', mode: 0o755, modifiedMs: 1_700_000_000_000 },
  { path: 'dir/run.sh', kind: 'file', bytes: new TextEncoder().encode('#!/bin/sh\n'), mode: 0o755 },
  { path: 'empty.txt', kind: 'file', bytes: new Uint8Array(), mode: 0o644, modifiedMs: 1_700_000_000_000 },
  { path: 'größe 文.txt', kind: 'file', bytes: new TextEncoder().encode('x'.repeat(100_000)), mode: 0o600 },
]

test('zip.js by itself, with all it can check, reads the same from an archive of ours', async () => {
  const options = { checkLocalDirectory: true, checkCrc32: true, checkOverlappingEntry: true, useWebWorkers: false }
  const reader = new ZipReader(new Uint8ArrayReader(await writeArchive(sample)), options)
  const read = (await reader.getEntries()).map(async (entry) => ({
    name: entry.filename,
    mode: (entry.externalFileAttributes >>> 16).toString(8),
    time: entry.lastModDate.getTime(),
    bytes: entry.directory ? undefined : await entry.getData(new Uint8ArrayWriter()),
  }))
  const unknown = new Date(1980, 0, 1).getTime()
  expect(await Promise.all(read)).toEqual(
    sample.map(({ path, kind, bytes, mode = 0, modifiedMs = unknown }) => ({
      name: kind === 'directory' ? `${path}/` : path,
      mode: ((kind === 'directory' ? 0o040000 : 0o100000) | mode).toString(8),
      time: modifiedMs,
      bytes,
    })),
  )
  expect(reader.warnings ?? []).toEqual([])
})

test('control characters in a name without a declared encoding are preserved', async () => {
  const names = ['tab\t', 'line\nbreak', '\x01\x7f']
  const bytes = await zipBytes(names.map((each) => ({ name: each, flags: 0 })))
  const { entries, warnings } = await listArchive(bytes)
  expect(entries.map(({ path }) => path)).toEqual(names)
  expect(warnings).toEqual(names.map((entry) => ({ kind: 'control-characters', entry })))
})

test('times that the format can not store are left out, and others are stored', async () => {
  const years = [1960, 1980, 2037, 2100, 2200]
  const times = years.map((year) => Date.UTC(year, 5, 7, 8, 9, 10))
  const entries = times.map((modifiedMs, at): ArchiveInput => ({ path: `f${at}`, kind: 'file', modifiedMs }))
  const { files } = await readArchive(await writeArchive(entries))
  expect(files.map(({ modifiedMs }) => modifiedMs)).toEqual([...times.slice(0, -1), undefined])
})

test('a file too large for the format is refused, regardless of the limits', async () => {
  const bytes = Object.defineProperty(new Uint8Array(), 'length', { value: 2 ** 32 })
  const limits = { maxEntryBytes: Infinity, maxTotalBytes: Infinity }
  await expect(writeArchive([{ path: 'f', kind: 'file', bytes }], { limits })).rejects.toMatchObject({
    code: 'ARCHIVE_TOO_LARGE',
    facts: { what: 'entry', limit: 0xfffffffe, entry: 'f' },
  })
})

test('unzip and Python find no fault with an archive of ours, and unpack the same from it', async (context) => {
  const reason = missing('unzip', 'python3')
  if (reason !== undefined) context.skip(reason)
  const archive = join(directory, 'ours.zip')
  writeFileSync(archive, await writeArchive(sample))
  expect(execFileSync('unzip', ['-tqq', archive], { encoding: 'utf8' })).toBe('')
  const script = `import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
print(z.testzip(), [(i.filename, i.file_size, oct(i.external_attr >> 16)) for i in z.infolist()])`
  expect(execFileSync('python3', ['-c', script, archive], { encoding: 'utf8' }).trim()).toBe(
    "None [('dir/', 0, '0o40755'), ('dir/run.sh', 10, '0o100755'), ('empty.txt', 0, '0o100644'), ('größe 文.txt', 100000, '0o100600')]",
  )
  const out = join(directory, 'out')
  execFileSync('unzip', ['-q', archive, '-d', out], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  for (const { path, kind, bytes, mode = 0 } of sample) {
    expect(statSync(join(out, path)).mode & 0o777, path).toBe(mode)
    if (kind === 'file') expect(new Uint8Array(readFileSync(join(out, path))), path).toEqual(bytes)
  }
  expect(statSync(join(out, 'empty.txt')).mtimeMs).toBe(1_700_000_000_000)
})

test('more entries than the usual end record can count use another record', async (context) => {
  if (!isFull) context.skip(onlyInFull)
  const count = 0xffff
  expect(endRecords({ count: count - 1, size: 0, offset: 0 }).length).toBe(22)
  const entries = Array.from({ length: count }, (_, at): ArchiveInput => ({ path: `d${at}`, kind: 'directory' }))
  const limits = { maxEntries: count }
  const bytes = await writeArchive(entries, { limits })
  expect((await listArchive(bytes, { limits })).entries.length).toBe(count)
  const reason = missing('python3')
  if (reason !== undefined) context.skip(reason)
  const archive = join(directory, 'many.zip')
  writeFileSync(archive, bytes)
  const script = 'import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))'
  expect(execFileSync('python3', ['-c', script, archive], { encoding: 'utf8' }).trim()).toBe(String(count))
})

test('archives that zip and Python make are read', async (context) => {
  const reason = missing('zip', 'python3')
  if (reason !== undefined) context.skip(reason)
  const tree = join(directory, 'tree')
  mkdirSync(join(tree, 'sub'), { recursive: true })
  writeFileSync(join(tree, 'sub/größe.txt'), 'y'.repeat(5000))
  writeFileSync(join(tree, 'run.sh'), '#!/bin/sh\n')
  chmodSync(join(tree, 'run.sh'), 0o755)
  const expected = [
    { path: 'run.sh', kind: 'file', text: '#!/bin/sh\n' },
    { path: 'sub', kind: 'directory', text: '' },
    { path: 'sub/größe.txt', kind: 'file', text: 'y'.repeat(5000) },
  ]
  execFileSync('zip', ['-qr', '../zip.zip', '.'], { cwd: tree, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  execFileSync('python3', ['-m', 'zipfile', '-c', '../python.zip', 'run.sh', 'sub'], { cwd: tree })
  // Written to a pipe, sizes come after the data.
  const streamed = execFileSync('zip', ['-qr', '-', '.'], { cwd: tree, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  for (const archive of [
    readFileSync(join(directory, 'zip.zip')),
    readFileSync(join(directory, 'python.zip')),
    streamed,
  ]) {
    const { files, warnings } = await readArchive(new Uint8Array(archive))
    const listed = files.map(({ path, kind, bytes }) => ({ path, kind, text: new TextDecoder().decode(bytes) }))
    expect(listed.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(expected)
    expect(files.find(({ path }) => path === 'run.sh')?.mode).toBe(0o755)
    expect(warnings).toEqual([])
  }
})
