import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { createBash } from '../../../web/bash.js'

test('python3 says why it is missing', async () => {
  const bash = createBash({ fs: memory() })
  expect(await bash.exec('python3 -c 1')).toMatchObject({
    exitCode: 127,
    stderr: 'python3: Python runs in Node only, not in a page\n',
  })
  await bash.close()
})
