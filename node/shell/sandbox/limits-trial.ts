/** Tests whether the kernel limits the number of processes in a sandbox. It does not for root, nor without user namespaces. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { nodeShell } from '../node-shell.js'
import { openSandbox } from './sandbox.js'

/** Undefined where there is no sandbox. */
export async function boundsProcesses(): Promise<boolean | undefined> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-trial-'))
  const sandbox = openSandbox({
    mode: 'auto',
    roots: [{ path: fs.realpathSync(directory), access: 'read-only' }],
    limits: { maxProcesses: 20 },
  })
  try {
    if (sandbox === undefined) return undefined
    const shell = nodeShell({ hostPath: () => fs.realpathSync(directory), sandbox, program: '/bin/sh' })
    // A shell that retries `fork` ends at the timeout.
    const ran = await shell.exec({ command: startForty, cwd: '/', timeoutMs: 5000, maxStreamBytes: 100 })
    await shell.close()
    return !new TextDecoder().decode(ran.stdout.bytes).includes('all')
  } finally {
    fs.rmdirSync(directory)
  }
}

const startForty = 'i=0; while [ $i -lt 40 ]; do sleep 30 & i=$((i + 1)); done; echo all; kill $(jobs -p)'
