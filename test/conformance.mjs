/**
 * `npm run conformance`: the protocol's own conformance suite, both published lines, against two servers over HTTP: the built command, and the
 * same HTTP server with the tools, resources and prompts that the suite calls by name. It is installed into the benchmarks' cache. The lists in
 * `test/conformance` name the scenarios that may fail and why; one of them that passes is told of as well.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { cache, peers } from './bench/corpus.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const runs = [
  { version: '0.1.16', args: ['--suite', 'all'], baseline: '0.1.yml' },
  { version: '0.2.0-alpha.12', args: ['--requirements', '2025-11-25'], baseline: '2025-11-25.yml' },
  { version: '0.2.0-alpha.12', args: ['--requirements', '2026-07-28'], baseline: '2026-07-28.yml' },
]
const servers = {
  shipped: [path.join(here, '../dist/node/cli.js'), '--memory', '--http', '0'],
  fixtures: [await fixtureServer()],
}

let failed = 0
for (const [name, command] of Object.entries(servers)) {
  const server = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [announced] = await once(server.stdout, 'data')
    const [, url] = /at (\S+) /.exec(String(announced))
    for (const { version, args, baseline } of runs) {
      console.log(`\n== ${name}: conformance ${version} ${args.join(' ')}`)
      const expected = path.join(here, 'conformance', `${name}-${baseline}`)
      const all = [suite(version), 'server', '--url', url, ...args, '--expected-failures', expected]
      const [code] = await once(spawn(process.execPath, all, { stdio: 'inherit' }), 'close')
      if (code !== 0) failed += 1
    }
  } finally {
    server.kill('SIGTERM')
  }
}
console.log(
  failed === 0 ? '\nconformance: nothing unexpected' : `\nconformance: ${failed} runs with something unexpected`,
)
process.exit(failed === 0 ? 0 : 1)

/** One file that Node can run. */
async function fixtureServer() {
  const outDir = path.join(cache, `conformance-${process.pid}`)
  process.once('exit', () => fs.rmSync(outDir, { recursive: true, force: true }))
  await build({
    root: path.join(here, '..'),
    configFile: false,
    logLevel: 'warn',
    build: { ssr: path.join(here, 'conformance/server.ts'), target: 'node20', outDir, emptyOutDir: true },
  })
  return path.join(outDir, 'server.js')
}

function suite(version) {
  const installed = peers(`@modelcontextprotocol/conformance@${version}`)
  return forThisNode(path.join(installed, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'))
}

/** The suite imports a function of Node 22 that no scenario for servers needs. */
function forThisNode(file) {
  const patched = file.replace(/index\.js$/, 'index-any-node.js')
  const code = fs.readFileSync(file, 'utf8')
  const [found, name] = /globSync as (\w+),/.exec(code)
  fs.writeFileSync(patched, `${code.replace(found, '')}\nfunction ${name}() { return [] }\n`)
  return patched
}
