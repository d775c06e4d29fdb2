/** Runs scripts with Node and with `node` of the emulated shell, on the same files at the same paths. */
import { spawn } from 'node:child_process'
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

export interface NodeRun {
  stdout: string
  stderr: string
  exitCode: number | undefined
}

/** Content of files, and `{ link }` for links, by paths below the directory. */
export type NodeTree = Readonly<Record<string, string | { link: string }>>

export interface BothNodes {
  /** Runs `node` with these arguments in a directory with these files. */
  both(tree: NodeTree, args: readonly string[]): Promise<{ ours: NodeRun; theirs: NodeRun }>
}

/** Why results can't be compared here, if they can't. */
export const otherVersion = process.versions.node.startsWith('20.')
  ? undefined
  : 'the emulated node is version 20, and others find and end some things in other ways'

/** Runs a command in a directory that has these files. */
export type RunOurs = (directory: string, tree: NodeTree, command: string) => Promise<NodeRun>

/** Call it where hooks can be added: in `describe`, or at the top of a file. */
export function bothNodes(runOurs: RunOurs = inMemory()): BothNodes {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-node-')))
  afterAll(() => fs.rmSync(top, { recursive: true }))
  let count = 0
  return {
    async both(tree, args) {
      count += 1
      const directory = path.join(top, `${count}`)
      fs.mkdirSync(directory)
      for (const [name, entry] of Object.entries(tree)) {
        const at = path.join(directory, name)
        fs.mkdirSync(path.dirname(at), { recursive: true })
        if (typeof entry === 'string') fs.writeFileSync(at, entry)
        else fs.symlinkSync(entry.link, at)
      }
      const command = ['node', ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ')
      const [ours, theirs] = await Promise.all([runOurs(directory, tree, command), realNode(directory, args)])
      const { stdout, stderr, exitCode } = ours
      return { ours: { stdout, stderr, exitCode }, theirs }
    },
  }
}

function inMemory(): RunOurs {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const files = memory({})
  const workspace = createWorkspace({ fs: files, shell })
  afterAll(async () => workspace.shell?.close())
  return async (directory, tree, command) => {
    await makeDirs(directory)
    for (const [name, entry] of Object.entries(tree)) {
      const at = path.join(directory, name)
      await makeDirs(path.dirname(at))
      if (typeof entry === 'string') await files.writeFile(at, new TextEncoder().encode(entry))
      else await files.symlink?.(entry.link, at)
    }
    const { stdout, stderr, exitCode } = await run(workspace, command, { cwd: directory })
    return { stdout, stderr, exitCode }
  }

  async function makeDirs(directory: string): Promise<void> {
    let at = ''
    for (const name of directory.split('/').slice(1)) {
      at += `/${name}`
      if (!(await exists(files, at))) await files.makeDir(at)
    }
  }
}

function realNode(cwd: string, args: readonly string[]): Promise<NodeRun> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, HOME: '/nowhere', NODE_NO_WARNINGS: '' }
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000 })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ stdout, stderr, exitCode: code ?? undefined }))
  })
}
