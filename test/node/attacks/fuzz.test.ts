import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FsError } from '../../../src/errors.js'
import { shown } from '../../attacks/corpus.js'
import { canary } from '../../attacks/layout.js'
import type { Stage } from '../../attacks/suite.js'
import { seeded } from '../../scale.js'
import { diskStage } from './stage.js'

const joins = 20_000
const seed = seeded(1)

const tokens = [
  ...[
    '..',
    '..',
    '..',
    '.',
    '/',
    '/',
    '/',
    '/',
    '//',
    '\\',
    '\0',
    '%2e',
    '%2f',
    '\uff05',
    '\uff0e',
    '\u2025',
    ' ',
    '"',
    "'",
  ],
  ...[
    'sub',
    'a.txt',
    'outside',
    'secret.txt',
    'root',
    'ROOT',
    'root-evil',
    'cwd',
    'new',
    '.git',
    'config',
    '~',
    'file:',
  ],
  ...['l-file', 'l-dir', 'l-rel', 'l-chain', 'l-parent', 'l-procroot', 'l-dangling', 'sub/l-up', 'sub/l-dir2'],
  ...[
    'l-evilprefix',
    'l-dotdot',
    'l-space',
    'l-cwd',
    'l-in',
    'l-indir',
    'l-abs-in',
    'l-self',
    'loop',
    'loopA',
    'l-gitdir',
  ],
]

/** Pieces that are there, so that many joins lead somewhere. */
const likely = [
  '..',
  '.',
  'sub',
  'sub',
  'a.txt',
  'root',
  'l-self',
  'l-indir',
  'l-in',
  'l-abs-in',
  'l-dir',
  'l-dotdot',
  '.git',
  'config',
]

let stage: Stage

beforeAll(async () => {
  stage = await diskStage()
})
afterAll(() => stage.close())

test(`whatever ${joins} random joins of hostile pieces reach, the kernel finds inside the root`, async () => {
  const { root, base, outside } = stage.places
  const before = await stage.outsideState()
  const random = randomFrom(seed)
  const starts = ['', '', `${root}/`, `${base}/`, `${outside}/`, '/', '/proc/self/root', `${root}`]
  const counts = { refused: 0, read: 0, described: 0, places: new Set<string>() }
  const isInside = (real: string) => real === root || real.startsWith(`${root}/`)

  for (let index = 0; index < joins; index += 1) {
    const pieces = random() < 0.5 ? likely : tokens
    const length = 1 + Math.floor(random() * (pieces === likely ? 4 : 9))
    const separator = pieces === likely || random() < 0.5 ? '/' : ''
    const input = pick(starts, random) + Array.from({ length }, () => pick(pieces, random)).join(separator)
    try {
      const resolved = stage.fs.resolve(input, root)
      await stage.fs.stat(resolved)
      counts.described += 1
      const entry = path.join(fs.realpathSync(path.dirname(resolved)), path.basename(resolved))
      expect(isInside(entry), `${shown(input)} is described, and is ${entry}`).toBe(true)
      const real = await stage.fs.realPath(resolved)
      counts.places.add(real)
      expect(isInside(real), `${shown(input)} is said to be ${real}`).toBe(true)
      expect(fs.realpathSync(resolved), shown(input)).toBe(real)
      const content = new TextDecoder().decode(await stage.fs.readFile(resolved))
      counts.read += 1
      expect(content, shown(input)).toBe(fs.readFileSync(real, 'utf8'))
      expect(content, shown(input)).not.toContain(canary)
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      counts.refused += 1
    }
  }

  const { refused, read, described, places } = counts
  console.log(
    `fuzz, seed ${seed}: ${joins} joins, ${described} described, ${read} read, ${refused} refused, ${places.size} places`,
  )
  expect(read, 'the pieces do lead somewhere').toBeGreaterThan(100)
  expect(await stage.outsideState()).toBe(before)
})

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** mulberry32: small, seeded, and the same on every machine. */
function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
