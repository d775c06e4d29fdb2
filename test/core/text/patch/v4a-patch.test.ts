import { describe, expect, test } from 'vitest'
import { parseV4aPatch } from '../../../../src/text/patch/v4a-patch.js'
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
})
