/** Where several spellings are one name, as on macOS and Windows. Each of these once lost a file, a change or its history somewhere. */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  applyPatch,
  copyEntry,
  createArchive,
  deleteEntries,
  editFiles,
  editText,
  extractArchive,
  findFiles,
  gitAdd,
  gitCommit,
  gitInit,
  gitStatus,
  listChanges,
  listDirectory,
  makeDirectory,
  moveEntries,
  moveEntry,
  readText,
  restorePoint,
  searchText,
  setCheckpoint,
  undoChange,
  writeFiles,
} from '../../../src/entries/operations.js'
import { type MemoryFileSystem, memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { asInApfs, asInHfs, foldingNames, ignoringCase, type NameRules } from '../fs/folding-names.js'

let raw: MemoryFileSystem
let workspace: Workspace

function open(tree: Record<string, string>, rules: NameRules = ignoringCase): void {
  raw = memory(Object.fromEntries([['/w/', ''], ...Object.entries(tree).map(([path, text]) => [`/w/${path}`, text])]))
  workspace = createWorkspace({
    fs: foldingNames(raw, rules),
    roots: [{ path: '/w', access: 'read-write' }],
  })
}

/** Everything in the root, under the names that are stored. */
async function stored(directory = '/w'): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name, kind } of await raw.readDir(directory)) {
    const path = `${directory}/${name}`
    if (name === '.git') continue
    if (kind === 'directory') Object.assign(found, { [`${path.slice(3)}/`]: '' }, await stored(path))
    else found[path.slice(3)] = new TextDecoder().decode(await raw.readFile(path))
  }
  return found
}

async function undoAndRedo(before: Record<string, string>, after: Record<string, string>): Promise<void> {
  expect(await stored()).toEqual(after)
  await workspace.run(undoChange, {})
  expect(await stored()).toEqual(before)
  const [undo] = await workspace.run(listChanges, { limit: 1 })
  await workspace.run(undoChange, { id: undo?.id as string })
  expect(await stored()).toEqual(after)
}

const edit = (path: string, from: string, to: string) =>
  workspace.run(editText, { path, edits: [{ kind: 'literal', find: from, replace: to }] })

describe('a move that changes only the case', () => {
  test.each([false, true])('renames a file, with replace: %s', async (replace) => {
    open({ 'readme.md': 'x' })
    const moved = await workspace.run(moveEntry, { from: 'readme.md', to: 'README.md', replace })
    expect(moved).toEqual({ from: '/w/readme.md', to: '/w/README.md', kind: 'file', replaced: false })
    await undoAndRedo({ 'readme.md': 'x' }, { 'README.md': 'x' })
  })

  test('renames a directory with what is in it', async () => {
    open({ 'Src/a.txt': 'a', 'Src/deep/b.txt': 'b' })
    await workspace.run(moveEntry, { from: 'Src', to: 'src' })
    await undoAndRedo(
      { 'Src/': '', 'Src/a.txt': 'a', 'Src/deep/': '', 'Src/deep/b.txt': 'b' },
      { 'src/': '', 'src/a.txt': 'a', 'src/deep/': '', 'src/deep/b.txt': 'b' },
    )
  })

  test('renames one entry among others that are moved', async () => {
    open({ 'a.txt': 'a', 'b.txt': 'b', 'd/x': 'x' })
    const pairs = [
      { from: 'a.txt', to: 'A.txt' },
      { from: 'b.txt', to: 'd/b.txt' },
    ]
    await workspace.run(moveEntries, { pairs })
    await undoAndRedo(
      { 'a.txt': 'a', 'b.txt': 'b', 'd/': '', 'd/x': 'x' },
      { 'A.txt': 'a', 'd/': '', 'd/x': 'x', 'd/b.txt': 'b' },
    )
  })

  test('works from a spelling that is not the stored one', async () => {
    open({ 'readme.md': 'x' })
    await workspace.run(moveEntry, { from: 'Readme.md', to: 'README.md' })
    await undoAndRedo({ 'readme.md': 'x' }, { 'README.md': 'x' })
  })

  test('two entries that change places by their case stay two', async () => {
    open({ 'a.txt': 'a', 'b.txt': 'b' })
    const pairs = [
      { from: 'a.txt', to: 'B.txt' },
      { from: 'b.txt', to: 'A.txt' },
    ]
    await workspace.run(moveEntries, { pairs })
    const contents = Object.entries(await stored()).map(([name, text]) => [name.toLowerCase(), text])
    expect(Object.fromEntries(contents)).toEqual({ 'a.txt': 'b', 'b.txt': 'a' })
    await workspace.run(undoChange, {})
    expect(await stored()).toEqual({ 'a.txt': 'a', 'b.txt': 'b' })
  })

  test('renames in a patch, which also changes the file', async () => {
    open({ 'readme.md': 'one\n' })
    const patch = [
      'diff --git a/readme.md b/README.md',
      'rename from readme.md',
      'rename to README.md',
      '--- a/readme.md',
      '+++ b/README.md',
      '@@ -1 +1 @@',
      '-one',
      '+two',
      '',
    ].join('\n')
    await workspace.run(applyPatch, { patch })
    await undoAndRedo({ 'readme.md': 'one\n' }, { 'README.md': 'two\n' })
  })
})

