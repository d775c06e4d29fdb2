/**
 * Run by Node for Windows: starts programs there, and connects their streams to sockets, because wine does not hand over pipes of this
 * machine as Windows has them. Each connection begins with a line that says what to start: `args`, `cwd`, `env`. The last line of a
 * connection says how the program ended.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
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

function start(socket, { args, cwd, env, stop }, rest) {
  if (stop) process.exit(0)
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'pipe',
    windowsHide: true,
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints = (complaints + text).slice(-4000)
  })
  child.stdin.on('error', () => {})
  child.stdin.write(rest)
  socket.pipe(child.stdin)
  child.stdout.pipe(socket, { end: false })
  const finish = (how) => socket.end(`${JSON.stringify({ bridge: how, complaints })}\n`)
  child.on('error', (error) => finish(`did not start: ${error.message}`))
  child.on('close', (code) => finish(`ended with ${code}`))
  socket.on('close', () => child.kill())
}
