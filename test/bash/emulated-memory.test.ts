import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { CommandWorker } from '../../bash/host/command-workers.js'
import { emulatedShells } from '../../bash/host/emulated-shell.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { describeMemoryBombs } from '../describe-memory-bombs.js'
import { run } from '../emulated-shell.js'
import { bombMegabytes, bombsOfPackages, bombWrittenBytes } from '../memory-bombs.js'
import { built } from '../node/cli/built.js'
import { isFull } from '../scale.js'

const workerFile = built('node/emulated-worker.js')
const shell = emulatedShell({ worker: workerFile, maxMemoryBytes: 64 << 20 })

/** Puts a megabyte in `x`, and then copies it into new variables, again and again. */
const megabyte = 'x=a; for i in $(seq 20); do x=$x$x; done'
const fill = `i=0; while :; do i=$((i + 1)); declare "v$i=\${x^^}$i"; done`

test('a command that fills the memory is ended with a message; others continue, and files are intact', async () => {
  const fs = memory({ '/a.txt': 'a\n' })
  const workspace = createWorkspace({ fs, shell })
  const command = `echo printed; ${megabyte}; printf %s "$x" > whole; rm a.txt; ${fill}; echo never > never`
  const [ran, beside] = await Promise.all([run(workspace, command), run(workspace, 'echo beside')])
  expect(ran).toEqual({
    ended: 'exit',
    exitCode: 137,
    stdout: 'printed\n',
    stderr: 'bash: killed: out of memory, a command may use 64 MB\nbash: what it had changed by then is saved\n',
  })
  expect(beside.stdout).toBe('beside\n')
  expect((await run(workspace, 'echo *; wc -c < whole')).stdout.split(/\s+/)).toEqual(['whole', '1048576', ''])
  expect((await workspace.history.list()).map(({ steps }) => steps.length)).toEqual([2])
  await workspace.history.undo()
  expect((await run(workspace, 'echo *')).stdout).toBe('a.txt\n')
})

test('so is one that fills it inside a program, and a session keeps its state', async () => {
  const workspace = createWorkspace({ fs: memory(), shell })
  const command = `cd /tmp; ${megabyte}; echo "$x" | awk '{ while (1) { i++; kept[i] = toupper($0) i } }'`
  const request = { command, cwd: '/', timeoutMs: 50_000, maxStreamBytes: 1000, reportState: true }
  const ran = await workspace.shell?.exec(request)
  expect([ran?.ended, ran?.exitCode, ran?.left]).toEqual(['exit', 137, undefined])
  expect((await run(workspace, 'pwd')).stdout).toBe('/\n')
})

test('commands that are ended leave nothing behind, and no more threads than stay warm', async () => {
  let live = 0
  let most = 0
  const counted = (): CommandWorker => {
    const thread = new Worker(workerFile, { env: {}, argv: [], execArgv: [] })
    live += 1
    most = Math.max(most, live)
    thread.once('exit', () => {
      live -= 1
    })
    return {
      post: (message) => thread.postMessage(message),
      onMessage: (listener) => void thread.removeAllListeners('message').on('message', listener),
      onLost: (listener) => void thread.removeAllListeners('error').on('error', ({ message }) => listener(message)),
      hold: (busy) => (busy ? thread.ref() : thread.unref()),
      end: () => thread.terminate(),
    }
  }
  const own = emulatedShells({ start: counted }, { maxMemoryBytes: 16 << 20 })
  const workspace = createWorkspace({ fs: memory(), shell: own })
  const bomb = 'x=$(head -c 3000000 /dev/zero | tr "\\0" a)'
  const kill = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      await run(workspace, i % 2 ? bomb : 'x=$(seq 20000); while :; do y=$x$RANDOM; done', { timeoutMs: 150 })
    }
  }
  await kill(4)
  const before = await heldBytes()
  await kill(isFull ? 30 : 12)
  expect((await heldBytes()) - before).toBeLessThan(2_000_000)
  expect(most).toBe(1)
  await workspace.shell?.close()
})

/** What this process holds after a collection, beside its threads. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let i = 0; i < 3; i += 1) {
    collect()
    await new Promise((resume) => setImmediate(resume))
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}

describeMemoryBombs(
  'of the server',
  emulatedShell({ worker: workerFile, maxMemoryBytes: bombMegabytes << 20, maxWrittenBytes: bombWrittenBytes }),
  bombsOfPackages,
)
