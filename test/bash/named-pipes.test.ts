/** FIFOs: between the programs of a script they are what they are in bash, and nothing of them is left where they can't be stored. */
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'
import { scaled } from '../scale.js'
import { sameAsBash } from './same-as-bash.js'

const stage = fc.constantFrom(
  'cat',
  'sort -r',
  'tac',
  'rev',
  "sed 's/1/one/'",
  "awk '{ print NR, $0 }'",
  'tail -n 30',
  'wc -l',
  'head -n 3',
)

/** Stages that are connected by FIFOs, and started in any order. */
const connected = fc.array(stage, { minLength: 1, maxLength: 4 }).chain((stages) => {
  const last = stages.length
  const parts = [`seq 1 40 > p0`, ...stages.map((program, index) => `${program} < p${index} > p${index + 1}`)]
  const names = parts.map((_, index) => `p${index}`).join(' ')
  return fc
    .shuffledSubarray(parts, { minLength: parts.length })
    .map((order) => `mkfifo ${names}; ${order.join(' & ')} & cat p${last}; wait; rm ${names}; ls`)
})

const shown = fc
  .shuffledSubarray(
    [
      'ls -F',
      'ls -l p | cut -c1-10',
      "stat -c '%F %A %a %s %f' p",
      "find . -printf '%y %Y %f\\n' | sort",
      'find . -type p',
      'find -L . -xtype p | sort',
      'file p',
      '[ -p p ] && echo pipe; [ -f p ] || echo none; [[ -p l ]] && echo link; test -s p || echo empty',
      'mkfifo p 2>/dev/null; echo $?',
      'chmod 640 p; ls -l p | cut -c1-10',
      'mv p q; ls -F; mv q p',
      'cp -r p q; [ -p q ] && rm q',
      'mkdir d; mv p d; ls -F d; mv d e; ls -F e; mv e/p .; rmdir e',
      'echo text > l & cat p; wait',
      'for i in 3 1 2; do echo $i > p & done; sleep 0.1; exec 4< p; wait; sort <&4; exec 4<&-',
      'exec 3<> p; echo one >&3; read -r line <&3; echo $line; exec 3>&-',
      'seq 200000 > p & head -n 2 < p; wait $!; echo $?',
      'grep -r x . ; echo $?',
      '(echo a; echo b) > p & while read -r line; do echo got $line; done < p; wait',
    ],
    { minLength: 3, maxLength: 8 },
  )
  .map((parts) => `mkfifo -m 600 p; ln -s p l; ${parts.join('; ')}; rm p l; ls`)

test(
  'programs that are connected by FIFOs print what they print in bash',
  () => sameAsBash(connected, scaled(150)),
  60_000,
)

test('a FIFO looks and behaves as in bash', () => sameAsBash(shown, scaled(150)), 60_000)

function workspaceWithShell() {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const workspace = createWorkspace({ fs: memory({ 'work/a.txt': 'a' }), shell })
  onTestFinished(async () => workspace.shell?.close())
  return workspace
}

test('a FIFO of the project is removed at the end of its command, which says so', async () => {
  const workspace = workspaceWithShell()
  const { stderr } = await run(workspace, 'cd work; mkfifo p; mkdir d; mv p d/q; echo x > d/q & cat d/q')
  expect(stderr).toContain(
    '/work/d/q: this FIFO is removed with the end of the command: only scratch space keeps FIFOs',
  )
  expect(await workspace.fs.readDir('/work/d')).toEqual([])
})

test('a FIFO in scratch space is there for the next command', async () => {
  const workspace = workspaceWithShell()
  await run(workspace, 'mkfifo /tmp/p')
  const { stdout } = await run(workspace, 'ls -l /tmp/p | cut -c1-10; echo x > /tmp/p & cat /tmp/p; rm /tmp/p')
  expect(stdout).toBe('prw-r--r--\nx\n')
  expect((await run(workspace, 'touch /tmp/p; [ -f /tmp/p ] && echo file')).stdout).toBe('file\n')
})

test('a command that waits for a FIFO that nobody opens ends at its deadline, and says why', async () => {
  const workspace = workspaceWithShell()
  const result = await workspace.shell?.exec({
    command: 'mkfifo p; cat p',
    cwd: '/work',
    timeoutMs: 500,
    maxStreamBytes: 1e5,
  })
  expect(result?.ended).toBe('timeout')
  expect(new TextDecoder().decode(result?.stderr.bytes)).toContain('/work/p: the other end of this FIFO was not opened')
})
