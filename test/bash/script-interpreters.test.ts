import { afterAll, expect, test } from 'vitest'
import { bashOn } from '../../bash/standalone.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { built } from '../node/cli/built.js'

const bash = bashOn((given) => emulatedShell({ ...given, worker: built('node/emulated-worker.js') }), {
  fs: memory({ a: '1\n' }),
})
afterAll(() => bash.close())

test('a script can be run by a script, but not by itself', async () => {
  await bash.exec(
    `printf '#!/bin/bash\\necho "by $0 with $*"\\n' > /run; printf '#!/run -x\\n' > /s; printf '#!/loop\\n' > /loop; chmod +x /run /s /loop`,
  )
  expect(await bash.exec('/s 1 2')).toMatchObject({ stdout: 'by /run with -x /s 1 2\n', stderr: '', exitCode: 0 })
  expect(await bash.exec('/loop')).toMatchObject({
    stderr: 'bash: line 1: /loop: /loop: bad interpreter: Too many levels of symbolic links\n',
    exitCode: 126,
  })
})
