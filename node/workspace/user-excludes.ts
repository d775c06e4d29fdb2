/** The ignore rules for all repositories from the user's and the system's git configuration. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type GitConfig, lastValue, parseGitConfig } from '../../src/git/config.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Larger files are ignored. */
const maxBytes = 1_048_576

/** Maximum depth of includes in a configuration. */
const maxIncludes = 8

/**
 * Read once, from the same places as git: `core.excludesFile` of the user's and the system's configuration, else
 * `git/ignore` in the user's configuration directory. Tools can't reach these files. A missing, too large or special
 * file counts as empty.
 */
export function readUserExcludes(environment: Environment = process.env): string | undefined {
  const home = environment.HOME ?? os.homedir()
  const configHome = environment.XDG_CONFIG_HOME || path.join(home, '.config')
  const named = configFiles(environment, home, configHome)
    .map((file) => excludesFileIn(file, home))
    .filter((value) => value !== undefined)
    .at(-1)
  const file = named === undefined ? path.join(configHome, 'git', 'ignore') : inHome(named, home)
  // An empty name disables the rules; a relative one would depend on the process's working directory.
  return path.isAbsolute(file) ? readText(file) : undefined
}

/** The last file that sets a value wins. */
function configFiles(environment: Environment, home: string, configHome: string): string[] {
  const { GIT_CONFIG_NOSYSTEM: noSystem, GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: global } = environment
  const isWithoutSystem = /^(true|yes|on|[1-9]\d*)$/i.test(noSystem ?? '')
  const ofUser =
    global === undefined ? [path.join(configHome, 'git', 'config'), path.join(home, '.gitconfig')] : [global]
  return [...(isWithoutSystem ? [] : [system ?? '/etc/gitconfig']), ...ofUser]
}

/** A value in the file itself overrides values in the files it includes. */
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

/** Follows links, because people store such files elsewhere. Opens without blocking, in case it is not a regular file. */
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
