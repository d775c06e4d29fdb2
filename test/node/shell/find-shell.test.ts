/** Which shell is found, on machines that are only described. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findShell, shellName } from '../../../node/shell/find-shell.js'
import { windowsCommand } from '../../../node/shell/shell-command.js'
import { exporting, parseState, withStateInFile } from '../../../node/shell/shell-state.js'

const env = {
  ProgramFiles: 'C:\\Program Files',
  'ProgramFiles(x86)': 'C:\\Program Files (x86)',
  LOCALAPPDATA: 'C:\\Users\\Ann\\AppData\\Local',
  USERPROFILE: 'C:\\Users\\Ann',
  SYSTEMROOT: 'C:\\Windows',
  Path: 'C:\\Windows\\System32;D:\\Tools\\Git\\cmd;relative',
}
const wsl = 'C:\\Windows\\System32\\wsl.exe'
const oldPowerShell = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'

function findOn(files: readonly string[], { hasLinux = false, given }: { hasLinux?: boolean; given?: string } = {}) {
  return findShell(given, {
    platform: 'win32',
    env,
    exists: (file) => files.includes(file),
    hasDistribution: () => hasLinux,
  })
}

describe('on Windows', () => {
  test.each([
    ['for all users', ['C:\\Program Files\\Git\\bin\\bash.exe']],
    ['for one user', ['C:\\Users\\Ann\\AppData\\Local\\Programs\\Git\\bin\\bash.exe']],
    ['by scoop', ['C:\\Users\\Ann\\scoop\\apps\\git\\current\\bin\\bash.exe']],
    ['beside a git of the path', ['D:\\Tools\\Git\\bin\\bash.exe', 'D:\\Tools\\Git\\cmd\\git.exe']],
  ])('Git Bash that is installed %s is taken first', (_how, files) => {
    const found = findOn([...files, wsl, oldPowerShell], { hasLinux: true })
    expect(found).toEqual({ program: files[0], kind: 'msys' })
    expect(shellName(found)).toBe(`Git Bash, ${files[0]}`)
  })

  test('the bash of System32 belongs to WSL, and is not taken for Git Bash', () => {
    expect(findOn(['C:\\Windows\\System32\\bash.exe', oldPowerShell]).kind).toBe('powershell')
  })

  test('WSL counts only with Linux in it', () => {
    expect(findOn([wsl, oldPowerShell], { hasLinux: true })).toEqual({ program: wsl, kind: 'wsl' })
    expect(findOn([wsl, oldPowerShell]).kind).toBe('powershell')
  })

  test('a new PowerShell comes before the old one, and cmd.exe last', () => {
    const newPowerShell = 'C:\\Program Files\\PowerShell\\7\\pwsh.exe'
    expect(findOn([newPowerShell, oldPowerShell]).program).toBe(newPowerShell)
    expect(findOn([oldPowerShell]).program).toBe(oldPowerShell)
    expect(findOn([])).toEqual({ program: 'cmd.exe', kind: 'cmd' })
  })

  test('a shell that the user names is taken for what its name says', () => {
    const kinds = ['D:\\msys64\\usr\\bin\\bash.exe', 'pwsh', 'PowerShell.exe', 'wsl.exe', 'cmd.exe'].map(
      (given) => findOn([], { given }).kind,
    )
    expect(kinds).toEqual(['msys', 'powershell', 'powershell', 'wsl', 'cmd'])
    expect(findOn([oldPowerShell], { given: 'sh' }).program).toBe(oldPowerShell)
  })

  test('each is started in its own way, with the script as one argument', () => {
    const at = { cwd: 'C:\\work', isMerged: false }
    expect(windowsCommand({ program: 'bash.exe', kind: 'msys' }, 'ls', at)).toEqual(['bash.exe', '--norc', '-c', ' ls'])
    expect(windowsCommand({ program: wsl, kind: 'wsl' }, 'ls', { ...at, isMerged: true })).toEqual([
      wsl,
      '--cd',
      'C:\\work',
      '--exec',
      '/bin/bash',
      '--norc',
      '-c',
      'exec 2>&1\nls',
    ])
    const powerShell = windowsCommand({ program: 'pwsh', kind: 'powershell' }, 'Get-Item "a"', at)
    expect(Buffer.from(powerShell?.at(-1) ?? '', 'base64').toString('utf16le')).toMatch(/\r\nGet-Item "a"$/)
    expect(windowsCommand({ program: 'cmd.exe', kind: 'cmd' }, 'dir', at)).toBeUndefined()
  })
})

test('elsewhere it is bash, or else sh', () => {
  const on = (platform: NodeJS.Platform, files: string[]) =>
    findShell(undefined, { platform, exists: (file) => files.includes(file) }).program
  expect(on('linux', ['/bin/bash'])).toBe('/bin/bash')
  expect(on('darwin', [])).toBe('/bin/sh')
  expect(findShell('/bin/zsh', { platform: 'darwin' })).toEqual({ program: '/bin/zsh', kind: 'posix' })
})

describe.skipIf(process.platform === 'win32')('the state of bash, reported in a file', () => {
  /** Runs the script of Git Bash with the bash of this machine, whose `pwd` lacks `-W`. */
  function leave(command: string, variables: Record<string, string> = {}) {
    const place = mkdtempSync(join(tmpdir(), 'polyfs-state-'))
    try {
      const file = join(place, "state of 'ours'")
      const script = `pwd() { builtin pwd -P; }; ${withStateInFile(command, { kind: 'msys', file, variables })}`
      const { status, stdout } = spawnSync('/bin/bash', ['--norc', '-c', script], { cwd: '/usr', encoding: 'utf8' })
      return { status, stdout, left: parseState(readFileSync(file), {}, (host) => host) }
    } finally {
      rmSync(place, { recursive: true })
    }
  }

  test('has the directory and what was exported, and nothing that the shell started with', () => {
    const { status, stdout, left } = leave("cd bin; export NEW='it''s\nnew'; hidden=1; echo done; exit 3")
    expect({ status, stdout }).toEqual({ status: 3, stdout: 'done\n' })
    expect(left?.env).toEqual({ NEW: 'its\nnew' })
    expect(left?.cwd).toMatch(/bin$/)
  })

  test('variables of a session arrive unchanged, and stay', () => {
    const value = 'a\'b "c" $d `e`\\ \n*'
    const { stdout, left } = leave('printf %s "$KEPT"', { KEPT: value, 'not a name': 'x' })
    expect(stdout).toBe(value)
    expect(left?.env).toEqual({ KEPT: value })
  })

  test('exports are code of their own', () => {
    expect(exporting({ A: "x'; rm -rf /; '" })).toBe("export A='x'\\''; rm -rf /; '\\'''; ")
    expect(exporting({})).toBe('')
  })

  test('directories of Windows are understood, others are not a report', () => {
    const report = (directory: string) => Buffer.from(`A=1\0${directory}\n`)
    const cwdOf = (directory: string) => parseState(report(directory), {}, (host) => host)?.cwd
    expect(cwdOf('C:/work')).toBe('C:/work')
    expect(cwdOf('\\\\server\\share')).toBe('\\\\server\\share')
    expect(cwdOf('nothing')).toBeUndefined()
  })
})
