/** The built command, with a home directory of its own. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requestOf } from '../../../node/init/command.js'
import { built } from '../cli/built.js'
import { type Finished, temporaryDirectory } from '../cli/run-cli.js'

const cli = built('node/cli.js')

async function polyfsInit(home: string, ...args: string[]): Promise<Finished> {
  const env = { PATH: process.env.PATH ?? '', HOME: home, USERPROFILE: home, APPDATA: join(home, 'AppData') }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, 'init', ...args], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

test('writes an entry that starts this server, and takes it out again', async () => {
  const home = await realpath(await temporaryDirectory())
  const file = join(home, '.cursor/mcp.json')
  await mkdir(join(home, '.cursor'))
  await writeFile(file, '// mine\n{}\n', { mode: 0o640 })
  const shown = await polyfsInit(home, '--dry-run')
  expect([shown.code, await readFile(file, 'utf8')]).toEqual([0, '// mine\n{}\n'])
  const added = await polyfsInit(home, 'cursor', '--yes', '--', '--read-only')
  expect([added.code, added.stderr]).toEqual([0, ''])
  const text = await readFile(file, 'utf8')
  expect(text.startsWith('// mine\n')).toBe(true)
  expect(JSON.parse(text.slice('// mine\n'.length))).toEqual({
    mcpServers: { files: { command: process.execPath, args: [cli, '--read-only', home] } },
  })
  expect(((await stat(file)).mode & 0o777) === 0o640 || process.platform === 'win32').toBe(true)
  expect(await readFile(`${file}.before-polyfs`, 'utf8')).toBe('// mine\n{}\n')
  expect((await polyfsInit(home, '--remove', '--yes')).code).toBe(0)
  expect(await readFile(file, 'utf8')).toBe('// mine\n{}\n')
  expect(existsSync(`${file}.before-polyfs`)).toBe(false)
})

test('writes through a link to the file, as collections of dotfiles have it', async (context) => {
  if (process.platform === 'win32') context.skip('links need rights on Windows')
  const home = await realpath(await temporaryDirectory())
  await mkdir(join(home, '.cursor'))
  await writeFile(join(home, 'dotfile'), '{}')
  await symlink('../dotfile', join(home, '.cursor/mcp.json'))
  await polyfsInit(home, 'cursor', '--yes')
  expect(JSON.parse(await readFile(join(home, 'dotfile'), 'utf8'))).toHaveProperty('mcpServers.files')
})

test('without a terminal nothing is changed unless --yes is given', async () => {
  const home = await temporaryDirectory()
  expect(await polyfsInit(home, 'cursor')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'polyfs: there is no terminal to ask on; add --yes to change, or --dry-run to only look (polyfs --help shows the options)\n',
  })
  expect(existsSync(join(home, '.cursor'))).toBe(false)
})

test.each([
  [['emacs'], /^no client is called emacs; there are claude-desktop, /],
  [['--name', 'a b'], /^--name takes letters/],
  [['--bogus'], /Unknown option '--bogus'/],
])('%j is a mistake', (argv, message) => {
  expect(() => requestOf(argv)).toThrow(message)
})

test('--help says how it is used', async () => {
  const { code, stdout } = await polyfsInit(await temporaryDirectory(), '--help')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Usage: polyfs init \[CLIENT\.\.\.\]/)
})
