/** Generated operations on files, in our Python and in the real one. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sample } from '../../scale.js'
import { pythonBash } from './bash.js'

const operationsEach = 60
const seeds = sample(Array.from({ length: 400 }, (_, index) => index + 1))
const script = fileURLToPath(new URL('./file-operations.py', import.meta.url))
const { sh, bash } = pythonBash()

function realPython(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'polyfs-test-python-')))
  try {
    const args = [script, `${operationsEach}`, ...seeds.map(String)]
    return execFileSync('python3', args, { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 28 })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** By seed. */
function results(output: string): string[][] {
  return output.split(/^(?=seed \d+$)/m).map((one) => one.split('\n'))
}

test(`${operationsEach} operations from each of ${seeds.length} seeds do what they do in the real Python`, {
  timeout: 300_000,
}, async ({ skip }) => {
  if (spawnSync('python3', ['--version']).status !== 0) skip('python3 is not installed')
  const theirs = results(realPython())
  await bash.exec('mkdir -p /work && cd /work && cat > ../operations.py', { stdin: await readFile(script, 'utf8') })
  const { stdout, stderr } = await sh(`python3 ../operations.py ${operationsEach} ${seeds.join(' ')}`, 240_000)
  expect(stderr).toBe('')
  const ours = results(stdout)
  const different = theirs.flatMap((lines, index) => {
    const at = lines.findIndex((line, number) => line !== ours[index]?.[number])
    return at === -1
      ? []
      : [{ seed: lines[0], before: lines.slice(Math.max(1, at - 3), at), theirs: lines[at], ours: ours[index]?.[at] }]
  })
  expect(different).toEqual([])
  expect(ours.length).toBe(theirs.length)
})
