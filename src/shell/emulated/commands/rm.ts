/** Replaces `rm` of just-bash, which reports no failures with `-f`. */
import { isFsError } from '../../../errors.js'
import { join } from '../../../fs/path.js'
import type { RemoteFiles } from '../worker/remote-files.js'
import { type Call, CommandError, command, type Outcome, reason } from './command.js'

export const rm = (files: RemoteFiles) => command('rm', files, run)

async function run({ args, files, path }: Call): Promise<Outcome> {
  const end = args.indexOf('--')
  const isOption = (arg: string, index: number) => arg.startsWith('-') && arg !== '-' && (end < 0 || index <= end)
  const letters = args.filter(isOption).flatMap(lettersOf)
  const given = args.filter((arg, index) => !isOption(arg, index))
  const unknown = letters.find((letter) => !'rRfvid'.includes(letter))
  if (unknown !== undefined) throw new CommandError(`invalid option -- '${unknown}'`)
  const force = letters.includes('f')
  if (given.length === 0 && !force) throw new CommandError('missing operand')
  const options = { recursive: letters.some((letter) => 'rR'.includes(letter)), force, empty: letters.includes('d') }
  const errors: string[] = []
  const removed: string[] = []
  for (const name of given) await remove(name, path(name), files, { ...options, errors, removed })
  const stdout = letters.includes('v') ? removed.map((name) => `removed '${name}'\n`).join('') : ''
  return { stdout, stderr: errors.join(''), exitCode: errors.length > 0 ? 1 : 0 }
}

interface Removal {
  recursive: boolean
  force: boolean
  empty: boolean
  errors: string[]
  removed: string[]
}

/** Removes as much as possible, and reports the rest. */
async function remove(name: string, path: string, files: RemoteFiles, removal: Removal): Promise<void> {
  try {
    const { kind } = await files.stat(path)
    if (kind === 'directory' && removal.recursive) {
      const failures = removal.errors.length
      for (const entry of await files.readDir(path)) {
        await remove(`${name.replace(/\/$/, '')}/${entry.name}`, join(path, entry.name), files, removal)
      }
      if (removal.errors.length > failures) return
    } else if (kind === 'directory' && !removal.empty) {
      removal.errors.push(`rm: cannot remove '${name}': Is a directory\n`)
      return
    }
    await files.remove(path)
    removal.removed.push(name)
  } catch (error) {
    if (!isFsError(error)) throw error
    if (removal.force && error.code === 'NOT_FOUND') return
    removal.errors.push(`rm: cannot remove '${name}': ${reason(error, 'write')}\n`)
  }
}

function lettersOf(option: string): string[] {
  const long: Record<string, string> = { '--recursive': 'r', '--force': 'f', '--verbose': 'v', '--dir': 'd', '--': '' }
  return (long[option] ?? option.slice(1)).split('')
}
