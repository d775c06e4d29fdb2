import fc from 'fast-check'
import { expect, test } from 'vitest'
import { terminalText } from '../../../web/webcontainer/terminal-text.js'

const plain = (...pieces: string[]) => {
  const text = terminalText()
  return pieces.map((piece) => text.push(piece)).join('') + text.end()
}

test.each([
  ['colours', '\x1b[31mred\x1b[0m \x1b[1;38;5;9mbold', 'red bold'],
  ['titles', '\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b', 'ab'],
  ['cursor movements', 'a\x1b[2K\x1b[1Gb\x1b[?25l', 'ab'],
  ['line ends', 'a\r\nb\r\r\nc\n', 'a\nb\nc\n'],
  ['a return that ends no line', '10%\r20%\rdone\r\n', '10%\n20%\ndone\n'],
  ['bells and backspaces', 'a\x07b\x08', 'ab'],
  ['other text', 'größe 文 \t|', 'größe 文 \t|'],
])('%s', (_name, given, expected) => {
  expect(plain(given)).toBe(expected)
})

test('is the same however it is split into chunks', () => {
  const piece = fc.constantFrom('a', '\r', '\n', '\x1b', '[', '3', 'm', ']0;t', '\x07', '\x1b[31m', '\\', 'é')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      expect(plain(...pieces)).toBe(plain(pieces.join('')))
    }),
    { numRuns: 2000 },
  )
})
