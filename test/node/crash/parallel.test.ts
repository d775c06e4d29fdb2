import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { write } from '../../core/change/faulty-disk.js'
import { isFull } from '../../scale.js'
import { bundleChild, startChild } from './children.js'
import { appendLine, leftInState, makeTemporary, openDisk, type Places } from './disk-engine.js'

const temporary = makeTemporary('polyfs-parallel-')
let script: string
beforeAll(async () => {
  script = await bundleChild(path.join(temporary, 'bundle'))
})
afterAll(() => fs.rmSync(temporary, { recursive: true }))

function makePlaces(): Places {
  const directory = fs.mkdtempSync(path.join(temporary, 'run-'))
  const places = { root: path.join(directory, 'root'), state: path.join(directory, 'state') }
  for (const place of Object.values(places)) fs.mkdirSync(place)
  fs.writeFileSync(path.join(places.root, 'lines.txt'), '')
  return places
}

/** Every edit is there once, the history knows them in the order they were made, and undoing all leaves nothing. */
async function expectAll(places: Places, edits: readonly string[]): Promise<void> {
  const lines = fs.readFileSync(path.join(places.root, 'lines.txt'), 'utf8').trimEnd().split('\n')
  expect([...lines].sort()).toEqual([...edits].sort())
  expect(leftInState(places)).toEqual([])
  const engine = await openDisk(places)
  expect(await engine.history.list()).toHaveLength(edits.length)
  const half = edits.length >> 1
  for (let count = 0; count < half; count += 1) await engine.history.undo()
  const left = fs.readFileSync(path.join(places.root, 'lines.txt'), 'utf8').trimEnd().split('\n')
  expect(left).toEqual(lines.slice(0, lines.length - half))
  engine.close()
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}-${index}`)

/** For each of the eight engines, and twice that for each of the four processes. */
const each = isFull ? 8 : 2

describe.each(isFull ? [1, 2, 3] : [1])('parallel edits of one file all land, round %i', () => {
  test(`${8 * each} through one engine`, async () => {
    const places = makePlaces()
    const engine = await openDisk(places)
    const edits = numbered('one', 8 * each)
    await Promise.all(edits.map((line) => appendLine(engine, line)))
    engine.close()
    await expectAll(places, edits)
  })

  test(`${8 * each} through eight engines with one journal`, async () => {
    const places = makePlaces()
    const engines = await Promise.all(Array.from({ length: 8 }, () => openDisk(places)))
    const edits = engines.flatMap((engine, index) =>
      numbered(`engine-${index}`, each).map((line) => ({ engine, line })),
    )
    await Promise.all(edits.map(({ engine, line }) => appendLine(engine, line)))
    for (const engine of engines) engine.close()
    await expectAll(
      places,
      edits.map(({ line }) => line),
    )
  })

  test(`${8 * each} through four processes`, async () => {
    const places = makePlaces()
    const names = ['p', 'q', 'r', 's']
    const children = names.map((name) => startChild(script, 'append', places.root, places.state, name, 2 * each))
    const ends = await Promise.all(children.map(({ ended }) => ended))
    expect(ends.map(({ code, complained }) => [code, complained])).toEqual(names.map(() => [0, '']))
    await expectAll(
      places,
      names.flatMap((name) => numbered(name, 2 * each)),
    )
  })
})

test('parallel writes into one new directory all land, and can be undone', async () => {
  const places = makePlaces()
  const engines = await Promise.all([openDisk(places), openDisk(places)])
  const paths = Array.from({ length: 24 }, (_, index) => `/new/deep/${index}.txt`)
  await Promise.all(paths.map((at, index) => write(engines[index % 2] ?? engines[0], at, 'x')))
  expect(fs.readdirSync(path.join(places.root, 'new/deep'))).toHaveLength(24)
  for (const _ of paths) await engines[0].history.undo()
  expect(fs.readdirSync(places.root)).toEqual(['lines.txt'])
  for (const engine of engines) engine.close()
})
