/** Merges of generated texts, compared with `git merge-file`. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { mergeBytes } from '../../../src/text/merge/merge-bytes.js'
import { versions } from '../../core/text/merge/generated-texts.js'
import { scaled } from '../../scale.js'
import { gitEnvironment } from './real-git.js'

test('merges and conflicts are those of git', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-merge-'))
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }))
  const cases = fc.sample(versions, scaled(2000))
  for (const [index, [base, ours, theirs]] of cases.entries()) {
    for (const [name, bytes] of Object.entries({ base, ours, theirs }))
      fs.writeFileSync(path.join(directory, `${index}.${name}`), bytes)
  }
  // One shell for all: starting programs takes longer than what they do.
  const script = `for at in $(seq 0 ${cases.length - 1}); do
    git merge-file -p -q $at.ours $at.base $at.theirs > $at.merged; echo $? > $at.conflicts
    git merge-file -p -q --theirs $at.ours $at.base $at.theirs > $at.favored
    git merge-file -p -q --union $at.ours $at.base $at.theirs > $at.both
  done`
  execFileSync('sh', ['-c', script], { cwd: directory, env: gitEnvironment })
  const read = (name: string) => fs.readFileSync(path.join(directory, name))
  let clean = 0
  let far = 0
  for (const [index, [base, ours, theirs]] of cases.entries()) {
    const isClean = String(read(`${index}.conflicts`)).trim() === '0'
    const merged = mergeBytes(base, ours, theirs)
    expect([index, merged?.overlaps.length === 0]).toEqual([index, isClean])
    if (isClean)
      expect(Buffer.from(merged?.bytes ?? []).toString('latin1')).toBe(read(`${index}.merged`).toString('latin1'))
    const favored = mergeBytes(base, ours, theirs, { favor: 'theirs' })
    expect(Buffer.from(favored?.bytes ?? []).toString('latin1')).toBe(read(`${index}.favored`).toString('latin1'))
    // Between conflicts that are near each other git repeats the lines that both sides have.
    const isNear = merged?.overlaps.some(({ ours: { start } }, at, all) => start - (all[at - 1]?.ours.end ?? -9) <= 3)
    const both = mergeBytes(base, ours, theirs, { favor: 'both' })
    if (!isNear)
      expect(Buffer.from(both?.bytes ?? []).toString('latin1')).toBe(read(`${index}.both`).toString('latin1'))
    far += isClean || isNear ? 0 : 1
    clean += isClean ? 1 : 0
  }
  // Both kinds occur.
  expect(Math.min(clean, cases.length - clean, far)).toBeGreaterThan(cases.length / 10)
})
