import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { createBash } from '../../../web/bash.js'

/** A worker of a page has a small stack: what is too deep has to end as an error that a script can catch. */
test.each([
  'const f = () => f()',
  'const f = () => JSON.stringify({ toJSON: () => f() })',
  'const f = () => [1].map(() => f())',
  "const f = () => 'a'.replace(/a/, () => f())",
  'const f = () => [2, 1].sort(() => f())',
  'const f = () => new Proxy(() => f(), {})()',
  'const f = () => Reflect.construct(class { constructor() { f() } }, [])',
])('calls without an end are an error of the script: %s', async (code) => {
  const bash = createBash({ fs: memory() })
  const script = `${code}; try { f() } catch (error) { console.log(error.name, error.message) }`
  expect(await bash.exec(`node -e '${script.replaceAll("'", "'\\''")}'`)).toMatchObject({
    stdout: 'RangeError Maximum call stack size exceeded\n',
    stderr: '',
    exitCode: 0,
  })
  await bash.close()
})
