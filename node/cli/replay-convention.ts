/** The start-up of `replay --mcp-server`, so that a client's configuration can be copied. */
import { readFileSync } from 'node:fs'
import type { Directory } from '../workspace/directory-workspace.js'
import { type Convention, ConventionError, type ConventionFlags } from './convention.js'

/** What a file for `--sandbox-profile` may contain, with what holds when it does not. */
const defaults = {
  import_baseline: true,
  read_only: [] as string[],
  read_write: [] as string[],
  allow_network: true,
  allow_exec: true,
  allow_fork: true,
  extra_rules: [] as string[],
}

type Profile = typeof defaults

/**
 * `--mcp-server` is what the dialect does anyway. There, a sandbox is a matter of macOS; here it is bubblewrap where that works. As there, it
 * allows the network unless an option says otherwise.
 */
export function replayConvention(flags: ConventionFlags): Convention {
  const file = flags['sandbox-profile']
  const profile = file === undefined ? undefined : readProfile(file)
  const deniesNetwork = flags['deny-network'] === true || profile?.allow_network === false
  const wantsSandbox = flags.sandbox === '' || file !== undefined || deniesNetwork
  const warnings = [
    ...(flags.verbose ? ['polyfs: -v has no effect: there is nothing more to print'] : []),
    ...(profile ? profileWarnings(profile) : []),
  ]
  return {
    directories: profile ? profileDirectories(profile) : [],
    shellProgram: '/bin/sh',
    // A mode that is named is our own flag, which denies the network.
    ...(wantsSandbox && { sandbox: 'auto' as const, allowNetwork: !deniesNetwork && !flags.sandbox }),
    ...(profile && !mayRunCommands(profile) && { commands: false }),
    warnings,
  }
}

function readProfile(file: string): Profile {
  const fault = (message: string) => new ConventionError(`--sandbox-profile ${file}: ${message}`)
  let given: unknown
  try {
    given = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw error instanceof Error ? fault(error.message) : error
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw fault('not a JSON object')
  for (const [key, value] of Object.entries(defaults)) {
    const own = (given as Record<string, unknown>)[key]
    if (own === undefined) continue
    const isStrings = Array.isArray(own) && own.every((item) => typeof item === 'string' && item !== '')
    if (typeof value === 'boolean' && typeof own !== 'boolean') throw fault(`${key} is not true or false`)
    if (Array.isArray(value) && !isStrings) throw fault(`${key} is not a list of texts`)
  }
  return { ...defaults, ...given }
}

/** They follow those of the command line, writable ones first. */
function profileDirectories({ read_write, read_only }: Profile): Directory[] {
  return [
    ...read_write.map((directory) => ({ directory, access: 'read-write' as const })),
    ...read_only.map((directory) => ({ directory, access: 'read-only' as const })),
  ]
}

function mayRunCommands({ allow_exec, allow_fork }: Profile): boolean {
  return allow_exec && allow_fork
}

function profileWarnings(profile: Profile): string[] {
  const without = [
    ...(profile.extra_rules.length > 0 ? ['extra_rules'] : []),
    ...(profile.import_baseline ? [] : ['import_baseline']),
  ]
  return [
    ...without.map((key) => `polyfs: ${key} of the sandbox profile has no effect: it is for the sandbox of macOS`),
    ...(mayRunCommands(profile)
      ? []
      : ['polyfs: the sandbox profile allows no commands: execute_command is not offered']),
  ]
}
