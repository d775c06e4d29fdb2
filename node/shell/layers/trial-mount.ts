/** Tests whether layers can be mounted: containers and old kernels forbid it. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { allowWork, commandParts, type MountPrograms, mounted } from './overlay-mount.js'

/** Why layers in this directory can't be mounted; undefined if they can. */
export function mountFault(parent: string, programs: MountPrograms): string | undefined {
  const directory = fs.mkdtempSync(path.join(parent, 'polyfs-trial-'))
  try {
    for (const name of ['low', 'c']) fs.mkdirSync(path.join(directory, name))
    for (const name of Object.values(commandParts)) fs.mkdirSync(path.join(directory, 'c', name))
    for (const name of ['kept', 'gone']) fs.writeFileSync(path.join(directory, 'low', name), name)
    const { merged, upper } = commandParts
    const script = `cd c/${merged} && cat kept && rm gone && echo more >> kept && echo done`
    const argv = mounted(['/bin/sh', '-c', script], programs, { directory, lower: ['low'], command: 'c' })
    const [program = '', ...args] = argv
    const tried = spawnSync(program, args, {
      encoding: 'utf8',
      timeout: 10_000,
      env: {},
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe', 'ignore'],
    })
    const isHidden = fs
      .lstatSync(path.join(directory, 'c', upper, 'gone'), { throwIfNoEntry: false })
      ?.isCharacterDevice()
    if (tried.stdout === 'keptdone\n' && isHidden) return undefined
    const said = tried.error?.message ?? tried.stderr?.trim().split('\n')[0]
    return `layers can't be mounted here${said ? ` (${said})` : ''}`
  } finally {
    allowWork(path.join(directory, 'c'))
    fs.rmSync(directory, { recursive: true, force: true })
  }
}