describe('another spelling of a file', () => {
  beforeEach(() => open({ 'Dir/a.txt': 'one\n' }))

  test('is edited, written and read as that file, which keeps its name', async () => {
    await edit('DIR/A.TXT', 'one', 'two')
    await undoAndRedo({ 'Dir/': '', 'Dir/a.txt': 'one\n' }, { 'Dir/': '', 'Dir/a.txt': 'two\n' })
    await workspace.run(writeFiles, { files: [{ path: 'dir/A.txt', content: 'three\n' }] })
    expect(await stored()).toEqual({ 'Dir/': '', 'Dir/a.txt': 'three\n' })
    const { lines } = await workspace.run(readText, { path: 'dir/a.TXT' })
    expect(lines).toEqual(['three'])
  })

  test('has one history, under whichever spelling it was changed and is asked for', async () => {
    const { id: point } = await workspace.run(setCheckpoint, { name: 'start' })
    await edit('Dir/a.txt', 'one', 'two')
    await edit('DIR/A.TXT', 'two', 'three')
    await edit('dir/a.txt', 'three', 'four')
    for (const path of ['Dir/a.txt', 'dir/A.TXT']) {
      expect(await workspace.run(listChanges, { path }), path).toHaveLength(3)
    }
    await workspace.run(restorePoint, { point, path: 'DIR/a.txt' })
    expect(await stored()).toEqual({ 'Dir/': '', 'Dir/a.txt': 'one\n' })
  })

  test('is the same file in parallel edits: none is lost', async () => {
    const spellings = ['Dir/a.txt', 'dir/A.TXT', 'DIR/a.txt', 'Dir/A.txt']
    await Promise.all(
      Array.from({ length: 32 }, (_, index) => edit(spellings[index % 4] as string, 'one\n', `one\n${index}\n`)),
    )
    const lines = (await stored())['Dir/a.txt']?.trimEnd().split('\n').slice(1).map(Number)
    expect(lines?.sort((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, index) => index))
  })

  test('is the same file in one call', async () => {
    await workspace.run(editFiles, {
      paths: ['Dir/a.txt', 'dir/A.TXT'],
      edits: [{ kind: 'literal', find: 'one', replace: 'oneone' }],
    })
    expect(await stored()).toEqual({ 'Dir/': '', 'Dir/a.txt': 'oneone\n' })
    await workspace.run(deleteEntries, { paths: ['dir/A.TXT', 'Dir/a.txt'] })
    expect(await stored()).toEqual({ 'Dir/': '' })
    await workspace.run(undoChange, {})
    expect(await stored()).toEqual({ 'Dir/': '', 'Dir/a.txt': 'oneone\n' })
  })

  test('is not written twice in one call', async () => {
    const files = [
      { path: 'Dir/new.txt', content: 'a' },
      { path: 'dir/NEW.txt', content: 'b' },
    ]
    const done = await workspace.run(writeFiles, { files }).then(
      () => 'written',
      (error) => error.code,
    )
    const names = Object.keys(await stored()).filter((name) => /new/i.test(name))
    expect([done, names.length]).toEqual(done === 'written' ? ['written', 1] : ['CONFLICT', 0])
  })

  test('can neither be copied onto itself nor made anew', async () => {
    await expect(workspace.run(copyEntry, { from: 'Dir/a.txt', to: 'dir/A.txt' })).rejects.toMatchObject({
      code: 'EXISTS',
    })
    await expect(workspace.run(copyEntry, { from: 'Dir', to: 'dir/inner' })).rejects.toMatchObject({
      code: 'INTO_ITSELF',
    })
    await expect(workspace.run(moveEntry, { from: 'Dir', to: 'dir/inner' })).rejects.toMatchObject({
      code: 'INTO_ITSELF',
    })
    await workspace.run(makeDirectory, { path: 'DIR' }).catch(({ code }) => expect(code).toBe('EXISTS'))
    expect(await stored()).toEqual({ 'Dir/': '', 'Dir/a.txt': 'one\n' })
  })
})

