/** `pnpm`, `yarn` and `bun` as far as a project needs them that has its packages: its scripts and its programs, with the words of each. */
import { join } from '../../../src/fs/path.js'
import { exists } from '../../io/exists.js'
import type { Program, ProgramIo } from '../../io/program.js'
import { rawProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'
import type { Call } from './command.js'
import { SilentFailure } from './npm-failure.js'
import { idOf, type Package, packageIfAny, scriptsOf } from './package-json.js'
import { ancestors, findProject } from './project.js'
import { commandLine, runScript } from './script-run.js'
import { readSettings } from './settings.js'

interface Manager {
  name: string
  version: string
  /** Options that only say how much is printed. */
  quiet: readonly string[]
  /** Words before the name of a script or a program. */
  run: readonly string[]
  exec: readonly string[]
  /** Before everything, before each command, and after everything. */
  opening(io: ProgramIo): Promise<unknown>
  announce(
    io: ProgramIo,
    given: { owner: Package | undefined; event: string; line: string; directory: string },
  ): Promise<unknown>
  closing(io: ProgramIo, ms: number): Promise<unknown>
  failed(io: ProgramIo, event: string, status: number): Promise<unknown>
  missing(io: ProgramIo, event: string): Promise<unknown>
}

const nothing = async () => {}
const seconds = (ms: number) => (Math.max(10, ms) / 1000).toFixed(2)

const yarn: Manager = {
  name: 'yarn',
  version: '1.22.22',
  quiet: ['-s', '--silent'],
  run: ['run'],
  exec: ['exec'],
  opening: async (io) => io.stdout.write('yarn run v1.22.22\n'),
  announce: async (io, { line }) => io.stdout.write(`$ ${line}\n`),
  closing: async (io, ms) => io.stdout.write(`Done in ${seconds(ms)}s.\n`),
  async failed(io, _event, status) {
    await io.stderr.write(`error Command failed with exit code ${status}.\n`)
    await io.stdout.write('info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n')
  },
  async missing(io, event) {
    await io.stderr.write(`error Command "${event}" not found.\n`)
    await io.stdout.write('info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n')
  },
}

const pnpm: Manager = {
  name: 'pnpm',
  version: '9.15.9',
  quiet: ['-s', '--silent'],
  run: ['run', 'run-script'],
  exec: ['exec'],
  opening: nothing,
  async announce(io, { owner, event, line, directory }) {
    const id = owner === undefined ? undefined : idOf(owner)
    await io.stdout.write(`\n> ${id === undefined ? '' : `${id} `}${event} ${directory}\n> ${line}\n\n`)
  },
  closing: nothing,
  failed: async (io, event, status) =>
    io.stdout.write(
      event === 'test'
        ? ' ELIFECYCLE  Test failed. See above for more details.\n'
        : ` ELIFECYCLE  Command failed with exit code ${status}.\n`,
    ),
  missing: async (io, event) =>
    io.stderr.write(` ERR_PNPM_NO_SCRIPT  Missing script: ${event}\n\nCommand "${event}" not found.\n`),
}

const bun: Manager = {
  name: 'bun',
  version: '1.1.45',
  quiet: ['--silent'],
  run: ['run'],
  exec: ['x'],
  opening: nothing,
  announce: async (io, { line }) => io.stderr.write(`$ ${line}\n`),
  closing: nothing,
  failed: async (io, event, status) => io.stderr.write(`error: script "${event}" exited with code ${status}\n`),
  missing: async (io, event) => io.stderr.write(`error: Script not found "${event}"\n`),
}

/** What they have beside scripts and programs. */
const others = new Set(
  'add install i ci remove rm uninstall un update up upgrade outdated audit publish pack link unlink dlx create init why list ls ll store patch rebuild dedupe fetch import licenses root bin config cache info login logout owner team tag version versions workspace workspaces global self-update env setup prune deploy recursive build pm repl completions test'.split(
    ' ',
  ),
)

async function callOf(io: ProgramIo, command: string): Promise<Call> {
  const settings = readSettings(io, [])
  return { io, settings, project: await findProject(io, settings), args: [], command }
}

async function runManager(io: ProgramIo, manager: Manager): Promise<number> {
  const words = [...io.args]
  let isQuiet = false
  while (words[0] !== undefined && manager.quiet.includes(words[0])) {
    isQuiet = true
    words.shift()
  }
  const [first] = words
  if (first === '--version' || first === '-v') {
    await io.stdout.write(`${manager.version}\n`)
    return 0
  }
  if (first?.startsWith('-')) throw new ProgramError(`option '${first}' is not supported by this shell`, 2)
  const isRun = first !== undefined && manager.run.includes(first)
  const isExec = first !== undefined && manager.exec.includes(first)
  if (isRun || isExec) words.shift()
  while (words[0] !== undefined && (manager.quiet.includes(words[0]) || words[0] === '--')) {
    isQuiet ||= words[0] !== '--'
    words.shift()
  }
  const [event, ...args] = words
  if (event === undefined) throw new ProgramError(refusal(manager, first ?? 'install'), 2)
  const call = await callOf(io, isExec ? 'exec' : 'run-script')
  const owner = await packageIfAny(io, call.project.directory)
  const scripts = owner === undefined || isExec ? new Map<string, string>() : scriptsOf(owner)
  // `bun test` is a runner of its own, whatever scripts there are.
  const isScript = scripts.has(event) && !(manager === bun && event === 'test' && !isRun)
  const bin = isScript ? undefined : await programNamed(io, call.project.directory, event)
  if (!isScript && bin === undefined) {
    if (!isRun && !isExec && (others.has(event) || event.includes('.')))
      throw new ProgramError(refusal(manager, event), 2)
    await manager.missing(io, event)
    return 1
  }
  const begun = io.clock.elapsed()
  if (!isQuiet) await manager.opening(io)
  const names = isScript ? [`pre${event}`, event, `post${event}`] : [event]
  for (const name of names) {
    const command = isScript ? scripts.get(name) : name
    if (command === undefined || command === '') continue
    const given = { event: name, command, args: name === event ? args : [], directory: call.project.directory }
    const line = isScript ? commandLine(given) : [bin, ...args].join(' ')
    const isShown = !isQuiet && (isScript || manager === yarn)
    if (isShown) await manager.announce(io, { owner, event: name, line, directory: given.directory })
    try {
      await runScript(call, { ...given, ...(owner && { package: owner }), hasBanner: false })
    } catch (error) {
      if (!(error instanceof SilentFailure)) throw error
      await io.stdout.flush()
      if (!isQuiet && (isScript || manager === yarn)) await manager.failed(io, event, error.status)
      return error.status
    }
  }
  if (!isQuiet) await manager.closing(io, io.clock.elapsed() - begun)
  return 0
}

async function programNamed(io: ProgramIo, top: string, name: string): Promise<string | undefined> {
  if (name.includes('/')) return undefined
  for (const at of ancestors(top)) {
    const path = join(at, `node_modules/.bin/${name}`)
    if (await exists(io.fs, path)) return path
  }
  return undefined
}

function refusal({ name }: Manager, command: string): string {
  if (name === 'bun' && command === 'test')
    return '`bun test` is not supported by this shell; a script named test runs with `bun run test`'
  if (name === 'bun' && command.includes('.'))
    return `running files with bun is not supported by this shell: use node ${command}`
  return `\`${name} ${command}\` is not supported by this shell: npm installs packages where the host allows a registry, and scripts and programs of installed packages run`
}

export const otherManagers: readonly Program[] = [yarn, pnpm, bun].map((manager) =>
  rawProgram({ name: manager.name, run: (io) => runManager(io, manager) }),
)
