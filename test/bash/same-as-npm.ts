/** Runs commands with npm and with `npm` of the emulated shell, on the same files at the same paths. */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import { exists } from '../../bash/io/exists.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'
import type { NodeRun, NodeTree } from './same-as-node.js'

/** Why results can't be compared here, if they can't. */
export const otherNpm = npmOfMachine().startsWith('11.') ? undefined : 'the emulated npm is version 11'

function npmOfMachine(): string {
  try {
    return execFileSync('npm', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

/** Call it where hooks can be added. A file that begins with `#!` may be executed. */
export function bothNpms(): (tree: NodeTree, command: string) => Promise<{ ours: NodeRun; theirs: NodeRun }> {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const files = memory({})
  const workspace = createWorkspace({ fs: files, shell })
  afterAll(async () => workspace.shell?.close())
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-npm-')))
  afterAll(() => fs.rmSync(top, { recursive: true }))
  let count = 0
  return async (tree, command) => {
    count += 1
    const directory = path.join(top, `${count}`, 'app')
    const home = path.join(top, `${count}`, 'home')
    for (const at of [directory, home]) {
      fs.mkdirSync(at, { recursive: true })
      await makeDirs(at)
    }
    for (const [name, entry] of Object.entries(tree)) {
      const at = path.join(directory, name)
      fs.mkdirSync(path.dirname(at), { recursive: true })
      await makeDirs(path.dirname(at))
      if (typeof entry === 'string') {
        const mode = entry.startsWith('#!') ? 0o755 : 0o644
        fs.writeFileSync(at, entry, { mode })
        await files.writeFile(at, new TextEncoder().encode(entry), { mode })
      } else {
        fs.symlinkSync(entry.link, at)
        await files.symlink?.(entry.link, at)
      }
    }
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', npm_config_logs_max: '0' }
    const withoutNews = {
      ...env,
      npm_config_update_notifier: 'false',
      npm_config_userconfig: path.join(home, '.npmrc'),
    }
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
      cwd: directory,
      env: { ...withoutNews, PATH: `${path.dirname(process.execPath)}:${env.PATH}` },
      encoding: 'utf8',
      input: '',
      timeout: 60_000,
    })
    const ours = await run(workspace, command, { cwd: directory, env })
    const theirs = { stdout, stderr, exitCode: status ?? undefined }
    return { ours: { stdout: ours.stdout, stderr: ours.stderr, exitCode: ours.exitCode }, theirs }
  }

  async function makeDirs(directory: string): Promise<void> {
    let at = ''
    for (const name of directory.split('/').slice(1)) {
      at += `/${name}`
      if (!(await exists(files, at))) await files.makeDir(at)
    }
  }
}
