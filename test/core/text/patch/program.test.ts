import { expect, test } from 'vitest'
import { memory } from '../../../../src/fs/backends/memory.js'
import type { Root } from '../../../../src/fs/gate/confine.js'
import { patch } from '../../../../src/programs/patch.js'

test.each(['-R', '--reverse'])('patch %s is refused, and the patch not applied', async (flag) => {
  const fs = memory({ '/a.txt': 'one\n' })
  const stdin = new TextEncoder().encode('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n')
  const roots: [Root] = [{ path: '/', access: 'read-write' }]
  expect(await patch({ fs, roots, cwd: '/', env: {}, stdin, args: [flag, '-p1'] })).toEqual({
    stdout: '',
    stderr: 'patch: -R is not supported.\n',
    exitCode: 2,
  })
  expect(new TextDecoder().decode(await fs.readFile('/a.txt'))).toBe('one\n')
})

const hunk = '@@ -1 +1 @@\n-one\n+two\n'
const dated = '\t2026-01-02 03:04:05.000000000 +0000'

test.each([
  { name: 'two directories compared', args: ['-p1'], names: [`old/src/a.txt${dated}`, `new/src/a.txt${dated}`] },
  { name: 'the old name is not there', args: ['-p0'], names: ['src/a.txt.orig', 'src/a.txt'] },
  { name: 'whole names', args: ['-p0'], names: ['src/a.txt', 'src/a.txt'] },
  { name: 'two directories taken off', args: ['-p2'], names: ['x/y/src/a.txt', 'x/y/src/a.txt'] },
  { name: 'git, and two directories taken off', args: ['-p2'], names: ['a/x/src/a.txt', 'b/x/src/a.txt'], git: true },
  { name: 'git as it is', args: ['-p1'], names: ['a/src/a.txt', 'b/src/a.txt'], git: true },
  { name: 'a file that is named', args: ['src/a.txt'], names: ['left.txt', 'right.txt'] },
  { name: 'a file that is named, and git', args: ['/src/a.txt'], names: ['a/b.txt', 'b/b.txt'], git: true },
  { name: 'in a directory', args: ['-p1', '-d', 'src'], names: ['a/a.txt', 'b/a.txt'] },
  { name: 'as git writes it, unasked', args: [], names: ['a/src/a.txt', 'b/src/a.txt'] },
])('patch finds the file: $name', async ({ args, names: [old, fresh], git = false }) => {
  const header = git ? `diff --git ${old} ${fresh}\nindex 5626abf..f719efd 100644\n` : ''
  const { result, read } = await run(args, `${header}--- ${old}\n+++ ${fresh}\n${hunk}`)
  const shown = args.includes('-d') ? 'a.txt' : 'src/a.txt'
  expect(result).toEqual({ stdout: `patching file ${shown}\n`, stderr: '', exitCode: 0 })
  expect(await read('/src/a.txt')).toBe('two\n')
})

test('lines of a hunk that look like names stay as they are', async () => {
  const text = '--- x/y/src/a.txt\n+++ x/y/src/a.txt\n@@ -1 +1,3 @@\n-one\n+++ x/y/z\n+-- x/y/z\n+++ x/y/z\n'
  const { read } = await run(['-p2'], text)
  expect(await read('/src/a.txt')).toBe('++ x/y/z\n-- x/y/z\n++ x/y/z\n')
})

test('a new file and a deleted one keep their missing side', async () => {
  const text = `--- /dev/null\n+++ n/new.txt\n@@ -0,0 +1 @@\n+new\n--- o/src/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n`
  const { fs, read } = await run(['-p1'], text)
  expect(await read('/new.txt')).toBe('new\n')
  await expect(fs.stat('/src/a.txt')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test.each([
  {
    args: ['-p2'],
    text: 'diff --git a/x/y b/x/z\nrename from x/y\nrename to x/z\n--- a/x/y\n+++ b/x/z\n',
    says: /needs -p1/,
  },
  { args: ['-px'], text: `--- a/y\n+++ b/y\n${hunk}`, says: /strip count x is not a number/ },
])('patch $args says what it can not do', async ({ args, text, says }) => {
  const { result, read } = await run(args, text)
  expect(result).toMatchObject({ stdout: '', stderr: expect.stringMatching(says), exitCode: 2 })
  expect(await read('/src/a.txt')).toBe('one\n')
})

async function run(args: string[], text: string) {
  const fs = memory({ '/src/a.txt': 'one\n' })
  const roots: [Root] = [{ path: '/', access: 'read-write' }]
  const result = await patch({ fs, roots, cwd: '/', env: {}, stdin: new TextEncoder().encode(text), args })
  return { fs, result, read: async (path: string) => new TextDecoder().decode(await fs.readFile(path)) }
}
