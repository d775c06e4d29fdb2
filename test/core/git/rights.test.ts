import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

const encode = (text: string) => new TextEncoder().encode(text)
const scopes = [{ path: '/p', tree: true }]
const gitDirectories = ['/p/.git']

function open() {
  const fs = memory({ 'p/.git/HEAD': 'old', 'p/a.txt': 'a', 'p/sub/.git/HEAD': 'theirs' })
  return { fs, workspace: createWorkspace({ fs }) }
}

test('a change writes inside the .git it names, and in no other', async () => {
  const { fs, workspace } = open()
  const write = (path: string, rights: { gitDirectories?: string[] }, text = 'newer') =>
    workspace.changes.run({ label: 'git', scopes, ...rights }, (draft) => draft.write(path, encode(text)))
  await write('/p/.git/HEAD', { gitDirectories }, 'new')
  expect(new TextDecoder().decode(await fs.readFile('/p/.git/HEAD'))).toBe('new')
  await expect(write('/p/.git/HEAD', {})).rejects.toMatchObject({ code: 'PROTECTED' })
  await expect(write('/p/sub/.git/HEAD', { gitDirectories })).rejects.toMatchObject({ code: 'PROTECTED' })
  await expect(write('/p/a.txt', { gitDirectories: ['/p'] })).rejects.toMatchObject({ code: 'PROTECTED' })
})

test('files that git would execute stay protected', async () => {
  const { workspace } = open()
  for (const path of ['/p/.git/hooks/pre-commit', '/p/.git/HOOKS/pre-commit', '/p/.git/x/.git/config']) {
    const made = workspace.changes.run({ label: 'git', scopes, gitDirectories }, async (draft) => {
      await draft.makeParents(path)
      await draft.write(path, encode('#!/bin/sh'))
    })
    await expect(made).rejects.toMatchObject({ code: 'PROTECTED' })
  }
  expect((await workspace.fs.readDir('/p/.git')).map(({ name }) => name)).toEqual(['HEAD'])
})

test('undo reverts it completely, including .git', async () => {
  const { fs, workspace } = open()
  await workspace.changes.run({ label: 'git', scopes, gitDirectories }, async (draft) => {
    await draft.write('/p/.git/HEAD', encode('new'))
    await draft.write('/p/a.txt', encode('b'))
  })
  await workspace.history.undo()
  expect(new TextDecoder().decode(await fs.readFile('/p/.git/HEAD'))).toBe('old')
  expect(new TextDecoder().decode(await fs.readFile('/p/a.txt'))).toBe('a')
})
