import { structuredPatch } from 'diff'
import { describe, expect, test } from 'vitest'
import { diffLines } from '../../../../src/text/diff/diff-lines.js'
import { singleHunkDiff, unifiedDiff } from '../../../../src/text/diff/unified-diff.js'
import { timed } from '../../processor-time.js'

describe('diffLines', () => {
  test('equal texts have no changes', () => {
    expect(diffLines('a\nb', 'a\nb', { context: 3 })).toEqual({ skipped: 0, oldLines: [], newLines: [], changes: [] })
  })

  test('only the lines around the changes are held', () => {
    expect(diffLines('1\n2\n3\n4\n5\n6\n', '1\n2\n3\nfour\n5\n6\n', { context: 1 })).toEqual({
      skipped: 2,
      oldLines: ['3\n', '4\n', '5\n'],
      newLines: ['3\n', 'four\n', '5\n'],
      changes: [{ oldStart: 1, oldEnd: 2, newStart: 1, newEnd: 2 }],
    })
  })

  test('a change of line ending, or of the final newline, is a change of the line', () => {
    expect(diffLines('a\nb\n', 'a\r\nb').changes).toEqual([{ oldStart: 0, oldEnd: 2, newStart: 0, newEnd: 2 }])
  })

  test('a line that is the end of the other is still another line', () => {
    const { oldLines, newLines } = diffLines('x\nfoo\nz\n', 'x\nmore foo\nz\n')
    expect({ oldLines, newLines }).toEqual({ oldLines: ['foo\n'], newLines: ['more foo\n'] })
  })

  test.each([
    ['nothing', '', 'a\nb\n'],
    ['one LF', '\n', '\n\n'],
    ['a first line', 'b\n', 'a\nb\n'],
    ['a last line', 'a\n', 'a\nb'],
    ['the same line again', 'a\na\na\n', 'a\na\na\na\n'],
  ])('from %s: what is kept and what is added make up the new text', (_, before, after) => {
    for (const [from, to] of [
      [before, after],
      [after, before],
    ] as const)
      expect(replay(from, to)).toBe(to)
  })

  test('ordinary edits give the hunks of the diff package', () => {
    const random = seededRandom(7)
    for (let round = 0; round < 60; round += 1) {
      const lines = sourceLines(20 + random(400))
      const before = `${lines.join('\n')}\n`
      const after = `${edited(lines, 1 + random(12), random).join('\n')}\n`
      const hunks = structuredPatch('x', 'x', before, after, '', '', { context: 3 }).hunks
      expect(unifiedDiff({ path: 'x', before, after })).toBe(asGit('x', hunks))
    }
  })

  test('no more lines than the diff package where lines repeat', () => {
    const random = seededRandom(11)
    for (let round = 0; round < 60; round += 1) {
      const letters = (count: number) => Array.from({ length: count }, () => `${'abc'[random(3)]}\n`).join('')
      const [before, after] = [letters(random(40)), letters(random(40))]
      const theirs = structuredPatch('x', 'x', before, after, '', '', { context: 3 }).hunks.flatMap(
        ({ lines }) => lines,
      )
      expect(changedLines(before, after)).toBeLessThanOrEqual(theirs.filter((line) => /^[-+]/.test(line)).length)
      expect(replay(before, after)).toBe(after)
    }
  })

  test('a rewrite that is too large to be solved exactly still leads to the new text, quickly', () => {
    const random = seededRandom(3)
    const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at % 4_000}\n`)
    const shuffled = [...lines]
    for (let at = shuffled.length - 1; at > 0; at -= 1) {
      const other = random(at + 1)
      ;[shuffled[at], shuffled[other]] = [shuffled[other] as string, shuffled[at] as string]
    }
    const { result, ms } = timed(5_000, () => replay(lines.join(''), shuffled.join('')))
    expect(result).toBe(shuffled.join(''))
    // It takes tens of milliseconds; the bound only excludes minutes.
    expect(ms).toBeLessThan(5_000)
  })
})

describe('printing', () => {
  test('one hunk from the first to the last change, always with counts', () => {
    const before = Array.from({ length: 20 }, (_, at) => `${at + 1}\n`).join('')
    expect(singleHunkDiff('/dir/a.txt', 'one\ntwo\nthree\n', 'one\n2\nthree\n')).toBe(
      '--- /dir/a.txt\n+++ /dir/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    )
    expect(singleHunkDiff('a', before, before.replace('5\n', 'five\n').replace('14\n', ''), { context: 1 })).toBe(
      '--- a\n+++ a\n@@ -4,12 +4,11 @@\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n 11\n 12\n 13\n-14\n 15\n',
    )
    expect(singleHunkDiff('a', '', 'x')).toBe('--- a\n+++ a\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n')
    expect(singleHunkDiff('a', 'x\n', '')).toBe('--- a\n+++ a\n@@ -1,1 +0,0 @@\n-x\n')
    expect(singleHunkDiff('a', 'x\n', 'x\n')).toBe('')
  })

  test('nothing is printed when nothing changes', () => {
    expect(unifiedDiff({ path: 'a', before: 'x', after: 'x', modeBefore: 0o644, modeAfter: 0o600 })).toBe('')
  })
})

/** The new text, made of the old and what the diff adds. */
function replay(before: string, after: string): string {
  const { skipped, oldLines, newLines, changes } = diffLines(before, after, { context: 2 })
  if (changes.length === 0) return before
  const all = before.split(/(?<=\n)/)
  const rebuilt: string[] = []
  let at = 0
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    rebuilt.push(...oldLines.slice(at, oldStart), ...newLines.slice(newStart, newEnd))
    at = oldEnd
  }
  rebuilt.push(...oldLines.slice(at))
  return [...all.slice(0, skipped), ...rebuilt, ...all.slice(skipped + oldLines.length)].join('')
}

function changedLines(before: string, after: string): number {
  return diffLines(before, after).changes.reduce(
    (sum, { oldStart, oldEnd, newStart, newEnd }) => sum + oldEnd - oldStart + newEnd - newStart,
    0,
  )
}

interface PackageHunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: readonly string[]
}

function asGit(path: string, hunks: readonly PackageHunk[]): string {
  if (hunks.length === 0) return ''
  const range = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`)
  const bodies = hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.map((line) => `${line}\n`).join('')}`,
  )
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${bodies.join('')}`
}

function sourceLines(count: number): string[] {
  return Array.from({ length: count }, (_, at) =>
    at % 9 === 4 ? '' : at % 9 === 8 ? '}' : `  const value${at} = ${at * 7}`,
  )
}

function edited(lines: readonly string[], edits: number, random: (below: number) => number): string[] {
  const result = [...lines]
  for (let edit = 0; edit < edits; edit += 1) {
    const at = random(result.length)
    const what = random(3)
    if (what === 0) result[at] = `  changed ${edit}`
    else if (what === 1) result.splice(at, 0, `  added ${edit}`, `  and more ${edit}`)
    else result.splice(at, 1 + random(3))
  }
  return result
}

function seededRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}
