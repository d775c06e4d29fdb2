/** Scripts of test/data/git-scripts, on the git of this machine and on that of the emulated shell: what they print and their status are the same. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { built } from '../node/cli/built.js'
import { corpusDirectory, corpusEnvironment } from '../shell-corpus.js'

const scripts = fileURLToPath(new URL('../data/git-scripts', import.meta.url))
const shell = emulatedShell({ worker: built('node/emulated-worker.js'), workers: 1 })
afterAll(() => createWorkspace({ fs: memory(), shell }).shell?.close())

const isSameGit = /^git version 2\.39\./.test(spawnSync('git', ['--version'], { encoding: 'utf8' }).stdout ?? '')

for (const file of fs.readdirSync(scripts).sort()) {
  const [prelude = '', ...bodies] = fs.readFileSync(path.join(scripts, file), 'utf8').split(/^---\n/m)
  test.skipIf(!isSameGit)(
    `${path.basename(file, '.sh')}: ${bodies.length} scripts`,
    async () => {
      for (const body of bodies) {
        const script = `exec 2>&1\n${prelude}${body}`
        expect(await onOurs(script), script).toBe(onGit(script))
      }
    },
    300_000,
  )
}

function onGit(script: string): string {
  // The name may not change what git prints in columns.
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-git-')))
  const env = {
    ...corpusEnvironment,
    HOME: directory,
    PATH: '/usr/bin:/bin',
    // Where temporary files are in memory, git would stop at the edge of it, and say so.
    GIT_DISCOVERY_ACROSS_FILESYSTEM: '1',
  }
  const { stdout, status } = spawnSync('bash', ['-c', script], { cwd: directory, env, encoding: 'utf8' })
  fs.rmSync(directory, { recursive: true })
  return `${stdout.replaceAll(directory, corpusDirectory)}${status}`
}

async function onOurs(command: string): Promise<string> {
  const files = memory()
  await files.makeDir('/srv')
  await files.makeDir(corpusDirectory)
  const workspace = createWorkspace({ fs: files, shell })
  const request = { command, cwd: corpusDirectory, env: corpusEnvironment, timeoutMs: 120_000, maxStreamBytes: 1 << 24 }
  const ran = await workspace.shell?.exec(request)
  const text = (bytes: Uint8Array = new Uint8Array()) => new TextDecoder().decode(bytes)
  return `${text(ran?.stdout.bytes)}${text(ran?.stderr.bytes)}${ran?.exitCode}`
}
