import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { median, timed } from './measure.mjs'

const files = 5000

/** The cost of detecting what a command changed: the first one reads every file, the next ones only changed files. */
export async function benchCommand(ours, _rows, { rounds }) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-tree-'))
  const stateDirectory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-state-'))
  for (let at = 0; at < files; at += 1) {
    const folder = path.join(directory, `d${at % 50}`, `e${at % 7}`)
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, `f${at}.txt`), `line ${at}\n`.repeat(400))
  }
  const open = (watchCommands) =>
    ours.openDirectories([{ directory, access: 'read-write' }], { stateDirectory, watchCommands })
  const [watching, plain] = [await open(true), await open(false)]
  const run = (workspace, command) =>
    timed(() =>
      ours.callTool(workspace, ours.clarvis, 'bash', { command }).then((result) => {
        if (result.isError) throw new Error(result.content[0].text)
      }),
    )
  const times = async (workspace, command) => {
    const all = []
    const before = process.cpuUsage()
    for (let round = 0; round < rounds; round += 1) all.push(await run(workspace, command))
    const { user, system } = process.cpuUsage(before)
    return `${median(all).toFixed(0)} (${((user + system) / 1000 / rounds).toFixed(0)} of processor)`
  }
  const touch = 'for i in $(seq 40); do echo x >> d$i/e0/new.txt; done'
  try {
    console.log(`commands in a tree of ${files} files, in ms; processor time is our own, without the command's`)
    console.log(`  not watched: ${await times(plain, 'true')}, with 40 files changed ${await times(plain, touch)}`)
    console.log(`  watched, the first: ${(await run(watching, 'true')).toFixed(0)}`)
    console.log(`  the next: ${await times(watching, 'true')}, with 40 files changed ${await times(watching, touch)}`)
    console.log(`  undo of 40 files: ${(await timed(() => watching.history.undo())).toFixed(0)}`)
  } finally {
    watching.close()
    plain.close()
    for (const made of [directory, stateDirectory]) fs.rmSync(made, { recursive: true, force: true })
  }
}
