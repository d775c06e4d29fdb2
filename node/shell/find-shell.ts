/** Finds the shell that runs commands. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { win32 } from 'node:path'

/** `msys`: a POSIX shell that is a Windows program, such as Git Bash. `wsl`: one in Linux on Windows. */
export type ShellKind = 'posix' | 'msys' | 'wsl' | 'powershell' | 'cmd'

export interface FoundShell {
  program: string
  kind: ShellKind
}

/** What is looked at, so that another machine can be described. */
export interface ShellSurroundings {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  exists(file: string): boolean
  /** Whether Linux is installed: `wsl.exe` is there even without it. */
  hasDistribution(wsl: string): boolean
}

const thisMachine: ShellSurroundings = {
  platform: process.platform,
  env: process.env,
  exists: existsSync,
  hasDistribution(wsl) {
    const { status, stdout } = spawnSync(wsl, ['--list', '--quiet'], { timeout: 5000, windowsHide: true })
    // In UTF-16; without one it is empty, or an explanation and a failure.
    return status === 0 && stdout.toString('utf16le').trim() !== ''
  },
}

/** `given` is a program that the user named. Agents write for bash, so a POSIX shell is preferred wherever there is one. */
export function findShell(given: string | undefined, machine: Partial<ShellSurroundings> = {}): FoundShell {
  const { platform, env, exists, hasDistribution } = { ...thisMachine, ...machine }
  if (platform !== 'win32') {
    return { program: given ?? (exists('/bin/bash') ? '/bin/bash' : '/bin/sh'), kind: 'posix' }
  }
  // A POSIX name is a wish for such a shell, not a program of Windows.
  if (given !== undefined && !/^(ba)?sh$/.test(given)) return { program: given, kind: kindOf(given) }
  const variable = variablesOf(env)
  const gitBash = gitBashPlaces(variable, exists).find(exists)
  if (gitBash !== undefined) return { program: gitBash, kind: 'msys' }
  const system = win32.join(variable('SystemRoot') ?? 'C:\\Windows', 'System32')
  const wsl = win32.join(system, 'wsl.exe')
  if (exists(wsl) && hasDistribution(wsl)) return { program: wsl, kind: 'wsl' }
  const powerShells = [
    ...programFiles(variable).map((place) => win32.join(place, 'PowerShell', '7', 'pwsh.exe')),
    win32.join(system, 'WindowsPowerShell', 'v1.0', 'powershell.exe'),
  ]
  const powerShell = powerShells.find(exists)
  if (powerShell !== undefined) return { program: powerShell, kind: 'powershell' }
  return { program: 'cmd.exe', kind: 'cmd' }
}

/** For people and models. */
export function shellName({ program, kind }: FoundShell): string {
  const names = { posix: program, msys: `Git Bash, ${program}`, wsl: 'bash in WSL', cmd: 'cmd.exe' }
  return kind === 'powershell' ? `PowerShell, ${program}: not bash` : names[kind]
}

function kindOf(program: string): ShellKind {
  const name = win32
    .basename(program)
    .toLowerCase()
    .replace(/\.exe$/, '')
  if (name === 'wsl') return 'wsl'
  if (name === 'pwsh' || name === 'powershell') return 'powershell'
  return name === 'cmd' ? 'cmd' : 'msys'
}

/** Names of variables have no case on Windows, except in an object that is not an environment. */
function variablesOf(env: NodeJS.ProcessEnv): (name: string) => string | undefined {
  const byName = new Map(Object.entries(env).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => byName.get(name.toLowerCase()) || undefined
}

function programFiles(variable: (name: string) => string | undefined): string[] {
  const names = ['ProgramFiles', 'ProgramW6432', 'ProgramFiles(x86)']
  return [...new Set(names.flatMap((name) => variable(name) ?? []))]
}

/** Never `bash` of the path: in System32 that is WSL's. */
function gitBashPlaces(variable: (name: string) => string | undefined, exists: (file: string) => boolean): string[] {
  const local = variable('LOCALAPPDATA')
  const home = variable('USERPROFILE')
  const installed = [
    ...programFiles(variable).map((place) => win32.join(place, 'Git')),
    ...(local === undefined ? [] : [win32.join(local, 'Programs', 'Git')]),
    ...(home === undefined ? [] : [win32.join(home, 'scoop', 'apps', 'git', 'current')]),
    // Beside git, wherever that is: `Git\cmd\git.exe`, `Git\bin\git.exe` or `Git\mingw64\bin\git.exe`.
    ...(variable('PATH') ?? '')
      .split(';')
      .filter((place) => win32.isAbsolute(place) && exists(win32.join(place, 'git.exe')))
      .flatMap((place) => [win32.join(place, '..'), win32.join(place, '..', '..')]),
  ]
  return installed.flatMap((place) => [
    win32.join(place, 'bin', 'bash.exe'),
    win32.join(place, 'usr', 'bin', 'bash.exe'),
  ])
}
