/** Flags and environment variables of the servers whose dialects we speak, for clients configured for them. Our own flags win. */
import type { Limits } from '../../src/workspace/limits.js'
import type { Directory } from '../workspace/directory-workspace.js'
import { type Convention, ConventionError, type ConventionFlags } from './convention.js'
import { replayConvention } from './replay-convention.js'

export function conventionOf(
  dialect: string,
  flags: ConventionFlags,
  { given, env = process.env }: { given: number; env?: NodeJS.ProcessEnv },
): Convention {
  rejectForeign(dialect, flags)
  if (dialect === 'clarvis') return clarvis(flags, given, env)
  const here: Directory = { directory: '.', access: 'read-write' }
  if (dialect === 'fs-context') return { directories: flags['allow-cwd'] ? [here] : [], ...fsContext(env) }
  // The original serves the current directory unless one is given.
  if (dialect === 'fs' && given === 0) return { directories: [here] }
  if (dialect === 'replay') return { ...replayConvention(flags), limits: withoutOwnLimit }
  return { directories: [], ...(dialect === 'file-editor' && { limits: withoutOwnLimit }) }
}

/** These servers read and edit files of any size. Here a file that is held in memory has to have a limit. */
const withoutOwnLimit = { maxFileBytes: 64 * 1024 * 1024 }

/** Rejects flags of other dialects: ignoring them would look like applying them. */
function rejectForeign(dialect: string, flags: ConventionFlags): void {
  for (const [flag, owner] of Object.entries(owners)) {
    if (flags[flag as keyof ConventionFlags] !== undefined && dialect !== owner) {
      throw new ConventionError(`--${flag} is an option of the dialect ${owner}`)
    }
  }
}

const owners = {
  workspace: 'clarvis',
  'allow-outside-workspace': 'clarvis',
  'allow-cwd': 'fs-context',
  'mcp-server': 'replay',
  'deny-network': 'replay',
  'sandbox-profile': 'replay',
  verbose: 'replay',
}

function clarvis(flags: ConventionFlags, given: number, env: NodeJS.ProcessEnv): Convention {
  const workspace = flags.workspace ?? (given === 0 ? env.WORKSPACE_ROOT : undefined)
  if (workspace === '') throw new ConventionError('--workspace requires a path argument')
  const outside = flags['allow-outside-workspace'] ?? yesOrNo('ALLOW_OUTSIDE_WORKSPACE', env) ?? false
  const readOnly = yesOrNo('READ_ONLY', env)
  const limits = clarvisLimits(env)
  return {
    directories: [
      ...(workspace === undefined ? [] : [{ directory: workspace, access: 'read-write' as const }]),
      ...(outside ? [{ directory: '/', access: 'read-write' as const }] : []),
    ],
    ...(readOnly !== undefined && { readOnly }),
    shellProgram: 'sh',
    limits,
  }
}

function clarvisLimits(env: NodeJS.ProcessEnv): Partial<Limits> {
  const maxOutputBytes = wholeNumber('MAX_OUTPUT_BYTES', 1024, env)
  const maxFileBytes = wholeNumber('MAX_FILE_BYTES', 1024, env)
  const commandTimeoutMs = wholeNumber('BASH_TIMEOUT_MS', 1, env)
  const maxCommandTimeoutMs = wholeNumber('BASH_TIMEOUT_MAX_MS', 1, env)
  const [usual, most] = [commandTimeoutMs ?? 120_000, maxCommandTimeoutMs ?? 600_000]
  if (most < usual) throw new ConventionError(`BASH_TIMEOUT_MAX_MS (${most}) must be >= BASH_TIMEOUT_MS (${usual}).`)
  return {
    ...(maxOutputBytes !== undefined && { maxOutputBytes }),
    ...(maxFileBytes !== undefined && { maxFileBytes }),
    ...(commandTimeoutMs !== undefined && { commandTimeoutMs }),
    ...(maxCommandTimeoutMs !== undefined && { maxCommandTimeoutMs }),
  }
}

function yesOrNo(name: string, env: NodeJS.ProcessEnv): boolean | undefined {
  const value = env[name]
  if (value === undefined) return undefined
  if (/^\s*(1|true|yes|on)\s*$/i.test(value)) return true
  if (/^\s*(0|false|no|off|)\s*$/i.test(value)) return false
  throw new ConventionError(`${name} must be one of 1/true/yes/on or 0/false/no/off, got: ${value}`)
}

function wholeNumber(name: string, least: number, env: NodeJS.ProcessEnv): number | undefined {
  const value = env[name]
  if (value === undefined || value === '') return undefined
  if (!/^\d+$/.test(value)) throw new ConventionError(`${name} must be a positive integer, got: ${value}`)
  if (Number(value) < least) throw new ConventionError(`${name} must be an integer >= ${least}, got: ${value}`)
  return Number(value)
}

/** Variables of fs-context: the parameter whose default they set, and its range. */
const fsContextVariables = {
  MAX_FILE_SIZE: ['maxReadBytes', 1024 ** 2, 100 * 1024 ** 2],
  MAX_SEARCH_SIZE: ['maxSearchBytes', 100 * 1024, 10 * 1024 ** 2],
  DEFAULT_DEPTH: ['maxDepth', 1, 100],
  DEFAULT_RESULTS: ['maxResults', 10, 10_000],
  DEFAULT_LIST_MAX_ENTRIES: ['maxEntries', 100, 100_000],
  DEFAULT_SEARCH_MAX_FILES: ['maxFilesScanned', 100, 100_000],
  DEFAULT_SEARCH_TIMEOUT: ['timeoutMs', 100, 3_600_000],
} as const

function fsContext(env: NodeJS.ProcessEnv): Omit<Convention, 'directories'> {
  const defaults: { -readonly [Name in (typeof fsContextVariables)[keyof typeof fsContextVariables][0]]?: number } = {}
  const warnings: string[] = []
  for (const [name, [parameter, least, most]] of Object.entries(fsContextVariables)) {
    const value = env[name]
    if (value === undefined || value === '') continue
    const given = /^\s*\d+\s*$/.test(value) ? Number(value) : Number.NaN
    if (given >= least && given <= most) defaults[parameter] = given
    else warnings.push(`[WARNING] Invalid ${name} value: ${value} (must be ${least}-${most}). Using the default.`)
  }
  const { maxReadBytes } = defaults
  return {
    dialect: async () => (await import('../../src/dialects/fs-context/tools.js')).fsContextWith(defaults),
    warnings,
    ...(maxReadBytes !== undefined && { limits: { maxFileBytes: maxReadBytes } }),
  }
}
