/** No program of the emulated shell does something else in silence when it is given an option that it does not have. */
import { afterAll, expect, test } from 'vitest'
import { shellPrograms } from '../../bash/programs/index.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { built } from '../node/cli/built.js'

/** For these any text is an argument, as in GNU's. */
const takesAnything = ['echo', 'expr', 'false', 'test', 'true', ':']
/** Programs that are builtins of the shell as well. */
const builtins = ['[', 'echo', 'kill', 'printf', 'pwd', 'test', 'true', 'false', ':', 'cd', 'read', 'type', 'ulimit']

const workspace = createWorkspace({
  fs: memory({ '/f': 'a\n', '/g': 'b\n' }),
  shell: emulatedShell({ worker: built('node/emulated-worker.js') }),
})
afterAll(() => workspace.shell?.close())

const names = [...new Set([...shellPrograms.keys(), ...builtins, 'git'])]

test.for(['--zz-no-such-option', '--zz-no-such-option f', '--zz-no-such-option f g', '-%% f'])(
  'every program refuses %s',
  async (args) => {
    const command = `for name in ${names.join(' ')}; do
      if [ -z "$( "$name" ${args} 2>&1 >/dev/null < /dev/null)" ]; then echo "$name says nothing"; fi
      "$name" ${args} > /dev/null 2>&1 < /dev/null && echo "$name succeeds"
    done; echo done`
    const request = { command, cwd: '/', timeoutMs: 240_000, maxStreamBytes: 1 << 20 }
    const ran = await workspace.shell?.exec(request)
    const lines = new TextDecoder().decode(ran?.stdout.bytes).trimEnd().split('\n')
    expect(lines.at(-1)).toBe('done')
    const silent = lines.slice(0, -1).filter((line) => !takesAnything.includes(line.split(' ')[0] ?? ''))
    expect(silent).toEqual([])
    expect(names.length).toBeGreaterThan(100)
  },
)
