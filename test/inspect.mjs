/**
 * `npm run inspect`: the protocol's own inspector lists the tools of every dialect of the built command over stdio, in both eras of the
 * protocol, and checks for schemas that some clients can't read. It is installed into the benchmarks' cache. Warnings are printed; errors fail.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { peers } from './bench/corpus.mjs'

/** The inspector's own code for a schema that is not portable. */
const unportable = 6

const cli = fileURLToPath(new URL('../dist/node/cli.js', import.meta.url))
const installed = peers('@modelcontextprotocol/inspector@2.12.0')
const inspector = path.join(installed, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const place = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-inspect-'))
process.once('exit', () => fs.rmSync(place, { recursive: true, force: true }))
const root = path.join(place, 'root')
fs.mkdirSync(root)

const [, names] = /--dialect NAME .*: ([\w, -]+) \(default/.exec((await run([cli, '--help'])).stdout)
let failed = 0
for (const dialect of names.split(', ')) {
  for (const era of ['legacy', 'modern']) {
    const server = [process.execPath, cli, '--dialect', dialect, root]
    const asked = ['--method', 'tools/list', '--strict', '--protocol-era', era]
    const { code, stdout, stderr } = await run([inspector, '--cli', ...server, ...asked])
    const tools = code === 0 ? JSON.parse(stdout).tools.length : 0
    const warnings = stderr.match(/^Warning: /gm)?.length ?? 0
    const isGood = code === 0 && tools > 0
    const fault = code === unportable ? 'schemas are not portable' : `exit code ${code}`
    console.log(`${dialect}, ${era}: ${isGood ? `${tools} tools, ${warnings} warnings` : `FAILED, ${fault}`}`)
    if (stderr !== '' && (era === 'legacy' || !isGood)) console.log(stderr.trimEnd().replaceAll(/^/gm, '    '))
    if (!isGood) failed += 1
  }
}
console.log(failed === 0 ? '\ninspect: every dialect passes' : `\ninspect: ${failed} runs failed`)
process.exit(failed === 0 ? 0 : 1)

async function run(args) {
  const env = { ...process.env, POLYFS_STATE_DIR: path.join(place, 'state') }
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}
