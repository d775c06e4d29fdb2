/** The ignore rules that a user, or whoever runs the machine, has given git for all repositories. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type GitConfig, lastValue, parseGitConfig } from '../../src/git/config.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Neither a configuration nor a list of rules is larger. */
const maxBytes = 1_048_576

/** Files that a configuration includes may include others. */
const maxIncludes = 8

/**
 * Read once, from where git reads them: `core.excludesFile` of the user's and the machine's configuration, else `git/ignore` in the user's
 * place for configuration. Nothing of this becomes reachable for tools. What is missing, too large or no file has no rules.
 */
export function readUserExcludes(environment: Environment = process.env): string | undefined {
  const home = environment.HOME ?? os.homedir()
  const place = environment.XDG_CONFIG_HOME || path.join(home, '.config')
  const named = configFiles(environment, home, place)
    .map((file) => excludesFileIn(file, home))
    .filter((value) => value !== undefined)
    .at(-1)
  const file = named === undefined ? path.join(place, 'git', 'ignore') : inHome(named, home)
  // An empty name switches them off, and a relative one would count from wherever a process happens to be.
  return path.isAbsolute(file) ? readText(file) : undefined
}

/** The last one counts. */
function configFiles(environment: Environment, home: string, place: string): string[] {
  const { GIT_CONFIG_NOSYSTEM: noSystem, GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: global } = environment
  const isWithoutSystem = /^(true|yes|on|[1-9]\d*)$/i.test(noSystem ?? '')
  const ofUser = global === undefined ? [path.join(place, 'git', 'config'), path.join(home, '.gitconfig')] : [global]
  return [...(isWithoutSystem ? [] : [system ?? '/etc/gitconfig']), ...ofUser]
}

/** What a file says itself outweighs what it includes. */
function excludesFileIn(file: string, home: string, depth = 0): string | undefined {
  const text = file === '' || depth > maxIncludes ? undefined : readText(file)
  if (text === undefined) return undefined
  const config: GitConfig = parseGitConfig(text)
  const own = lastValue(config, 'core.excludesfile')
  if (own !== undefined) return own
  return (config.get('include.path') ?? [])
    .map((included) => excludesFileIn(path.resolve(path.dirname(file), inHome(included, home)), home, depth + 1))
    .filter((value) => value !== undefined)
    .at(-1)
}

function inHome(file: string, home: string): string {
  return file.startsWith('~/') ? path.join(home, file.slice(2)) : file
}

/** Links are followed: people keep such files elsewhere. What is no regular file is never waited for. */
function readText(file: string): string | undefined {
  let descriptor: number | undefined
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
    const stats = fs.fstatSync(descriptor)
    return stats.isFile() && stats.size <= maxBytes ? fs.readFileSync(descriptor, 'utf8') : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}
