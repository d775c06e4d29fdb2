/** The server started by a person in a terminal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { cliCommand, temporaryDirectory } from './run-cli.js'

/** Of util-linux: runs a command on a new terminal. */
const script = '/usr/bin/script'

test('the server prints what it is and how to connect, and Ctrl-C ends it', async (context) => {
  if (process.platform !== 'linux' || !existsSync(script)) context.skip(`no terminal can be made: ${script} is missing`)
  const root = await temporaryDirectory()
  const { command, args, env } = await cliCommand([root])
  // `exec` replaces the shell, so that only the server gets Ctrl-C.
  const line = `exec ${[command, ...args].map((word) => `'${word}'`).join(' ')}`
  const terminal = spawn(script, ['-qec', line, '/dev/null'], { stdio: 'pipe', env: { ...process.env, ...env } })
  onTestFinished(() => void terminal.kill('SIGKILL'))
  const closed = once(terminal, 'close')
  let shown = ''
  let isAsked = false
  for await (const chunk of terminal.stdout) {
    shown += chunk
    if (isAsked || !shown.includes('stop with Ctrl-C.')) continue
    isAsked = true
    terminal.stdin.write('\x03')
  }
  expect(await closed).toEqual([0, null])
  const lines = shown.split('\r\n')
  expect(lines[0]).toMatch(/^polyfs is an MCP server: /)
  const started = [command, ...args].slice(1)
  expect(lines).toContain(`  claude mcp add files -- node ${started.join(' ')}`)
})
