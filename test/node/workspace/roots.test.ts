import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type NodeFileSystem, type NodeFsOptions, nodeFs } from '../../../node/disk/node-fs.js'
import { FsError } from '../../../src/errors.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { type ConfinedFileSystem, confine, type Root } from '../../../src/fs/gate/confine.js'
import { walk } from '../../../src/fs/walk/walk.js'

let base: string
let open: NodeFileSystem[]

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-roots-')))
  open = []
})

afterEach(() => {
  for (const disk of open) disk.close()
  // Deeper than Node can remove by path.
  execFileSync('rm', ['-rf', base])
})

function disk(root: string, options: NodeFsOptions = {}): NodeFileSystem {
  const opened = nodeFs(root, { fsync: false, ...options })
  open.push(opened)
  return opened
}

/** Like the CLI: each root mounted at its own path. */
function serve(...roots: [Root, ...Root[]]): ConfinedFileSystem {
  return confine(mount(Object.fromEntries(roots.map(({ path }) => [path, disk(path)]))), { roots })
}

function make(name: string, files: Record<string, string>): string {
  const root = path.join(base, name)
  for (const [file, content] of Object.entries({ ...files })) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), content)
  }
  return root
}

describe('a root that is itself a link', () => {
  test('is served as the directory the link pointed to when it was opened', async () => {
    const real = make('real', { 'a.txt': 'alpha' })
    make('other', { 'a.txt': 'other' })
    const link = path.join(base, 'link')
    fs.symlinkSync('real', link)
    const opened = disk(link)
    expect(opened.root).toBe(real)
    fs.unlinkSync(link)
    fs.symlinkSync('other', link)
    expect(text(await opened.readFile('/a.txt'))).toBe('alpha')
  })

  test('can be reached under both names when the link is an alias', async () => {
    const real = make('real', { 'sub/a.txt': 'alpha' })
    const link = path.join(base, 'link')
    fs.symlinkSync('real', link)
    const confined = serve({ path: real, access: 'read-write', aliases: [link] })
    expect(confined.resolve(`${link}/sub/a.txt`)).toBe(`${real}/sub/a.txt`)
    expect(text(await confined.readFile(`${link}/sub/a.txt`))).toBe('alpha')
    await expect(confined.readFile(`${link}/../secret.txt`)).rejects.toEqual(
      new FsError('OUTSIDE', { path: `${link}/../secret.txt` }),
    )
  })
})

