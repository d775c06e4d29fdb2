/** Where the optional package is not installed. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqlitePackage } from '../../../bash/programs/sqlite/package-version.js'
import { built } from '../../node/cli/built.js'

const program = `
import { memory } from './dist/index.js'
import { createBash } from './dist/node/bash.js'
const bash = createBash({ fs: memory() })
console.log(JSON.stringify(await bash.exec('sqlite3 :memory: "select 1"')), (await bash.exec('sqlite3 -version; echo still here')).stdout)
await bash.close()
`

test('sqlite3 names the command that installs it, and everything else goes on', { timeout: 120_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'polyfs-test-without-'))
  try {
    for (const part of ['index.js', 'chunks', 'node'])
      cpSync(built(part), join(directory, 'dist', part), { recursive: true })
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: directory,
      encoding: 'utf8',
    })
    expect(output).toContain('"exitCode":127')
    expect(output).toContain(
      `sqlite3: needs the optional package @sqlite.org/sqlite-wasm; install it with: npm install ${sqlitePackage}`,
    )
    expect(output).toContain('still here')
  } finally {
    rmSync(directory, { recursive: true })
  }
})
