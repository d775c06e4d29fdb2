/** The versions of ripgrep to compare with: the one that is installed, and a current one from npm. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { peers } from './corpus.mjs'

const release = '1.18.0'

export function ripgreps(rows) {
  const current = `@vscode/ripgrep-${process.platform}-${process.arch}`
  const found = []
  const add = (command) => {
    const version = /^ripgrep (\S+)/.exec(spawnSync(command, ['--version']).stdout?.toString() ?? '')?.[1]
    if (version !== undefined) found.push({ name: `ripgrep ${version}`, command })
    return version !== undefined
  }
  if (!add('rg')) rows.note('rg is not installed (apt-get install ripgrep): only the one from npm is compared')
  try {
    const directory = peers(`${current}@${release}`)
    add(path.join(directory, 'node_modules', current, 'bin', process.platform === 'win32' ? 'rg.exe' : 'rg'))
  } catch (error) {
    rows.leftOut(current, error)
  }
  return found
}
