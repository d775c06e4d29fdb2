/** Runs a command of a package as npm does: with its words before it, its variables, and the programs of its packages. */
import { join } from '../../../src/fs/path.js'
import type { ProgramIo } from '../../io/program.js'
import type { Call } from './command.js'
import { SilentFailure } from './npm-failure.js'
import type { Setting } from './option-names.js'
import { defaults } from './option-names.js'
import { idOf, type Json, type Package } from './package-json.js'
import { ancestors } from './project.js'
import { npmVersion } from './version-numbers.js'

export interface ScriptGiven {
  /** Its name, such as `test`. */
  event: string
  command: string
  args: readonly string[]
  /** Where it runs. */
  directory: string
  package?: Package
  /** Directories of programs before those of `node_modules`. */
  binPaths?: readonly string[]
  hasBanner: boolean
  env?: Readonly<Record<string, string>>
}

const npmDirectory = '/usr/lib/node_modules/npm'
const node = '/usr/bin/node'

/** Fails with its status. */
export async function runScript(call: Call, given: ScriptGiven): Promise<void> {
  const { io, settings } = call
  const isSilent = settings.text('loglevel') === 'silent'
  if (given.hasBanner && !isSilent) {
    await (settings.is('json') ? io.stderr : io.stdout).write(`${banner(given)}\n`)
  }
  const status = await io.run([settings.text('script-shell') ?? 'sh', '-c', commandLine(given)], {
    cwd: given.directory,
    env: environment(call, given),
  })
  if (status !== 0) throw new SilentFailure(status)
}

function banner({ event, command, args, package: owner }: ScriptGiven): string {
  const id = owner === undefined ? undefined : idOf(owner)
  const shown = command.trim().replaceAll('\n', '\n> ')
  return `\n> ${id === undefined ? '' : `${id} `}${event}\n> ${shown}${args.length > 0 ? ` ${args.join(' ')}` : ''}\n`
}

export function commandLine({ command, args }: Pick<ScriptGiven, 'command' | 'args'>): string {
  return [command, ...args.map(quoted)].join(' ')
}

export function quoted(word: string): string {
  if (word === '') return "''"
  if (!/[\t\n\r "#$&'()*;<>?\\`|~]/.test(word)) return word
  return `'${word.replaceAll("'", "'\\''")}'`.replace(/^(?:'')+(?!$)/, '').replaceAll("\\'''", "\\'")
}

function environment(call: Call, { event, command, directory, ...given }: ScriptGiven): Map<string, string> {
  const { io, project, settings } = call
  const home = io.env.get('HOME') ?? '/'
  const hasWorkspaces = settings.is('workspaces') || settings.list('workspace').length > 0
  const path = [
    ...(given.binPaths ?? []),
    ...ancestors(directory).map((at) => join(at, 'node_modules/.bin')),
    `${npmDirectory}/node_modules/@npmcli/run-script/lib/node-gyp-bin`,
    ...new Set((io.env.get('PATH') ?? '/usr/bin:/bin').split(':')),
  ]
  const agent = `npm/${npmVersion} node/v20.20.2 linux x64 workspaces/${hasWorkspaces}`
  return new Map([
    ...io.env,
    ...Object.entries({
      COLOR: '0',
      EDITOR: io.env.get('EDITOR') ?? 'vi',
      HOME: home,
      INIT_CWD: io.env.get('INIT_CWD') ?? io.cwd,
      NODE: node,
      npm_command: call.command,
      npm_config_cache: `${home}/.npm`,
      npm_config_global_prefix: '/usr',
      npm_config_globalconfig: '/usr/etc/npmrc',
      npm_config_init_module: `${home}/.npm-init.js`,
      npm_config_local_prefix: project.directory,
      npm_config_node_gyp: `${npmDirectory}/node_modules/node-gyp/bin/node-gyp.js`,
      npm_config_noproxy: '',
      npm_config_npm_version: npmVersion,
      npm_config_prefix: '/usr',
      npm_config_user_agent: agent,
      npm_config_userconfig: `${home}/.npmrc`,
      npm_execpath: `${npmDirectory}/bin/npm-cli.js`,
      npm_node_execpath: node,
      ...options(io, settings.given),
      ...(given.package && packageVariables(given.package)),
      ...given.env,
      npm_package_json: join(directory, 'package.json'),
      npm_lifecycle_event: event,
      npm_lifecycle_script: command,
      PATH: path.join(':'),
    }),
  ])
}

const ofThisCallOnly = ['if-present', 'include-workspace-root', 'workspace', 'workspaces', 'production', 'only', 'also']

/** Commands of npm inside a script are given the same options. */
function options(io: ProgramIo, given: ReadonlyMap<string, Setting>): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [name, value] of given) {
    if (value === (defaults[name] ?? false) || ofThisCallOnly.includes(name)) continue
    const text = name === 'prefix' ? io.path(String(value)) : value === false ? '' : value
    variables[`npm_config_${name.replaceAll('-', '_')}`] = Array.isArray(text) ? text.join('\n\n') : String(text)
    if (name === 'prefix') variables.npm_config_global_prefix = String(text)
    if (name === 'node-options') variables.NODE_OPTIONS = String(text)
  }
  return variables
}

function packageVariables({ content: { name, version, config, engines, bin } }: Package): Record<string, string> {
  const variables: Record<string, string> = {}
  const programs = typeof bin === 'string' && typeof name === 'string' ? { [name.replace(/^@[^/]*\//, '')]: bin } : bin
  addVariables(variables, 'npm_package_', { name, version, config, engines, bin: programs })
  return variables
}

function addVariables(
  variables: Record<string, string>,
  prefix: string,
  values: Record<string, Json | undefined>,
): void {
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) continue
    if (value === null || value === false) variables[prefix + key] = ''
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) addVariables(variables, prefix, { [`${key}_${index}`]: item })
    } else if (typeof value === 'object') addVariables(variables, `${prefix}${key}_`, value)
    else variables[prefix + key] = String(value)
  }
}
