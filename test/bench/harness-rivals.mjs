/** What episodes are compared with, in a thread of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { Volume } from 'memfs'
import { justBash } from './shell-commands.mjs'

export const commandsOfAnEpisode = [
  'ls work | wc -l',
  'grep -rl value7 work/part-1 | wc -l',
  'sed -i s/value7/other7/ work/part-1/module-1.ts',
  'cat work/part-1/module-1.ts | head -n 3',
  'echo done > done.txt',
]

export function fileName(i) {
  return `/work/part-${i % 100}/module-${i}.ts`
}

/** 20 reads, 10 edits and 5 new files, with the functions of `node:fs`. */
export function editFiles(fs, root) {
  for (let i = 0; i < 20; i += 1) fs.readFileSync(root + fileName(i), 'utf8')
  for (let i = 0; i < 10; i += 1) {
    const text = fs.readFileSync(root + fileName(i), 'utf8')
    fs.writeFileSync(root + fileName(i), text.replace('value7', 'other7'))
  }
  for (let i = 0; i < 5; i += 1) fs.writeFileSync(`${root}/new-${i}.ts`, 'x\n')
}

const rivals = {
  'a copy by memfs'(tree) {
    const volume = Volume.fromJSON(tree)
    return () => Volume.fromJSON(volume.toJSON())
  },

  async 'new Bash'(tree) {
    const Bash = await justBash()
    return () => new Bash({ files: tree, cwd: '/work' })
  },

  memfs(tree) {
    const volume = Volume.fromJSON(tree)
    return () => {
      const copy = Volume.fromJSON(volume.toJSON())
      editFiles(copy, '')
      const [before, after] = [volume.toJSON(), copy.toJSON()]
      const changed = Object.keys(after).filter((file) => after[file] !== before[file])
      if (changed.length !== 15) throw new Error(`${changed.length} changes`)
    }
  },

  async 'just-bash'(tree) {
    const Bash = await justBash()
    return async () => {
      const bash = new Bash({ files: tree, cwd: '/' })
      for (const command of commandsOfAnEpisode) await bash.exec(command)
    }
  },
}

/** Answers each message when one episode is over, with why it failed. */
async function serve({ name, tree }) {
  const run = await rivals[name](tree)
  parentPort.on('message', async () => {
    try {
      await run()
      parentPort.postMessage(undefined)
    } catch (error) {
      parentPort.postMessage(String(error))
    }
  })
}

if (parentPort !== null) await serve(workerData)
