/** The programs that print digests, compared with those of OpenSSL. */
import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

test('a file, a pipe and a list of sums', async () => {
  const content = 'some text\n'.repeat(20_000)
  const workspace = createWorkspace({
    fs: memory({ '/a.txt': content }),
    shell: emulatedShell({ worker: built('node/emulated-worker.js') }),
  })
  onTestFinished(async () => workspace.shell?.close())
  for (const name of ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']) {
    const sum = createHash(name).update(content).digest('hex')
    const script = `${name}sum a.txt; cat a.txt | ${name}sum; ${name}sum a.txt > sums; ${name}sum -c sums`
    const { stdout, stderr } = await run(workspace, script)
    expect({ name, stdout, stderr }).toEqual({ name, stdout: `${sum}  a.txt\n${sum}  -\na.txt: OK\n`, stderr: '' })
  }
})
