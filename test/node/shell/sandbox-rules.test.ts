/** Rules in the sandbox: a confined command of the machine's own shell neither reads nor moves what is denied. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DirectoryWorkspace, openDirectories } from '../../../node/workspace/directory-workspace.js'
import { run } from '../../emulated-shell.js'

const secret = 'Zq7secretXw9'
const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-rules-')))
const at = (name: string) => path.join(directory, name)
let workspace: DirectoryWorkspace

beforeAll(async () => {
  for (const name of ['config', 'private/keys', 'src', 'frozen']) fs.mkdirSync(at(name), { recursive: true })
  for (const name of ['.env', 'config/prod.env', 'private/keys/a', 'src/.env.local'])
    fs.writeFileSync(at(name), `${secret}\n`)
  fs.writeFileSync(at('src/main.ts'), 'one\n')
  fs.writeFileSync(at('frozen/a'), 'still\n')
  const git = (...args: string[]) => execFileSync('git', ['-C', directory, ...args])
  git('init', '-q')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'add', '-A')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one')
  workspace = await openDirectories([{ directory, access: 'read-write' }], {
    sandbox: 'require',
    durable: false,
    watchCommands: false,
    rules: [{ deny: ['.env*', 'config/prod.env', 'private'] }, { deny: 'frozen/**', to: 'change' }],
  })
})
afterAll(async () => {
  await workspace.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

test.each([
  'cat .env',
  'cat config/prod.env src/.env.local private/keys/a',
  'cat private/keys/*',
  'grep -r . --include="*" . 2>&1',
  'mv .env shown; cat shown',
  'mv config c2; cat c2/prod.env',
  'mv private p2; cat p2/keys/a',
  'ln .env hard; cat hard',
  'ln -s .env soft; cat soft',
  'cp -r . /tmp/all; cat /tmp/all/.env /tmp/all/config/prod.env',
  'tar c . | tar xO',
  'git show HEAD:.env',
  'git log -p',
  'git stash; git show stash:.env',
  'python3 -c "print(open(\'.env\').read())"',
  'mount --bind / /tmp; cat /tmp/.env; umount .env; cat .env',
  'unshare -r umount .env; cat .env',
  'chmod 777 .env; cat .env; rm -f .env; cat .env',
])('%s shows nothing', async (command) => {
  const { stdout, stderr } = await run(workspace, command)
  expect(stdout + stderr).not.toContain(secret)
})

test('without the rules they would', async () => {
  const open = await openDirectories([{ directory, access: 'read-write' }], {
    sandbox: 'require',
    durable: false,
    watchCommands: false,
  })
  const { stdout } = await run(open, 'cat .env config/prod.env private/keys/a; git show HEAD:.env')
  await open.close()
  expect(stdout).toBe(`${secret}\n`.repeat(4))
})

test('everything that is denied is as it was', () => {
  for (const name of ['.env', 'config/prod.env', 'private/keys/a', 'src/.env.local']) {
    expect(fs.readFileSync(at(name), 'utf8')).toBe(`${secret}\n`)
  }
})

test('the rest is read and changed, and what may only be read is read', async () => {
  expect(await run(workspace, 'cat src/main.ts frozen/a')).toMatchObject({ stdout: 'one\nstill\n' })
  await run(workspace, 'echo two >> src/main.ts; echo x >> frozen/a; rm frozen/a; mv frozen f2')
  expect(fs.readFileSync(at('src/main.ts'), 'utf8')).toBe('one\ntwo\n')
  expect(fs.readFileSync(at('frozen/a'), 'utf8')).toBe('still\n')
})
