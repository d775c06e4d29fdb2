/** Whatever descriptors a server inherited, a command gets only stdin, stdout and stderr. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { transformWithOxc } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { inheritedDescriptors } from '../../../node/shell/inherited-descriptors.js'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'
import { rpc } from '../serve/raw-server.js'
import { sandboxLacks, sandboxWorks } from './sandbox/stage.js'

const onLinux = process.platform === 'linux'

/** A secret, open under many descriptors with and without gaps between them. */
async function secretDescriptors() {
  const directory = await temporaryDirectory()
  fs.writeFileSync(join(directory, 'secret'), 'secret\n')
  const descriptor = fs.openSync(join(directory, 'secret'), 'r')
  onTestFinished(() => fs.closeSync(descriptor))
  const numbers = [...Array(38).keys()].map((at) => at + 3).concat(63, 64, 99)
  const stdio = Array.from({ length: 100 }, (_, at) => (at < 3 ? 'pipe' : numbers.includes(at) ? descriptor : 'ignore'))
  return stdio as ('pipe' | 'ignore' | number)[]
}

/** The fourth descriptor is the listing itself. */
const list = 'ls /proc/self/fd | xargs echo numbers'

test.skipIf(!onLinux).for([
  ['a command', []],
  ['a command in a sandbox', ['--sandbox', 'require']],
] as const)('%s gets no descriptor that the server was started with', async ([_name, flags], { skip }) => {
  if (flags.length > 0 && !sandboxWorks) return skip(sandboxLacks)
  const root = await temporaryDirectory()
  const { command, args, env } = await cliCommand(['--dialect', 'clarvis', ...flags, root])
  const server = spawn(command, args, { stdio: await secretDescriptors(), env: { ...process.env, ...env } })
  const ended = once(server, 'close')
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await ended
  })
  const lines = createInterface(server.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object) => {
    server.stdin?.write(`${rpc(id, method, params)}\n`)
    return JSON.parse((await lines.next()).value as string)
  }
  const clientInfo = { name: 'test', version: '1' }
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  const answer = await ask(2, 'tools/call', { name: 'bash', arguments: { command: list } })
  expect(answer.result.content[0].text).toContain('numbers 0 1 2 3\\n')
})

test.skipIf(!onLinux)('in a program that may use them itself, commands see an empty file instead', async () => {
  const file = fileURLToPath(new URL('../../../node/shell/inherited-descriptors.ts', import.meta.url))
  const { code: module } = await transformWithOxc(fs.readFileSync(file, 'utf8'), file)
  const script = `${module}
    const { spawn } = await import('node:child_process')
    const inherited = inheritedDescriptors()
    const cover = openCover(inherited)
    const stdio = coverInherited(['ignore', 'inherit', 'inherit'], cover)
    console.log(inherited.includes(63) && inherited.includes(99))
    spawn('/bin/sh', ['-c', 'cat /proc/$$/fd/*[0-9][0-9] /proc/$$/fd/[3-9]; true'], { stdio })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: await secretDescriptors() })
  let said = ''
  child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  await once(child, 'close')
  expect(said).toBe('true\n')
})

test('descriptors that this process opens itself are not inherited', async () => {
  const before = inheritedDescriptors()
  const opened = fs.openSync('/', 'r')
  onTestFinished(() => fs.closeSync(opened))
  expect(inheritedDescriptors()).toEqual(before)
})
