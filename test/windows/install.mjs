/**
 * Wine and Node for Windows, in a cache outside the checkout. Wine is that of one release of Debian on every machine, so that the same
 * cases pass: it is unpacked with the libraries it needs, which bubblewrap puts in place of the machine's for it alone. That of Debian 12 can't run
 * programs for ARM.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cached } from '../npm-cache.mjs'
import { packagedProgram } from '../runtimes/install.mjs'

const run = promisify(execFile)

const release = 'trixie'
/** With the locale that has UTF-8, as names are read by it. */
const packages = ['wine64', 'libwine', 'libc6', 'libc-bin', 'libgcc-s1']

/** Reasons why this machine can't run programs for Windows; none when it can. */
export function whyNoWindows() {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch))
    return 'wine runs on Linux on x64 and arm64'
  if (!existsSync('/usr/bin/apt-get')) return 'wine is taken from the packages of Debian, and apt-get was not found'
  if (!existsSync('/usr/bin/bwrap')) return 'bubblewrap was not found: install it (apt-get install bubblewrap)'
  return undefined
}

/** The path of `node.exe`, for this processor. */
export function nodeForWindows() {
  const name = `node-win-${process.arch}`
  // npm refuses a package for another system unless it is forced.
  return packagedProgram(`${name}@20`, `${name}/bin/node.exe`, ['--os=win32', `--cpu=${process.arch}`, '--force'])
}

/** The directory that is `/usr` for wine. */
export async function wineLibraries() {
  const tree = await cached(`polyfs-test-wine/${release}`, async (directory) => {
    const downloads = join(directory, 'downloads')
    await download(downloads)
    for (const name of await readdir(downloads)) {
      if (name.endsWith('.deb')) await run('dpkg-deb', ['--extract', join(downloads, name), directory])
    }
    await rm(downloads, { recursive: true })
  })
  return join(tree, 'usr')
}

/** apt-get with lists of its own: the machine may have another release, and this may be any user. */
async function download(directory) {
  for (const name of ['lists/partial', 'archives/partial']) await mkdir(join(directory, name), { recursive: true })
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg'
  const sources = join(directory, 'sources.list')
  await writeFile(sources, `deb [signed-by=${keys}] http://deb.debian.org/debian ${release} main\n`)
  await writeFile(join(directory, 'status'), '')
  const settings = {
    'Dir::State': directory,
    'Dir::State::status': join(directory, 'status'),
    'Dir::Cache': directory,
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '-',
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': 'root',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await run('apt-get', [...options, 'update'], { cwd: directory })
  await run('apt-get', [...options, 'download', ...packages], { cwd: directory })
}
