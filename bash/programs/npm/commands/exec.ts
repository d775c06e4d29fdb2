/** `npm exec` and `npx`: programs of the packages that are there. */
import { isFsError } from '../../../../src/errors.js'
import { join, resolve } from '../../../../src/fs/path.js'
import { exists } from '../../../io/exists.js'
import { ProgramError } from '../../program-error.js'
import type { Call, Command } from '../command.js'
import { failure } from '../npm-failure.js'
import { binsOf, type Package, packageIfAny } from '../package-json.js'
import { ancestors } from '../project.js'
import { quoted, runScript } from '../script-run.js'
import { satisfies } from '../version-numbers.js'

export const exec: Command = {
  async run(call) {
    await execute(call, call.project.directory, call.io.cwd)
    return 0
  },
  async forWorkspaces(call, workspaces) {
    for (const { directory } of workspaces) await execute(call, directory, directory)
    return 0
  },
}

async function execute(call: Call, top: string, directory: string): Promise<void> {
  const { io, settings } = call
  const line = settings.text('call')
  const [name, ...args] = call.args
  if (line !== undefined && name !== undefined) {
    throw failure('npm exec takes either a command or -c, and not both', 'EUSAGE')
  }
  const packages = settings.list('package')
  for (const wanted of packages) await installed(call, top, wanted)
  if (name === undefined && line === undefined) {
    throw new ProgramError('a shell inside of `npm exec` is not supported: name a command', 2)
  }
  const found = await packageIfAny(io, top)
  const given = { event: 'npx', directory, hasBanner: false, ...(found && { package: found }) }
  if (name === undefined) return runScript(call, { ...given, command: line ?? '', args: [] })
  if (packages.length > 0) return runScript(call, { ...given, command: inQuotes(name), args })
  const own = await ownProgram(call, found, name)
  if (own !== undefined) return runScript(call, { ...given, command: inQuotes(own), args })
  for (const at of ancestors(top)) {
    const bin = join(at, 'node_modules/.bin')
    if (!(await exists(io.fs, `${bin}/${name}`))) continue
    return runScript(call, { ...given, command: inQuotes(name), args, binPaths: [bin] })
  }
  const other = await installed(call, top, name)
  const program = programOf(other)
  const bin = join(other.directory, binsOf(other).get(program) ?? '')
  await runScript(call, { ...given, command: inQuotes(bin), args })
}

/** As npm writes the command: a shell reads no word of its own in it. */
const inQuotes = (name: string) => `'${name.replaceAll("'", "'\\''")}'`

/** A program of the package itself; it gets the right to be executed, as when a package is linked. */
async function ownProgram({ io }: Call, found: Package | undefined, name: string): Promise<string | undefined> {
  const path = found === undefined ? undefined : binsOf(found).get(name)
  if (found === undefined || path === undefined) return undefined
  const at = resolve(found.directory, path)
  try {
    const { kind, mode = 0o755 } = await io.fs.stat(at)
    if (kind === 'file' && (mode & 0o111) === 0) await io.fs.setMode(at, mode | 0o111)
  } catch (error) {
    if (!isFsError(error)) throw error
    return name
  }
  return at
}

/** A package that was installed, by its name and perhaps a version. */
async function installed({ io }: Call, top: string, wanted: string): Promise<Package> {
  const [, name = wanted, range] = /^(@[^/@]+\/[^@]+|[^@]+)(?:@(.*))?$/.exec(wanted) ?? []
  for (const at of ancestors(top)) {
    const found = await packageIfAny(io, join(at, `node_modules/${name}`))
    if (found === undefined) continue
    const isMeant = range === undefined || satisfies(String(found.content.version), range) === true
    if (isMeant) return found
  }
  throw new ProgramError(
    `${quoted(wanted)} is not among the packages in node_modules, and this shell has no network to get it from`,
    2,
  )
}

/** The only program of a package, or the one with its name. */
function programOf(found: Package): string {
  const bins = binsOf(found)
  const name = String(found.content.name).replace(/^@[^/]*\//, '')
  if (bins.size > 0 && new Set(bins.values()).size === 1) return [...bins.keys()][0] as string
  if (bins.has(name)) return name
  throw failure('could not determine executable to run')
}
