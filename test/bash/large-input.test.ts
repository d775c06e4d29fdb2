/** A pipe needs no more memory than its programs hold. 64 MB here, a gigabyte in test/torture. */
import { expect, onTestFinished } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'
import { longTest } from '../scale.js'

const lines = 1_600_000
const data = `seq -f 'line number %020.0f of many' ${lines}`
const numbers = Array.from({ length: lines }, (_, at) => `${at + 1}`)

async function printedWith(maxMemoryMegabytes: number, command: string) {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js'), maxMemoryBytes: maxMemoryMegabytes << 20 })
  const workspace = createWorkspace({ fs: memory(), shell })
  onTestFinished(async () => workspace.shell?.close())
  const { ended, exitCode, stdout, stderr } = await run(workspace, command, { timeoutMs: 280_000 })
  expect([ended, exitCode, stderr]).toEqual(['exit', 0, ''])
  return stdout
}

longTest('64 MB pass with 32 MB of memory through programs that stream', async () => {
  const printed = await printedWith(32, `${data} | tee /dev/null | grep -v 7 | cut -d' ' -f3 | uniq -c | wc -l`)
  expect(printed).toBe(`${numbers.filter((number) => !number.includes('7')).length}\n`)
})

longTest('64 MB pass with 128 MB of memory through sort, which holds its input in files', async () => {
  const printed = await printedWith(128, `${data} | grep -v 77 | cut -c1-30 | sort -r | uniq -c | head -n 2`)
  const counts = new Map<string, number>()
  for (const number of numbers.filter((one) => !one.includes('77'))) {
    const text = `line number ${number.padStart(20, '0')}`.slice(0, 30)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const last = [...counts.keys()].sort().reverse().slice(0, 2)
  expect(printed).toBe(last.map((text) => `${String(counts.get(text)).padStart(7)} ${text}\n`).join(''))
})
