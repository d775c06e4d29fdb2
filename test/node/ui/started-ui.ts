/** The command as it is installed, with a page. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { enterServer } from '../../../web/remote/connection.js'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'
import { connectPage, type Page } from './ui-site.js'

export interface Started {
  child: ChildProcess
  output(): string
  /** What the regular expression finds in the output, once it is there. */
  printed(what: RegExp): Promise<string>
}

export async function start(
  given: readonly string[],
  state: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<Started> {
  const { command, args, env } = await cliCommand(given, state)
  const child = spawn(command, args, { stdio: 'pipe', env: { ...process.env, BROWSER: '', ...env, ...environment } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    output: () => output,
    async printed(what) {
      await expect.poll(() => output).toMatch(what)
      return what.exec(output)?.[0] ?? ''
    },
  }
}

export const address = /http:\S+#token=[\w-]+/

/** A page at a printed address. */
export async function pageAt(printed: string): Promise<Page> {
  const { origin, hash } = new URL(printed)
  return connectPage(origin, await enterServer(origin, new URLSearchParams(hash.slice(1)).get('token') ?? ''))
}

/** A directory with a file, and a place for its state. */
export async function places(): Promise<{ root: string; state: string }> {
  const base = await temporaryDirectory()
  const [root, state] = [join(base, 'project'), join(base, 'state')]
  await mkdir(root)
  await writeFile(join(root, 'a.txt'), 'one\n')
  return { root, state }
}
