/** The file system in a database beside AgentFS, which has the same purpose: calls of the file systems themselves, without tools and history. */
import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { peers } from './corpus.mjs'
import { compare } from './measure.mjs'

const spec = 'agentfs-sdk@0.6.4'
const files = 500

export async function agentFs(_ours, rows, { open, rounds, scratch }) {
  const AgentFS = await load(rows)
  if (AgentFS === undefined) return
  // Both on files where ours are, waiting for the disk as theirs do, and else both in memory.
  const inFiles = isBuiltin('node:sqlite')
  let made = 0
  const openOurs = () => open(`agentfs-ours-${made++}`, 'FULL')
  const openTheirs = (name) => AgentFS.open({ path: inFiles ? path.join(scratch, name) : ':memory:' })

  const texts = textsByPath()
  const filling = {
    async ours() {
      const { workspaces, close } = openOurs()
      await fillOurs(workspaces.open('main'), texts)
      close()
    },
    async theirs() {
      const other = await openTheirs(`agentfs-filled-${made++}`)
      await fillTheirs(other.fs, texts)
      await other.close()
    },
  }
  rows.row(
    `write ${files} files to a database, one by one`,
    'AgentFS',
    await compare({ ...filling, rounds: Math.min(rounds, 5) }),
  )

  const theirName = 'agentfs-theirs'
  const theirs = await openTheirs(theirName)
  const { workspaces, bytes, close } = openOurs()
  const ours = workspaces.open('main')
  await fillOurs(ours, texts)
  await fillTheirs(theirs.fs, texts)
  const stored = bytes()

  const [file] = Object.keys(texts)
  const repeated = (count, call) => async () => {
    for (let i = 0; i < count; i += 1) await call(i)
  }
  rows.row(
    '200 reads of one file in a database',
    'AgentFS',
    await compare({
      ours: repeated(200, () => ours.readFile(file)),
      theirs: repeated(200, () => theirs.fs.readFile(file)),
      rounds,
    }),
  )
  rows.row(
    '50 writes of one file in a database',
    'AgentFS',
    await compare({
      ours: repeated(50, (i) => ours.writeFile(file, Buffer.from(`${texts[file]}${i}`))),
      theirs: repeated(50, (i) => theirs.fs.writeFile(file, `${texts[file]}${i}`)),
      rounds,
    }),
  )
  rows.row(
    `read all of ${files} files in a database`,
    'AgentFS',
    await compare({
      ours: () =>
        readAll(
          (at) => namesOfOurs(ours, at),
          (at) => ours.readFile(at),
        ),
      theirs: () =>
        readAll(
          (at) => theirs.fs.readdir(at),
          (at) => theirs.fs.readFile(at),
        ),
      rounds,
    }),
  )
  await theirs.close()
  close()
  const theirBytes = inFiles ? `, and ${bytesBelow(scratch, theirName)} of theirs with its log` : ''
  rows.note(`${Object.values(texts).join('').length} bytes of text take ${stored} bytes of our database${theirBytes}`)
}

function bytesBelow(directory, name) {
  const own = fs.readdirSync(directory).filter((file) => file.startsWith(name))
  return own.reduce((sum, file) => sum + fs.statSync(path.join(directory, file)).size, 0)
}

async function load(rows) {
  try {
    const directory = peers(spec)
    const entry = path.join(directory, 'node_modules/agentfs-sdk/dist/index_node.js')
    return (await import(pathToFileURL(entry).href)).AgentFS
  } catch (error) {
    rows.leftOut('AgentFS', error)
    return undefined
  }
}

function textsByPath() {
  const texts = {}
  for (let i = 0; i < files; i += 1) {
    texts[`/part-${i % 10}/module-${i}.ts`] = `export const value = compute(${i}) // some text of a line\n`.repeat(70)
  }
  return texts
}

async function fillOurs(target, texts) {
  for (let i = 0; i < 10; i += 1) await target.makeDir(`/part-${i}`)
  for (const [file, text] of Object.entries(texts)) await target.writeFile(file, Buffer.from(text))
}

async function fillTheirs(target, texts) {
  for (const [file, text] of Object.entries(texts)) await target.writeFile(file, text)
}

async function namesOfOurs(target, directory) {
  return (await target.readDir(directory)).map(({ name }) => name)
}

async function readAll(namesIn, read) {
  let count = 0
  for (const part of await namesIn('/')) {
    for (const name of await namesIn(`/${part}`)) {
      await read(`/${part}/${name}`)
      count += 1
    }
  }
  if (count !== files) throw new Error(`${count} files were read, not ${files}`)
}
