/** Confines commands with bubblewrap: they see the system's programs, the workspace's roots and a place for temporary files, and no more. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** `auto` confines where this computer can; `require` fails where it can't. */
export type SandboxMode = 'auto' | 'require' | 'off'

export interface Sandbox {
  /** For people and models to read. */
  readonly name: string
  /** The program whose processes stand between the server and the command. */
  readonly program: string
  /** How to run something confined. */
  wrap(argv: readonly string[], cwd: string): string[]
  /** Variables that mean something else inside. */
  readonly env: Readonly<Record<string, string>>
  close(): void
}

export interface SandboxOptions {
  mode: SandboxMode
  /** Real paths of the host. */
  roots: readonly { path: string; access: 'read-write' | 'read-only' }[]
  /** Directories of the host that are empty inside, where a root holds them. */
  hidden?: readonly string[]
  allowNetwork?: boolean
  /** Where to look for the program; that of the server unless given. */
  searchPath?: string
}

/** Commands were to be confined, and can't be. */
export class SandboxError extends Error {}

/** Tries it once, because a container may refuse what is installed. Absent when off, or where it does not work and need not. */
export function openSandbox(options: SandboxOptions): Sandbox | undefined {
  const { mode, roots, hidden = [], allowNetwork = false, searchPath = process.env.PATH ?? '' } = options
  if (mode === 'off') return undefined
  const program = findProgram('bwrap', searchPath)
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-sandbox-'))
  const close = () => fs.rmSync(temporary, { recursive: true, force: true })
  const { privileges, fault } = program === undefined ? missing : strongest(program, temporary)
  if (program === undefined || privileges === undefined) {
    close()
    if (mode === 'auto') return undefined
    throw new SandboxError(`commands can't be confined as required: ${fault}`)
  }
  const confinement = [
    ...privileges,
    ...baseArguments(temporary),
    ...(allowNetwork ? [] : ['--unshare-net']),
    // One that lies in another comes after it.
    ...[
      ...roots.map(({ path: at, access }) => ({ at, how: [access === 'read-write' ? '--bind' : '--ro-bind', at, at] })),
      ...hidden.filter((at) => isHeld(at, roots)).map((at) => ({ at, how: ['--tmpfs', at, '--remount-ro', at] })),
    ]
      .sort((a, b) => a.at.length - b.at.length)
      .flatMap(({ how }) => how),
    ...sealing,
  ]
  return {
    name: `a bubblewrap sandbox ${allowNetwork ? 'with' : 'without'} network`,
    program: 'bwrap',
    wrap: (argv, cwd) => [program, ...confinement, '--chdir', cwd, '--', ...argv],
    env: { HOME: '/tmp', TMPDIR: '/tmp' },
    close,
  }
}

/** Whether a root shows it: to cover what is not there would make it there. */
function isHeld(directory: string, roots: SandboxOptions['roots']): boolean {
  const holder = roots.find(({ path: root }) => directory.startsWith(root === '/' ? root : `${root}/`))
  return holder !== undefined && fs.existsSync(directory)
}

/** Programs and what they are made of. Nothing of it can be written. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix']

/** Of the configuration only what programs need to find their parts and the network; secrets lie beside it. */
const configuration = [
  'alternatives',
  'ca-certificates',
  'fonts',
  'gitconfig',
  'group',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'passwd',
  'pki',
  'protocols',
  'resolv.conf',
  'services',
  'ssl',
  'terminfo',
  'timezone',
]

/** Files that programs share through memory. */
const sharedMemoryBytes = 2 ** 30

function baseArguments(temporary: string): string[] {
  const names = [...system, ...configuration.map((name) => `/etc/${name}`)]
  return [
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    ...names.flatMap((name) => ['--ro-bind-try', name, name]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    String(sharedMemoryBytes),
    '--perms',
    '1777',
    '--tmpfs',
    '/dev/shm',
    '--bind',
    temporary,
    '/tmp',
  ]
}

/**
 * What takes every privilege away, the strongest first: in a user namespace of its own where even root of the machine is nobody in particular,
 * and where no other can be made. Older releases, and those that run with the set-user-ID bit, know less of it.
 */
const privilegeSets = [['--unshare-user', '--disable-userns'], ['--unshare-user'], []].map((namespace) => [
  ...namespace,
  '--cap-drop',
  'ALL',
])

/**
 * Root without capabilities still owns the settings of the kernel in `/proc/sys`, so nothing of `/proc` can be written. What bubblewrap makes
 * up itself lies in memory, which a command must not fill.
 */
const sealing = ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/']

const missing = { privileges: undefined, fault: 'bubblewrap (bwrap) is not installed' }

function strongest(program: string, temporary: string): { privileges?: string[]; fault?: string } {
  let fault: string | undefined
  for (const privileges of privilegeSets) {
    const args = [...privileges, ...baseArguments(temporary), '--unshare-net', ...sealing]
    const found = faultOf(program, args, temporary)
    if (found === undefined) return { privileges }
    fault ??= found
  }
  return { ...(fault !== undefined && { fault }) }
}

/** Why it does not confine. The directory for temporary files has another name inside, so the outer one must not be there. */
function faultOf(program: string, args: readonly string[], outer: string): string | undefined {
  const tried = process
    .getBuiltinModule('node:child_process')
    .spawnSync(program, [...args, '--', '/bin/sh', '-c', trial, 'sh', outer], {
      encoding: 'utf8',
      timeout: 10_000,
      env: {},
    })
  if (tried.stdout === 'confined\n') return undefined
  const said = tried.error?.message ?? tried.stderr?.trim().split('\n')[0]
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

function findProgram(name: string, searchPath: string): string | undefined {
  const places = searchPath.split(path.delimiter).filter((directory) => path.isAbsolute(directory))
  return places.map((directory) => path.join(directory, name)).find((file) => fs.existsSync(file))
}
