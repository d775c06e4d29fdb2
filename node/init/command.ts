/** The command line of `polyfs init`, and the machine it works on. */
import { realpathSync } from 'node:fs'
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { UsageError } from '../terminal/usage-error.js'
import type { ServerCommand } from './clients.js'
import { clientNames, type InitRequest, init, type Surroundings } from './init.js'

export const initHelp = `Usage: polyfs init [CLIENT...] [options] [-- SERVER ARGUMENTS]

Enters this server into the configuration of MCP clients, for the whole account. Shows each change as a diff and asks before it is made.
Only the server's own entry is written; comments and everything else stay as they are, and a copy of what was there is left beside the file.

  CLIENT         ${clientNames.join(', ')};
                 without one, all that are found on this machine
  --root DIR     a directory to serve; may be repeated (default: the current directory)
  --name NAME    the name of the entry (default files)
  --remove       take the entry out again
  --dry-run      only show what would be changed
  --yes          change without asking
  -- ARGUMENTS   further arguments of the server, such as --read-only

Clients start the server from another directory and often without your PATH, so all paths in the entry are absolute.
`

/** Returns the exit code. */
export async function runInit(argv: readonly string[], show: (text: string) => void): Promise<number> {
  const request = requestOf(argv)
  if (request === 'help') {
    show(initHelp)
    return 0
  }
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY
  if (!isTerminal && !request.yes && !request.dryRun) {
    throw new UsageError('there is no terminal to ask on; add --yes to change, or --dry-run to only look')
  }
  return (await init(request, thisMachine(show, isTerminal))) ? 0 : 1
}

/** What the arguments ask for. Fails with a `UsageError`. */
export function requestOf(argv: readonly string[]): InitRequest | 'help' {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  const { values, positionals } = parsed(own)
  if (values.help) return 'help'
  const unknown = positionals.find((name) => !clientNames.includes(name))
  if (unknown !== undefined) throw new UsageError(`no client is called ${unknown}; there are ${clientNames.join(', ')}`)
  if (!/^[A-Za-z0-9_-]+$/.test(values.name)) throw new UsageError('--name takes letters, digits, - and _')
  const roots = (values.root ?? ['.']).map((root) => path.resolve(root))
  const further = end === -1 ? [] : argv.slice(end + 1)
  return {
    clients: positionals,
    server: thisServer([...further, ...roots]),
    name: values.name,
    remove: values.remove,
    dryRun: values['dry-run'],
    yes: values.yes,
  }
}

function parsed(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const
  const options = {
    root: { type: 'string', multiple: true },
    name: { type: 'string', default: 'files' },
    remove: flag,
    'dry-run': flag,
    yes: flag,
    help: { ...flag, short: 'h' },
  } as const
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(error.message.replace(/\. To specify a positional.*$/s, ''))
  }
}

/** How a client starts what is running now. The cache of `npx` is temporary, so from there it is started by name. */
function thisServer(args: readonly string[]): ServerCommand {
  const program = realpathSync(process.argv[1] ?? '')
  if (!/[\\/]_npx[\\/]/.test(program)) return { command: process.execPath, args: [program, ...args] }
  const npx = ['npx', '-y', 'polyfs', ...args]
  // On Windows npx is a script, which only a shell can start.
  const [command = 'npx', ...rest] = process.platform === 'win32' ? ['cmd', '/c', ...npx] : npx
  return { command, args: rest }
}

function thisMachine(show: (text: string) => void, isTerminal: boolean): Surroundings {
  const { platform } = process
  return {
    platform: platform === 'darwin' || platform === 'win32' ? platform : 'linux',
    home: homedir(),
    env: process.env,
    read,
    write,
    remove: (file) => rm(file, { force: true }),
    hasDirectory: async (directory) => (await stat(directory).catch(() => undefined))?.isDirectory() ?? false,
    show,
    ...(isTerminal && { ask }),
  }
}

async function read(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  // A byte order mark stays in the text, and what is not UTF-8 is an error.
  return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

/** Through a link, as dotfiles often are, and with the rights that the file has; a new one is the user's alone. */
async function write(file: string, text: string): Promise<void> {
  const place = await realpath(file).catch(() => file)
  await mkdir(path.dirname(place), { recursive: true })
  const known = await stat(place).catch(() => undefined)
  const original = known ?? (await stat(place.replace(/\.before-polyfs$/, '')).catch(() => undefined))
  const temporary = `${place}.${process.pid}.tmp`
  await writeFile(temporary, text, { mode: 0o600 })
  if (original !== undefined) await chmod(temporary, original.mode & 0o777)
  await rename(temporary, place)
}

async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } finally {
    lines.close()
  }
}
