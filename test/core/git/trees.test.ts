/** One entry of a tree is found without reading the others: it has to be the one that reading all of them finds. */
import { expect, test } from 'vitest'
import { findInTree, modes, parseTree, serializeTree, type TreeEntry } from '../../../src/git/objects/tree.js'
import { seededRandom } from '../../../src/text/seeded-random.js'
import { scaled, seeded } from '../../scale.js'

const random = seededRandom(seeded(1))
const below = (count: number) => Math.floor(random() * count)
/** Names that begin, end and contain one another, and bytes of ids that look like the end of an entry. */
const parts = ['a', 'b', 'ab', ' ', '0', '100644 a', 'é', '.', 'x'.repeat(40)]
const bytes = ['00', '20', '61', '31', 'ff']

function nameOf(): string {
  return Array.from({ length: 1 + below(3) }, () => parts[below(parts.length)]).join('')
}

function treeOf(size: number): TreeEntry[] {
  const names = new Set(Array.from({ length: size }, nameOf))
  for (const name of ['.', '..']) names.delete(name)
  return [...names].map((name) => ({
    name,
    mode: Object.values(modes)[below(5)] as number,
    oid: Array.from({ length: 20 }, () => bytes[below(bytes.length)]).join(''),
  }))
}

test('every entry of a tree, and none that is not in it', async () => {
  let found = 0
  for (let round = 0; round < scaled(2000); round += 1) {
    const entries = treeOf(below(40))
    const tree = serializeTree(entries)
    expect(await parseTree(tree, 'some')).toEqual(entries)
    for (const entry of entries) expect(findInTree(tree, 'some', entry.name)).toEqual(entry)
    found += entries.length
    for (const name of Array.from({ length: 10 }, nameOf)) {
      const expected = entries.find((entry) => entry.name === name)
      expect(findInTree(tree, 'some', name)).toEqual(expected)
    }
  }
  expect(found).toBeGreaterThan(scaled(2000))
})
