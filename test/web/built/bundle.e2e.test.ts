import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin, type Rolldown } from 'vite'
import { expect, test } from 'vitest'
import { nodeShims } from '../../../build/vite-plugin.js'
import { longTest } from '../../scale.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const entryFile = join(root, 'entry.js')

async function bundle(source: string): Promise<Rolldown.OutputChunk[]> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [nodeShims(), virtual(source)],
    build: { write: false, target: 'es2022', minify: true, lib: { entry: entryFile, formats: ['es'] } },
  })
  const [{ output }] = [result].flat() as [Rolldown.RolldownOutput]
  return output.filter((file) => file.type === 'chunk')
}

/** An entry given as text. */
function virtual(source: string): Plugin {
  return {
    name: 'entry',
    enforce: 'pre',
    resolveId: (id) => (id === entryFile ? id : undefined),
    load: (id) => (id === entryFile ? source : undefined),
  }
}

longTest('what a page loads imports no Node built-in, and nothing else external', async () => {
  const chunks = await bundle(`export * from './web/index.ts'; export * from './src/index.ts'`)
  const names = new Set(chunks.map(({ fileName }) => fileName))
  const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
  expect(imported.filter((name) => !names.has(name))).toEqual([])
  const code = chunks.map((chunk) => chunk.code).join('\n')
  // Asked for where Node runs the same file; a page has no `process`.
  const asked = code.replaceAll(/\bgetBuiltinModule\?\.\(\s*["'`]node:\w+["'`]\s*\)/g, '')
  expect(asked.match(/__vite-browser-external|["'`]node:\w+["'`]/g)).toBeNull()
  const requires = [...code.matchAll(/\b(?:require|import)\(\s*["'`]([^"'`]+)["'`]\s*\)/g)].map(([, name]) => name)
  expect(requires.filter((name) => name !== undefined && builtinModules.includes(name))).toEqual([])
})

test('a Node built-in without a shim fails the build', async () => {
  await expect(bundle(`import { join } from 'node:os'; export { join }`)).rejects.toThrow(
    'imports the Node built-in "node:os", which the browser lacks',
  )
})

test('memory, the operations, one dialect and the MCP server fit in 240 kB', async () => {
  const chunks = await bundle(`
    export { serve } from './src/mcp/serve.ts'
    export { MessagePortTransport } from './web/endpoint/message-port.ts'
    export { memory } from './src/fs/backends/memory.ts'
    export { createWorkspace } from './src/workspace/create-workspace.ts'
    export { clarvis } from './src/dialects/clarvis/tools.ts'
  `)
  expect(loadedAtOnce(chunks)).toBeLessThan(240_000)
})

longTest('a page whose files are served from a worker loads less than 20 kB itself', async () => {
  expect(loadedAtOnce(await bundle(`export { serveFiles, opfs } from './web/index.ts'`))).toBeLessThan(20_000)
})

test('the whole shell of a page fits in 700 kB, and what its first command needs in 150 kB', async () => {
  const chunks = await bundle(`export { serveCommands } from './bash/worker/serve-commands.ts'`)
  // The engine of `node` and its library are loaded with the first `node`.
  const shell = chunks.filter(({ name }) => name !== 'run-node' && name !== 'operations')
  expect(shell.length).toBe(chunks.length - 2)
  expect(compressed(shell)).toBeLessThanOrEqual(700_000)
  expect(loadedAtOnce(chunks)).toBeLessThan(150_000)
})

/** Compressed size of the entry and its static imports, without modules that are loaded on demand. */
function loadedAtOnce(chunks: readonly Rolldown.OutputChunk[]): number {
  const needed = new Set<Rolldown.OutputChunk>()
  const visit = (chunk: Rolldown.OutputChunk | undefined) => {
    if (chunk === undefined || needed.has(chunk)) return
    needed.add(chunk)
    for (const name of chunk.imports) visit(chunks.find(({ fileName }) => fileName === name))
  }
  visit(chunks.find(({ isEntry }) => isEntry))
  return compressed([...needed])
}

function compressed(chunks: readonly Rolldown.OutputChunk[]): number {
  const bytes = gzipSync(chunks.map(({ code }) => code).join('\n')).length
  console.log(`${(bytes / 1000).toFixed(1)} kB gzipped`)
  return bytes
}
