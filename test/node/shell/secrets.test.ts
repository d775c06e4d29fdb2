/** Which parts of the server's environment a command can find. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transformWithOxc } from 'vite'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../cli/run-cli.js'
import { initialized, startRaw } from '../serve/raw-server.js'

const secret = 'sk-7d1f0c52-only-the-server-knows'
const onLinux = process.platform === 'linux'

test.skipIf(!onLinux)('a command finds no secret of the server in any environment that the system shows', async () => {
  const root = await temporaryDirectory()
  const server = await initialized(await startRaw(['--dialect', 'clarvis', root], { API_KEY: secret }))
  const shown = () => fs.readFileSync(`/proc/${server.child.pid}/environ`, 'utf8')
  expect(shown()).toContain(secret)
  const find = `env | grep -F ${secret}; grep -lF ${secret} /proc/[0-9]*/environ 2>/dev/null; grep -lzE '^PATH=' /proc/$PPID/environ`
  const { result } = await server.call(1, 'bash', { command: find })
  expect(result?.content?.[0]?.text).toContain(`/proc/${server.child.pid}/environ`)
  expect(result?.content?.[0]?.text.match(/\/proc\/\d+\/environ/g)).toEqual([`/proc/${server.child.pid}/environ`])
  expect(shown()).not.toContain('API_KEY')
  expect((await server.call(2, 'bash', { command: 'echo and on' })).result?.content?.[0]?.text).toContain('and on')
  expect(server.stderr()).toBe('')
})

test.skipIf(!onLinux)('the process itself keeps every variable', async () => {
  const file = fileURLToPath(new URL('../../../node/shell/hide-environment.ts', import.meta.url))
  const { code: module } = await transformWithOxc(await readFile(file, 'utf8'), file)
  const script = `${module}
    const before = JSON.stringify(process.env)
    hideEnvironment((name) => name === 'SEEN')
    const { execFileSync } = await import('node:child_process')
    const shown = fs.readFileSync('/proc/self/environ', 'utf8').split('\\0').filter((entry) => entry !== '')
    const given = execFileSync('/usr/bin/env', { encoding: 'utf8' }).trim().split('\\n').sort()
    console.log(JSON.stringify({ kept: JSON.stringify(process.env) === before, shown, given }))`
  const env = { EMPTY: '', PATH: process.env.PATH ?? '', SECRET: `${secret}=x`, SEEN: 'seen' }
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env })
  expect(JSON.parse(said)).toEqual({
    kept: true,
    shown: ['SEEN=seen'],
    given: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  })
})