test('a new file below another spelling of a directory lands in that directory', async () => {
  open({ 'Src/a.txt': 'a' })
  await workspace.run(writeFiles, { files: [{ path: 'src/sub/b.txt', content: 'b' }], makeParents: true })
  await undoAndRedo(
    { 'Src/': '', 'Src/a.txt': 'a' },
    { 'Src/': '', 'Src/a.txt': 'a', 'Src/sub/': '', 'Src/sub/b.txt': 'b' },
  )
})

test('ignore rules hold for every spelling; globs compare names as they are listed', async () => {
  open({
    '.gitignore': 'Build/\n*.LOG\n',
    'build/x.js': 'needle',
    'a.log': 'needle',
    'Read.MD': 'needle',
  })
  const find = async (include: string[]) => {
    const { entries } = await workspace.run(findFiles, { include, ignore: { git: 'always' } })
    return entries.map(({ path }) => path)
  }
  expect(await find([])).toEqual(['.gitignore', 'Read.MD'])
  expect(await find(['*.MD'])).toEqual(['Read.MD'])
  expect(await find(['*.md'])).toEqual([])
})

describe('the gate', () => {
  test('protects names and inner roots under every spelling', async () => {
    raw = memory({ '/w/.git/config': '[core]', '/w/Vendor/lib.js': 'lib', '/w/.vscode/tasks.json': '{}' })
    workspace = createWorkspace({
      fs: foldingNames(raw, asInApfs),
      roots: [
        { path: '/w', access: 'read-write' },
        { path: '/w/Vendor', access: 'read-only' },
      ],
      protect: { config: true },
    })
    const write = (path: string) => workspace.run(writeFiles, { files: [{ path, content: 'x' }], makeParents: true })
    for (const path of ['.git/config', '.GIT/config', '.Git/hooks/pre-commit', '.VSCode/tasks.json', '.g\u200cit/x']) {
      await expect(write(path), path).rejects.toMatchObject({ code: 'PROTECTED' })
    }
    for (const path of ['Vendor/lib.js', 'vendor/lib.js', 'VENDOR/new/lib.js']) {
      await expect(write(path), path).rejects.toMatchObject({ code: 'READ_ONLY' })
    }
    for (const [from, to] of [
      ['vendor', 'moved'],
      ['Vendor', 'VENDOR'],
      ['.git', '.GIT'],
    ] as const) {
      const code = from === '.git' ? 'PROTECTED' : 'IS_ROOT'
      await expect(workspace.run(moveEntry, { from, to }), from).rejects.toMatchObject({ code })
    }
  })
})

describe('a file system that distinguishes spellings although it is declared not to', () => {
  // As a folder that was picked in a browser on Linux: a page can't find out.
  const asGiven: NameRules = { fold: (name) => name, caseSensitive: false }

  test('has two files where there are two', async () => {
    open({ 'a.txt': 'small', 'A.txt': 'large' }, asGiven)
    await edit('A.txt', 'large', 'changed')
    await workspace.run(deleteEntries, { paths: ['a.txt'] })
    await undoAndRedo({ 'a.txt': 'small', 'A.txt': 'changed' }, { 'A.txt': 'changed' })
  })

  test('gets a new file where there is one of another spelling, and can rename that', async () => {
    open({ 'a.txt': 'small' }, asGiven)
    await workspace.run(writeFiles, { files: [{ path: 'A.txt', content: 'large' }] })
    await undoAndRedo({ 'a.txt': 'small' }, { 'a.txt': 'small', 'A.txt': 'large' })
    await workspace.run(deleteEntries, { paths: ['A.txt'] })
    await workspace.run(moveEntry, { from: 'a.txt', to: 'A.txt' })
    await undoAndRedo({ 'a.txt': 'small' }, { 'A.txt': 'small' })
  })

  test('has both files edited in one call', async () => {
    open({ 'a.txt': '1', 'A.txt': '2' }, asGiven)
    const files = [
      { path: 'a.txt', content: 'small' },
      { path: 'A.txt', content: 'large' },
    ]
    await workspace.run(writeFiles, { files })
    await undoAndRedo({ 'a.txt': '1', 'A.txt': '2' }, { 'a.txt': 'small', 'A.txt': 'large' })
  })
})

