import { afterAll, expect, test } from 'vitest'
import { bashOn } from '../../bash/standalone.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { built } from '../node/cli/built.js'

const bash = bashOn((given) => emulatedShell({ ...given, worker: built('node/emulated-worker.js') }), {
  fs: memory({ a: '1\n' }),
})
afterAll(() => bash.close())

test('a patch without a byte changes nothing, and one without a patch fails', async () => {
  expect(await bash.exec('patch -p1 < /dev/null; diff a a | patch a; echo $?')).toMatchObject({
    stdout: '0\n',
    stderr: '',
  })
  expect(await bash.exec('echo | patch a')).toMatchObject({
    stderr: 'patch: **** Only garbage was found in the patch input.\n',
    exitCode: 2,
  })
})
