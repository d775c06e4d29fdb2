/** Compiled code is stored only where nobody else can write. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keepCompiledCode } from '../../../node/cli/compiled-code.js'
import { temporaryDirectory } from './run-cli.js'

/** The directories that Node was set to use. */
function placesFor(home: string): string[] {
  const places: string[] = []
  keepCompiledCode({ env: { POLYFS_STATE_DIR: home }, enable: (directory) => places.push(directory) })
  return places
}

test('beside the journals, in a directory of its own', async () => {
  const home = fs.realpathSync(await temporaryDirectory())
  fs.chmodSync(home, 0o700)
  expect(placesFor(home)).toEqual([join(home, 'compiled')])
  expect(fs.statSync(join(home, 'compiled')).mode & 0o777).toBe(0o700)
  expect(placesFor(home)).toEqual([join(home, 'compiled')])
})

test('not where nothing was ever stored, which stays so', async () => {
  const home = join(await temporaryDirectory(), 'state')
  expect(placesFor(home)).toEqual([])
  expect(fs.existsSync(home)).toBe(false)
})

test.skipIf(process.platform === 'win32')('not where others may write, nor behind a link of others', async () => {
  const home = fs.realpathSync(await temporaryDirectory())
  fs.chmodSync(home, 0o777)
  expect(placesFor(home)).toEqual([])
  fs.chmodSync(home, 0o700)
  fs.symlinkSync(await temporaryDirectory(), join(home, 'compiled'))
  expect(placesFor(home)).toEqual([])
  fs.rmSync(join(home, 'compiled'))
  fs.mkdirSync(join(home, 'compiled'))
  fs.chmodSync(join(home, 'compiled'), 0o777)
  expect(placesFor(home)).toEqual([])
})

test('a failure of Node is not a failure of the command', async () => {
  const home = fs.realpathSync(await temporaryDirectory())
  const enable = () => {
    throw new Error('no')
  }
  expect(() => keepCompiledCode({ env: { POLYFS_STATE_DIR: home }, enable })).not.toThrow()
})
