/** Programs of the emulated shell on megabytes of real text, compared with the GNU programs: what they do in blocks has other edges than small files. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { run } from '../../emulated-shell.js'
import { built } from '../../node/cli/built.js'
import { trackedFiles } from '../../repository-files.js'
import { sample } from '../../scale.js'
import { whyNoBash } from './twin.js'

/** Source and prose, some 4 MB. */
const all = Buffer.concat(
  [...trackedFiles({ maxBytes: 256 * 1024 })]
    .filter(({ path: name }) => /^(src\/|docs\/|test\/core\/).*\.(ts|md)$/.test(name))
    .map(({ bytes }) => bytes),
)

/** How patterns are found: a text, one of several, classes, no known byte at all, lines that are counted, the other lines, with no regard to case. */
const patterns = ['import', 'import|export', '[a-z]+Ms\\b', '^.{3,9}$', '(a|b)*c$', 'ü|é|→', '(.)\\1\\1']
const commands = [
  ...patterns.flatMap((pattern) => [
    `grep -nE '${pattern}' all`,
    `grep -cviE '${pattern}' all`,
    `grep -obE '${pattern}' all`,
    `sed -E 's/${pattern.replaceAll('/', '\\/')}/<&>/2' all`,
    `awk '/${pattern.replaceAll('/', '\\/').replace('(.)\\1\\1', 'aaa')}/ { n += length($0) } END { print n, NR }' all`,
  ]),
  'sort all',
  'sort -u all',
  'sort -k2,2 -k1nr all',
  'sort -f all | uniq -ci',
  'cut -c3-20 all',
  "cut -d' ' -f2,4- all",
  "tr -cs 'a-zA-Z' '\\n' < all | sort | uniq -c | sort -k1nr -k2 | head -n 50",
  'wc all',
  'wc -mL all',
  'tac all',
  'rev all',
  'nl -ba all | tail -n 1000',
  'fold -w 40 all',
  'fold -s -w 33 all',
  'expand all | unexpand -a',
  'head -c 1000003 all | tail -c 99991',
  'split -b 700001 all part; cat part*; ls part*',
  'base64 all | base64 -d',
  'od -An -tx1 -j 1000 -N 200000 all',
  'paste -d, all all | head -n 5000',
  'comm -12 <(sort -u all) <(grep import all | sort -u)',
  'gzip -c all | gunzip',
  'diff all <(sed 50~501d all)',
  'while read -r line; do echo "$line"; done < <(head -n 3000 all)',
]

const workspace = createWorkspace({
  fs: memory({ all: all.toString('utf8') }),
  shell: emulatedShell({ worker: built('node/emulated-worker.js') }),
})
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-real-'))
fs.writeFileSync(path.join(directory, 'all'), all)
afterAll(async () => {
  await workspace.shell?.close()
  fs.rmSync(directory, { recursive: true })
})

test.for(sample(commands, { every: 6 }))('%s', async (command, { skip }) => {
  const reason = whyNoBash()
  if (reason !== undefined) skip(reason)
  expect(all.length).toBeGreaterThan(3_000_000)
  const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', HOME: '/nowhere' }
  const { stdout, status } = spawnSync('bash', ['-c', command], { cwd: directory, env, maxBuffer: 1 << 28 })
  const ours = await run(workspace, command, { timeoutMs: 240_000, maxStreamBytes: 1 << 27 })
  expect({ status: ours.exitCode, ...shape(ours.stdout) }).toEqual({ status, ...shape(stdout.toString()) })
})

/** A difference is reported by its place, not by megabytes. */
function shape(output: string) {
  const hash = createHash('sha256').update(output).digest('hex')
  return { length: output.length, start: output.slice(0, 60), hash }
}
