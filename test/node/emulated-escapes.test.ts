import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { emulatedShell } from '../../node/emulated-shell.js'
import { nodeFs } from '../../node/fs.js'
import { memory } from '../../src/fs/memory.js'
import { mount } from '../../src/fs/mount.js'
import { overlay } from '../../src/fs/overlay.js'
import type { FileSystem } from '../../src/fs/types.js'
import { createWorkspace } from '../../src/workspace.js'
import { run } from '../emulated-shell.js'

const workerFile = fileURLToPath(new URL('../../dist/node/emulated-worker.js', import.meta.url))
const shell = emulatedShell({ workerFile })
const host = realpathSync(mkdtempSync(join(tmpdir(), 'polyfs-escapes-')))
mkdirSync(join(host, 'w/sub'), { recursive: true })
writeFileSync(join(host, 'secret'), 'secret')
writeFileSync(join(host, 'w/a.txt'), 'a')
symlinkSync('../secret', join(host, 'w/relative'))
symlinkSync(join(host, 'secret'), join(host, 'w/absolute'))
symlinkSync('..', join(host, 'w/up'))
const disk = nodeFs(host)

async function inMemory(): Promise<FileSystem> {
  const fs = memory({ '/w/a.txt': 'a', '/w/sub/': '', '/secret': 'secret' })
  await fs.symlink?.('../secret', '/w/relative')
  await fs.symlink?.('/secret', '/w/absolute')
  await fs.symlink?.('..', '/w/up')
  return fs
}

afterAll(() => {
  disk.close()
  rmSync(host, { recursive: true })
})

describe.each<[string, () => FileSystem | Promise<FileSystem>]>([
  ['memory', inMemory],
  ['an overlay on memory', async () => overlay(await inMemory(), memory())],
  ['a mount', async () => mount({ '/': await inMemory() })],
  ['an overlay on the disk', () => overlay(disk, memory())],
])('on %s', (_name, makeFs) => {
  test.each([
    'cat relative absolute up/secret',
    'cat < relative; cat < up/secret; echo "$(<relative)"',
    'cd up && cat secret; cd /w/up/; ls; cat ../secret',
    'ln -s /secret mine; cat mine; ln -s ../secret other; cat other; ln -s .. dir; cat dir/secret',
    'mkdir d; ln -s .. d/x; ln -s d/x/.. y; cat y/secret; mv d /w/sub/d; cat sub/d/x/../secret',
    'ln relative hard; cat hard; cp relative copy; cat copy; cp -r up tree; cat tree/secret',
    'echo x > relative; echo x > up/made; echo x >> absolute; rm up/secret; mv a.txt up/a.txt; touch up/t',
    'tar chf all.tar relative up; tar xf all.tar -C sub; cat sub/relative; zip -r z.zip . ; unzip -o z.zip -d sub; grep -r secret .',
    'find -L . -type f -exec cat {} \\;; cat /proc/self/root/secret /dev/../secret //secret; source relative',
  ])('%s', async (command) => {
    const fs = await makeFs()
    const workspace = createWorkspace({ fs, roots: [{ path: '/w', access: 'read-write' }], shell })
    const { stdout } = await run(workspace, command)
    expect(stdout).not.toContain('secret\n')
    expect(stdout).not.toMatch(/^secret/m)
    const { stdout: after } = await run(workspace, 'cat a.txt')
    expect(['a', '']).toContain(after)
    expect(new TextDecoder().decode(await fs.readFile('/secret'))).toBe('secret')
    expect((await fs.readDir('/')).map(({ name }) => name).sort()).toEqual(['secret', 'w'])
  })
})
