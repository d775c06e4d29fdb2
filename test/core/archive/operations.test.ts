import { describe, expect, test } from 'vitest'
import { readArchive } from '../../../src/archive/read-archive.js'
import { type ArchiveInput, writeArchive } from '../../../src/archive/write-archive.js'
import { zipFs } from '../../../src/archive/zip-fs.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createArchive } from '../../../src/ops/archive/create-archive.js'
import { extractArchive } from '../../../src/ops/archive/extract-archive.js'
import { exportZip, importZip } from '../../../src/ops/archive/import-export-zip.js'
import { listArchiveFile } from '../../../src/ops/archive/list-archive.js'
import type { CallContext } from '../../../src/ops/operation.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { scaled } from '../../scale.js'
import { backends } from '../ops/stage.js'
import { bytesOf, zipBytes } from './zip-bytes.js'

const count = scaled(5000)

const twoFiles = await writeArchive([file('a.txt', 'new a'), file('sub/b.txt', 'new b')])

function file(path: string, text: string, rest: Partial<ArchiveInput> = {}): ArchiveInput {
  return { path, kind: 'file', bytes: bytesOf(text), ...rest }
}

describe.each(backends)('%s', (_name, open) => {
  test('an existing file is refused, and nothing is unpacked', async () => {
    const stage = await open({ 'a.zip': twoFiles, 'out/sub/b.txt': 'old b' })
    expect(await stage.refusal(extractArchive, { path: 'a.zip', to: 'out' })).toEqual({
      code: 'EXISTS',
      path: '/w/out/sub/b.txt',
    })
  })

  test('an existing file is replaced on request', async () => {
    const stage = await open({ 'a.zip': twoFiles, 'out/sub/b.txt': 'old b' })
    const { result, tree } = await stage.change(extractArchive, { path: 'a.zip', to: 'out', onExisting: 'replace' })
    expect(result).toEqual({
      to: '/w/out',
      files: 2,
      directories: 0,
      bytes: 10,
      replaced: ['/w/out/sub/b.txt'],
      skipped: [],
      warnings: [],
    })
    expect(tree).toMatchObject({ 'out/a.txt': 'new a', 'out/sub/b.txt': 'new b' })
  })

  test('an existing file is skipped on request', async () => {
    const stage = await open({ 'a.zip': twoFiles, 'out/sub/b.txt': 'old b' })
    const { result, tree } = await stage.change(extractArchive, { path: 'a.zip', to: 'out', onExisting: 'skip' })
    expect(result).toMatchObject({ files: 1, replaced: [], skipped: ['/w/out/sub/b.txt'] })
    expect(tree).toMatchObject({ 'out/a.txt': 'new a', 'out/sub/b.txt': 'old b' })
  })

  test('only entries that match the pattern are unpacked', async () => {
    const stage = await open({ 'a.zip': twoFiles })
    const { tree } = await stage.change(extractArchive, { path: 'a.zip', to: '.', include: ['sub/**'] })
    expect(tree).toEqual({ 'a.zip': twoFiles, 'sub/': '', 'sub/b.txt': 'new b' })
  })

  test('nothing is written through a link', async () => {
    const stage = await open({ 'a.zip': twoFiles, 'out/sub': { link: '../elsewhere' }, 'elsewhere/': '' })
    expect(await stage.refusal(extractArchive, { path: 'a.zip', to: 'out' })).toMatchObject({ code: 'NOT_A_DIRECTORY' })
    const atEnd = await open({ 'a.zip': twoFiles, 'out/a.txt': { link: '../other.txt' }, 'other.txt': 'x' })
    const replacing = { path: 'a.zip', to: 'out', onExisting: 'replace' as const }
    expect(await atEnd.refusal(extractArchive, replacing)).toMatchObject({ code: 'IS_LINK' })
  })

  test('modes are restored, those of read-only directories too', async () => {
    const archive = await writeArchive([
      { path: 'closed', kind: 'directory', mode: 0o555 },
      file('closed/run.sh', '#!/bin/sh\n', { mode: 0o755 }),
      file('plain.txt', 'text', { mode: 0o600 }),
    ])
    const stage = await open({ 'a.zip': archive })
    const before = await stage.tree()
    const { tree } = await stage.change(extractArchive, { path: 'a.zip', to: 'out' })
    expect(tree).toMatchObject({
      'out/closed/': '555',
      'out/closed/run.sh': { text: '#!/bin/sh\n', mode: '755' },
      'out/plain.txt': { text: 'text', mode: '600' },
    })
    await stage.workspace.history.undo()
    expect(await stage.tree()).toEqual(before)
  })

  test('an archive has the selected files, without itself, links and ignored files', async () => {
    const stage = await open({
      '.gitignore': '*.log\n',
      'src/a.ts': 'a',
      'src/run.sh': { text: 'run', mode: '755' },
      'src/debug.log': 'noise',
      'src/link': { link: 'a.ts' },
      'empty/': '',
      'other.txt': 'other',
    })
    const input = { path: 'packed.zip', from: ['src', 'empty'], ignore: { git: 'always' as const } }
    const { result } = await stage.change(createArchive, input)
    expect(result).toEqual({
      path: '/w/packed.zip',
      files: 2,
      directories: 2,
      totalBytes: 4,
      bytes: expect.any(Number),
      replaced: false,
      leftOut: ['/w/src/link'],
      unportable: [],
      tooDense: [],
    })
    const { entries, totalBytes } = await stage.run(listArchiveFile, { path: 'packed.zip' })
    expect(totalBytes).toBe(4)
    expect(entries.map(({ path, kind, mode }) => [path, kind, mode && (mode & 0o700).toString(8)])).toEqual([
      ['empty', 'directory', '700'],
      ['src', 'directory', '700'],
      ['src/a.ts', 'file', '600'],
      ['src/run.sh', 'file', '700'],
    ])
    expect(await stage.refusal(createArchive, input)).toEqual({ code: 'EXISTS', path: '/w/packed.zip' })
    await stage.change(createArchive, { path: 'packed.zip', replace: true })
    const whole = await stage.run(listArchiveFile, { path: 'packed.zip' })
    expect(whole.entries.map(({ path }) => path)).toEqual([
      '.gitignore',
      'empty',
      'other.txt',
      'src',
      'src/a.ts',
      'src/debug.log',
      'src/run.sh',
    ])
  })

  test('entries outside the base are refused', async () => {
    const stage = await open({ 'src/a.ts': 'a', 'other.txt': 'other' })
    const input = { path: 'x.zip', base: 'src', from: ['../other.txt'] }
    expect(await stage.refusal(createArchive, input)).toEqual({ code: 'OUTSIDE', path: '../other.txt' })
  })

  test(`${count} files land, and after an abort while they are written none of them does`, async () => {
    const stage = await open({ 'many.zip': await manyFiles() })
    const input = extractArchive.input.parse({ path: 'many.zip', to: 'out' })
    const run = (context: CallContext) => extractArchive.run(input, stage.workspace, context)
    const aborted = new AbortController()
    const abortAfter = Math.ceil(1.2 * count)
    let last = 0
    // Each entry counts when it was read, and when it is there.
    const onProgress = ({ done, total }: { done: number; total?: number }) => {
      if (total !== 2 * count || done !== last + 1) throw new Error(`reported ${done} of ${total} after ${last}`)
      last = done
    }
    const abortAt = (progress: { done: number; total?: number }) => {
      onProgress(progress)
      if (progress.done === abortAfter) aborted.abort()
    }
    await expect(run({ signal: aborted.signal, onProgress: abortAt })).rejects.toMatchObject({ code: 'ABORTED' })
    expect(last).toBe(abortAfter)
    expect(Object.keys(await stage.tree())).toEqual(['many.zip'])
    expect([await stage.workspace.history.list(), await stage.leftovers()]).toEqual([[], []])

    last = 0
    expect(await run({ onProgress })).toMatchObject({ files: count })
    expect(last).toBe(2 * count)
    const tree = await stage.tree()
    expect(Object.keys(tree).length).toBe(count + 7 + 2)
    expect(tree['out/d4/f403.txt']).toBe('content 403')
  })

  test('times are restored, those of new directories too, and unknown ones are ignored', async () => {
    const archive = await writeArchive([
      { path: 'd', kind: 'directory', modifiedMs: 1_111_111_111_000 },
      { path: 'd/closed', kind: 'directory', mode: 0o555, modifiedMs: 1_000_000_000_000 },
      file('d/closed/in.txt', 'in'),
      { path: 'there', kind: 'directory', modifiedMs: 1_000_000_000_000 },
      file('dated.txt', 'dated', { modifiedMs: 1_234_567_890_000 }),
      file('early.txt', 'early', { modifiedMs: -86_400_000 }),
      file('undated.txt', 'undated'),
    ])
    const undated = await zipBytes([{ name: 'zero.txt', data: bytesOf('zero'), time: [0, 0] }])
    const stage = await open({ 'a.zip': archive, 'zero.zip': undated, 'out/there/': '' })
    const began = Date.now()
    await stage.run(extractArchive, { path: 'a.zip', to: 'out' })
    await stage.run(extractArchive, { path: 'zero.zip', to: 'out' })
    const { fs, root } = stage.workspace
    const modified = async (name: string) => (await fs.stat(fs.resolve(`out/${name}`, root))).modifiedMs
    expect([await modified('dated.txt'), await modified('early.txt')]).toEqual([1_234_567_890_000, -86_400_000])
    expect([await modified('d'), await modified('d/closed')]).toEqual([1_111_111_111_000, 1_000_000_000_000])
    // The clock of a disk may be a little behind.
    for (const name of ['undated.txt', 'zero.txt', 'there', '.'])
      expect(await modified(name)).toBeGreaterThan(began - 2000)
    const { entries } = await stage.run(listArchiveFile, { path: 'zero.zip' })
    expect(entries[0]).not.toHaveProperty('modifiedMs')

    await stage.run(createArchive, { path: 'again.zip', base: 'out', from: ['dated.txt', 'early.txt'] })
    const again = await stage.run(listArchiveFile, { path: 'again.zip' })
    expect(again.entries.map(({ modifiedMs }) => modifiedMs)).toEqual([1_234_567_890_000, -86_400_000])
    // Only root could clear it away as it is.
    await fs.setMode?.(fs.resolve('out/d/closed', root), 0o755)
  })
})

