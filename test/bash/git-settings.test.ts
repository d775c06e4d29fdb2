/** Settings and attributes with which git would run a program: the git of the emulated shell runs none, or says that it does not go on. */
import { afterAll, expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

const shell = emulatedShell({ worker: built('node/emulated-worker.js'), workers: 1 })
const keptWarm = createWorkspace({ fs: memory(), shell })
afterAll(() => keptWarm.shell?.close())

const work = `
  git add f && git commit -qm one; echo 2 > f; git status; git diff; git diff --stat; git stash; git stash pop; git commit -qam two
  git checkout -qb other HEAD~1; echo 3 > f; git commit -qam three; git merge -m merged master; git checkout -f master; git rebase other
  git log -p; git show; git blame f; git tag -a v1 -m tagged; git archive HEAD | tar t; git grep 2; git rev-parse HEAD`

test.each([
  ['alias.pwn', '!touch pwned', 'git pwn; git pwn x'],
  ['alias.status', '!touch pwned', ''],
  ['core.fsmonitor', 'touch pwned', ''],
  ['core.pager', 'touch pwned', 'git -p log; GIT_PAGER="touch pwned" git log; PAGER="touch pwned" git log'],
  [
    'core.editor',
    'touch pwned',
    'git commit --allow-empty; EDITOR=cat git commit --amend; GIT_EDITOR="touch pwned" git tag -a v2; git rebase -i HEAD~1',
  ],
  ['core.hooksPath', 'hooks', ''],
  ['core.sshCommand', 'touch pwned', 'git fetch ssh://a/b; git ls-remote a:b; git clone ext::"touch pwned" c'],
  ['credential.helper', '!touch pwned', 'git fetch https://localhost/a; git push https://localhost/a'],
  ['gpg.program', 'touch pwned', 'git commit -S --allow-empty -m x; git verify-commit HEAD; git tag -s v3 -m x'],
  ['diff.external', 'touch pwned', 'GIT_EXTERNAL_DIFF="touch pwned" git diff HEAD~1; git diff --ext-diff HEAD~1'],
  ['diff.x.command', 'touch pwned', 'git diff --ext-diff HEAD~1'],
  [
    'diff.x.textconv',
    'touch pwned',
    'git diff --textconv HEAD~1; git log -p --textconv; git cat-file --textconv HEAD:f',
  ],
  ['filter.x.clean', 'touch pwned', ''],
  ['filter.x.smudge', 'touch pwned', 'git checkout -f -- f; rm f; git restore f'],
  ['filter.x.process', 'touch pwned', ''],
  ['merge.x.driver', 'touch pwned', ''],
  ['submodule.s.update', '!touch pwned', 'git submodule update --init; git submodule add ext::"touch pwned" s'],
  [
    'sequence.editor',
    'touch pwned',
    'git rebase -i HEAD~1; GIT_EDITOR=cat git rebase -i HEAD~1; git rebase -x "touch pwned" HEAD~1',
  ],
])('%s = %s', async (key, value, more) => {
  const fs = memory({
    '/outside/secret': 'TOP SECRET\n',
    '/w/hooks/pre-commit': '#!/bin/sh\ntouch pwned\n',
    '/w/f': '1\n',
  })
  const workspace = createWorkspace({ fs, shell, roots: [{ path: '/w', access: 'read-write' }] })
  await run(
    workspace,
    'git init -q; git config user.name a; git config user.email a@b; chmod +x hooks/pre-commit; cp -r hooks .githooks',
  )
  expect(await run(workspace, `git config ${key} '${value}'; git config ${key}`)).toMatchObject({
    stdout: `${value}\n`,
  })
  if (/\.x\./.test(key)) await run(workspace, `echo 'f ${key.split('.')[0]}=x' > .gitattributes`)
  const { stdout, stderr } = await run(workspace, `${work}\n${more}`)
  // The last line of the work is a commit, unless git has refused to add a file that a filter would change.
  if (key.startsWith('filter.')) expect(stderr).toContain("files with the attribute 'filter=x' cannot be added here")
  else expect(stdout).toMatch(/^[0-9a-f]{40}$/m)
  expect((await run(workspace, 'find / -name pwned')).stdout).toBe('')
})

test('settings that lead outside are not followed', async () => {
  const fs = memory({ '/outside/secret': 'TOP SECRET\n', '/w/f': '1\n' })
  const workspace = createWorkspace({ fs, shell, roots: [{ path: '/w', access: 'read-write' }] })
  const settings = ['include.path', 'core.excludesFile', 'core.attributesFile', 'commit.template', 'core.worktree']
  for (const setting of settings) {
    const made = 'rm -rf r; mkdir r; cd r; git init -q; echo 1 > f'
    const use =
      'git config -l; git status; git add -A; git commit -m x; git check-ignore -v f; git ls-files; git checkout -f'
    for (const path of ['/outside/secret', '/outside', '../../outside/secret', '../../../outside']) {
      const { stdout, stderr } = await run(workspace, `${made}; git config ${setting} ${path}; ${use}`)
      expect(stdout + stderr, `${setting} ${path}`).not.toContain('TOP')
    }
  }
  const refs = [
    '../../../outside/made',
    'refs/../../../outside/made',
    'refs/heads/../../../../outside/made',
    '/outside/made',
  ]
  await run(
    workspace,
    'rm -rf r; git init -q; git config user.name a; git config user.email a@b; git add f; git commit -qm x',
  )
  for (const ref of refs) {
    const command = `git update-ref ${ref} HEAD; git branch ${ref}; git tag ${ref}; git symbolic-ref HEAD ${ref}; git symbolic-ref ${ref} refs/heads/x`
    expect(await run(workspace, `${command}; git rev-parse -q HEAD > /dev/null; echo $?`)).toMatchObject({
      stdout: '0\n',
    })
  }
  expect((await fs.readDir('/outside')).map(({ name }) => name)).toEqual(['secret'])
})
