import { expect, test } from 'vitest'
import type { Root } from '../../../src/fs/confine.js'
import { memory } from '../../../src/fs/memory.js'
import { patch } from '../../../src/programs/patch.js'

test.each(['-R', '--reverse'])('patch %s is refused, and the patch not applied', async (flag) => {
  const fs = memory({ '/a.txt': 'one\n' })
  const stdin = new TextEncoder().encode('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n')
  const roots: [Root] = [{ path: '/', access: 'read-write' }]
  expect(await patch({ fs, roots, cwd: '/', env: {}, stdin, args: [flag, '-p1'] })).toEqual({
    stdout: '',
    stderr: 'patch: -R is not supported.\n',
    exitCode: 2,
  })
  expect(new TextDecoder().decode(await fs.readFile('/a.txt'))).toBe('one\n')
})