describe('a root that is renamed while it is served', () => {
  test('is followed where the root is held by a descriptor', async (context) => {
    const root = make('root', { 'a.txt': 'alpha' })
    const opened = disk(root)
    if (opened.anchor !== 'descriptor') context.skip('this platform holds no directory by descriptor')
    fs.renameSync(root, path.join(base, 'moved'))
    make('root', { 'a.txt': 'impostor' })
    expect(text(await opened.readFile('/a.txt'))).toBe('alpha')
    await opened.writeFile('/b.txt', bytes('beta'))
    expect(fs.readdirSync(path.join(base, 'moved')).sort()).toEqual(['a.txt', 'b.txt'])
    expect(fs.readdirSync(root)).toEqual(['a.txt'])
  })

  test('is not found where it is held by its path', async () => {
    const root = make('root', { 'a.txt': 'alpha' })
    const opened = disk(root, { anchor: 'walk' })
    fs.renameSync(root, path.join(base, 'moved'))
    await expect(opened.readFile('/a.txt')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    make('root', { 'a.txt': 'impostor' })
    await expect(opened.readFile('/a.txt')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe.each<NonNullable<NodeFsOptions['anchor']>>(['descriptor', 'walk'])(
  'a root held by %s that is deleted and made again',
  (anchor) => {
    test.each<[string, (fs: ConfinedFileSystem, root: string) => Promise<unknown>]>([
      ['reading', (confined, root) => confined.readFile(`${root}/a.txt`)],
      ['listing', (confined, root) => confined.readDir(root)],
      ['describing', (confined, root) => confined.stat(`${root}/a.txt`)],
      ['writing', (confined, root) => confined.writeFile(`${root}/b.txt`, bytes('beta'))],
      ['making a directory', (confined, root) => confined.makeDir(`${root}/sub`)],
      ['removing', (confined, root) => confined.remove(`${root}/a.txt`)],
      ['moving', (confined, root) => confined.rename(`${root}/a.txt`, `${root}/b.txt`)],
    ])('is not the new directory: %s fails', async (_what, call) => {
      const root = make('root', { 'a.txt': 'alpha' })
      const confined = confine(mount({ [root]: disk(root, { anchor }) }), {
        roots: [{ path: root, access: 'read-write' }],
      })
      fs.rmSync(root, { recursive: true })
      make('root', { 'a.txt': 'new' })
      await expect(call(confined, root)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(fs.readdirSync(root)).toEqual(['a.txt'])
      expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('new')
    })
  },
)

describe('moving and removing', () => {
  test('a directory is not moved into itself or below', async () => {
    const root = make('root', { 'd/e/a.txt': 'alpha' })
    const confined = serve({ path: root, access: 'read-write' })
    await expect(confined.rename(`${root}/d`, `${root}/d/e/f`)).rejects.toEqual(
      new FsError('INTO_ITSELF', { path: `${root}/d`, to: `${root}/d/e/f` }),
    )
    expect(fs.readFileSync(path.join(root, 'd/e/a.txt'), 'utf8')).toBe('alpha')
  })

  test('a directory is not moved below itself through a link', async () => {
    const root = make('root', { 'd/e/a.txt': 'alpha' })
    fs.symlinkSync('d/e', path.join(root, 'l'))
    const confined = serve({ path: root, access: 'read-write' })
    await expect(confined.rename(`${root}/d`, `${root}/l/f`)).rejects.toEqual(
      new FsError('INTO_ITSELF', { path: `${root}/d`, to: `${root}/l/f` }),
    )
    expect(fs.readFileSync(path.join(root, 'd/e/a.txt'), 'utf8')).toBe('alpha')
  })

  test('a root is neither moved, nor replaced, nor removed', async () => {
    const root = make('root', { 'd/a.txt': 'alpha' })
    const confined = serve({ path: root, access: 'read-write' })
    const isRoot = new FsError('IS_ROOT', { path: root })
    await expect(confined.rename(root, `${root}/x`)).rejects.toEqual(isRoot)
    await expect(confined.rename(`${root}/d`, root)).rejects.toEqual(isRoot)
    await expect(confined.remove(root)).rejects.toEqual(isRoot)
    expect(fs.readFileSync(path.join(root, 'd/a.txt'), 'utf8')).toBe('alpha')
  })

  test('a directory that is not empty is not replaced', async () => {
    const root = make('root', { 'd/a.txt': 'alpha', 'e/b.txt': 'beta' })
    const confined = serve({ path: root, access: 'read-write' })
    await expect(confined.rename(`${root}/d`, `${root}/e`)).rejects.toMatchObject({ code: 'NOT_EMPTY' })
    expect(fs.readdirSync(path.join(root, 'e'))).toEqual(['b.txt'])
    expect(fs.readdirSync(path.join(root, 'd'))).toEqual(['a.txt'])
  })

  test('nothing is moved from one root into another, and both stay as they were', async () => {
    const one = make('one', { 'a.txt': 'alpha' })
    const two = make('two', { 'b.txt': 'beta' })
    const confined = serve({ path: one, access: 'read-write' }, { path: two, access: 'read-write' })
    await expect(confined.rename(`${one}/a.txt`, `${two}/a.txt`)).rejects.toEqual(
      new FsError('CROSS_DEVICE', { path: `${one}/a.txt`, to: `${two}/a.txt` }),
    )
    expect([fs.readdirSync(one), fs.readdirSync(two)]).toEqual([['a.txt'], ['b.txt']])
  })
})

test('for a read-only root inside a read-write one, the inner one decides', async () => {
  const outer = make('outer', { 'a.txt': 'alpha', 'inner/b.txt': 'beta' })
  const inner = path.join(outer, 'inner')
  fs.symlinkSync('inner/b.txt', path.join(outer, 'l'))
  const confined = serve({ path: outer, access: 'read-write' }, { path: inner, access: 'read-only' })
  const readOnly = (at: string) => new FsError('READ_ONLY', { path: at })
  await confined.writeFile(`${outer}/a.txt`, bytes('changed'))
  await expect(confined.writeFile(`${inner}/b.txt`, bytes('x'))).rejects.toEqual(readOnly(`${inner}/b.txt`))
  await expect(confined.writeFile(`${outer}/l`, bytes('x'))).rejects.toEqual(readOnly(`${outer}/l`))
  await expect(confined.rename(`${outer}/a.txt`, `${inner}/a.txt`)).rejects.toEqual(readOnly(`${inner}/a.txt`))
  await expect(confined.rename(`${inner}/b.txt`, `${outer}/b.txt`)).rejects.toEqual(readOnly(`${inner}/b.txt`))
  await expect(confined.rename(inner, `${outer}/away`)).rejects.toMatchObject({ facts: { path: inner } })
  expect(text(await confined.readFile(`${inner}/b.txt`))).toBe('beta')
  expect(fs.readFileSync(path.join(outer, 'a.txt'), 'utf8')).toBe('changed')
})

test('a name is stored as it is written, without Unicode normalization', async (context) => {
  const root = make('root', { 'a.txt': 'alpha' })
  fs.writeFileSync(path.join(root, 'e\u0301'), '')
  const normalises = fs.existsSync(path.join(root, '\u00e9'))
  fs.unlinkSync(path.join(root, 'e\u0301'))
  if (normalises) context.skip('this file system takes both spellings for one name')
  const confined = serve({ path: root, access: 'read-write' })
  await confined.writeFile(`${root}/\u00e9.txt`, bytes('composed'))
  await confined.writeFile(`${root}/e\u0301.txt`, bytes('decomposed'))
  await confined.writeFile(`${root}/\u00e9.txt`, bytes('composed again'))
  expect(fs.readdirSync(root).sort()).toEqual(['a.txt', 'e\u0301.txt', '\u00e9.txt'])
  expect(text(await confined.readFile(`${root}/e\u0301.txt`))).toBe('decomposed')
})

test('a file that may not be read is denied, and says no more than its path', async (context) => {
  if (process.getuid?.() === 0) context.skip('root may read every file')
  const root = make('root', { 'a.txt': 'alpha' })
  fs.chmodSync(path.join(root, 'a.txt'), 0)
  const confined = serve({ path: root, access: 'read-write' })
  await expect(confined.readFile(`${root}/a.txt`)).rejects.toMatchObject({
    code: 'DENIED',
    facts: { path: `${root}/a.txt` },
  })
})

describe('huge trees', () => {
  test('a walk goes no deeper than its limit', async () => {
    const root = make('root', { 'a.txt': 'alpha' })
    makeDeep(root, 'd', 3000)
    const confined = serve({ path: root, access: 'read-write' })
    const depths: number[] = []
    for await (const { depth } of walk(confined, root, { maxDepth: 5 })) depths.push(depth)
    expect(depths).toEqual([1, 1, 2, 3, 4, 5])
  })

  test('a walk without a limit goes deeper than the longest path', async () => {
    const root = make('root', { 'a.txt': 'alpha' })
    makeDeep(root, 'd'.repeat(100), 100)
    const confined = serve({ path: root, access: 'read-write' })
    let deepest = 0
    const unreadable: string[] = []
    const onUnreadable = (_path: string, error: FsError) => unreadable.push(error.code)
    for await (const { depth } of walk(confined, root, { onUnreadable })) deepest = Math.max(deepest, depth)
    expect([deepest, unreadable]).toEqual([100, []])
  })

  test('a walk of a large directory can be stopped at any entry', async () => {
    const root = make('root', { 'a.txt': 'alpha' })
    for (let index = 0; index < 1000; index += 1) fs.writeFileSync(path.join(root, `f${index}`), '')
    const confined = serve({ path: root, access: 'read-write' })
    const seen: string[] = []
    for await (const { name } of walk(confined, root, {})) {
      seen.push(name)
      if (seen.length === 3) break
    }
    expect(seen).toEqual(['a.txt', 'f0', 'f1'])
  })
})

describe.each<NonNullable<NodeFsOptions['anchor']>>(['descriptor', 'walk'])(
  'a disk held by %s, without any gate',
  (anchor) => {
    test.each(['/..', '/../secret.txt', '/sub/..', '/sub/../../secret.txt', '/sub/../..'])(
      'refuses %s',
      async (virtual) => {
        make('.', { 'secret.txt': 'secret' })
        const opened = disk(make('root', { 'sub/a.txt': 'alpha' }), { anchor })
        const outside = { code: 'OUTSIDE', facts: { path: virtual } }
        await expect(opened.stat(virtual)).rejects.toMatchObject(outside)
        await expect(opened.readFile(virtual)).rejects.toMatchObject(outside)
        await expect(opened.readDir(virtual)).rejects.toMatchObject(outside)
        await expect(opened.writeFile(virtual, bytes('x'))).rejects.toMatchObject(outside)
        await expect(opened.remove(virtual)).rejects.toMatchObject(outside)
        await expect(opened.rename('/sub/a.txt', virtual)).rejects.toMatchObject(outside)
        expect(fs.readdirSync(base).sort()).toEqual(['root', 'secret.txt'])
        expect(fs.readFileSync(path.join(base, 'secret.txt'), 'utf8')).toBe('secret')
      },
    )
  },
)

/** Deeper than the longest path: created step by step from inside. */
function makeDeep(directory: string, name: string, levels: number): void {
  const script = `for (let level = 0; level < ${levels}; level += 1) { fs.mkdirSync('${name}'); process.chdir('${name}') }`
  execFileSync(process.execPath, ['-e', script], { cwd: directory })
}

function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content)
}

function text(content: Uint8Array): string {
  return new TextDecoder().decode(content)
}
