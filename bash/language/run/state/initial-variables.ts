/** The variables that a shell has from the beginning. */

import { host } from '../../../programs/system/identity.js'
import { parseScript, SyntaxFault } from '../../syntax/parse.js'
import { dynamicNames } from './dynamic-variables.js'
import { isOption } from './options.js'
import type { Shell } from './shell.js'
import { SparseList } from './sparse-list.js'
import type { Variable } from './variables.js'

export const version = '5.2.15(1)-release'
const versionInfo = ['5', '2', '15', '1', 'release', 'x86_64-pc-linux-gnu']

export function initialVariables(shell: Shell, env: ReadonlyMap<string, string>): void {
  const set = (name: string, variable: Variable) => shell.variables.set(name, variable)
  for (const [name, text] of env) {
    const [, functionName] = /^BASH_FUNC_(.+)%%$/.exec(name) ?? []
    if (functionName === undefined) set(name, { text, exported: true })
    else importFunction(shell, functionName, text)
  }
  const missing: Record<string, string> = {
    HOSTNAME: host,
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    TERM: 'dumb',
    HOSTTYPE: 'x86_64',
    MACHTYPE: 'x86_64-pc-linux-gnu',
    OSTYPE: 'linux-gnu',
  }
  for (const [name, text] of Object.entries(missing)) if (!env.has(name)) set(name, { text })
  shell.globIgnore = env.get('GLOBIGNORE')
  const level = Number(env.get('SHLVL') ?? 0)
  set('SHLVL', { text: String(Number.isInteger(level) ? level + 1 : 1), exported: true })
  set('PWD', { text: shell.directory, exported: true })
  if (!env.has('OLDPWD')) set('OLDPWD', { exported: true })
  const fixed: Record<string, string> = {
    IFS: ' \t\n',
    PS4: env.get('PS4') ?? '+ ',
    OPTIND: '1',
    OPTERR: '1',
    BASH: '/bin/bash',
    BASH_VERSION: version,
  }
  for (const [name, text] of Object.entries(fixed)) set(name, { text, ...(env.has(name) && { exported: true }) })
  set('BASH_VERSINFO', { list: SparseList.of(versionInfo), readonly: true })
  for (const [name, text] of [
    ['UID', '1000'],
    ['EUID', '1000'],
    ['PPID', String(shell.parentPid)],
  ] as const) {
    set(name, { text, readonly: true, integer: true })
  }
  for (const name of dynamicNames) {
    const isOptions = name === 'SHELLOPTS' || name === 'BASHOPTS'
    set(name, { dynamic: true, ...(isOptions && { readonly: true, ...(env.has(name) && { exported: true }) }) })
    if (isOptions)
      for (const option of (env.get(name) ?? '').split(':')) if (isOption(option)) shell.options.set(option, true)
  }
  if (env.has('POSIXLY_CORRECT')) shell.options.set('posix', true)
}

/** A function that another shell has exported. */
function importFunction(shell: Shell, name: string, text: string): void {
  try {
    const [statement] = parseScript(`${name} ${text}`).statements
    const definition = statement?.first.commands[0]
    if (definition?.type === 'function') shell.setFunction(name, { definition, source: 'environment', exported: true })
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
  }
}
