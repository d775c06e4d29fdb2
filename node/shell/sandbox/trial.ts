/**
 * Tests whether bubblewrap works here. Being installed is not enough: containers often forbid it, and old releases lack
 * options.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { baseArguments, systemArguments } from './system-mounts.js'

/**
 * Arguments that drop all privileges, strongest first: a separate user namespace in which no further one can be
 * created, and in which even the host's root has no privileges. Older releases, and those with the set-user-ID bit,
 * support less.
 */
const privilegeSets = [['--unshare-user', '--disable-userns'], ['--unshare-user'], []].map((namespace) => [
  ...namespace,
  '--cap-drop',
  'ALL',
])

/** The arguments that drop privileges here, or why none work. */
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

/** The directory is mounted under another name, so its original path must not exist inside. */
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
  const message = tried.error?.message ?? tried.stderr?.trim().split('\n')[0]
  if (message?.includes('--ro-bind-fd')) return 'bubblewrap is too old: it cannot bind open directories (--bind-fd)'
  return `bubblewrap does not work here${message ? ` (${message})` : ''}`
}

/** Prints `confined` if files are hidden, no capability is left and kernel settings can't be opened for writing. */
const trial = `
[ ! -e "$1" ] && [ ! -e /etc/shadow ] || exit 1
while read -r name value; do
  case $name in Cap[IPEA]*) case $value in *[!0]*) exit 1 ;; esac ;; esac
done < /proc/self/status
if ( : >> /proc/sys/kernel/core_pattern ) 2>/dev/null; then exit 1; fi
echo confined
`
