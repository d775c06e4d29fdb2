/** Whether bubblewrap does here what a sandbox needs. Being installed is not enough: containers often forbid it, and old releases know less. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { baseArguments, systemArguments } from './system-mounts.js'

/**
 * What takes every privilege away, the strongest first: in a user namespace of its own where even root of the machine is nobody in particular,
 * and where no other can be made. Older releases, and those that run with the set-user-ID bit, know less of it.
 */
const privilegeSets = [['--unshare-user', '--disable-userns'], ['--unshare-user'], []].map((namespace) => [
  ...namespace,
  '--cap-drop',
  'ALL',
])

/** The arguments that take privileges away here, or why none do. */
export function confinesWith(program: string): { privileges?: readonly string[]; fault?: string } {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-sandbox-'))
  const descriptor = fs.openSync(directory, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY)
  let fault: string | undefined
  try {
    for (const privileges of privilegeSets) {
      const found = faultOf(program, privileges, { directory, descriptor })
      if (found === undefined) return { privileges }
      fault ??= found
    }
    return { ...(fault !== undefined && { fault }) }
  } finally {
    fs.closeSync(descriptor)
    fs.rmdirSync(directory)
  }
}

/** The directory has another name inside, so the outer one must not be there. */
function faultOf(
  program: string,
  privileges: readonly string[],
  { directory, descriptor }: { directory: string; descriptor: number },
): string | undefined {
  const mount = ['--ro-bind-fd', '3', '/tmp', '--remount-ro', '/']
  const args = [...privileges, '--unshare-net', ...systemArguments, ...baseArguments, ...mount, '--clearenv']
  const tried = process
    .getBuiltinModule('node:child_process')
    .spawnSync(program, [...args, '--', '/bin/sh', '-c', trial, 'sh', directory], {
      encoding: 'utf8',
      timeout: 10_000,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe', descriptor],
    })
  if (tried.stdout === 'confined\n') return undefined
  const said = tried.error?.message ?? tried.stderr?.trim().split('\n')[0]
  if (said?.includes('--ro-bind-fd')) return 'bubblewrap is too old: it can not bind open directories (--bind-fd)'
  return `bubblewrap does not work here${said ? ` (${said})` : ''}`
}

/** Says `confined` where files are hidden, no capability is left, and the kernel's settings can't be opened for writing. */
const trial = `
[ ! -e "$1" ] && [ ! -e /etc/shadow ] || exit 1
while read -r name value; do
  case $name in Cap[IPEA]*) case $value in *[!0]*) exit 1 ;; esac ;; esac
done < /proc/self/status
if ( : >> /proc/sys/kernel/core_pattern ) 2>/dev/null; then exit 1; fi
echo confined
`
