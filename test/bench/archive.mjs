/** Packing and unpacking files of 10 kB: 5,000 in memory and on the disk, compared with `zip` and `unzip` where installed; and 1,000 compared with zip.js. */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { timed } from './measure.mjs'

const [count, size] = [5_000, 10_000]

export async function benchArchive(ours, rows, { only }) {
  const places = { 'in memory': inMemory, 'on the disk': onDisk, 'records alone': recordsAlone }
  for (const [name, run] of Object.entries(places)) if (name.includes(only)) await run(ours, rows, name)
}

async function inMemory(ours, rows, name) {
  const workspace = ours.createWorkspace({ fs: ours.memory(tree()) })
  await both(ours, rows, name, workspace)
}

async function onDisk(ours, rows, name) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-archive-'))
  const root = path.join(base, 'root')
  try {
    for (const [file, text] of Object.entries(tree())) {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
      fs.writeFileSync(path.join(root, file), text)
    }
    const theirs = others(base, root)
    const workspace = await ours.openDirectories([{ directory: root, access: 'read-write' }], {
      stateDirectory: path.join(base, 'state'),
      searchThreads: 0,
    })
    await both(ours, rows, name, workspace, theirs)
    workspace.close()
  } finally {
    fs.rmSync(base, { recursive: true, force: true })
  }
}

async function both({ createArchive, extractArchive, readArchive }, rows, name, workspace, theirs = {}) {
  const run = (operation, input) => operation.run(operation.input.parse(input), workspace, {})
  await workspace.ready
  const report = async (what, work, theirsMs) => {
    const before = process.cpuUsage()
    const oursMs = await timed(work)
    const { user, system } = process.cpuUsage(before)
    const against = theirsMs === undefined ? 'nothing' : theirs.name[what]
    const measured = { oursMs, theirsMs, ...(theirsMs && { ratio: oursMs / theirsMs }) }
    rows.row(`${what} ${count} files ${name}`, against, measured)
    rows.note(`${what} ${name}: ${((user + system) / 1000 / count).toFixed(2)} ms of processor time a file`)
  }
  await report('pack', () => run(createArchive, { path: 'all.zip', from: ['tree'] }), theirs.pack)
  await report('unpack', () => run(extractArchive, { path: 'all.zip', to: 'out' }), theirs.unpack)
  const archive = await workspace.fs.readFile(workspace.fs.resolve('all.zip', workspace.root))
  await report('read the content of', () => readArchive(archive))
}

/** Archives of the same compressed bytes, with the records written by us and by zip.js: why we write our own. */
async function recordsAlone({ writeArchive }, rows) {
  const zip = await import('@zip.js/zip.js/lib/zip-core-custom.js')
  const files = Object.entries(tree())
    .slice(0, 1000)
    .map(([file, text]) => ({ path: file, kind: 'file', bytes: Buffer.from(text), mode: 0o644, modifiedMs: 1.7e12 }))
  const byLibrary = async () => {
    const pieces = []
    const target = new zip.Writer()
    target.writeUint8Array = async (bytes) => void pieces.push(bytes.slice())
    target.getData = async () => Buffer.concat(pieces)
    const writer = new zip.ZipWriter(target, { useWebWorkers: false, keepOrder: true, dataDescriptor: false, level: 0 })
    for (let at = 0; at < files.length; at += 16) {
      const some = files.slice(at, at + 16).map(async (file) => ({ ...file, packed: await deflated(file.bytes) }))
      for (const { path: file, bytes, packed, mode, modifiedMs } of await Promise.all(some)) {
        await writer.add(file, new zip.Uint8ArrayReader(packed), {
          passThrough: true,
          compressionMethod: 8,
          uncompressedSize: bytes.length,
          crc32: crc32(bytes),
          unixMode: 0o100000 | mode,
          lastModDate: new Date(modifiedMs),
        })
      }
    }
    return writer.close()
  }
  const measured = {}
  for (const [whose, write] of [
    ['ours', () => writeArchive(files)],
    ['theirs', byLibrary],
  ]) {
    const before = process.cpuUsage()
    measured[whose] = await timed(write)
    const { user, system } = process.cpuUsage(before)
    rows.note(`packing, ${whose}: ${((user + system) / 1000 / files.length).toFixed(2)} ms of processor time a file`)
  }
  const { ours: oursMs, theirs: theirsMs } = measured
  rows.row(`pack ${files.length} files in memory`, 'zip.js', { oursMs, theirsMs, ratio: oursMs / theirsMs })
}

async function deflated(bytes) {
  const { readable, writable } = new CompressionStream('deflate-raw')
  const writer = writable.getWriter()
  void writer.write(bytes)
  void writer.close()
  const pieces = []
  for await (const piece of readable) pieces.push(piece)
  return Buffer.concat(pieces)
}

function others(base, root) {
  if (spawnSync('zip', ['-v']).error || spawnSync('unzip', ['-v']).error) return {}
  const since = (run) => {
    const started = performance.now()
    run()
    return performance.now() - started
  }
  return {
    name: { pack: 'zip', unpack: 'unzip' },
    pack: since(() => execFileSync('zip', ['-qr', path.join(base, 'theirs.zip'), 'tree'], { cwd: root })),
    unpack: since(() => execFileSync('unzip', ['-q', path.join(base, 'theirs.zip'), '-d', path.join(base, 'theirs')])),
  }
}

function tree() {
  let state = 1
  const random = (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state % below
  }
  const files = {}
  for (let at = 0; at < count; at += 1) {
    let text = ''
    while (text.length < size) text += `const value${random(1000)} = compute(${random(50)})\n`
    files[`tree/d${at % 50}/f${at}.ts`] = text.slice(0, size)
  }
  return files
}
