/** Much data through a pipe of the emulated shell, with far less memory than data. */
import { afterAll, expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { built } from '../node/cli/built.js'
import { isFull } from '../scale.js'

/** A gigabyte in the long run. */
const megabytes = Number(process.env.POLYFS_TORTURE_MEGABYTES ?? (isFull ? 1024 : 256))
const maxMemoryMegabytes = 160
const timeoutMs = 1_500_000

const workspace = createWorkspace({
  fs: memory(),
  shell: emulatedShell({ worker: built('node/emulated-worker.js'), maxMemoryBytes: maxMemoryMegabytes << 20 }),
})
afterAll(() => workspace.shell?.close())

test(`${megabytes} MB pass through grep, sort and uniq with ${maxMemoryMegabytes} MB of memory`, async () => {
  // Every hundredth line is left out; of the others there are few different ones.
  const lines = Math.floor((megabytes * 1e6) / 32)
  const command = `seq ${lines} | awk '{ printf "%s line number %010d of many\\n", $1 % 100 ? "keep" : "drop", $1 * 7919 % 1000 }' |
    grep -v ^drop | sort | uniq -c | sort -rn | head -n 3`
  const ran = await workspace.shell?.exec({ command, cwd: '/', timeoutMs, maxStreamBytes: 1 << 16 })
  const printed = new TextDecoder().decode(ran?.stdout.bytes).trimEnd().split('\n')
  expect([new TextDecoder().decode(ran?.stderr.bytes), ran?.ended, ran?.exitCode]).toEqual(['', 'exit', 0])

  const counts = new Map<string, number>()
  for (let line = 1; line <= lines; line += 1) {
    if (line % 100 === 0) continue
    const text = `keep line number ${String((line * 7919) % 1000).padStart(10, '0')} of many`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const expected = [...counts]
    .map(([text, count]) => `${String(count).padStart(7)} ${text}`)
    .sort()
    .reverse()
    .slice(0, 3)
  expect(printed).toEqual(expected)
}, 1_600_000)
