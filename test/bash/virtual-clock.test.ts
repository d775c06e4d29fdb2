/** Commands in a workspace with a clock of its own: nothing waits in real time, and every run is the same. */
import { afterAll, describe, expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import type { ExecRequest } from '../../src/shell/types.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { built } from '../node/cli/built.js'

const startMs = Date.UTC(2026, 0, 1)
const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
const opened = workspace()

afterAll(() => opened.shell?.close())

function workspace() {
  const now = () => startMs
  let seed = 1
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const files = { 'a.txt': 'one\ntwo\n', 'd/b.txt': 'x'.repeat(300_000) }
  return createWorkspace({ fs: memory(files, { now }), now, random, shell })
}

async function run(command: string, given: Partial<ExecRequest> = {}, place = opened) {
  const request = { command, cwd: '/', timeoutMs: 100_000, maxStreamBytes: 1_000_000, mergeStreams: true, ...given }
  const ran = await place.shell?.exec(request)
  if (ran === undefined) throw new Error('no shell')
  return { ...ran, text: new TextDecoder().decode(ran.stdout.bytes), seconds: ((ran.clockMs ?? NaN) - startMs) / 1000 }
}

describe('time passes only in sleep', () => {
  test.each([
    ['sleep 5; date +%T', '00:00:05\n', 5],
    ['sleep 1m 2.5; date +%T', '00:01:02\n', 62.5],
    ['(sleep 3; echo c) & (sleep 1; echo a) & (sleep 2; echo b) & wait; date +%T', 'a\nb\nc\n00:00:03\n', 3],
    ['for i in 3 1 2; do { sleep 2; echo $i; } & done; wait', '3\n1\n2\n', 2],
    ['timeout 5 sleep 100; echo $?; date +%T', '124\n00:00:05\n', 5],
    ['timeout 100 sleep 5; echo $?; date +%T', '0\n00:00:05\n', 5],
    ['sleep 10 | { read -t 3 x; echo $?; date +%T; }; date +%T', '142\n00:00:03\n00:00:10\n', 10],
    ['{ sleep 2; echo in; } | { read -t 3 x; echo $x $?; date +%T; }', 'in 0\n00:00:02\n', 2],
    ['sleep 100 & kill $!; wait; date +%T', '00:00:00\n', 0],
    ['SECONDS=0; sleep 7; echo $SECONDS', '7\n', 7],
    ['time -p sleep 3', 'real 3.00\nuser 3.00\nsys 0.00\n', 3],
    ["node -e 'setTimeout(() => console.log(2), 4000); setTimeout(() => console.log(1), 1000)'", '1\n2\n', 4],
    ['printf a | xargs -P 4 -I{} sh -c "sleep 2; echo {}"; date +%T', 'a\n00:00:02\n', 2],
  ])('%s', async (command, text, seconds) => {
    const before = performance.now()
    const ran = await run(command)
    expect(ran).toMatchObject({ ended: 'exit', text })
    expect(ran.seconds).toBeGreaterThanOrEqual(seconds)
    expect(ran.seconds).toBeLessThan(seconds + 0.1)
    // Far less than the shortest of them would take.
    if (seconds > 4) expect(performance.now() - before).toBeLessThan(seconds * 1000)
  })

  test('files get the times at which they were written', async () => {
    const { text } = await run('echo > one; sleep 2; echo > two; sleep 60; date -r one +%T; date -r two +%T; ls -t')
    expect(text).toBe('00:00:00\n00:00:02\ntwo\none\na.txt\nd\n')
    expect((await opened.fs.stat('/two')).modifiedMs).toBeGreaterThanOrEqual(startMs + 2000)
    await run('rm one two')
  })

  test('git commits at the time of the command', async () => {
    const place = workspace()
    const setup = 'git init -q . && git config user.name A && git config user.email a@b && git add -A'
    const { text } = await run(`${setup}; sleep 90; git commit -qm x; git log --format=%aI`, {}, place)
    expect(text).toBe('2026-01-01T00:01:30+00:00\n')
  })
})

describe('a loop that waits for a time ends', () => {
  test.each([
    'end=$(($(date +%s) + 2)); while [ $(date +%s) -lt $end ]; do :; done; date +%T',
    'SECONDS=0; until [ $SECONDS -ge 2 ]; do :; done; date +%T',
    'while [ $EPOCHSECONDS -lt 1767225602 ]; do :; done; date +%T',
    'node -e \'const end = Date.now() + 2000; while (Date.now() < end); console.log("00:00:02")\'',
    'timeout 2 bash -c "while :; do :; done"; date +%T',
    "timeout 2 awk 'BEGIN { while (1) x++ }'; date +%T",
  ])('%s', async (command) => {
    expect(await run(command)).toMatchObject({ ended: 'exit', text: '00:00:02\n' })
  })
})

describe('a limit', () => {
  test.each(['sleep 600', 'sleep infinity', 'sleep 600 & wait', 'sleep 600 | cat', 'while :; do sleep 1; done'])(
    'of time is that of the clock of the command: %s',
    async (command) => {
      const before = performance.now()
      const ran = await run(command, { timeoutMs: 50_000 })
      expect(ran).toMatchObject({ ended: 'timeout', seconds: 50 })
      expect(ran.byWallClock).toBe(undefined)
      expect(performance.now() - before).toBeLessThan(30_000)
    },
  )

  test('of statements ends at the same statement each time', async () => {
    const command = 'i=0; while :; do i=$((i + 1)); echo $i; done'
    const first = await run(command, { maxStatements: 500 })
    expect(first.ended).toBe('statement-limit')
    expect(first.text.split('\n').length).toBeGreaterThan(100)
    expect(await run(command, { maxStatements: 500 })).toMatchObject({ ended: 'statement-limit', text: first.text })
  })

  test('of statements counts functions, loops, subshells and pipelines, and not what programs do', async () => {
    const counted = [
      'f() { f; }; f',
      'for ((;;)); do :; done',
      'yes | while read x; do :; done',
      'eval "$(yes : | head -200)"',
    ]
    for (const command of counted) expect((await run(command, { maxStatements: 100 })).ended).toBe('statement-limit')
    const free = [
      'seq 100000 | wc -l',
      "awk 'BEGIN { for (i = 0; i < 10000; i++) x++; print x }'",
      'sort d/b.txt | wc -c',
    ]
    for (const command of free) expect((await run(command, { maxStatements: 10 })).ended).toBe('exit')
  })

  test('of statements ends what runs in the background too', async () => {
    const ran = await run('while :; do :; done & sleep 5', { maxStatements: 300 })
    expect(ran.ended).toBe('statement-limit')
  })
})

describe('what runs beside each other goes on in the same order', () => {
  test.each([
    'for i in 1 2 3 4 5; do (for j in $(seq 700); do :; done; echo $i; cat a.txt; echo $i) & done; wait',
    'for i in 1 2 3 4; do { cat a.txt; wc -c < d/b.txt; echo $i; } & done; wait',
    'seq 50 | xargs -P 8 -I{} sh -c "cat a.txt | tail -1; echo {}"',
    '(while :; do echo a; sleep 0.3; done) & p=$!; (while :; do echo b; sleep 0.2; done) & q=$!; sleep 3; kill $p $q',
    'for i in 1 2 3; do { git --version; echo $i; gzip -c d/b.txt | zcat | wc -c; } & done; ls; wait',
    'cat a.txt | git hash-object --stdin & cat d/b.txt | git hash-object --stdin & find . -type f | sort; wait',
    'for i in 1 2 3; do { echo $i >> log; sleep 0.$i; cat log; } & done; wait; rm log',
    "for i in 1 2; do { node -e 'console.log(Math.random(), Date.now())'; echo $RANDOM; } & done; wait",
    'zip -q x.zip a.txt d/b.txt & tar czf y.tgz a.txt & wait; md5sum x.zip y.tgz; unzip -l x.zip; rm x.zip y.tgz',
  ])('%s', async (command) => {
    // Each in a workspace of its own, and so in warm and cold workers.
    const texts = await Promise.all([1, 2, 3].map(async () => (await run(command, {}, workspace())).text))
    expect(texts[0]).not.toBe('')
    expect(new Set(texts).size).toBe(1)
    const again = await run(command, {}, workspace())
    expect(again.text).toBe(texts[0])
  })
})
