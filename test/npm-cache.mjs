/** Packages that are too large for the project's own dependencies, in a cache outside the checkout. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')

/**
 * The directory of the cache that has what `fill` puts there. Whole or not at all: tests of several workers may come at once.
 *
 * @param {string} name
 * @param {(directory: string) => Promise<void>} fill
 */
export async function cached(name, fill) {
  const place = join(caches, name)
  if (existsSync(place)) return place
  await mkdir(join(place, '..'), { recursive: true })
  const making = await mkdtemp(join(place, '../making-'))
  try {
    await fill(making)
    await rename(making, place)
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    if (!existsSync(place)) throw error
  }
  return place
}

/**
 * Installs what the lock file of a folder names; another lock file gets another directory.
 *
 * @param {string} name
 * @param {string} folder
 */
export async function installedFrom(name, folder) {
  const lock = await readFile(join(folder, 'package-lock.json'))
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  return cached(`${name}/${version}`, async (directory) => {
    for (const file of ['package.json', 'package-lock.json']) await copyFile(join(folder, file), join(directory, file))
    // Not `ci`, which refuses a lock file that lacks a package for any platform, as some registries do.
    await npm(['install', '--ignore-scripts', '--omit=optional'], directory)
  })
}

/**
 * @param {readonly string[]} args
 * @param {string} directory
 */
export async function npm(args, directory) {
  const [command, ...rest] = [...args, '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', [command, ...rest], { cwd: directory, maxBuffer: 2 ** 26, shell: process.platform === 'win32' })
}
