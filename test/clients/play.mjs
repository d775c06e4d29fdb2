/**
 * Run by a test: one client at work on the built server. `node play.mjs CLIENT stdio|http NODE CLI DIRECTORY` prints what came of each
 * thing that is tried, as JSON in the last line.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const [name, transport, node, cli, directory] = process.argv.slice(2)
const { connect } = await import(`./drivers/${name}.mjs`)
const server = transport === 'http' ? await startServer() : undefined
const client = await connect(
  server === undefined ? { command: node, args: [cli, '--tools=+copy', directory] } : { url: server.url },
)
const results = {}

await attempt('list', async () => client.names())
await attempt('call', async () => textOf(await client.call('read_file', { path: 'a.txt' })))
await attempt('image', async () => {
  const { content } = await client.call('read_file', { path: 'dot.png' })
  const { type, mimeType, mediaType, mime_type, data } = content.find((block) => block.type !== 'text')
  return `${type} ${mimeType ?? mediaType ?? mime_type} ${data}`
})
await attempt('error', async () => {
  let how = 'returned'
  const result = await client.call('read_file', { path: 'missing.txt' }).catch((error) => {
    how = 'thrown'
    return { isError: true, content: [{ type: 'text', text: error.message }] }
  })
  if (!result.isError) return 'no error'
  return `${how} ${/not_found: missing.txt does not exist/.exec(textOf(result))}`
})
await attempt('long result', async () => hash(textOf(await client.call('read_file', { path: 'long.txt' }))))
await attempt('long argument', async () => {
  const content = 'é\n'.repeat(30_000)
  await client.call('write_file', { path: 'written.txt', content })
  return readFileSync(join(directory, 'written.txt'), 'utf8') === content
})
await attempt('progress', async () => {
  const seen = []
  await client.call('copy', { source: 'many', destination: 'copied' }, { onProgress: (one) => seen.push(one) })
  return seen.length === 0 ? 'none' : `${seen.at(-1).progress}/${seen.at(-1).total}`
})
await attempt('cancel', async () => {
  const stop = new AbortController()
  const command = 'echo $$ > pid.part; mv pid.part pid; exec sleep 1000'
  const ends = client.call('bash', { command }, { signal: stop.signal }).then(
    () => 'answered',
    () => 'stopped',
  )
  const pid = join(directory, 'pid')
  await until(() => existsSync(pid))
  stop.abort()
  const how = await ends
  if (process.env.POLYFS_CANCELS_COMMAND === '1') await until(() => !isRunning(Number(readFileSync(pid, 'utf8'))))
  return how
})
await attempt('call after that', async () => textOf(await client.call('read_file', { path: 'a.txt' })))
await client.close()
await server?.stop()
console.log(`\n${JSON.stringify(results)}`)
process.exit(0)

async function attempt(what, work) {
  if (process.env.POLYFS_SKIPPED?.split(',').includes(what)) return
  results[what] = await Promise.resolve()
    .then(work)
    .catch((error) => `failed: ${error?.stack ?? error}`)
}

function textOf(result) {
  if (!Array.isArray(result?.content)) throw new Error(`no content: ${JSON.stringify(result)?.slice(0, 500)}`)
  return result.content
    .filter(({ type }) => type === 'text')
    .map(({ text }) => text)
    .join('')
}

function hash(text) {
  return `${text.length} ${createHash('sha256').update(text).digest('hex')}`
}

async function until(condition) {
  while (!condition()) await sleep(20)
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function startServer() {
  const child = spawn(node, [cli, '--tools=+copy', '--http', '0', directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill())
  const closed = once(child, 'close').then(() => {
    throw new Error('the server ended')
  })
  closed.catch(() => {})
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), closed])
  const stop = async () => {
    child.kill()
    await closed.catch(() => {})
  }
  return { url: /at (http:\S+) /.exec(line)[1], stop }
}
