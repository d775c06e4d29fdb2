import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The built command, as it is shipped. */
const cliPath = fileURLToPath(new URL('../../../dist/node/cli.js', import.meta.url))

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface CliCommand {
  command: string
  args: string[]
  env: { POLYFS_STATE_DIR: string }
}

/** How to start the command. Its state directory is the test's own unless given. */
export async function cliCommand(args: readonly string[], stateDirectory?: string): Promise<CliCommand> {
  const state = stateDirectory ?? (await temporaryDirectory())
  return { command: process.execPath, args: [cliPath, ...args], env: { POLYFS_STATE_DIR: state } }
}

/** Runs the command to its end with `input` on its standard input. */
export async function runCli(given: readonly string[], input = ''): Promise<Finished> {
  const { command, args, env } = await cliCommand(given)
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'pipe', env: { ...process.env, ...env } })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin.end(input)
  })
}

/** An empty directory, removed after the test. */
export async function temporaryDirectory(place = tmpdir()): Promise<string> {
  const directory = await mkdtemp(join(place, 'polyfs-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
