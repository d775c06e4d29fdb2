import { afterAll, expect, test } from 'vitest'
import type { Known } from '../../bash/programs/node/host/known-files.js'
import { modulePrefetch } from '../../bash/programs/node/host/module-prefetch.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

/** Files that are known once they are fetched. */
function tree(texts: Readonly<Record<string, string>>) {
  const known = new Map<string, Known>()
  const common = { mode: 0, size: 0, modifiedMs: 0, createdMs: 0, inode: 0 }
  const paths = Object.keys(texts)
  return {
    known,
    get: (at: string) => known.get(at),
    async fetch(at: string) {
      const text = texts[at]
      const inside = at === '/' ? '/' : `${at}/`
      const below = paths.filter((path) => path.startsWith(inside))
      const names = below.map((path) => path.slice(inside.length).split('/')[0] as string)
      const children = new Map(names.map((name) => [name, 'file' as const]))
      if (text !== undefined) known.set(at, { ...common, kind: 'file', content: new TextEncoder().encode(text) })
      else if (below.length > 0) known.set(at, { ...common, kind: 'directory', children })
      else known.set(at, 'absent')
    },
  }
}

test('modules are fetched with those that they name, in packages too', async () => {
  const files = tree({
    '/app/main.js': `const a = require('./a'); const p = require( "p" ); import('@s/q/part'); const x = require('fs')`,
    '/app/a.js': `module.exports = require('./folder')`,
    '/app/folder/index.js': `export { b } from '../b.mjs'`,
    '/app/b.mjs': '',
    '/app/unrelated.js': '',
    '/node_modules/p/package.json': '{"main":"lib/p"}',
    '/node_modules/p/lib/p.js': `require('r/inner')`,
    '/node_modules/p/other.js': '',
    '/node_modules/@s/q/package.json':
      '{"exports":{"./part":{"import":"./m.mjs","require":"./c.cjs"},"./no":"./no.js"}}',
    '/node_modules/@s/q/m.mjs': '',
    '/node_modules/@s/q/c.cjs': '',
    '/node_modules/@s/q/no.js': '',
    '/node_modules/r/package.json': '{ broken',
    '/node_modules/r/index.js': '',
    '/node_modules/r/inner.js': '',
  })
  await modulePrefetch(files).fetchFrom('/app/main.js')
  const fetched = [...files.known].filter(([, entry]) => typeof entry === 'object' && 'content' in entry)
  expect(fetched.map(([path]) => path).sort()).toEqual([
    '/app/a.js',
    '/app/b.mjs',
    '/app/folder/index.js',
    '/app/main.js',
    '/node_modules/@s/q/c.cjs',
    '/node_modules/@s/q/m.mjs',
    '/node_modules/@s/q/package.json',
    '/node_modules/p/lib/p.js',
    '/node_modules/p/package.json',
    '/node_modules/r/inner.js',
    '/node_modules/r/package.json',
  ])
})

const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
const workspace = createWorkspace({ fs: memory(), shell })
afterAll(() => workspace.shell?.close())

test('scratch space is found, although the list of the top directory is without it', async () => {
  const code =
    'const at = os.tmpdir() + "/made-"; fs.mkdirSync(at); console.log(fs.readdirSync(os.tmpdir()).includes("made-"))'
  const ran = await run(workspace, `node -e '${code}'`)
  expect([ran.stdout, ran.stderr]).toEqual(['true\n', ''])
})
