/** A sandboxed shell over the test's own directories. */
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { nodeShell } from '../../../../node/shell/node-shell.js'
import { openSandbox, type SandboxOptions } from '../../../../node/shell/sandbox/sandbox.js'

const tried = openSandbox({ mode: 'auto', roots: [] })
tried?.close()
/** Whether this machine can confine commands. */
export const sandboxWorks = tried !== undefined
export const sandboxLacks = 'bubblewrap is missing, or not permitted on this machine'

export type SandboxedOptions = Partial<Omit<SandboxOptions, 'mode'>> & {
  /** The prefix of the shell's paths. Default: `root`. */
  base?: string
  /** Default: bash. */
  program?: string
}

/** Creates the roots `root`, which is writable, and `read`, which is not; `out` beside them is not a root. */
export async function openSandboxed({ base, program = '/bin/bash', ...options }: SandboxedOptions = {}) {
  const directory = fs.realpathSync(await mkdtemp(join(tmpdir(), 'polyfs-sandboxed-')))
  for (const name of ['root', 'read', 'out']) fs.mkdirSync(join(directory, name))
  fs.writeFileSync(join(directory, 'read/file'), 'readable\n')
  fs.writeFileSync(join(directory, 'out/secret'), 'secret\n')
  const root = base ?? join(directory, 'root')
  const sandbox = openSandbox({
    mode: 'require',
    roots: [
      { path: join(directory, 'root'), access: 'read-write' },
      { path: join(directory, 'read'), access: 'read-only' },
    ],
    ...options,
  })
  const shell = nodeShell({
    program,
    hostPath: (virtual) => join(root, virtual),
    virtualPath: (host) => (host.startsWith(`${root}/`) ? host.slice(root.length) : undefined),
    ...(sandbox && { sandbox }),
  })
  const dispose = async () => {
    await shell.close()
    await rm(directory, { recursive: true, force: true })
  }
  const bash = async (command: string, request: { cwd?: string; env?: Record<string, string> } = {}) => {
    const { stdout, stderr, exitCode } = await shell.exec({
      command,
      cwd: '/',
      timeoutMs: 60_000,
      maxStreamBytes: 100_000,
      ...request,
    })
    const decoder = new TextDecoder()
    return { stdout: decoder.decode(stdout.bytes), stderr: decoder.decode(stderr.bytes), exitCode }
  }
  return { directory, root, shell, bash, dispose }
}

/** The same, removed when the test has finished. */
export async function sandboxed(options: SandboxedOptions = {}) {
  const opened = await openSandboxed(options)
  onTestFinished(opened.dispose)
  return opened
}
