/** What the user's and the system's git configuration says about all repositories. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type GitConfig, lastValue, parseGitConfig } from '../../src/git/config.js'
import type { GitDefaults } from '../../src/workspace/git-settings.js'

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
  const places = placesIn(environment)
  return readNamed('core.excludesfile', 'ignore', places)
}

/** Read once, as the ignore rules are: how line endings are converted, and attributes of files. Programs that they name are never run. */
export function readGitDefaults(environment: Environment = process.env): GitDefaults {
  const places = placesIn(environment)
  const [autocrlf, eol] = [settingOf('core.autocrlf', places), settingOf('core.eol', places)]
  const ofSystem = isOn(environment.GIT_ATTR_NOSYSTEM) ? undefined : readText('/etc/gitattributes')
  const attributes = [ofSystem, readNamed('core.attributesfile', 'attributes', places)].filter(Boolean).join('\n')
  return {
    ...(autocrlf !== undefined && { autocrlf }),
    ...(eol !== undefined && { eol }),
    ...(attributes !== '' && { attributes }),
  }
}

interface Places {
  home: string
  configHome: string
  /** The last file that sets a value wins. */
  configs: readonly string[]
}

function placesIn(environment: Environment): Places {
  const home = environment.HOME ?? os.homedir()
  const configHome = environment.XDG_CONFIG_HOME || path.join(home, '.config')
  return { home, configHome, configs: configFiles(environment, home, configHome) }
}

function settingOf(key: string, { configs, home }: Places): string | undefined {
  return configs
    .map((file) => valueIn(file, key, home))
    .filter((value) => value !== undefined)
    .at(-1)
}

/** The text of a file that the configuration names, else of the usual one. */
function readNamed(key: string, usual: string, places: Places): string | undefined {
  const named = settingOf(key, places)
  const file = named === undefined ? path.join(places.configHome, 'git', usual) : inHome(named, places.home)
  // An empty name disables it; a relative one would depend on the process's working directory.
  return path.isAbsolute(file) ? readText(file) : undefined
}

function isOn(value: string | undefined): boolean {
  return /^(true|yes|on|[1-9]\d*)$/i.test(value ?? '')
}

function configFiles(environment: Environment, home: string, configHome: string): string[] {
  const { GIT_CONFIG_NOSYSTEM: noSystem, GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: global } = environment
  const ofUser =
    global === undefined ? [path.join(configHome, 'git', 'config'), path.join(home, '.gitconfig')] : [global]
  return [...(isOn(noSystem) ? [] : [system ?? '/etc/gitconfig']), ...ofUser]
}

/** A value in the file itself overrides values in the files it includes. */
function valueIn(file: string, key: string, home: string, depth = 0): string | undefined {
  const text = file === '' || depth > maxIncludes ? undefined : readText(file)
  if (text === undefined) return undefined
  const config: GitConfig = parseGitConfig(text)
  const own = lastValue(config, key)
  if (own !== undefined) return own
  return (config.get('include.path') ?? [])
    .map((included) => valueIn(path.resolve(path.dirname(file), inHome(included, home)), key, home, depth + 1))
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
