/** Run by a runtime: the library at work, on memory and on a disk, with workers. Prints one line for each thing that is tried. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportZip, unpackZip } from '../../dist/archive.js'
import { openEpisode } from '../../dist/harness.js'
import { createWorkspace, memory, overlay, polyfs, tools } from '../../dist/index.js'
import { emulatedShell } from '../../dist/node/bash.js'
import { nodeFs, nodeShell, openDirectories, serveHttp } from '../../dist/node/index.js'

const root = mkdtempSync(join(tmpdir(), 'polyfs-smoke-'))
process.env.POLYFS_STATE_DIR = join(root, 'state')
const project = join(root, 'project')
const results = {}
const attempt = async (name, work) => {
  try {
    results[name] = await work()
  } catch (error) {
    results[name] = `failed: ${error?.message ?? error}`
  }
}
const first = (text) => text.split('\n')[0]

await attempt('memory', async () => {
  const { callText } = tools(createWorkspace({ fs: memory({ 'a.txt': 'one\n' }) }))
  return first(await callText('edit_file', { path: 'a.txt', old_string: 'one', new_string: 'two' }))
})
await attempt('undo', async () => {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'one\n' }) })
  const { callText } = tools(workspace)
  await callText('write_file', { path: 'a.txt', content: 'two\n' })
  await workspace.history.undo()
  return first(await callText('read_file', { path: 'a.txt' }))
})
await attempt('emulated shell', async () => {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'b\na\n' }), shell: emulatedShell() })
  return first(await tools(workspace).callText('bash', { command: 'sort a.txt | head -1' }))
})
await attempt('node in the emulated shell', async () => {
  const workspace = createWorkspace({ fs: memory({}), shell: emulatedShell() })
  return first(await tools(workspace).callText('bash', { command: "node -e 'console.log(6 * 7)'" }))
})
await attempt('git', async () => {
  const { callText } = tools(createWorkspace({ fs: memory({ 'a.txt': 'a\n' }) }))
  await callText('git', { action: 'init' })
  return (await callText('git', { action: 'status' })).includes('a.txt')
})
await attempt('zip', async () => {
  const files = await unpackZip(await exportZip(createWorkspace({ fs: memory({ 'a.txt': 'zipped' }) })))
  return new TextDecoder().decode(await files.readFile('/a.txt'))
})
await attempt('disk, in threads', async () => {
  mkdirSync(project)
  for (let i = 0; i < 300; i++) writeFileSync(join(project, `f${i}.txt`), `line ${i}\nneedle ${i}\n`)
  const workspace = await openDirectories([{ directory: project, access: 'read-write' }], { searchThreads: 2 })
  const found = await tools(workspace).callText('grep', { pattern: 'needle 29\\d', output: 'files' })
  workspace.close()
  return (found.match(/f29\d\.txt/g) ?? []).length
})
await attempt('overlay on a disk', async () => {
  const disk = nodeFs(project)
  const files = overlay(disk, memory())
  await files.writeFile('/new.txt', new Uint8Array([1]))
  const [change] = await files.changes()
  disk.close()
  return change.path
})
await attempt("the machine's shell", async () => {
  const workspace = await openDirectories([{ directory: project, access: 'read-write' }], {
    shell: nodeShell({ hostPath: (path) => path }),
  })
  const said = first(await tools(workspace).callText('bash', { command: 'echo from a shell' }))
  workspace.close()
  return said
})
await attempt('HTTP', async () => {
  const server = await serveHttp({ workspace: createWorkspace({ fs: memory() }), dialect: polyfs, port: 0 })
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } },
    }),
  })
  const text = await response.text()
  await server.close()
  return text.includes('"name":"polyfs"')
})
await attempt('an episode', async () => {
  const episode = await openEpisode({ files: { 'a.txt': 'a\n' } })
  return first(await episode.tools.callText('read_file', { path: 'a.txt' }))
})
rmSync(root, { recursive: true, force: true })
console.log(JSON.stringify(results))
process.exit(0)
