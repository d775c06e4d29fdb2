/**
 * `npm run conformance`: the protocol's own conformance suite, both published lines, against the built command over HTTP. It is installed into
 * the benchmarks' cache. The lists in `test/conformance` name the scenarios that ask for tools, resources or prompts with names of the suite's own, which
 * no file server has: those may fail, and one of them that passes is told of as well.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { peers } from './bench/corpus.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const runs = [
  { version: '0.1.16', args: ['--suite', 'all'], baseline: 'conformance-0.1.yml' },
  { version: '0.2.0-alpha.12', args: ['--requirements', '2025-11-25'], baseline: 'conformance-2025-11-25.yml' },
  { version: '0.2.0-alpha.12', args: ['--requirements', '2026-07-28'], baseline: 'conformance-2026-07-28.yml' },
]

const server = spawn(process.execPath, [path.join(here, '../dist/node/cli.js'), '--memory', '--http', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [announced] = await once(server.stdout, 'data')
const [, url] = /at (\S+) /.exec(String(announced))
let failed = 0
try {
  for (const { version, args, baseline } of runs) {
    const installed = peers(`@modelcontextprotocol/conformance@${version}`)
    const suite = forThisNode(path.join(installed, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'))
    const expected = path.join(here, 'conformance', baseline)
    const known = fs.existsSync(expected) ? ['--expected-failures', expected] : []
    console.log(`\n== conformance ${version} ${args.join(' ')}`)
    const child = spawn(process.execPath, [suite, 'server', '--url', url, ...args, ...known], {
      stdio: 'inherit',
    })
    const [code] = await once(child, 'close')
    if (code !== 0) failed += 1
  }
} finally {
  server.kill('SIGTERM')
}
console.log(
  failed === 0 ? '\nconformance: nothing unexpected' : `\nconformance: ${failed} runs with something unexpected`,
)
process.exit(failed === 0 ? 0 : 1)

/** The suite imports a function of Node 22 that no scenario for servers needs. */
function forThisNode(file) {
  const patched = file.replace(/index\.js$/, 'index-any-node.js')
  const code = fs.readFileSync(file, 'utf8')
  const [found, name] = /globSync as (\w+),/.exec(code)
  fs.writeFileSync(patched, `${code.replace(found, '')}\nfunction ${name}() { return [] }\n`)
  return patched
}
