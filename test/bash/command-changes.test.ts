/** Whatever a command does to a tree, its record undoes exactly that: compared with the tree itself before and after. */
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type DirectoryWorkspaceOptions, openDirectories } from '../../node/workspace/directory-workspace.js'
import { runCommand } from '../../src/ops/shell/run-command.js'
import { writeFiles } from '../../src/ops/write-files.js'
import { type Random, randomFrom } from '../core/search/generated-trees.js'
import { built } from '../node/cli/built.js'
import { temporaryDirectory } from '../node/cli/run-cli.js'
import { sample, scaled } from '../scale.js'
import { everything } from './everything.js'

/** As it is shipped. */
const searchWorker = built('node/search-worker.js')

const folders = ['.', 'src', 'src/deep', 'src/deep/er', 'x y', 'ünïcode', 'many', 'lib']

/** More entries than the calling thread would stat alone. */
function plant(directory: string): void {
  for (const folder of folders) {
    fs.mkdirSync(join(directory, folder), { recursive: true })
    const count = folder === 'many' ? 500 : 12
    for (let i = 0; i < count; i += 1) fs.writeFileSync(join(directory, folder, `f${i}.txt`), `${folder} ${i}\r\n`)
  }
  fs.writeFileSync(join(directory, 'lib/large.bin'), Buffer.alloc(200_000, 7))
  fs.writeFileSync(join(directory, 'lib/empty'), '')
  fs.writeFileSync(join(directory, "lib/it's\na name"), 'odd')
  fs.symlinkSync('f0.txt', join(directory, 'src/link'))
}

/** Something that changes an entry; some of them fail, because the entry is gone or of another kind. */
function action(random: Random): string {
  const pick = (from: readonly string[]) => from[random(from.length)] as string
  const file = () => `'${pick(folders)}/f${random(14)}.txt'`
  const actions = [
    () => `echo changed >> ${file()}`,
    () => `printf %s ${'z'.repeat(random(9))} > ${file()}`,
    () => `rm -f ${file()}`,
    () => `mv ${file()} ${file()}`,
    () => `chmod ${pick(['600', '755', '444'])} ${file()}`,
    () => `touch ${file()}`,
    () => `echo odd >> lib/it*`,
    () => `mkdir -p '${pick(folders)}/new${random(3)}' && echo x > '${pick(folders)}/new${random(3)}/inside'`,
    () => `rm -rf '${pick(folders.slice(1))}/new${random(3)}'`,
    () => `mv 'src/deep' 'moved${random(2)}'`,
    () => `mv 'moved${random(2)}' 'src/deep'`,
    () => `ln -sf '${pick(['f1.txt', '../lib', 'nowhere'])}' 'src/link'`,
    () => `rm -rf 'many' && mkdir many && for i in 1 2 3; do echo $i > many/f$i.txt; done`,
    () => `head -c ${random(300_000)} /dev/zero > lib/large.bin`,
    () => `rm -f lib/empty; mkdir -p lib/empty; echo x > lib/empty/f`,
    () => `rm -rf lib/empty; : > lib/empty`,
    () => `sed -i s/1/one/ src/f*.txt`,
    // These keep the size, or the time, or both.
    () => `cp -p ${file()} ${file()}`,
    () =>
      `rewritten=${file()}; [ -f "$rewritten" ] && touch -r "$rewritten" /tmp/polyfs-stamp-$$ && printf '#' | dd conv=notrunc of="$rewritten" 2> /dev/null && touch -r /tmp/polyfs-stamp-$$ "$rewritten"; rm -f /tmp/polyfs-stamp-$$`,
  ]
  return (actions[random(actions.length)] as () => string)()
}

async function open(options: DirectoryWorkspaceOptions) {
  const directory = fs.realpathSync(await temporaryDirectory())
  plant(directory)
  const stateDirectory = await temporaryDirectory()
  const workspace = await openDirectories([{ directory, access: 'read-write' }], { stateDirectory, ...options })
  onTestFinished(() => workspace.close())
  const bash = (command: string) =>
    runCommand.run(runCommand.input.parse({ command, timeoutMs: 60_000, maxStreamBytes: 100_000 }), workspace, {})
  return { workspace, directory, bash }
}

describe.each([
  ['without threads', { searchThreads: 0 }],
  ['with threads', { searchThreads: 2, searchWorker }],
])('%s', (_, options) => {
  test('what tools do while a command starts, runs and ends is not its change', async () => {
    const { workspace, directory, bash } = await open(options)
    await bash('true')
    const write = (name: string, content: string) =>
      workspace.run(writeFiles, { files: [{ path: join(directory, name), content }] })
    const records: unknown[] = []
    for (let round = 0; round < scaled(150); round += 1) {
      const command = bash('true')
      await sleep(round % 30)
      const name = `${folders[round % folders.length]}/beside${round % 5}.txt`
      await write(name, `${round}`)
      await write('many/f1.txt', `${round}`)
      const { commandChanges } = await command
      if (!commandChanges?.watched) throw new Error('not watched')
      expect(commandChanges.unkept).toEqual([])
      records.push(...(commandChanges.record?.steps ?? []))
    }
    expect(records).toEqual([])
  })

  test.each(
    sample(
      Array.from({ length: 30 }, (_, seed) => seed),
      { every: 15 },
    ),
  )('random commands, seed %i', async (seed) => {
    const random = randomFrom(seed)
    const { workspace, directory, bash } = await open(options)

    for (let round = 0; round < 6; round += 1) {
      // By others, between the commands: not a part of any record.
      if (random(2) === 0) fs.writeFileSync(join(directory, `foreign${random(2)}.txt`), `${random(100)}`)
      if (random(3) === 0) {
        const path = `made/by/tool${random(2)}.txt`
        await workspace.run(writeFiles, {
          files: [{ path: join(directory, path), content: `${random(100)}` }],
          makeParents: true,
        })
      }
      const command = Array.from({ length: 1 + random(6) }, () => action(random)).join('\n')
      const before = everything(directory)
      const { commandChanges } = await bash(command)
      const after = everything(directory)
      if (!commandChanges?.watched) throw new Error('not watched')
      expect(commandChanges.unkept).toEqual([])
      expect(commandChanges.record !== undefined, command).toBe(JSON.stringify(after) !== JSON.stringify(before))
      if (commandChanges.record === undefined) continue
      await workspace.history.undo()
      expect(everything(directory), command).toEqual(before)
      if (random(2) === 0) continue
      await workspace.history.undo((await workspace.history.list({ limit: 1 }))[0]?.id)
      expect(everything(directory), command).toEqual(after)
    }
  })
})
