/** `npm run`: the scripts of a package. */

import { isFsError } from '../../../../src/errors.js'
import { join } from '../../../../src/fs/path.js'
import type { Call, Command } from '../command.js'
import { didYouMean } from '../command-names.js'
import { failure, logged, NpmFailure, SilentFailure } from '../npm-failure.js'
import { idOf, type Package, readPackage, scriptsOf } from '../package-json.js'
import type { Workspace } from '../project.js'
import { commandLine, runScript } from '../script-run.js'

export const run: Command = {
  async run(call) {
    const { project, args } = call
    if (args.length === 0) {
      await list(call, await readPackage(call.io, project.directory))
      return 0
    }
    await runNamed(call, await readPackage(call.io, project.directory))
    return 0
  },
  async forWorkspaces(call, workspaces) {
    return call.args.length === 0 ? listAll(call, workspaces) : runAll(call, workspaces)
  },
}

async function listAll(call: Call, workspaces: readonly Workspace[]): Promise<number> {
  const all: Record<string, Record<string, string>> = {}
  for (const [index, { name, directory }] of workspaces.entries()) {
    const found = await readPackage(call.io, directory)
    if (call.settings.is('json')) all[name] = Object.fromEntries(scriptsOf(found))
    else if ((await list(call, found, name)) && index < workspaces.length - 1) await call.io.stdout.write('\n')
  }
  if (call.settings.is('json')) await call.io.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
  return 0
}

/** One after the other, whatever fails; the status is that of the last failure. */
async function runAll(call: Call, workspaces: readonly Workspace[]): Promise<number> {
  let status = 0
  for (const [index, { directory }] of workspaces.entries()) {
    const found = await readPackage(call.io, directory)
    try {
      await runNamed(call, found, directory)
    } catch (error) {
      if (!(error instanceof NpmFailure)) throw error
      status = error.status
      if (call.settings.text('loglevel') === 'silent') continue
      const errors = error.lines.filter(([title]) => title !== '' && title !== 'command failed')
      const details = error.lines.filter((line) => !errors.includes(line))
      const lines = [
        ['', `Lifecycle script \`${call.args[0]}\` failed with error:`],
        ...errors,
        ['workspace', idOf(found) ?? String(found.content.name)],
        ['location', directory],
        ...details,
      ] as const
      const text = lines.map(([title, line]) => logged('error', title, line)).join('')
      await call.io.stderr.write(index < workspaces.length - 1 ? `${text}\n` : text)
    }
  }
  return status
}

/** `workspace`: failures are told in full, because others follow. */
async function runNamed(call: Call, found: Package, workspace?: string): Promise<void> {
  const { io, settings, project } = call
  const [event = '', ...args] = call.args
  const scripts = scriptsOf(found)
  if (event === 'restart' && !scripts.has(event)) scripts.set(event, 'npm stop --if-present && npm start')
  if (event === 'env' && !scripts.has(event)) scripts.set(event, 'env')
  if (event === 'start' && !scripts.has(event) && (await isServer(call, found))) scripts.set(event, 'node server.js')
  if (!scripts.has(event)) {
    if (settings.is('if-present')) return
    const isOther = workspace !== undefined && workspace !== project.directory
    const option = isOther ? ` --workspace=${idOf(found) ?? found.content.name}` : ''
    const hint = `\n\nTo see a list of scripts, run:\n  npm run${option}`
    throw failure(`Missing script: "${event}"${didYouMean(found, event)}${hint}`)
  }
  const around = settings.is('ignore-scripts') ? [] : [`pre${event}`, `post${event}`]
  for (const name of [around[0], event, around[1]]) {
    const command = name === undefined ? undefined : scripts.get(name)
    if (name === undefined || command === undefined || (command === '' && name !== event)) continue
    if (command === '') continue
    const given = { event: name, command, args: name === event ? args : [] }
    try {
      await runScript(call, { ...given, directory: found.directory, package: found, hasBanner: true })
    } catch (error) {
      if (!(error instanceof SilentFailure) || workspace === undefined) throw error
      await io.stdout.flush()
      throw told(error.status, found.directory, commandLine(given))
    }
  }
}

function told(status: number, directory: string, line: string): NpmFailure {
  return new NpmFailure(
    [
      ['code', String(status)],
      ['path', directory],
      ['', 'command failed'],
      ['', `command sh -c ${line}`],
    ],
    { status },
  )
}

async function isServer({ io }: Call, { directory }: Package): Promise<boolean> {
  try {
    return (await io.fs.stat(join(directory, 'server.js'))).kind === 'file'
  } catch (error) {
    if (isFsError(error)) return false
    throw error
  }
}

const lifecycleNames = new Set([
  'prepare',
  'prepublishOnly',
  'prepack',
  'postpack',
  'dependencies',
  ...['install', 'publish', 'restart', 'start', 'stop', 'test', 'uninstall', 'version'].flatMap((name) => [
    `pre${name}`,
    name,
    `post${name}`,
  ]),
])

/** False when there was nothing to print. */
async function list({ io, settings }: Call, found: Package, workspace?: string): Promise<boolean> {
  const all = [...scriptsOf(found)]
  if (settings.text('loglevel') === 'silent') return false
  if (settings.is('json')) {
    await io.stdout.write(`${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
    return false
  }
  if (all.length === 0) return false
  if (settings.is('parseable')) {
    const lines = all.map(([name, command]) =>
      [...(workspace === undefined ? [] : [workspace]), name, command].join(':'),
    )
    await io.stdout.write(`${lines.join('\n').trim()}\n`)
    return false
  }
  const shown = (each: ReadonlyArray<readonly [string, string]>) =>
    each.map(([name, command]) => `  ${name}\n    ${command}\n`).join('')
  const lifecycle = all.filter(([name]) => lifecycleNames.has(name))
  const others = all.filter(([name]) => !lifecycleNames.has(name))
  const owner = idOf(found) ?? String(found.content.name)
  if (lifecycle.length > 0) await io.stdout.write(`Lifecycle scripts included in ${owner}:\n${shown(lifecycle)}`)
  if (others.length > 0) {
    const title = lifecycle.length > 0 ? 'available' : `Scripts available in ${owner}`
    await io.stdout.write(`${title} via \`npm run\`:\n${shown(others)}`)
  }
  return true
}
