/** Power cuts under the SQLite of Node: its real system calls are recorded, and any part of what was not flushed is lost. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runtime } from '../../runtimes/install.mjs'
import { isFull, onlyInFull } from '../../scale.js'
import { bundleChild, startProgram } from './children.js'
import { makeTemporary } from './disk-engine.js'
import { type Files, forgetfulFiles, seeded } from './lost-writes.js'
import { type TracedOperation, tracedOperations, traceInto } from './traced-files.js'

const fileCount = 6
const versions = 25
/** Shared memory is made anew when nobody has the database open, and so is the lock. */
const kept = ['db', 'db-wal', 'db-journal']

describe.skipIf(!isFull)(`the SQLite of Node (${onlyInFull})`, () => {
  let temporary: string
  let script: string
  beforeAll(async () => {
    temporary = makeTemporary('polyfs-sqlite-traced-')
    script = await bundleChild(path.join(temporary, 'bundle'))
  })
  afterAll(() => fs.rmSync(temporary, { recursive: true }))

  test.for(['Node 22', 'Node 24', 'Node 26'] as const)('%s', async (name, { skip, annotate }) => {
    if (process.platform !== 'linux' || process.arch !== 'x64') skip('the runtimes are packages for Linux on x64')
    if (spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0) skip('strace is missing, or may not trace')
    const node = await runtime(name).catch(() => undefined)
    if (node === undefined) return skip(`${name} could not be installed`)

    const place = fs.mkdtempSync(path.join(temporary, 'run-'))
    const operations = await traced(place, [...node, script])
    const survivors = cutPower(operations)
    const images = path.join(place, 'images')
    for (const [index, { files }] of survivors.entries()) {
      const directory = path.join(images, String(index))
      fs.mkdirSync(directory, { recursive: true })
      for (const [file, data] of Object.entries(files)) fs.writeFileSync(path.join(directory, file), data)
    }
    const reader = await startProgram([...node, script], 'read-databases', images, fileCount, 'one').ended
    const found = reader.said
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Found)
    expect(found.length).toBe(survivors.length)
    expect(found.flatMap((one) => faultOf(one, survivors[Number(one.name)]?.acknowledged ?? 0))).toEqual([])
    expect(survivors.length).toBeGreaterThan(versions)
    await annotate(`${operations.length} operations, ${survivors.length} disks`)
  })

  /** What a server does that writes version after version, until it is stopped. */
  async function traced(place: string, command: readonly string[]): Promise<TracedOperation[]> {
    const [directory, log] = [path.join(place, 'data'), path.join(place, 'log')]
    fs.mkdirSync(directory)
    const child = startProgram(
      [...traceInto(log), ...command],
      'flip-database',
      path.join(directory, 'db'),
      fileCount,
      1,
      'one',
      versions,
    )
    const { code, complained } = await child.ended
    expect([code, complained.replace(/.*ExperimentalWarning.*\n.*\n/, '')]).toEqual([0, ''])
    return tracedOperations(fs.readFileSync(log, 'utf8'), directory)
  }
})

interface Found {
  name: string
  fault?: string
  versions?: string[]
  changes?: number
}

function faultOf({ fault, versions: shown = [], changes }: Found, acknowledged: number): string[] {
  if (fault !== undefined) return [fault]
  const version = Number(shown[0])
  const isWhole = shown.length === 1 && version === changes && version >= acknowledged
  return isWhole ? [] : [`${acknowledged} acknowledged, found ${shown} and ${changes} changes`]
}

/** Every disk that a power cut may leave, with the last version that had been acknowledged by then. */
function cutPower(operations: readonly TracedOperation[]): { files: Files; acknowledged: number }[] {
  const disk = forgetfulFiles()
  const random = seeded(5)
  let acknowledged = 0
  const found: { files: Files; acknowledged: number }[] = []
  const gather = () => {
    for (const files of disk.survivors(random, 2)) if (acknowledged > 0) found.push({ files, acknowledged })
  }
  disk.watch(gather)
  for (const operation of operations) {
    if (operation.kind === 'say') acknowledged = Number(operation.text)
    else play(disk, operation)
  }
  gather()
  return found
}

function play(disk: ReturnType<typeof forgetfulFiles>, operation: Exclude<TracedOperation, { kind: 'say' }>): void {
  if (operation.kind === 'flush-names') disk.flushNames()
  else if (!kept.includes(operation.name)) return
  else if (operation.kind === 'remove') disk.remove(operation.name)
  else if (operation.kind === 'write') disk.open(operation.name).write(operation.at, operation.data)
  else if (operation.kind === 'truncate') disk.open(operation.name).truncate(operation.size)
  else if (operation.kind === 'flush') disk.open(operation.name).flush()
  else disk.open(operation.name)
}
