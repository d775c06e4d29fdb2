/** `npm pkg`: reads and changes `package.json`. */
import { ProgramError } from '../../program-error.js'
import type { Call, Command } from '../command.js'
import { failure, NpmFailure } from '../npm-failure.js'
import { isObject, type Json, type JsonObject, type Package, readPackage, writePackage } from '../package-json.js'
import { comparePackages } from '../package-order.js'
import type { Workspace } from '../project.js'
import { lookUp, setAt } from '../property-path.js'

export const pkg: Command = {
  async run(call) {
    const [action, ...args] = call.args
    const found = () => readPackage(call.io, call.project.directory)
    if (action === 'get') await print(call, get(await withJson(call, found), args))
    else await change(call, found)
    return 0
  },
  async forWorkspaces(call, workspaces) {
    const [action, ...args] = call.args
    if (action !== 'get') {
      for (const { directory } of workspaces) await change(call, () => readPackage(call.io, directory))
      return 0
    }
    const all: JsonObject = {}
    for (const { name, directory } of workspaces as readonly Workspace[]) {
      all[name] = get(await withJson(call, () => readPackage(call.io, directory)), args)
    }
    await print(call, all)
    return 0
  },
}

/** Its failures are printed as JSON even when nobody asked for that. */
async function withJson<Result>(call: Call, read: () => Promise<Result>): Promise<Result> {
  call.isJson = true
  return read()
}

async function print({ io }: Call, value: Json): Promise<void> {
  // Nothing is printed for a value that says "no".
  if (value !== 0 && value !== '' && value !== false && value !== null) {
    await io.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
  } else await io.stdout.write('{}\n')
}

function get({ content }: Package, paths: readonly string[]): Json {
  if (paths.length === 0) return content
  const found = Object.assign({}, ...paths.map((path) => lookUp(content, path))) as JsonObject
  const [only] = Object.keys(found)
  if (paths.length === 1 && Object.keys(found).length === 1 && only !== undefined)
    return found[paths[0] as string] ?? {}
  return found
}

async function change(call: Call, read: () => Promise<Package>): Promise<void> {
  const [action, ...args] = call.args
  const force = call.settings.is('force')
  const wrong = () =>
    usage(action === 'set' ? 'npm pkg set expects a key=value pair of args.' : 'npm pkg delete expects key args.')
  if (action === 'fix') throw new ProgramError('`npm pkg fix` is not supported by this shell', 2)
  if (action !== 'set' && action !== 'delete') throw usage()
  if (args.length === 0) throw wrong()
  const found = await read()
  const content = structuredCopy(found.content)
  for (const arg of args) {
    if (action === 'delete') {
      if (arg === '') throw wrong()
      setAt(content, arg, { value: undefined })
      continue
    }
    const at = arg.indexOf('=')
    if (at < 1 || at === arg.length - 1) throw wrong()
    const text = arg.slice(at + 1)
    setAt(content, arg.slice(0, at), { value: call.settings.is('json') ? json(text) : text, force })
  }
  await writePackage(call.io, found, normalized(content))
}

const structuredCopy = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

function json(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw failure((error as Error).message.replace(/ \(line \d+ column \d+\)$/, ''))
  }
}

const dependencyKinds = ['dependencies', 'optionalDependencies', 'devDependencies', 'peerDependencies']

/** As npm writes it: dependencies by name, and none of an empty kind. */
function normalized(content: JsonObject): JsonObject {
  const scripts = content.scripts
  if (isObject(scripts) && Object.values(scripts).some((command) => typeof command !== 'string')) {
    throw failure('package.json scripts should be a key-value pair of strings.', 'ESCRIPTSINVALID')
  }
  const made: JsonObject = { ...content }
  for (const kind of dependencyKinds) {
    const all = made[kind]
    if (!isObject(all)) continue
    const entries = Object.entries(all).filter(([name]) => kind !== 'dependencies' || !isOptional(made, name))
    if (entries.length === 0) delete made[kind]
    else made[kind] = Object.fromEntries(entries.sort(([one], [other]) => comparePackages(one, other)))
  }
  return made
}

function isOptional({ optionalDependencies }: JsonObject, name: string): boolean {
  return isObject(optionalDependencies) && Object.hasOwn(optionalDependencies, name)
}

const help = `Manages your package.json

Usage:
npm pkg set <key>=<value> [<key>=<value> ...]
npm pkg get [<key> [<key> ...]]
npm pkg delete <key> [<key> ...]
npm pkg set [<array>[<index>].<key>=<value> ...]
npm pkg set [<array>[].<key>=<value> ...]
npm pkg fix

Options:
[-f|--force] [--json]
[-w|--workspace <workspace-name> [-w|--workspace <workspace-name> ...]]
[--workspaces]

  -f|--force
    Removes various protections against unfortunate side effects, common

  --json
    Whether or not to output JSON data, rather than the normal output.

  -w|--workspace
    Enable running a command in the context of the configured workspaces of the

  --workspaces
    Set to true to run the command in the context of **all** configured


Run "npm help pkg" for more info`

function usage(message?: string): NpmFailure {
  const text = `\n${message === undefined ? '' : `${message}\n\n`}${help}`
  return new NpmFailure(
    [
      ['code', 'EUSAGE'],
      ['', text],
    ],
    { code: 'EUSAGE' },
  )
}