test('git takes a file for the one that was committed in another case', async () => {
  const author = { name: 'a', email: 'a@example.com' }
  open({ 'README.md': 'one\n', 'Src/a.txt': 'a\n' })
  await workspace.run(gitInit, {})
  await workspace.run(gitAdd, { all: true })
  await workspace.run(gitCommit, { message: 'first', author })
  await raw.rename('/w/README.md', '/w/readme.md')
  await raw.rename('/w/Src', '/w/src')
  await raw.writeFile('/w/src/New.txt', new Uint8Array())
  expect(await workspace.run(gitStatus, {})).toMatchObject({ staged: [], unstaged: [], untracked: ['Src/New.txt'] })
  await edit('readme.md', 'one', 'two')
  for (const paths of [['readme.md'], ['README.md'], ['ReadMe.md']]) {
    expect(await workspace.run(gitStatus, { paths })).toMatchObject({
      unstaged: [{ path: 'README.md' }],
      untracked: [],
    })
  }
  await workspace.run(gitAdd, { paths: ['readme.md', 'SRC'] })
  await workspace.run(gitCommit, { message: 'second', author })
  expect(await workspace.run(gitStatus, {})).toMatchObject({ staged: [], unstaged: [], untracked: [] })
})

describe.each([
  ['APFS', asInApfs],
  ['HFS+', asInHfs],
])('normal forms of names, as in %s', (system, rules) => {
  const composed = 'caf\u00e9.txt'
  const decomposed = 'cafe\u0301.txt'

  beforeEach(() => open({ [decomposed]: 'one\n' }, rules))

  test('a file is read, edited, searched and deleted under either form, and keeps its name', async () => {
    for (const [path, from, to] of [
      [composed, 'one', 'two'],
      [decomposed, 'two', 'three'],
    ] as const) {
      await edit(path, from, to)
      expect((await workspace.run(readText, { path })).lines).toEqual([to])
      const found = await workspace.run(searchText, {
        path,
        request: { matcher: { pattern: to, syntax: 'literal' }, mode: 'content' },
      })
      expect(found).toMatchObject({ files: [{ path: expect.any(String) }] })
    }
    expect(await stored()).toEqual({ [decomposed]: 'three\n' })
    expect(await workspace.run(listChanges, { path: composed })).toHaveLength(2)
    const { entries } = await workspace.run(listDirectory, { path: '.' })
    expect(entries.map(({ name }) => name)).toEqual([decomposed])
    await workspace.run(deleteEntries, { paths: [composed] })
    await undoAndRedo({ [decomposed]: 'three\n' }, {})
  })

  test('a new file keeps the form that the file system gives it', async () => {
    const name = 'ma\u00f1ana.txt'
    await workspace.run(writeFiles, { files: [{ path: name, content: 'x' }] })
    const listed = system === 'HFS+' ? name.normalize('NFD') : name
    await undoAndRedo({ [decomposed]: 'one\n' }, { [decomposed]: 'one\n', [listed]: 'x' })
  })

  test('a file packed and unpacked is the same file', async () => {
    await workspace.run(createArchive, { path: 'a.zip', from: [composed] })
    await edit(composed, 'one', 'two')
    await workspace.run(extractArchive, { path: 'a.zip', to: '.', onExisting: 'replace' })
    const { 'a.zip': _, ...rest } = await stored()
    expect(rest).toEqual({ [decomposed]: 'one\n' })
  })

  test('git takes a file for the one that was committed elsewhere in the composed form', async () => {
    const author = { name: 'a', email: 'a@example.com' }
    open({ [composed]: 'one\n' }, { fold: (name) => name, caseSensitive: true })
    await workspace.run(gitInit, {})
    await workspace.run(gitAdd, { paths: [composed] })
    await workspace.run(gitCommit, { message: 'first', author })
    // The same repository where names are decomposed.
    await raw.rename(`/w/${composed}`, `/w/${decomposed}`)
    workspace = createWorkspace({ fs: foldingNames(raw, rules), roots: [{ path: '/w', access: 'read-write' }] })
    expect(await workspace.run(gitStatus, {})).toMatchObject({ staged: [], unstaged: [], untracked: [] })
    await edit(decomposed, 'one', 'two')
    expect(await workspace.run(gitStatus, {})).toMatchObject({ unstaged: [{ path: composed }], untracked: [] })
    await workspace.run(gitAdd, { all: true })
    await workspace.run(gitCommit, { message: 'second', author })
    expect(await workspace.run(gitStatus, {})).toMatchObject({ staged: [], unstaged: [], untracked: [] })
  })
})
