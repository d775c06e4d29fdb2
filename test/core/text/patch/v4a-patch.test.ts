import { describe, expect, test } from 'vitest'
import { commonIndent, indentOf } from '../../../../src/text/edit/match/blocks.js'
import { parseV4aPatch } from '../../../../src/text/patch/v4a-patch.js'
import { trackedFiles } from '../../../repository-files.js'
import { randomFrom } from '../../search/generated-trees.js'
import { applyToTree, patchText, readScenarios } from './scenarios.js'

describe('V4A patches', () => {
  test.each(readScenarios('v4a.json'))('$name', (scenario) => {
    const { before = {}, after, mismatch, malformed } = scenario
    if (malformed) {
      expect(() => parseV4aPatch(patchText(scenario))).toThrow(
        expect.objectContaining({ code: 'MALFORMED_PATCH', facts: malformed }),
      )
      return
    }
    const outcome = applyToTree(parseV4aPatch(patchText(scenario)), before)
    expect(outcome).toEqual(mismatch ? { mismatch } : { after })
  })

  test('everything that a patch can contain', () => {
    const text =
      '*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@ class A\n@@   def f\n keep\n-old\n+new\n*** End of File\n*** Delete File: c\n*** End Patch'
    expect(parseV4aPatch(text)).toEqual([
      {
        kind: 'rename',
        path: 'a',
        toPath: 'b',
        line: 2,
        hunks: [
          {
            line: 4,
            place: { by: 'context', anchors: ['class A', '  def f'], atEnd: true },
            lines: [
              { kind: 'context', text: 'keep' },
              { kind: 'remove', text: 'old' },
              { kind: 'add', text: 'new' },
            ],
          },
        ],
      },
      { kind: 'delete', path: 'c', line: 10 },
    ])
  })

  test('a hunk that lacks the indent of its block changes the file as the exact one does', () => {
    const random = randomFrom(3)
    const files = [...trackedFiles({ maxBytes: 60_000 })]
      .filter(({ path }) => /^(src|node|playground)\/.*\.ts$/.test(path))
      .map(({ bytes }) => bytes.toString())
      .filter((text) => text.split('\n').length > 20)
    let compared = 0
    for (let tries = 0; compared < 300 && tries < 20_000; tries += 1) {
      const lines = (files[random(files.length)] as string).split('\n')
      const at = random(lines.length - 8)
      const block = lines.slice(at, at + 3 + random(4))
      const indent = commonIndent(block)
      const isSure = block.every((line) => line.trim() !== '' && indentOf(line).length % 2 === 0)
      if (indent === '' || !isSure || !isOnce(lines, block)) continue
      compared += 1
      const changed = random(block.length)
      const sent = block.flatMap((line, index) => {
        const bare = line.slice(indent.length)
        return index === changed ? [`-${bare}`, `+${bare} // changed`, `+${indentOf(bare)}added()`] : [` ${bare}`]
      })
      const patch = ['*** Begin Patch', '*** Update File: a', '@@', ...sent, '*** End Patch', ''].join('\n')
      const expected = lines.flatMap((line, index) =>
        index === at + changed ? [`${line} // changed`, `${indentOf(line)}added()`] : [line],
      )
      expect(applyToTree(parseV4aPatch(patch), { a: lines.join('\n') }), patch).toEqual({
        after: { a: expected.join('\n') },
      })
    }
    expect(compared).toBe(300)
  })
})

/** Whether no other lines are the same but for white space. */
function isOnce(lines: readonly string[], block: readonly string[]): boolean {
  const trimmed = (texts: readonly string[]) => texts.map((text) => text.trim()).join('\n')
  return `\n${trimmed(lines)}\n`.split(`\n${trimmed(block)}\n`).length === 2
}
