import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The built command, as it is shipped. */
export const cliPath = fileURLToPath(new URL('../../dist/node/cli.js', import.meta.url))

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the command to its end with `input` on its standard input. */
export function runCli(args: readonly string[], input = ''): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cliPath, ...args], { stdio: 'pipe' })
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

/** An empty directory of the test's own, gone afterwards. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'polyfs-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
