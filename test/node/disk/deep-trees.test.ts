/** Directories deeper than a path can be long: nobody can name them, but walks come to them. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { copyEntry } from '../../../src/ops/copy-entry.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'

const name = 'd'.repeat(200)
const depth = 30

/** Each level is made from within the one above it. */
function makeDeep(root: string): void {
  const script = `import os\nos.chdir(${JSON.stringify(root)})\nfor i in range(${depth}):\n  os.mkdir('${name}')\n  os.chdir('${name}')\n  open('file%d' % i, 'w').write('text %d' % i)\nos.symlink('/etc', 'link')\n`
  execFileSync('python3', ['-c', script])
}

async function stage() {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-deep-')))
  const root = path.join(base, 'root')
  fs.mkdirSync(path.join(root, 'tree'), { recursive: true })
  fs.writeFileSync(path.join(root, 'beside.txt'), 'beside')
  makeDeep(path.join(root, 'tree'))
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: path.join(base, 'state'),
    fsync: false,
  })
  onTestFinished(() => {
    workspace.close()
    execFileSync('rm', ['-rf', base])
  })
  await workspace.ready
  return { root, workspace }
}

/** Kind, name, size of files and target of links, of all that is below. */
function listed(root: string, directory: string): string[] {
  const found = execFileSync('find', ['.', '-printf', '%y %f %l\\n', '-type', 'f', '-printf', '%f %s\\n'], {
    cwd: path.join(root, directory),
    encoding: 'utf8',
  })
  return found.split('\n').sort()
}

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'])
    return process.platform === 'linux'
  } catch {
    return false
  }
})()

test('a walk comes to their end', async ({ skip }) => {
  if (!hasPython) skip('this machine has no Linux with Python to make one')
  const { workspace } = await stage()
  const files: string[] = []
  const unreadable: string[] = []
  for await (const entry of walk(workspace.fs, workspace.root, { onUnreadable: (at) => unreadable.push(at) })) {
    if (entry.kind === 'file') files.push(entry.name)
  }
  expect(unreadable).toEqual([])
  expect(files.sort()).toEqual(['beside.txt', ...Array.from({ length: depth }, (_, at) => `file${at}`)].sort())
})

test('they are deleted, and undo brings them back', async ({ skip }) => {
  if (!hasPython) skip('this machine has no Linux with Python to make one')
  const { root, workspace } = await stage()
  const before = listed(root, 'tree')
  const result = await deleteEntry.run({ path: 'tree', recursive: true }, workspace, {})
  expect([result.entries, fs.readdirSync(root)]).toEqual([2 * depth + 2, ['beside.txt']])
  await workspace.history.undo()
  expect(listed(root, 'tree')).toEqual(before)
})

test('they are copied', async ({ skip }) => {
  if (!hasPython) skip('this machine has no Linux with Python to make one')
  const { root, workspace } = await stage()
  await copyEntry.run({ from: 'tree', to: 'copy', makeParents: false }, workspace, {})
  expect(listed(root, 'copy')).toEqual(listed(root, 'tree'))
})
