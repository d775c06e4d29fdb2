import { afterAll, expect, test } from 'vitest'
import { bashOn } from '../../bash/standalone.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { built } from '../node/cli/built.js'

const fs = memory({ '/app/x': 'of the project\n' })
const bash = bashOn((given) => emulatedShell({ ...given, worker: built('node/emulated-worker.js') }), {
  fs,
  cwd: '/app',
})
afterAll(() => bash.close())

const sh = async (script: string) => {
  const { stdout, stderr } = await bash.exec(script)
  return stdout + stderr
}

test('links of scratch space lead to places of its own, by their absolute paths', async () => {
  const script = 'echo own > /tmp/t; ln -s /tmp/t /tmp/own; cat /tmp/own; readlink /tmp/own; readlink -f /tmp/own'
  expect(await sh(script)).toBe('own\n/tmp/t\n/tmp/t\n')
  expect(await sh('echo more >> /tmp/own; cat /tmp/t; ls -l /tmp/own | sed "s/.*own/own/"')).toBe(
    'own\nmore\nown -> /tmp/t\n',
  )
})

test('and into the workspace', async () => {
  expect(await sh('ln -s /app/x /tmp/project; cat /tmp/project; readlink /tmp/project; readlink -f /tmp/project')).toBe(
    'of the project\n/app/x\n/app/x\n',
  )
  expect(await sh('mkdir /tmp/d; ln -s /app /tmp/d/app; ls /tmp/d/app; cd /tmp/d/app && pwd -P; cd /app')).toBe(
    'x\n/app\n',
  )
  expect(await sh('echo changed > /tmp/project; cp -P /tmp/project copied; readlink copied')).toBe('/app/x\n')
  expect(new TextDecoder().decode(await fs.readFile('/app/x'))).toBe('changed\n')
})

test('but not further', async () => {
  expect(await sh('ln -s /nowhere/x /tmp/away; readlink /tmp/away; cat /tmp/away')).toBe(
    '/nowhere/x\ncat: /tmp/away: No such file or directory\n',
  )
})
