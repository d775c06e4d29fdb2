/** A search that recognises encodings finds in any bytes what a plain search finds in the same text as UTF-8. */
import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import type { FileMatches, SearchRequest } from '../../../src/search/run/records.js'
import { collectMatches, search } from '../../../src/search/run/searcher.js'
import { sniffEncoding } from '../../../src/text/decode/decode.js'
import { openShown, showAs } from '../../../src/text/decode/shown-text.js'
import { scaled, seeded } from '../../scale.js'
import { filesIn, randomFrom, requestFrom, treeFrom } from './generated-trees.js'

const nul = { first: 8000, last: 8000 }

test('for generated trees and patterns', async () => {
  let guessed = 0
  for (let seed = 1; seed <= scaled(12); seed += 1) {
    const random = randomFrom(seeded(seed))
    const tree = treeFrom(random)
    const fs = memory(tree)
    const model = memory(Object.fromEntries(Object.entries(tree).map(([path, bytes]) => [path, asUtf8(bytes)])))
    for (let round = 0; round < 15; round += 1) {
      const { text: _, maxFileBytes: __, ...request } = requestFrom(random)
      const found = await run(fs, { ...request, text: { nul, detectEncoding: true } })
      const expected = await run(model, { ...request, text: { nul } })
      guessed += found.files.filter((file) => file.guessed).length
      expect({ request, ...found, files: found.files.map(plain) }).toEqual({ request, ...expected })
    }
  }
  expect(guessed).toBeGreaterThan(scaled(60))
})

test('a byte-order mark of UTF-8 decides, whatever follows', async () => {
  const fs = memory({ 'a.txt': Uint8Array.of(0xef, 0xbb, 0xbf, 0x63, 0xe9, 0x20, 0xc3, 0xa9, 0xe8, 0xe8, 0xe8, 0x0a) })
  const matcher = { pattern: 'é', syntax: 'literal' as const }
  const { files } = await run(fs, { matcher, mode: 'content', text: { nul, detectEncoding: true } })
  expect(files.flatMap(({ records }) => records.map(({ text }) => text))).toEqual(['cé éèèè'])
})

function run(fs: ReturnType<typeof memory>, request: SearchRequest) {
  return collectMatches(search(fs, filesIn(fs, '/'), request))
}

function plain({ guessed: _, ...file }: FileMatches): FileMatches {
  return file
}

/** What is shown, in UTF-8; a binary file as it is, unless only its control characters make it one: such a file is searched. */
function asUtf8(bytes: Uint8Array): Uint8Array {
  const shown = openShown(bytes)
  if (shown !== undefined) return new TextEncoder().encode(shown.text)
  return bytes.includes(0) ? bytes : new TextEncoder().encode(showAs(bytes, sniffEncoding(bytes)).text)
}
