import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEngine, snapshot, stage, twelveFiles } from '../../core/change/faulty-disk.js'
import { sample, scaled } from '../../scale.js'
import { bundleChild, startChild } from './children.js'
import { leftInState, makeTemporary, openDisk, type Places, snapshotHost } from './disk-engine.js'

const temporary = makeTemporary('polyfs-kill-')
let script: string
beforeAll(async () => {
  script = await bundleChild(path.join(temporary, 'bundle'))
})
afterAll(() => fs.rmSync(temporary, { recursive: true }))

function makePlaces(files: Readonly<Record<string, string>>): Places {
  const directory = fs.mkdtempSync(path.join(temporary, 'run-'))
  const places = { root: path.join(directory, 'root'), state: path.join(directory, 'state') }
  for (const place of Object.values(places)) fs.mkdirSync(place)
  for (const [name, content] of Object.entries(files)) {
    const host = path.join(places.root, name)
    fs.mkdirSync(path.dirname(host), { recursive: true })
    fs.writeFileSync(host, content)
  }
  return places
}

async function recover(places: Places): Promise<void> {
  const engine = await openDisk(places)
  await engine.changes.recover().finally(() => engine.close())
}

/** Contents only: the modes of a new file depend on the user. */
function contents(entries: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([at, entry]) => [at, entry.replace(/^(\w+) \d+/, '$1')]))
}

describe('a server that is killed', () => {
  const files = twelveFiles.files as Record<string, string>

  test('at operations all over a change of twelve files leaves all old or all new', async ({ annotate }) => {
    const { tree, store } = await stage(twelveFiles)
    const before = contents(await snapshot(tree))
    await twelveFiles.act(await openEngine(tree, store))
    const after = contents(await snapshot(tree))

    const whole = startChild(script, 'change', ...Object.values(makePlaces(files)), 1e9)
    const operations = Number((await whole.ended).said)
    expect(operations).toBeGreaterThan(100)
    const counts = { kills: 0, old: 0, new: 0 }
    const points = sample(Array.from({ length: Math.ceil(operations / 7) }, (_, index) => index * 7 + 1))
    const next = async (): Promise<void> => {
      const point = points.pop()
      if (point === undefined) return
      const places = makePlaces(files)
      const { signal } = await startChild(script, 'change', places.root, places.state, point).ended
      // How often a directory is asked for its place depends on time: the last operations may not be reached.
      if (point < 0.9 * operations) expect(signal).toBe('SIGKILL')
      await recover(places)
      const now = contents(snapshotHost(places.root))
      const outcome = JSON.stringify(now) === JSON.stringify(before) && signal === 'SIGKILL' ? 'old' : 'new'
      expect(now).toEqual(outcome === 'old' ? before : after)
      expect(leftInState(places)).toEqual([])
      counts.kills += 1
      counts[outcome] += 1
      return next()
    }
    await Promise.all([next(), next(), next(), next()])
    expect(Math.min(counts.old, counts.new)).toBeGreaterThan(0)
    await annotate(`${operations} operations; ${JSON.stringify(counts)}`)
  })

  test('at any time leaves one version in all files, no older than the newest it printed', async ({ annotate }) => {
    const fileCount = 12
    const names = Array.from({ length: fileCount }, (_, index) => `file-${index}.txt`)
    const places = makePlaces(Object.fromEntries(names.map((name) => [name, ''])))
    const random = seeded(7)
    let version = 1
    let halfDone = 0
    const rounds = scaled(24)
    for (let round = 0; round < rounds; round += 1) {
      const child = startChild(script, 'flip', places.root, places.state, fileCount, version)
      await child.says(/\n/)
      await new Promise((resolve) => setTimeout(resolve, random() * 60))
      child.process.kill('SIGKILL')
      const reported = Number((await child.ended).said.trimEnd().split('\n').at(-1))

      const inAll = () => new Set(names.map((name) => fs.readFileSync(path.join(places.root, name), 'utf8')))
      if (inAll().size > 1) halfDone += 1
      await recover(places)
      const [content, ...others] = inAll()
      expect(others).toEqual([])
      // Of a version the files hold as many lines as tell it from its neighbours.
      expect([reported, reported + 1].map((one) => `${one}\n`.repeat(one % 50))).toContain(content)
      expect(namesIn(places.root)).toEqual([...names].sort())
      expect(leftInState(places)).toEqual([])
      version = reported + 2
    }
    await annotate(`${rounds} kills, ${version} versions, ${halfDone} half done before recovery`)
  })
})

/** Numbers from 0 to 1, the same in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** Without the lock of a process that was killed, which stays until the next change in its directory. */
function namesIn(directory: string): string[] {
  const entries = fs.readdirSync(directory, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isSocket() ? [] : entry.name)).sort()
}
