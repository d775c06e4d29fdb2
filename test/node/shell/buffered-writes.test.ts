/** What a script has written is seen by everything that looks for it, under whatever name: compared with bash. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace.js'
import { run } from '../../emulated-shell.js'
import { scaled } from '../../scale.js'
import { built } from '../cli/built.js'

/** `l`, `d/m` and `d/a` behind `k` are links, or behind one. */
const start = 'mkdir d; echo 1 > a; echo 2 > b; echo 3 > d/a; ln -s a l; ln -s d k; ln -s ../b d/m; ln -s ../l d/n'
const name = fc.constantFrom('a', 'b', 'l', 'd/a', 'k/a', 'd/m', 'k/m', 'k/n', 'd/n', 'c')
const word = fc.constantFrom('x', 'yy', '$(wc -c < a)', '$(cat l)')

const statement = fc.oneof(
  fc.tuple(word, name).map(([text, file]) => `echo ${text} >> ${file}`),
  fc.tuple(word, name).map(([text, file]) => `printf %s ${text} > ${file}`),
  fc.tuple(name, name).map(([from, to]) => `[ ${from} -ef ${to} ] || cat ${from} >> ${to}`),
  name.map((file) => `cat ${file}`),
  name.map((file) => `wc -c < ${file}`),
  name.map((file) => `stat -L -c %s ${file}`),
  name.map((file) => `mapfile -t -n 5 lines < ${file}; for line in "\${lines[@]}"; do echo "$line." >> c; done`),
  fc.tuple(name, name).map(([one, other]) => `{ echo from; cat ${one}; wc -c < ${other}; } >> b; tail -n 1 d/m`),
  fc.tuple(name, name).map(([from, to]) => `[ ${from} -ef ${to} ] || mv -f ${from} ${to}`),
  name.map((file) => `rm -f ${file}; ls d`),
  fc.constant('ls -A . d k/'),
)

test('scripts that write and read the same files print what bash prints', async () => {
  const shell = emulatedShell({ workerFile: built('node/emulated-worker.js') })
  const workspace = createWorkspace({ fs: memory(), shell })
  onTestFinished(async () => workspace.shell?.close())
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-writes-'))
  onTestFinished(() => fs.rmSync(directory, { recursive: true }))
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { minLength: 3, maxLength: 14 }), async (statements) => {
      const script = `{ ${[start, ...statements].join('\n')}\n} 2>/dev/null; cat a b d/a c 2>/dev/null; true`
      count += 1
      const ours = await run(workspace, `mkdir ${count}; cd ${count}; ${script}`)
      const cwd = path.join(directory, `${count}`)
      fs.mkdirSync(cwd)
      const theirs = execFileSync('bash', ['--norc', '-c', script], {
        cwd,
        encoding: 'utf8',
        input: '',
        timeout: 20_000,
      })
      expect(ours.stdout).toBe(theirs)
    }),
    { numRuns: scaled(300), seed: 20_261_118 },
  )
})
