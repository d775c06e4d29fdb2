/** Git on 1,000 files: our operations, each one a transaction, compared with isomorphic-git on the same kind of file system. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import git from 'isomorphic-git'
import { createFsFromVolume, Volume } from 'memfs'
import { median, timed } from './measure.mjs'

const files = 1_000
const changed = 50
const commits = 20
const author = { name: 'Bench', email: 'bench@example.org' }

const steps = [
  'add all',
  'commit',
  'status, clean',
  `status, ${changed} changed`,
  `add ${changed}`,
  `log of ${commits + 2}`,
  'diff of 50',
  'checkout, old',
  'checkout, back',
]

export async function benchGit(ours, rows, { rounds, only }) {
  for (const [where, target] of [
    ['in memory', 1],
    ['on disk', 1],
    ['on disk, durable', undefined],
  ]) {
    if (!`git ${where}`.includes(only)) continue
    const results = steps.map(() => [])
    for (let round = 0; round < Math.min(rounds, 3); round += 1) {
      const own = await runOurs(ours, where)
      const other = await runTheirs(where)
      for (const [i, result] of results.entries()) result.push({ own: own[i], other: other[i] })
    }
    for (const [i, name] of steps.entries()) {
      const [oursMs, theirsMs] = ['own', 'other'].map((side) => median(results[i].map((each) => each[side])))
      rows.row(
        `git ${name}, 1,000 files ${where}`,
        'isomorphic-git',
        { oursMs, theirsMs, ratio: oursMs / theirsMs },
        target,
      )
    }
  }
}

function names() {
  return Array.from({ length: files }, (_, i) => `part-${i % 40}/file-${i}.txt`)
}

function content(name, version) {
  return Array.from({ length: 60 }, (_, i) => `${name} line ${i}${i === 30 ? ` ${version}` : ''}`).join('\n')
}

async function plant(write) {
  for (const name of names()) await write(name, content(name, 0))
}

async function runOurs(ours, where) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-git-'))
  const directory = path.join(scratch, 'root')
  fs.mkdirSync(directory)
  const isMemory = where === 'in memory'
  const memory = ours.memory()
  const workspace = isMemory
    ? ours.createWorkspace({ fs: memory })
    : await ours.openDirectories([{ directory, access: 'read-write' }], {
        fsync: where.endsWith('durable'),
        stateDirectory: path.join(scratch, 'state'),
        searchThreads: 0,
      })
  const write = async (name, text) => {
    if (!isMemory) {
      fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
      return fs.writeFileSync(path.join(directory, name), text)
    }
    await memory.makeDir(`/${path.dirname(name)}`).catch(() => {})
    await memory.writeFile(`/${name}`, Buffer.from(text))
  }
  const run = (operation, input) => operation.run(operation.input.parse(input), workspace, {})
  const commit = (message) => run(ours.gitCommit, { message, author, allowEmpty: true })
  try {
    await plant(write)
    await run(ours.gitInit, {})
    return await measure({
      write,
      addAll: () => run(ours.gitAdd, { all: true }),
      commit,
      status: () => run(ours.gitStatus, {}),
      log: () => run(ours.gitLog, {}),
      diff: () => run(ours.gitDiff, { from: { revision: 'HEAD~1' }, to: 'head' }),
      checkout: (revision) => run(ours.gitCheckout, { revision }),
    })
  } finally {
    workspace.close?.()
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

async function runTheirs(where) {
  const dir = where === 'in memory' ? '/root' : fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-git-'))
  const disk = where === 'in memory' ? createFsFromVolume(new Volume()) : fs
  const common = { fs: disk, dir, cache: {} }
  const write = async (name, text) => {
    disk.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
    disk.writeFileSync(path.join(dir, name), text)
  }
  try {
    await plant(write)
    await git.init({ ...common, defaultBranch: 'main' })
    return await measure({
      write,
      addAll: () => git.add({ ...common, filepath: '.' }),
      commit: (message) => git.commit({ ...common, message, author }),
      status: () => git.statusMatrix(common),
      log: () => git.log(common),
      diff: () => walkBoth(common),
      checkout: async (revision) => {
        const ref = revision === 'main' ? revision : (await git.log({ ...common, depth: 2 }))[1].oid
        await git.checkout({ ...common, ref })
      },
    })
  } finally {
    if (disk === fs) fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** isomorphic-git has no diff of its own: the two contents of each file that differs. */
async function walkBoth(common) {
  const [{ oid: now }, { oid: old }] = await git.log({ ...common, depth: 2 })
  return git.walk({
    ...common,
    trees: [git.TREE({ ref: old }), git.TREE({ ref: now })],
    map: async (name, [a, b]) => {
      if ((await a?.oid()) === (await b?.oid())) return null
      if ((await a?.type()) === 'tree') return name
      return [await a?.content(), await b?.content()]
    },
  })
}

async function measure({ write, addAll, commit, status, log, diff, checkout }) {
  const add = await timed(addAll)
  const first = await timed(() => commit('first'))
  const clean = await timed(status)
  for (let i = 0; i < commits; i += 1) await commit(`commit ${i}`)
  for (const name of names().slice(0, changed)) await write(name, content(name, 1))
  const dirty = await timed(status)
  const addSome = await timed(addAll)
  await commit('changed')
  const logged = await timed(log)
  const differences = await timed(diff)
  const old = await timed(() => checkout('HEAD~1'))
  const back = await timed(() => checkout('main'))
  return [add, first, clean, dirty, addSome, logged, differences, old, back]
}
