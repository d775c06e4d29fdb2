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
  allowNetwork?: boolean
  /** Where to look for the program; that of the server unless given. */
  searchPath?: string
}

/** Commands were to be confined, and can't be. */
export class SandboxError extends Error {}

/** Tries it once, because a container may refuse what is installed. Absent when off, or where it does not work and need not. */
export function openSandbox(options: SandboxOptions): Sandbox | undefined {
  const { mode, roots, allowNetwork = false, searchPath = process.env.PATH ?? '' } = options
  if (mode === 'off') return undefined
  const program = findProgram('bwrap', searchPath)
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-sandbox-'))
  const close = () => fs.rmSync(temporary, { recursive: true, force: true })
  const fault =
    program === undefined ? 'bubblewrap (bwrap) is not installed' : faultOf(program, baseArguments(temporary))
  if (program === undefined || fault !== undefined) {
    close()
    if (mode === 'auto') return undefined
    throw new SandboxError(`commands can't be confined as required: ${fault}`)
  }
  const confinement = [
    ...baseArguments(temporary),
    ...(allowNetwork ? [] : ['--unshare-net']),
    // One that lies in another comes after it.
    ...[...roots]
      .sort((a, b) => a.path.length - b.path.length)
      .flatMap(({ path: root, access }) => [access === 'read-write' ? '--bind' : '--ro-bind', root, root]),
  ]
  return {
    name: `a bubblewrap sandbox ${allowNetwork ? 'with' : 'without'} network`,
    program: 'bwrap',
    wrap: (argv, cwd) => [program, ...confinement, '--chdir', cwd, '--', ...argv],
    env: { HOME: '/tmp', TMPDIR: '/tmp' },
    close,
  }
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

function baseArguments(temporary: string): string[] {
  const names = [...system, ...configuration.map((name) => `/etc/${name}`)]
  return [
    '--unshare-user-try',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    ...names.flatMap((name) => ['--ro-bind-try', name, name]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--bind',
    temporary,
    '/tmp',
  ]
}

/** Why it does not confine. The directory for temporary files has another name inside, so the outer one must not be there. */
function faultOf(program: string, args: readonly string[]): string | undefined {
  const outer = args.at(-2) ?? ''
  const script = `[ ! -e '${outer}' ] && [ ! -e /etc/shadow ] && echo confined`
  const tried = process
    .getBuiltinModule('node:child_process')
    .spawnSync(program, [...args, '--unshare-net', '--', '/bin/sh', '-c', script], {
      encoding: 'utf8',
      timeout: 10_000,
      env: {},
    })
  if (tried.stdout === 'confined\n') return undefined
  const said = tried.error?.message ?? tried.stderr?.trim().split('\n')[0]
  return `bubblewrap does not work here${said ? ` (${said})` : ''}`
}

function findProgram(name: string, searchPath: string): string | undefined {
  const places = searchPath.split(path.delimiter).filter((directory) => path.isAbsolute(directory))
  return places.map((directory) => path.join(directory, name)).find((file) => fs.existsSync(file))
}
