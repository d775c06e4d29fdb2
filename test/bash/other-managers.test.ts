/** Scripts and programs of a project, run by what agents type beside npm. */
import { afterAll, expect, test } from 'vitest'
import { bashOn } from '../../bash/standalone.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { built } from '../node/cli/built.js'

const bash = bashOn((given) => emulatedShell({ ...given, worker: built('node/emulated-worker.js') }), {
  fs: memory({
    '/app/package.json': JSON.stringify({
      name: 'shop',
      version: '1.0.0',
      scripts: { prebuild: 'echo first', build: 'echo build', test: 'exit 3', which: 'tool' },
    }),
    '/app/node_modules/tool/package.json': '{"name":"tool","version":"1.0.0","bin":"cli.sh"}',
  }),
  cwd: '/app',
})
afterAll(() => bash.close())

async function sh(script: string) {
  const { stdout, stderr, exitCode } = await bash.exec(script)
  return { stdout: stdout.replace(/Done in [\d.]+s/, 'Done in Ns'), stderr, exitCode }
}

const tool = `mkdir -p node_modules/.bin; printf '#!/bin/sh\\necho tool "$@"\\n' > node_modules/.bin/tool; chmod +x node_modules/.bin/tool;`

test.each([
  ['yarn build a', 'yarn run v1.22.22\n$ echo first\nfirst\n$ echo build a\nbuild a\nDone in Ns.\n', '', 0],
  ['yarn -s run build', 'first\nbuild\n', '', 0],
  [
    'yarn test',
    'yarn run v1.22.22\n$ exit 3\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n',
    'error Command failed with exit code 3.\n',
    3,
  ],
  [
    'pnpm run build',
    '\n> shop@1.0.0 prebuild /app\n> echo first\n\nfirst\n\n> shop@1.0.0 build /app\n> echo build\n\nbuild\n',
    '',
    0,
  ],
  ['pnpm test', '\n> shop@1.0.0 test /app\n> exit 3\n\n ELIFECYCLE  Test failed. See above for more details.\n', '', 3],
  ['bun run build', 'first\nbuild\n', '$ echo first\n$ echo build\n', 0],
  ['bun run test', '', '$ exit 3\nerror: script "test" exited with code 3\n', 3],
  [`${tool} pnpm exec tool x; pnpm tool y; bunx tool z; yarn -s which`, 'tool x\ntool y\ntool z\ntool\n', '', 0],
  ['bun run nope', '', 'error: Script not found "nope"\n', 1],
  ['yarn --version; pnpm -v; bun --version', '1.22.22\n9.15.9\n1.1.45\n', '', 0],
] as const)('%s', async (script, stdout, stderr, exitCode) => {
  expect(await sh(script)).toEqual({ stdout, stderr, exitCode })
})

test.each(['pnpm install', 'yarn', 'yarn add x', 'bun add x', 'bun test', 'bun x.ts', 'pnpm dlx x'])(
  '%s is refused by name',
  async (script) => {
    const { stderr, exitCode } = await sh(script)
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/not supported by this shell/)
  },
)

test('what is no program says what to do instead', async () => {
  expect((await sh('ssh host')).stderr).toContain('This shell has no network. Its host can add a program')
  expect((await sh('black .')).stderr).toContain('python3 -m black')
  expect((await sh('ssh')).exitCode).toBe(127)
})
