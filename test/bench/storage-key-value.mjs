/** A workspace in a key-value store beside one in memory: unstorage's memory driver, and Redis where it is installed. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compare, timed } from './measure.mjs'

export async function benchKeyValue(ours, rows, { rounds, only, scratch, parts }) {
  await onStore(ours, rows, { name: 'a key-value store in memory', address: 'memory:', rounds, only, parts })
  if (spawnSync('redis-server', ['--version']).status !== 0) return rows.note('redis-server is not installed')
  const directory = path.join(scratch, 'redis')
  fs.mkdirSync(directory)
  const port = await freePort()
  const options = { port, bind: '127.0.0.1', dir: directory, save: '', appendonly: 'yes' }
  const args = Object.entries(options).flatMap(([option, value]) => [`--${option}`, String(value)])
  const redis = spawn('redis-server', args, { stdio: 'ignore' })
  try {
    const address = `redis://127.0.0.1:${port}`
    await onStore(ours, rows, { name: 'Redis', address, rounds, only, parts })
  } finally {
    const ended = new Promise((resolve) => redis.once('close', resolve))
    redis.kill()
    await ended
  }
}

async function onStore(ours, rows, { name, address, rounds, only, parts }) {
  const { store, close } = ours.openStore(address)
  const open = (workspace) => ours.keyValue(store, { workspace, sha256 })
  const { treeOfFiles, fill, searching, reading, editing } = parts
  if ('grep'.includes(only)) {
    const tree = treeOfFiles()
    const target = open('grep')
    await untilThere(target)
    const filling = await timed(() => fill(target, tree))
    const textBytes = Object.values(tree).reduce((sum, text) => sum + text.length, 0)
    rows.note(`${name}: ${Object.keys(tree).length} files are filled in ${Math.round(filling)} ms`)
    let stored = 0
    for (const key of await store.getKeys()) stored += (await store.getItemRaw(key)).length
    rows.note(`${name}: ${textBytes} bytes of text are ${stored} bytes of values`)
    const inMemory = searching(ours, ours.createWorkspace({ fs: ours.memory(tree) }), 'needle')
    const warm = searching(ours, ours.createWorkspace({ fs: target }), 'needle')
    rows.row(
      `grep ${Object.keys(tree).length} files in ${name}`,
      'in memory',
      await compare({ ours: warm, theirs: inMemory, rounds }),
    )
    const cold = () => searching(ours, ours.createWorkspace({ fs: open('grep') }), 'needle')()
    const first = await compare({ ours: cold, theirs: inMemory, rounds: 3 })
    rows.row(`the first grep of ${Object.keys(tree).length} files in ${name}`, 'in memory', first)
  }
  if ('read'.includes(only)) {
    const files = { '/work/d/file.txt': 'some text of a line of a file\n'.repeat(137) }
    const target = open('read')
    await fill(target, files)
    const here = reading(ours, ours.createWorkspace({ fs: target }), '/work/d/file.txt')
    const there = reading(ours, ours.createWorkspace({ fs: ours.memory(files) }), '/work/d/file.txt')
    rows.row(`200 reads of 4 KB in ${name}`, 'in memory', await compare({ ours: here, theirs: there, rounds }))
  }
  if ('edit'.includes(only)) {
    const text = `${'some text of a line\n'.repeat(200)}value = 0\n`
    const target = open('edit')
    await target.writeFile('/file.txt', Buffer.from(text))
    const lock = ours.keyValueLock(target)
    const locks = lock ? ours.nestedLocks(ours.processLocks(), lock) : ours.processLocks()
    const stored = ours.createWorkspace({ fs: target, journal: ours.keyValueJournal(target), locks })
    const inMemory = ours.createWorkspace({ fs: ours.memory({ '/file.txt': text }) })
    const times = { ours: editing(ours, stored), theirs: editing(ours, inMemory), rounds }
    rows.row(`50 edits in ${name}, with history`, 'in memory', await compare(times))
  }
  await close()
}

/** Redis may still be starting. */
async function untilThere(target) {
  for (let tried = 0; ; tried += 1) {
    try {
      return await target.stat('/')
    } catch (error) {
      if (tried === 20) throw error
      await sleep(100)
    }
  }
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
