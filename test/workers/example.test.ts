/** The example for Cloudflare, from the built package, as its own tool would deploy it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWorker } from './bundle.js'
import { newestRequest, type RunningWorker, startWorker } from './running-worker.js'

const directory = fileURLToPath(new URL('../../examples/cloudflare/', import.meta.url))
const settings = parse(await readFile(join(directory, 'wrangler.toml'), 'utf8'))
const main = `examples/cloudflare/${settings.main}`

let code: string
let worker: RunningWorker

beforeAll(async () => {
  code = await bundleWorker(main)
  worker = await startWorker(code, { compatibilityDate: String(settings.compatibility_date) })
})

afterAll(() => worker.stop())

test('is less than 1 MB when compressed, though not minified, and has no shell in it', () => {
  expect(gzipSync(code).length).toBeLessThan(1_000_000)
  expect(code).not.toContain('emulated-worker')
})

test('names the class and the binding that the code has', async () => {
  expect(settings.durable_objects).toEqual({ bindings: [{ name: 'WORKSPACES', class_name: 'Workspace' }] })
  expect(settings.migrations).toEqual([{ tag: 'v1', new_sqlite_classes: ['Workspace'] }])
  const source = await readFile(join(directory, String(settings.main)), 'utf8')
  expect(source).toContain('export class Workspace extends durableWorkspace(DurableObject')
  expect(source.split('\n').length).toBeLessThan(31)
})

test('works in the runtime, where code can be generated neither from text nor from WebAssembly', async () => {
  await worker.call('alice', 'write_file', { path: 'notes.md', content: 'Water the plants.\n' })
  await worker.call('alice', 'edit_file', { path: 'notes.md', old_string: 'Water', new_string: 'Feed' })
  expect(await worker.call('alice', 'grep', { pattern: 'F(ee|oo)d' })).toBe(
    'notes.md\n1: Feed the plants.\n[1 match in 1 file; 1 file searched]',
  )
  expect(await worker.call('bob', 'list_dir', {})).toBe('(no entries)')
  const anonymous = { ...newestRequest('tools/list', {}), headers: {} }
  expect((await worker.fetch('/mcp/alice', anonymous)).status).toBe(401)
})