let made: Promise<Uint8Array> | undefined

function manyFiles(): Promise<Uint8Array> {
  made ??= writeArchive(files(count))
  return made
}

function files(count: number): ArchiveInput[] {
  return Array.from({ length: count }, (_, n) => file(`d${n % 7}/f${n}.txt`, `content ${n}`))
}

describe('a workspace as one file', () => {
  test('survives the round trip with names, content, modes and times', async () => {
    const from = memory({
      'a.txt': 'a',
      'deep/er/b.bin': Uint8Array.of(0, 255, 254),
      'empty/': '',
      'odd:name\\~.txt': 'odd',
      '.git/config': '[core]\n',
    })
    await from.setMode?.('/a.txt', 0o751)
    await from.setModified?.('/a.txt', 1_700_000_001_000)
    const archive = await exportZip(createWorkspace({ fs: from }))
    const tree = await zipFs(archive)
    expect(await tree.stat('/a.txt')).toMatchObject({ size: 1, mode: 0o751, modifiedMs: 1_700_000_001_000 })
    expect(tree.capabilities.writable).toBe(false)

    const workspace = createWorkspace({ fs: memory(), protect: { git: false } })
    expect(await importZip(workspace, archive)).toMatchObject({ files: 4, directories: 4, warnings: [] })
    expect(await exportZip(workspace).then(contents)).toEqual(await contents(archive))
    await workspace.history.undo()
    expect(await workspace.fs.readDir('/')).toEqual([])
  })

  test('is not unpacked into protected directories', async () => {
    const archive = await zipBytes([{ name: '.git/hooks/pre-commit', data: bytesOf('rm') }])
    const workspace = createWorkspace({ fs: memory() })
    await expect(importZip(workspace, archive)).rejects.toMatchObject({ code: 'PROTECTED' })
    expect(await workspace.fs.readDir('/')).toEqual([])
  })

  test('two names that are one on a file system which ignores case are refused there', async () => {
    const archive = await zipBytes([{ name: 'A' }, { name: 'a' }])
    await expect(readArchive(archive, { caseSensitive: false })).rejects.toMatchObject({
      code: 'BAD_ARCHIVE',
      facts: { reason: 'duplicate-name', entry: 'a' },
    })
  })

  test('exceeding the limit is refused while writing', async () => {
    const fs = memory({ 'a.txt': 'a'.repeat(100), 'b.txt': 'b'.repeat(100) })
    const workspace = createWorkspace({ fs })
    for (const [limits, facts] of [
      [{ maxEntries: 1 }, { what: 'entries', limit: 1 }],
      [{ maxEntryBytes: 99 }, { what: 'entry', limit: 99, entry: 'a.txt' }],
      [{ maxTotalBytes: 150 }, { what: 'total', limit: 150 }],
    ] as const) {
      await expect(exportZip(workspace, { limits })).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE', facts })
    }
  })
})

/** What an archive holds, without times: those of directories are when they were made. */
async function contents(archive: Uint8Array) {
  const { files } = await readArchive(archive, { names: 'relative' })
  return files.map(({ path, kind, bytes, mode }) => ({ path, kind, bytes: bytes && [...bytes], mode }))
}
