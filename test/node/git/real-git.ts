/** A directory for both the real git and our operations. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type DirectoryWorkspace, openDirectories } from '../../../node/workspace/directory-workspace.js'
import type { Operation } from '../../../src/ops/operation.js'

export interface Stage {
  directory: string
  workspace: DirectoryWorkspace
  /** Runs the real git with only the repository's configuration. */
  git(...args: string[]): string
  run<Given, Input, Result>(operation: Operation<Given, Input, Result>, input: Given): Promise<Result>
  write(name: string, text: string | Uint8Array): void
  close(): void
}

/** With `from`, a copy of another repository: starting git takes longer than everything else. */
export async function openStage({ init = true, from }: { init?: boolean; from?: Stage } = {}): Promise<Stage> {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-git-')))
  if (from) fs.cpSync(from.directory, directory, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: directory, env: gitEnvironment, encoding: 'utf8', stdio: 'pipe' })
  if (init && !from) {
    git('init', '-q', '-b', 'main')
    git('config', 'user.name', 'Ada')
    git('config', 'user.email', 'ada@example.org')
  }
  const workspace = await openDirectories([{ directory, access: 'read-write' }], {
    durable: false,
    fsync: false,
    commands: false,
    searchThreads: 0,
  })
  return {
    directory,
    workspace,
    git,
    run: (operation, input) => operation.run(operation.input.parse(input), workspace, {}),
    write(name, text) {
      const file = path.join(directory, name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, text)
    },
    close() {
      workspace.close()
      fs.rmSync(directory, { recursive: true, force: true })
    },
  }
}

export const gitEnvironment = {
  PATH: process.env.PATH,
  HOME: os.tmpdir(),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  LC_ALL: 'C',
  TZ: 'UTC',
}
