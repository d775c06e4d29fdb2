import { expect, test } from 'vitest'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace.js'
import { describeMemoryBombs } from '../../describe-memory-bombs.js'
import { run } from '../../emulated-shell.js'
import { bombMegabytes, bombWrittenBytes } from '../../memory-bombs.js'
import { built } from '../cli/built.js'

const workerFile = built('node/emulated-worker.js')
const shell = emulatedShell({ workerFile, maxMemoryMegabytes: 64 })

/** Puts a megabyte in `x`, and then copies it into new variables, again and again. */
const megabyte = 'x=a; for i in $(seq 20); do x=$x$x; done'
const fill = `i=0; while :; do i=$((i + 1)); declare "v$i=\${x^^}$i"; done`

test('a command that fills the memory is ended with a message; others continue, and files are intact', async () => {
  const fs = memory({ '/a.txt': 'a\n' })
  const workspace = createWorkspace({ fs, shell })
  const command = `echo told; ${megabyte}; printf %s "$x" > whole; rm a.txt; ${fill}; echo never > never`
  const [ran, beside] = await Promise.all([run(workspace, command), run(workspace, 'echo beside')])
  expect(ran).toEqual({
    ended: 'exit',
    exitCode: 137,
    stdout: 'told\n',
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

describeMemoryBombs(
  'of the server',
  emulatedShell({ workerFile, maxMemoryMegabytes: bombMegabytes, maxWrittenBytes: bombWrittenBytes }),
)
