/** Linked working trees whose directories are gone. Scripts can't remove a `.git`, so the file system does it; the texts are git's. */
import { afterAll, expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

const shell = emulatedShell({ worker: built('node/emulated-worker.js'), workers: 1 })
const keptWarm = createWorkspace({ fs: memory(), shell })
afterAll(() => keptWarm.shell?.close())

async function withTrees(...names: string[]) {
  const fs = memory({ '/w/r/f': '1\n' })
  const workspace = createWorkspace({ fs, shell, roots: [{ path: '/w', access: 'read-write' }] })
  const made = names.map((name) => `git worktree add -q ../${name}`).join('; ')
  const commit = 'git init -q; git config user.name a; git config user.email a@b; git add .; git commit -qm one'
  expect(await run(workspace, `cd r; ${commit}; ${made}`)).toMatchObject({ stdout: '', stderr: '' })
  const forget = async (name: string) => {
    for (const file of ['.git', 'f', '']) await fs.remove(`/w/${name}/${file}`.replace(/\/$/, ''))
  }
  const git = (...args: string[]) => run(workspace, `git -C r worktree ${args.join(' ')}`)
  const list = async () => (await git('list')).stdout.replaceAll(/ [0-9a-f]{7} /g, ' ')
  return { forget, git, list }
}

test('a tree that is gone is listed as prunable, and pruned', async () => {
  const { forget, git, list } = await withTrees('a', 'b')
  await forget('a')
  expect(await list()).toBe('/w/r  [master]\n/w/a  [a] prunable\n/w/b  [b]\n')
  expect((await git('list', '-v')).stdout).toContain('[a]\n\tprunable: gitdir file points to non-existent location\n')
  expect((await git('list', '--porcelain')).stdout).toContain(
    'branch refs/heads/a\nprunable gitdir file points to non-existent location\n\n',
  )
  const said = 'Removing worktrees/a: gitdir file points to non-existent location\n'
  expect(await git('prune', '-n')).toMatchObject({ stderr: said })
  expect(await git('prune', '-v')).toMatchObject({ stderr: said })
  expect(await list()).toBe('/w/r  [master]\n/w/b  [b]\n')
})

test('a locked tree that is gone stays until it is forced', async () => {
  const { forget, git, list } = await withTrees('a')
  await git('lock', 'a')
  await forget('a')
  await git('prune')
  expect(await list()).toBe('/w/r  [master]\n/w/a  [a] locked\n')
  expect(await git('add', '-f', '../a', 'a')).toMatchObject({
    exitCode: 128,
    stderr: expect.stringContaining(
      "fatal: '../a' is a missing but locked worktree;\nuse 'add -f -f' to override, or 'unlock' and 'prune' or 'remove' to clear\n",
    ),
  })
  expect(await git('add', '-q', '-f', '-f', '../a', 'a')).toMatchObject({ exitCode: 0 })
  expect(await list()).toBe('/w/r  [master]\n/w/a  [a]\n')
})

test('a tree that is gone is not made again unless it is forced', async () => {
  const { forget, git } = await withTrees('a')
  await forget('a')
  expect(await git('add', '../a', 'a')).toMatchObject({
    exitCode: 128,
    stderr: expect.stringContaining(
      "fatal: '../a' is a missing but already registered worktree;\nuse 'add -f' to override, or 'prune' or 'remove' to clear\n",
    ),
  })
  expect(await git('add', '-q', '-f', '../a', 'a')).toMatchObject({ exitCode: 0 })
  await forget('a')
  expect(await git('remove', 'a')).toMatchObject({ exitCode: 0, stderr: '' })
})

test('what is missing is refused by name', async () => {
  const { git } = await withTrees('a')
  expect(await git('repair')).toMatchObject({
    exitCode: 128,
    stderr: "fatal: 'git worktree repair' is not supported by this git\n",
  })
  expect(await git('prune', '--expire', '3.days')).toMatchObject({
    exitCode: 128,
    stderr: "fatal: '--expire 3.days' is not supported by this git\n",
  })
})
