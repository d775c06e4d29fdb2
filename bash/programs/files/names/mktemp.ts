/** Creates a file or directory with a new name. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { below, lstatIfThere } from '../shared/facts.js'
import { usageError } from '../shared/usage.js'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const maxAttempts = 100

export const mktemp = defineProgram({
  name: 'mktemp',
  usage: '[OPTION]... [TEMPLATE]',
  options: {
    directory: { names: ['-d', '--directory'] },
    dryRun: { names: ['-u', '--dry-run'] },
    quiet: { names: ['-q', '--quiet'] },
    suffix: { names: ['--suffix'], value: 'required' },
    parent: { names: ['-p'], value: 'required' },
    temporary: { names: ['--tmpdir'], value: 'optional' },
    legacy: { names: ['-t'] },
  },
  async run(io, given) {
    const [template = 'tmp.XXXXXXXXXX', extra] = given.operands
    if (extra !== undefined) throw usageError(io, 'too many templates')
    const { head, count, suffix } = parts(template, given.value('suffix'))
    const directory = parentDirectory(io, {
      given: given.value(given.last('parent', 'temporary') ?? 'parent'),
      isWanted: given.operands.length === 0 || given.has('parent') || given.has('temporary') || given.has('legacy'),
      isLegacy: given.has('legacy'),
    })
    if (directory !== undefined && template.startsWith('/')) {
      throw new ProgramError(`invalid template, ${quoted(template)}; with --tmpdir, it may not be absolute`)
    }
    if (given.has('legacy') && template.includes('/')) {
      throw new ProgramError(`invalid template, ${quoted(template)}, contains directory separator`)
    }
    const isDirectory = given.has('directory')
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const name = `${head}${randomName(io, count)}${suffix}`
      const path = directory === undefined ? name : below(directory, name)
      try {
        if ((await lstatIfThere(io.fs, path)) !== undefined) continue
        if (!given.has('dryRun')) await create(io, path, isDirectory)
        await io.stdout.write(`${path}\n`)
        return 0
      } catch (error) {
        if (isFsError(error, 'EXISTS')) continue
        const reason = describeError(error)
        const what = isDirectory ? 'directory' : 'file'
        const shown = directory === undefined ? template : below(directory, template)
        if (!given.has('quiet')) await io.error(`failed to create ${what} via template ${quoted(shown)}: ${reason}`)
        return 1
      }
    }
    throw new ProgramError(`failed to create a name via template ${quotedName(template)}: File exists`)
  },
})

function parts(template: string, suffix: string | undefined): { head: string; count: number; suffix: string } {
  if (suffix !== undefined && !template.endsWith('X')) {
    throw new ProgramError(`with --suffix, template ${quoted(template)} must end in X`)
  }
  const end = template.lastIndexOf('X') + 1
  const start = end - (/X*$/.exec(template.slice(0, end))?.[0].length ?? 0)
  if (end - start < 3) throw new ProgramError(`too few X's in template ${quoted(template)}`)
  const rest = template.slice(end) + (suffix ?? '')
  if (rest.includes('/')) throw new ProgramError(`invalid suffix ${quoted(rest)}, contains directory separator`)
  return { head: template.slice(0, start), count: end - start, suffix: rest }
}

function parentDirectory(
  io: ProgramIo,
  { given, isWanted, isLegacy }: { given: string | undefined; isWanted: boolean; isLegacy: boolean },
): string | undefined {
  if (!isWanted) return undefined
  const fromEnvironment = io.env.get('TMPDIR')
  if (isLegacy && fromEnvironment) return fromEnvironment
  return given || fromEnvironment || '/tmp'
}

async function create(io: ProgramIo, path: string, isDirectory: boolean): Promise<void> {
  if (isDirectory) await io.fs.makeDir(path)
  else await (await io.fs.openWrite(path, { exclusive: true })).close()
  if (io.fs.capabilities.modeBits) await io.fs.setMode(path, isDirectory ? 0o700 : 0o600)
}

function randomName(io: ProgramIo, count: number): string {
  return Array.from({ length: count }, () => letters.charAt(Math.floor(io.random() * letters.length))).join('')
}
