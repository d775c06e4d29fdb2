import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { compare, timed } from './measure.mjs'

const files = 10_000

/** What real programs cost on a tree in memory, beside the same sandbox on a directory. */
export async function benchLayers(ours, rows, { rounds }) {
  const fault = ours.realShellFault()
  if (fault !== undefined) {
    rows.note(`real programs on trees are not measured: ${fault}`)
    return
  }
  // Where layers are too.
  const parent = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
  const directory = fs.mkdtempSync(path.join(parent, 'polyfs-bench-plain-'))
  const tree = Object.fromEntries(
    Array.from({ length: files }, (_, at) => [`d${at % 100}/f${at}.txt`, `line ${at}\n`.repeat(600)]),
  )
  const workspace = ours.createWorkspace({ fs: ours.memory(tree), shell: ours.realShell() })
  const sandbox = ours.openSandbox({ mode: 'require', roots: [{ path: directory, access: 'read-write' }] })
  const plain = ours.nodeShell({ hostPath: () => directory, sandbox })
  const exec = async (shell, command) => {
    const { exitCode } = await shell.exec({ command, cwd: '/', timeoutMs: 60_000, maxStreamBytes: 1000 })
    if (exitCode !== 0) throw new Error(`${command}: ${exitCode}`)
  }
  const hundred = 'for i in {1..100}; do echo $RANDOM > g$i; done'
  try {
    const first = await timed(() => exec(workspace.shell, 'true'))
    rows.note(`the first command writes ${files} files, 60 MB: ${first.toFixed(0)} ms`)
    const steps = { 'a command that changes nothing': 'true', 'a command that changes 100 files': hundred }
    for (const [title, command] of Object.entries(steps)) {
      const [own, theirs] = [workspace.shell, plain].map((shell) => () => exec(shell, command))
      const result = await compare({ ours: own, theirs, rounds })
      rows.row(`${title}, on a tree in memory of ${files} files`, 'in a sandbox on a directory', result)
      rows.limit(`${title}: what the tree adds`, result.oursMs - result.theirsMs, title.includes('100') ? 10 : 5)
    }
    const forks = []
    for (let round = 0; round < rounds; round += 1) {
      let fork
      const forkMs = await timed(async () => {
        fork = await workspace.fork()
      })
      forks.push({ forkMs, firstMs: await timed(() => exec(fork.shell, 'true')) })
      await fork.discard()
    }
    const median = (name) => forks.map((each) => each[name]).sort((a, b) => a - b)[forks.length >> 1]
    rows.limit(`a fork of a tree of ${files} files`, median('forkMs'), 1)
    rows.limit('the first command in a fork', median('firstMs'), 15)
  } finally {
    await workspace.shell.close()
    await plain.close()
    fs.rmSync(directory, { recursive: true, force: true })
  }
}
