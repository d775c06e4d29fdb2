import { expect, test } from 'vitest'
import { foldedName } from '../../../src/fs/folded-name.js'

test.each([
  ['/Dir/A.txt', '/dir/a.TXT'],
  ['caf\u00e9', 'CAFE\u0301'],
  // A sigma at the end of a word, as a letter and as a capital.
  ['οδος', 'ΟΔΟΣ'],
  ['οδοσ', 'ΟΔΟΣ'],
  ['ÿ', 'Ÿ'],
  ['ǅ', 'ǆ'],
  ['\u212a', 'k'],
  ['𐐀', '𐐨'],
])('%s and %s are one name', (one, other) => {
  expect(foldedName(one)).toBe(foldedName(other))
})

test.each([
  ['straße', 'strasse'],
  ['ﬀ', 'ff'],
  ['a', 'ä'],
  ['a.txt', 'a.txt.'],
])('%s and %s are two', (one, other) => {
  expect(foldedName(one)).not.toBe(foldedName(other))
})
