/** `polyfs init`: enters the server into the configurations of MCP clients, or takes it out again. */
import { isDeepStrictEqual } from 'node:util'
import { singleHunkDiff } from '../../src/text/diff/unified-diff.js'
import { type Client, clients, type Machine, type ServerCommand } from './clients.js'
import { ConfigError } from './config-error.js'
import { type EntryPlace, jsonEntry, withJsonEntry, withoutJsonEntry } from './json-entry.js'
import { tomlEntry, withoutTomlEntry, withTomlEntry } from './toml-entry.js'

/** The machine, with what the command may do on it. */
export interface Surroundings extends Machine {
  /** Undefined if there is no such file. */
  read(file: string): Promise<string | undefined>
  /** Replaces the file at once, and makes its directory. */
  write(file: string, text: string): Promise<void>
  remove(file: string): Promise<void>
  /** Whether the directory exists. */
  hasDirectory(directory: string): Promise<boolean>
  show(text: string): void
  /** A question with the answers yes and no; undefined where nobody can answer. */
  ask?(question: string): Promise<boolean>
}

export interface InitRequest {
  /** Names of clients; all that are installed, if none is given. */
  clients: readonly string[]
  server: ServerCommand
  /** The name of the entry. */
  name: string
  remove: boolean
  dryRun: boolean
  /** Changes without asking. */
  yes: boolean
}

interface Change {
  client: Client
  file: string
  before: string | undefined
  /** Undefined to remove the file. */
  after: string | undefined
  /** The copy of what was there, which this change makes or uses up. */
  copy: 'make' | 'remove' | 'leave'
}

/** Beside the configuration: what it was before the last change. */
export function copyOf(file: string): string {
  return `${file}.before-polyfs`
}

/** The names that `polyfs init` takes. */
export const clientNames = clients.map(({ name }) => name)

/** Returns whether everything that was asked for is done, or would be. */
export async function init(request: InitRequest, around: Surroundings): Promise<boolean> {
  const chosen = await choose(request, around)
  if (chosen.length === 0) {
    around.show(`No client was found here. Name one to make its configuration: ${clientNames.join(', ')}.\n`)
    return false
  }
  let isDone = true
  for (const client of chosen) isDone = (await change(client, request, around)) && isDone
  return isDone
}

/** Those that are named, or those whose directory exists. */
async function choose({ clients: names }: InitRequest, around: Surroundings): Promise<Client[]> {
  if (names.length > 0) return clients.filter(({ name }) => names.includes(name))
  const found = await Promise.all(clients.map((client) => isInstalled(client, around)))
  return clients.filter((_, index) => found[index])
}

async function isInstalled(client: Client, around: Surroundings): Promise<boolean> {
  const file = client.file(around)
  const directory = file.replace(/[\\/][^\\/]*$/, '')
  // The configuration of Claude Code lies in the home directory, which everybody has.
  if (directory === around.home) return (await around.read(file)) !== undefined
  return around.hasDirectory(directory)
}

async function change(client: Client, request: InitRequest, around: Surroundings): Promise<boolean> {
  const file = client.file(around)
  try {
    const planned = await plan(client, request, around)
    if (planned === undefined) {
      around.show(`${client.title}: nothing to change in ${file}\n`)
      return true
    }
    around.show(`${client.title}: ${file}\n\n${printed(planned)}\n`)
    if (request.dryRun) return true
    const question = request.remove ? `Remove it from ${client.title}?` : `Add it to ${client.title}?`
    if (!request.yes && !(await around.ask?.(question))) {
      around.show(`${client.title}: left as it is\n`)
      return false
    }
    await carryOut(planned, around)
    const copy = planned.copy === 'make' ? `; the copy ${copyOf(file)} has what was there` : ''
    around.show(`${client.title}: changed${copy}. Restart it to see the change.\n`)
    return true
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    around.show(`${client.title}: not changed, because ${file} ${error.message}\n`)
    return false
  }
}

async function plan(client: Client, request: InitRequest, around: Surroundings): Promise<Change | undefined> {
  const file = client.file(around)
  const before = await around.read(file)
  const place: EntryPlace = { section: client.key, name: request.name }
  const found = before === undefined ? undefined : entryIn(client, before, place)
  if (found !== undefined && !isOurs(found)) {
    if (request.remove) return undefined
    throw new ConfigError(`has another server called ${request.name}; choose a name with --name`)
  }
  const value = client.entry(request.server)
  if (!request.remove) {
    if (isDeepStrictEqual(found, value)) return undefined
    const after = withEntry(client, before ?? '', place, value)
    // An entry of ours that is replaced: the copy goes on to have what was there before it.
    const copy = before === undefined || found !== undefined ? 'leave' : 'make'
    return { client, file, before, after, copy }
  }
  if (before === undefined || found === undefined) return undefined
  return restored({ client, file, before, place, found: found as Record<string, unknown> }, around)
}

interface Entered {
  client: Client
  file: string
  before: string
  place: EntryPlace
  found: Record<string, unknown>
}

/** To the byte what was there, if nothing else was changed since; otherwise only the entry goes. */
async function restored({ client, file, before, place, found }: Entered, around: Surroundings): Promise<Change> {
  const copy = await around.read(copyOf(file))
  if (copy !== undefined && isResult(client, copy, place, found, before)) {
    return { client, file, before, after: copy, copy: 'remove' }
  }
  if (copy === undefined && isResult(client, '', place, found, before)) {
    return { client, file, before, after: undefined, copy: 'leave' }
  }
  const without = client.format === 'json' ? withoutJsonEntry : withoutTomlEntry
  return { client, file, before, after: without(before, place), copy: 'make' }
}

/** Whether adding the entry to `from` gives `text`. */
function isResult(
  client: Client,
  from: string,
  place: EntryPlace,
  value: Record<string, unknown>,
  text: string,
): boolean {
  try {
    return withEntry(client, from, place, value) === text
  } catch (error) {
    if (error instanceof ConfigError) return false
    throw error
  }
}

function withEntry(client: Client, text: string, place: EntryPlace, value: Record<string, unknown>): string {
  return client.format === 'json' ? withJsonEntry(text, place, value) : withTomlEntry(text, place, value)
}

function entryIn(client: Client, text: string, place: EntryPlace): unknown {
  return client.format === 'json' ? jsonEntry(text, place) : tomlEntry(text, place)
}

/** Whether the entry starts this server, from wherever. */
function isOurs(entry: unknown): boolean {
  const { command, args } = (entry ?? {}) as { command?: unknown; args?: unknown }
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string')
  return words.some((word) => /(^|[\\/])polyfs(@[^\\/]*)?($|[\\/])|[\\/]dist[\\/]node[\\/]cli\.js$/.test(word))
}

function printed({ file, before = '', after = '' }: Change): string {
  const lines = (text: string) => text.replaceAll('\r\n', '\n')
  return singleHunkDiff(file, lines(before), lines(after))
}

async function carryOut({ file, before, after, copy }: Change, around: Surroundings): Promise<void> {
  // The question may have stood for long, and clients write their own configuration.
  if ((await around.read(file)) !== before) throw new ConfigError('was changed meanwhile; run this again')
  if (copy === 'make' && before !== undefined) await around.write(copyOf(file), before)
  if (after === undefined) await around.remove(file)
  else await around.write(file, after)
  if (copy === 'remove') await around.remove(copyOf(file))
}
