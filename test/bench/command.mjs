import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { benchLayers } from './layers.mjs'
import { compare, timed } from './measure.mjs'

const files = 5000

/** The cost of detecting what a command changed: the first one reads every file, the next ones only changed files. */
export async function benchCommand(ours, rows, { rounds }) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-tree-'))
  const stateDirectory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-state-'))
  for (let at = 0; at < files; at += 1) {
    const folder = path.join(directory, `d${at % 50}`, `e${at % 7}`)
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, `f${at}.txt`), `line ${at}\n`.repeat(400))
  }
  const open = (watchCommands) =>
    ours.openDirectories([{ directory, access: 'read-write' }], {
      stateDirectory,
      watchCommands,
      searchWorker: ours.worker,
    })
  const [watching, plain] = [await open(true), await open(false)]
  const run = (workspace, command) =>
    timed(() =>
      ours.callTool(workspace, ours.clarvis, 'bash', { command }).then((result) => {
        if (result.isError) throw new Error(result.content[0].text)
      }),
    )
  const touch = 'for i in $(seq 40); do echo x >> d$i/e0/new.txt; done'
  try {
    const first = await run(watching, 'true')
    rows.note(`the first watched command reads every file: ${first.toFixed(0)} ms`)
    const steps = { 'a command that changes nothing': 'true', 'a command that changes 40 files': touch }
    for (const [title, command] of Object.entries(steps)) {
      const [own, other] = [watching, plain].map((workspace) => () => run(workspace, command))
      rows.row(
        `${title}, watched, in ${files} files`,
        'not watched',
        await compare({ ours: own, theirs: other, rounds }),
      )
    }
    // The last change has to be the one that is undone: after another one, undo reports a conflict.
    await run(watching, touch)
    const undo = await timed(() => watching.history.undo())
    rows.note(`undo of a command that changed 40 files: ${undo.toFixed(0)} ms`)
  } finally {
    watching.close()
    plain.close()
    for (const made of [directory, stateDirectory]) fs.rmSync(made, { recursive: true, force: true })
  }
  await benchLayers(ours, rows, { rounds })
}
