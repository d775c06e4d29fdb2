/** Runs scripts with the sqlite3 of the machine and with that of the emulated shell, on the same files at the same paths. */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import { type BashResult, bashOn } from '../../../bash/standalone.js'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { built } from '../../node/cli/built.js'

export type Files = Readonly<Record<string, string | Uint8Array>>

export interface SqliteRun {
  stdout: string
  stderr: string
  exitCode: number | null
}

/** Why results can't be compared here, if they can't. */
export const otherSqlite = sqliteOfMachine().startsWith('3.40.') ? undefined : 'the emulated sqlite3 is as that of 3.40'

function sqliteOfMachine(): string {
  try {
    return execFileSync('sqlite3', ['-version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', LANG: 'C.UTF-8', TZ: 'UTC' }

export interface BothSqlites {
  (script: string, files?: Files): Promise<{ ours: SqliteRun; theirs: SqliteRun }>
  /** One script with ours, then one with theirs, on the files that ours left. */
  readByTheirs(first: string, second: string): Promise<SqliteRun>
}

/** Bytes one to one, so that what is not UTF-8 is compared too. */
const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** Call it where hooks can be added. */
export function bothSqlites(): BothSqlites {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-sqlite-')))
  afterAll(() => fs.rmSync(top, { recursive: true }))
  let count = 0

  function directory(files: Files): string {
    count += 1
    const at = path.join(top, `${count}`)
    fs.mkdirSync(at)
    for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(at, name), content)
    return at
  }

  function theirRun(script: string, cwd: string): SqliteRun {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd, env, input: '', timeout: 60_000 })
    return { stdout: latin(stdout), stderr: latin(stderr), exitCode: status }
  }

  async function ourRun(script: string, cwd: string, files: Files): Promise<{ ran: SqliteRun; left: Files }> {
    const placed = Object.entries(files).map(([name, content]) => [path.join(cwd, name), content])
    const tree = memory(Object.fromEntries([[path.join(cwd, '.keep'), ''], ...placed]))
    const bash = bashOn((given) => emulatedShell({ ...given, worker: built('node/emulated-worker.js') }), {
      fs: tree,
      cwd,
      env,
    })
    try {
      const result: BashResult = await bash.exec(script, { timeoutMs: 60_000 })
      const left: Record<string, Uint8Array> = {}
      for (const { name, kind } of await tree.readDir(cwd))
        if (kind === 'file') left[name] = await tree.readFile(path.join(cwd, name))
      const ran = {
        stdout: latin(result.stdoutBytes),
        stderr: latin(result.stderrBytes),
        exitCode: result.exitCode,
      }
      return { ran, left }
    } finally {
      await bash.close()
    }
  }

  const both = async (script: string, files: Files = {}) => {
    const at = directory({ '.keep': '', ...files })
    return { ours: (await ourRun(script, at, files)).ran, theirs: theirRun(script, at) }
  }
  return Object.assign(both, {
    async readByTheirs(first: string, second: string) {
      const { left } = await ourRun(first, path.join(top, 'ours'), {})
      return theirRun(second, directory(left))
    },
  })
}
