/** What is suggested in place of a text that is not in the file: the lines that were meant, or nothing. On the files of this repository. */
import { expect, test } from 'vitest'
import { applyEdits } from '../../../src/text/edit/edit.js'
import { explainNoMatch } from '../../../src/text/edit/explain-no-match.js'
import { editDistance } from '../../../src/text/edit-distance.js'
import { trackedFiles } from '../../repository-files.js'
import { type Random, randomFrom } from '../search/generated-trees.js'

const lines = 500
const shortest = 12
const files = [...trackedFiles({ maxBytes: 60_000 })]
  .filter(({ path }) => /^(src|playground|bash|docs|node)\/.*\.(ts|md|css)$/.test(path))
  .map(({ bytes }) => bytes.toString())
  .filter((text) => text.split('\n').filter(isLong).length > 10)

test('a line of another file gets the advice to send a line only where that is nearly the same', () => {
  const random = randomFrom(1)
  const advised: string[] = []
  for (let count = 0; count < lines; ) {
    const [from, text] = [pick(random, files), pick(random, files)]
    const find = pick(random, from.split('\n').filter(isLong))
    if (text.includes(find.trim())) continue
    count += 1
    const { suggestion } = explainNoMatch(text, { find })
    if (suggestion === undefined) continue
    expect(text).toContain(suggestion)
    advised.push(`${find.trim()} → ${suggestion.trim()}`)
    expect(editDistance(find.trim(), suggestion.trim())).toBeLessThanOrEqual(
      Math.max(find.length, suggestion.length) / 5,
    )
  }
  // Lines of one form are found in many files: `import { h } from './dom.js'`.
  expect(advised.length, advised.join('\n')).toBeLessThanOrEqual(3)
})

test('a line with one to three wrong characters gets its own line, and sending that changes this line', () => {
  const random = randomFrom(2)
  const others: string[] = []
  for (let count = 0; count < lines; ) {
    const text = pick(random, files)
    const all = text.split('\n')
    const at = random(all.length)
    const own = all[at] ?? ''
    const find = mistyped(random, own)
    if (!isLong(own) || find.trim() === '' || text.includes(find.trim()) || text.split(own.trim()).length > 2) continue
    count += 1
    const { suggestion } = explainNoMatch(text, { find })
    if (suggestion?.trim() !== own.trim()) {
      others.push(`${find} → ${suggestion}`)
      continue
    }
    const edited = applyEdits(text, [{ kind: 'literal', find: suggestion, replace: 'REPLACED' }])
    all[at] = own.replace(suggestion, () => 'REPLACED')
    expect(edited).toMatchObject({ ended: 'applied', text: all.join('\n') })
  }
  expect(others.length, others.join('\n')).toBeLessThanOrEqual(lines / 50)
})

function isLong(line: string): boolean {
  return line.trim().length >= shortest
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item
}

/** One to three characters are other ones, added or left out. */
function mistyped(random: Random, line: string): string {
  let text = line
  for (let left = 1 + random(3); left > 0; left -= 1) {
    const at = random(text.length)
    const character = random(3) === 2 ? '' : ('abcdefghijklmnopqrstuvwxyz(){};.,_ 0123'[random(39)] as string)
    text = text.slice(0, at) + character + text.slice(at + random(2))
  }
  return text
}
