/** A change of very many files keeps nobody waiting: whatever it does, other work has its turn in between. */
import { expect, test } from 'vitest'
import { storedJournal } from '../../../src/change/journal/journal.js'
import type { ChangeRecord, Step } from '../../../src/change/journal/record.js'
import { type Planned, plan } from '../../../src/change/plan.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { longestStretch } from '../longest-stretch.js'

const files = 100_000
/** Of the processor, so that a busy machine does not count. Without turns it would be seconds. */
const longestMs = 2000

const paths = Array.from({ length: files }, (_, at) => `/tree/${at % 20}/file${at}`).sort()
const image = { kind: 'file', hash: 'a'.repeat(64), size: 1, mode: 0o644 } as const

test('planning to remove them', async () => {
  let planned: Planned | undefined
  const stretch = await longestStretch(async () => {
    planned = await plan({
      before: (path) => ({ image: path.includes('file') ? image : { kind: 'directory' } }),
      after: new Map(paths.map((path) => [path, { image: { kind: 'absent' } }])),
      renames: [],
      writeInstead: async () => {},
    })
  })
  expect(planned?.steps.map(({ path }) => path)).toEqual([...paths].reverse())
  expect(stretch).toBeLessThan(longestMs)
})

test('writing and reading their record', async () => {
  const store = memory()
  const journal = await storedJournal(store, { seal: (text) => String(text.length) })
  const steps = paths.map((path): Step => ({ do: 'set', path, before: image, after: { kind: 'absent' } }))
  const contents = new Map(paths.map((path) => [path, new TextEncoder().encode(path)]))
  const record = { id: `${'0'.repeat(15)}-${'0'.repeat(8)}-a`, label: 'delete', atMs: 0, steps, undoable: true }
  let read: ChangeRecord[] = []
  const stretch = await longestStretch(async () => {
    await journal.begin(record, contents)
    await journal.commit(record.id)
    await journal.finish(record)
    read = await journal.history()
  })
  expect(read).toEqual([record])
  expect(stretch).toBeLessThan(longestMs)
})

test('a long record with a replaced part is not trusted', async () => {
  const store = memory()
  const journal = await storedJournal(store)
  const steps = paths
    .slice(0, 2500)
    .map((path): Step => ({ do: 'set', path, before: image, after: { kind: 'absent' } }))
  const contents = new Map([['hash', new TextEncoder().encode('content')]])
  const record = { id: `${'0'.repeat(15)}-${'0'.repeat(8)}-a`, label: 'delete', atMs: 0, steps, undoable: true }
  await journal.add(record, contents)
  expect(await journal.history()).toEqual([record])
  expect(await journal.content(record.id, 'hash')).toEqual(new TextEncoder().encode('content'))

  const path = `/history/${'0'.repeat(10)}/${record.id}`
  const whole = await store.readFile(path)
  const at = new TextDecoder().decode(whole).indexOf('file', 200_000)
  await store.writeFile(
    path,
    Uint8Array.from(whole, (byte, index) => (index === at ? byte ^ 1 : byte)),
  )
  expect([await journal.history(), await journal.corrupt()]).toEqual([[], [record.id]])
})
