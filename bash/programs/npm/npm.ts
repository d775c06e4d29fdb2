/** `npm` as far as a project needs it: what it does with the files that are there. */
import { join } from '../../../src/fs/path.js'
import type { ProgramIo } from '../../io/program.js'
import { rawProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'
import type { Call } from './command.js'
import { didYouMean, resolveCommand, unsupported } from './command-names.js'
import { commands, lifecycle } from './command-table.js'
import { usage } from './help.js'
import { logged, NpmFailure, SilentFailure } from './npm-failure.js'
import { npxArguments } from './npx-arguments.js'
import { packageIfAny, textIfAny } from './package-json.js'
import { chosenWorkspaces, findProject } from './project.js'
import { readSettings, type Settings } from './settings.js'
import { npmVersion } from './version-numbers.js'

export const npm = rawProgram({ name: 'npm', run: (io) => runNpm(io, io.args) })

export const npx = rawProgram({
  name: 'npx',
  run: (io) => runNpm(io, ['exec', ...npxArguments(io.args)]),
})

/** Bun's `npx`. */
export const bunx = rawProgram({
  name: 'bunx',
  run: (io) => runNpm(io, ['exec', ...npxArguments(io.args.filter((arg) => arg !== '--bun'))]),
})

async function runNpm(io: ProgramIo, args: readonly string[]): Promise<number> {
  const settings = readSettings(io, args)
  const project = await findProject(io, settings)
  for (const directory of new Set([project.directory, io.env.get('HOME') ?? '/'])) {
    settings.addFile((await textIfAny(io, join(directory, '.npmrc'))) ?? '')
  }
  const isSilent = settings.text('loglevel') === 'silent'
  if (settings.given.get('version') === true) {
    await io.stdout.write(`${npmVersion}\n`)
    return 0
  }
  const [written, ...rest] = settings.given.get('versions') === true ? ['version'] : settings.words
  if (written === undefined) {
    await warn(io, settings)
    await io.stdout.write(usage(io.env.get('HOME') ?? '/'))
    return 1
  }
  const call: Call = { io, settings, project, args: rest, command: '' }
  try {
    return await dispatch(call, written)
  } catch (error) {
    if (error instanceof SilentFailure) return error.status
    if (!(error instanceof NpmFailure)) throw error
    if (settings.is('json') || call.isJson) await io.stdout.write(asJson(error, call.output))
    if (!isSilent) for (const [title, text] of error.lines) await io.stderr.write(logged('error', title, text))
    if (!isSilent) await io.stderr.write(logged('error', '', logFiles))
    return error.status
  }
}

/** No logs are kept; these are npm's words for that. */
const logFiles = 'Log files were not written due to the config logs-max=0'

async function dispatch(call: Call, written: string): Promise<number> {
  const { io, settings, project } = call
  const name = resolveCommand(written)
  if (name === undefined) return unknown(call, written)
  await warn(io, settings)
  if (name === 'help' || settings.is('usage')) {
    await io.stdout.write(usage(io.env.get('HOME') ?? '/'))
    return 0
  }
  const refusal = unsupported(name)
  if (refusal !== undefined) throw new ProgramError(`\`npm ${name}\` ${refusal}`, 2)
  call.command = name
  const command = commands[name] ?? lifecycle(name)
  const isImplicit = project.implicit !== undefined && settings.list('workspace').length === 0
  if (command.forWorkspaces === undefined) {
    const isAsked = settings.list('workspace').length > 0 || settings.is('workspaces')
    if (isAsked && !command.ignoresWorkspaces) throw new NpmFailure(noWorkspaces, { code: 'ENOWORKSPACES' })
    return command.run(call)
  }
  if (isImplicit && command.ignoresWorkspaces) return command.run(call)
  const workspaces = await chosenWorkspaces(io, settings, project)
  return workspaces === undefined ? command.run(call) : command.forWorkspaces(call, workspaces)
}

const noWorkspaces = [
  ['code', 'ENOWORKSPACES'],
  ['', 'This command does not support workspaces.'],
] as const

async function warn(io: ProgramIo, settings: Settings): Promise<void> {
  if (['silent', 'error'].includes(settings.text('loglevel') ?? '')) return
  for (const warning of settings.warnings) await io.stderr.write(logged('warn', '', warning))
}

async function unknown({ io, settings, project }: Call, written: string): Promise<number> {
  await warn(io, settings)
  const found = await packageIfAny(io, project.directory)
  const suggestions = didYouMean(found, written)
  const lines = [
    `Unknown command: "${written}"`,
    suggestions,
    'To see a list of supported npm commands, run:',
    '  npm help',
  ]
  await io.stdout.write(`${lines.join('\n')}\n`)
  return 1
}

/** What the command has to say, and the failure. */
function asJson({ options, message }: NpmFailure, output: object = {}): string {
  const { code, summary = message, detail = '' } = options
  return `${JSON.stringify({ ...output, error: { ...(code !== undefined && { code }), summary, detail } }, null, 2)}\n`
}
