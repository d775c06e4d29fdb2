import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { tokenFrom } from '../../../node/serve/token.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const token = 'a-token-of-some-length'

test('a missing token file is created, readable only by its owner', async () => {
  const file = path.join(await temporaryDirectory(), 'token')
  const made = tokenFrom(file, {})
  expect(made).toMatch(/^[\w-]{43}$/)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(tokenFrom(file, {})).toBe(made)
})

test.each([0o644, 0o640, 0o604, 0o660, 0o602])(
  'a token file with mode %o is refused, with what to do',
  async (mode) => {
    const file = path.join(await temporaryDirectory(), 'token')
    fs.writeFileSync(file, token)
    fs.chmodSync(file, mode)
    expect(() => tokenFrom(file, {})).toThrow(
      `other users can read the token in ${file}; run chmod 600 ${file}, and create a new token if they may have read it`,
    )
    fs.chmodSync(file, 0o600)
    expect(tokenFrom(file, {})).toBe(token)
  },
)

test('a token file of another user is refused: who made it knows the token', async ({ skip }) => {
  if (process.geteuid?.() !== 0) skip('only root can give a file away')
  const file = path.join(await temporaryDirectory(), 'token')
  fs.writeFileSync(file, token, { mode: 0o600 })
  fs.chownSync(file, 65_534, 65_534)
  const message = `${file} belongs to another user, who knows the token in it; name a file of your own`
  expect(() => tokenFrom(file, {})).toThrow(message)
  fs.rmSync(file)
  execFileSync('mkfifo', ['-m', '600', file])
  fs.chownSync(file, 65_534, 65_534)
  expect(() => tokenFrom(file, {})).toThrow(message)
})
