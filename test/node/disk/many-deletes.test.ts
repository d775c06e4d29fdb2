/** Deleting very many files on a disk delays no other call for long, and can be aborted. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { readText } from '../../../src/ops/read-text.js'
import { longestStretch } from '../../core/longest-stretch.js'
import { isFull } from '../../scale.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const files = isFull ? 150_000 : 4_000
const perDirectory = 1_000
/** Of the processor, so that a busy machine does not count. Others are answered between two turns. */
const longestMs = 250

test(`${files} files are deleted while others are answered`, async () => {
  const root = fs.realpathSync(await temporaryDirectory())
  fs.writeFileSync(join(root, 'beside.txt'), 'hello\n')
  for (let at = 0; at < files; at += 1) {
    const directory = join(root, `many/${Math.floor(at / perDirectory)}`)
    if (at % perDirectory === 0) fs.mkdirSync(directory, { recursive: true })
    fs.writeFileSync(join(directory, `file${at}`), `content ${at}`)
  }
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: await temporaryDirectory(),
    fsync: false,
  })
  onTestFinished(() => workspace.close())
  await workspace.ready

  let isDone = false
  let answered = 0
  async function readOn(): Promise<void> {
    while (!isDone) {
      const { lines } = await workspace.run(readText, { path: join(root, 'beside.txt') })
      expect(lines).toEqual(['hello'])
      if (!isDone) answered += 1
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  const reading = readOn()
  let entries = 0
  const stretch = await longestStretch(async () => {
    const deleted = await workspace.run(deleteEntry, { path: join(root, 'many'), recursive: true })
    entries = deleted.entries
    isDone = true
  })
  await reading
  console.log(`${files} files: others waited ${Math.round(stretch)} ms of processor time at most, ${answered} answered`)
  expect(entries).toBe(files + files / perDirectory + 1)
  expect(fs.readdirSync(root)).toEqual(['beside.txt'])
  expect(answered).toBeGreaterThan(3)
  expect(stretch).toBeLessThan(longestMs)
})

test('one that is aborted before it begins is not made', async () => {
  const root = fs.realpathSync(await temporaryDirectory())
  fs.mkdirSync(join(root, 'many/below'), { recursive: true })
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: await temporaryDirectory(),
    fsync: false,
  })
  onTestFinished(() => workspace.close())
  const deleting = deleteEntry.run({ path: 'many', recursive: true }, workspace, { signal: AbortSignal.abort() })
  await expect(deleting).rejects.toMatchObject({ code: 'ABORTED' })
  expect(fs.existsSync(join(root, 'many/below'))).toBe(true)
})
