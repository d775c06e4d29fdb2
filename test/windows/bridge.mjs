/**
 * Run by Node for Windows: starts programs there, and connects their input to sockets, because wine does not hand over pipes of this
 * machine as Windows has them. What a program writes goes to a file: megabytes through a pipe crash wine. Each connection begins with a
 * line that says what to start: `args`, `cwd`, `env`, `output`. Its only answer is a line that says how the program ended. With `pulse`
 * nothing is started.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'

const server = createServer((socket) => {
  let first = ''
  socket.setEncoding('utf8')
  socket.on('error', () => {})
  socket.on('data', function begin(text) {
    first += text
    const end = first.indexOf('\n')
    if (end < 0) return
    socket.off('data', begin)
    start(socket, JSON.parse(first.slice(0, end)), first.slice(end + 1))
  })
})
// The name comes with the address, whole.
server.listen(0, '127.0.0.1', () => writeFileSync(process.argv[2], `${server.address().port}\n`))

function start(socket, { args, cwd, env, output, stop, pulse }, rest) {
  if (stop) process.exit(0)
  if (pulse) return socket.end('alive\n')
  const file = openSync(output, 'a')
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', file, 'pipe'],
    windowsHide: true,
  })
  closeSync(file)
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints = (complaints + text).slice(-4000)
  })
  child.stdin.on('error', () => {})
  child.stdin.write(rest)
  socket.pipe(child.stdin)
  const finish = (how) => socket.end(`${JSON.stringify({ bridge: how, complaints })}\n`)
  child.on('error', (error) => finish(`did not start: ${error.message}`))
  child.on('close', (code) => finish(`ended with ${code}`))
  socket.on('close', () => child.kill())
}
