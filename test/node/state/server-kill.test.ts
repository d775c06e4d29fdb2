/** A server that is ended at any moment, through the protocol: every change is applied whole or not at all. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { isFull, scaled } from '../../scale.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { type StdioServer, startServer } from '../serve/stdio-server.js'

const lanes = isFull ? 3 : 1
const killsPerLane = scaled(14)
const edited = Array.from({ length: 10 }, (_, index) => `d${index % 4}/file-${index}.txt`)

/** Every version has ten files that say which it is, and one in a directory of its own. */
function plant(root: string): void {
  for (const file of [...edited, 'made/0/it.txt']) {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), contentOf(0))
  }
}

const contentOf = (version: number) => `version ${version}\n${'unchanged line\n'.repeat(20)}`

/** From one version to the next: ten edits, a file in a new directory, a deletion. */
function patchTo(version: number): string {
  const old = version - 1
  const edits = edited.map(
    (file) => `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-version ${old}\n+version ${version}\n`,
  )
  const body = (mark: string, of: number) => contentOf(of).trimEnd().replace(/^/gm, mark)
  return [
    ...edits,
    `--- /dev/null\n+++ b/made/${version}/it.txt\n@@ -0,0 +1,21 @@\n${body('+', version)}\n`,
    `--- a/made/${old}/it.txt\n+++ /dev/null\n@@ -1,21 +0,0 @@\n${body('-', old)}\n`,
  ].join('')
}

/** All there is on the disk, which no tool of ours could hide something of, but for locks of servers that were killed. */
function listAll(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isSocket() && entry.name.startsWith('.polyfs-lock')) continue
    found[path.slice(root.length + 1)] = entry.isDirectory() ? 'directory' : readFileSync(path, 'utf8')
  }
  return found
}

function treeOf(version: number): Record<string, string> {
  const tree: Record<string, string> = { made: 'directory' }
  for (const file of edited) Object.assign(tree, { [join(file, '..')]: 'directory', [file]: contentOf(version) })
  for (let each = 0; each <= version; each += 1) tree[`made/${each}`] = 'directory'
  return { ...tree, [`made/${version}/it.txt`]: contentOf(version) }
}

/** The one version that the tree is of. */
function versionOf(root: string): number {
  const version = Number(/^version (\d+)\n/.exec(readFileSync(join(root, edited[0] as string), 'utf8'))?.[1])
  expect(listAll(root)).toEqual(treeOf(version))
  return version
}

/** What a state directory should not hold when nothing is under way. */
function leftInState(state: string): string[] {
  return readdirSync(state, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name).slice(state.length + 1))
    .filter(
      (name) =>
        !/^[0-9a-f]{24}(\/pending|\/key|\/output|\/ui|\/history(\/\d{10}(\/\d{15}-\d{8}-[0-9a-f]{8})?)?)?$/.test(name),
    )
}

/** Goes on from a version to the next, and the next, until the server is gone; returns the last that was acknowledged. */
async function goOn(server: StdioServer, from: number): Promise<number> {
  for (let version = from; ; version += 1) {
    const answer = await server.call('apply_patch', { patch: patchTo(version + 1) })
    if (answer === undefined) return version
    expect(answer).toMatchObject({ isError: false })
  }
}

/** Numbers from 0 up to 1 that are the same in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A server on a tree of some version; it has answered a call, so whatever was left half done is dealt with. */
async function restart(root: string, state: string): Promise<StdioServer> {
  const server = await startServer(root, state)
  expect(await server.call('list_dir', { path: 'made' })).toMatchObject({ isError: false })
  return server
}

test(`after each of ${lanes * killsPerLane} kills the tree is of one version, and none that was acknowledged is lost`, async () => {
  const lane = async (seed: number) => {
    const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
    const next = random(seed)
    plant(root)
    let server = await restart(root, state)
    // How long the first change of a process takes, which is the one that the others are killed in.
    const begunMs = performance.now()
    expect(await server.call('apply_patch', { patch: patchTo(1) })).toMatchObject({ isError: false })
    const callMs = performance.now() - begunMs
    let version = 1
    for (let kill = 0; kill < killsPerLane; kill += 1) {
      const going = goOn(server, version)
      // Spread over the length of a call, and a little past it.
      await sleep(callMs * 1.5 * ((kill + next()) / killsPerLane))
      await server.end('SIGKILL')
      const acknowledged = await going

      server = await restart(root, state)
      version = versionOf(root)
      expect([acknowledged, acknowledged + 1]).toContain(version)
      // A server that lives has the lock for a moment after use.
      await expect.poll(() => leftInState(state)).toEqual([])
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index + 1)))
})

describe('in the middle of a change', () => {
  test.each(['SIGTERM', 'end of input'] as const)('%s lets it end, and leaves nothing to recover', async (how) => {
    const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
    plant(root)
    const next = random(7)
    let version = 0
    for (let round = 0; round < (isFull ? 4 : 2); round += 1) {
      const server = await restart(root, state)
      const going = goOn(server, version)
      await sleep(40 * next())
      expect(await server.end(how)).toEqual({ code: 0, signal: null })
      const acknowledged = await going
      // Before anyone has had a chance to recover anything.
      expect(leftInState(state)).toEqual([])
      version = versionOf(root)
      expect([acknowledged, acknowledged + 1]).toContain(version)
    }
  })
})

test('of two servers on one root one is killed, and the other goes on', async () => {
  const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
  plant(root)
  const next = random(11)
  const survivor = await restart(root, state)
  let version = 0
  for (let round = 0; round < (isFull ? 6 : 2); round += 1) {
    const mortal = await restart(root, state)
    const going = goOn(mortal, version)
    await sleep(40 * next())
    await mortal.end('SIGKILL')
    const acknowledged = await going

    // Its lock is broken and what it left is dealt with by the very next change.
    expect(await survivor.call('write_file', { path: edited[0], content: 'taken\n' })).toMatchObject({ isError: false })
    const back = Number(/version (\d+)/.exec(readFileSync(join(root, edited[1] as string), 'utf8'))?.[1])
    expect([acknowledged, acknowledged + 1]).toContain(back)
    expect(await survivor.call('write_file', { path: edited[0], content: contentOf(back) })).toMatchObject({
      isError: false,
    })
    version = versionOf(root)
    // A record that was not written to its end, and a socket that did not get its name yet, are in nobody's way: whoever starts next
    // clears them.
    const left = () => leftInState(state).filter((name) => !/\/pending\/[^/]+\.partial$|\/lock-[\da-f]+$/.test(name))
    expect(version).toBe(back)
    await expect.poll(left).toEqual([])
  }
  await survivor.end('SIGTERM')
  await restart(root, state)
  await expect.poll(() => leftInState(state)).toEqual([])
})
