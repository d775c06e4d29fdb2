/** Makes symbolic links. Trees have no hard links, so those fail. */
import { dirname } from '../../../../src/fs/path.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quotedName } from '../../quoting.js'
import { lastName } from '../names/basename.js'
import { relativePath, resolvePath } from '../names/resolve-path.js'
import { ask } from '../shared/ask.js'
import { lstatIfThere } from '../shared/facts.js'
import { requireOperand } from '../shared/usage.js'
import { type Backup, backupOf, backupOptions } from './backup.js'
import { type Pair, pairsOf, targetOptions } from './targets.js'

interface Work {
  io: ProgramIo
  isForced: boolean
  asks: boolean
  isRelative: boolean
  isVerbose: boolean
  backup?: Backup | undefined
}

export const ln = defineProgram({
  name: 'ln',
  usage:
    '[OPTION]... [-T] TARGET LINK_NAME\n[OPTION]... TARGET\n[OPTION]... TARGET... DIRECTORY\n[OPTION]... -t DIRECTORY TARGET...',
  options: {
    ...backupOptions,
    force: { names: ['-f', '--force'] },
    interactive: { names: ['-i', '--interactive'] },
    logical: { names: ['-L', '--logical'] },
    noDereference: { names: ['-n', '--no-dereference'] },
    physical: { names: ['-P', '--physical'] },
    relative: { names: ['-r', '--relative'] },
    symbolic: { names: ['-s', '--symbolic'] },
    ...targetOptions,
    verbose: { names: ['-v', '--verbose'] },
  },
  unsupported: ['-d', '-F', '--directory'],
  async run(io, given) {
    requireOperand(io, given.operands, 'missing file operand')
    if (!given.has('symbolic')) {
      throw new ProgramError('hard links are not supported by this shell: use ln -s for a symbolic link, or cp', 2)
    }
    const directory = given.value('targetDirectory')
    const [only = ''] = given.operands
    const isOne = given.operands.length === 1 && directory === undefined && !given.has('noTargetDirectory')
    const pairs = isOne
      ? [{ source: only, destination: `./${lastName(only)}` }]
      : await pairsOf(io, given.operands, {
          directory,
          isExact: given.has('noTargetDirectory'),
          keepsLinks: given.has('noDereference'),
        })
    const last = given.last('force', 'interactive')
    const work: Work = {
      io,
      isForced: last === 'force',
      asks: last === 'interactive',
      isRelative: given.has('relative'),
      isVerbose: given.has('verbose'),
      backup: backupOf(io, given),
    }
    let isFine = true
    for (const pair of pairs) isFine = (await link(work, pair)) && isFine
    return isFine ? 0 : 1
  },
})

async function link(work: Work, { source, destination }: Pair): Promise<boolean> {
  const { io, isForced, asks, isRelative, isVerbose, backup } = work
  const fail = async (message: string) => {
    await io.error(message)
    return false
  }
  const target = isRelative ? await relativeTarget(io, source, destination) : source
  const there = await lstatIfThere(io.fs, destination)
  let said = ''
  try {
    if (there !== undefined && (isForced || asks || backup !== undefined)) {
      if (there.kind === 'directory') return fail(`${quotedName(destination)}: cannot overwrite directory`)
      if (io.path(source) === io.path(destination) && there.kind !== 'symlink') {
        return fail(`${quotedName(source)} and ${quotedName(destination)} are the same file`)
      }
      if (asks && !(await ask(io, `${io.name}: replace ${quotedName(destination)}? `))) return true
      if (backup !== undefined) {
        const saved = await backup(destination)
        await io.fs.rename(destination, saved)
        said = ` ~ ${quotedName(saved)}`
      } else await io.fs.remove(destination)
    }
    await io.fs.symlink(target, destination)
  } catch (error) {
    const arrow = target === '' ? ` -> ''` : ''
    return fail(`failed to create symbolic link ${quotedName(destination)}${arrow}: ${describeError(error)}`)
  }
  if (isVerbose)
    await io.stdout.write(
      `${said ? `${quotedName(destination)}${said} ` : ''}${quotedName(destination)} -> ${quotedName(target)}\n`,
    )
  return true
}

async function relativeTarget(io: ProgramIo, source: string, destination: string): Promise<string> {
  const rules = { existence: 'missing' } as const
  const directory = await resolvePath(io, dirname(io.path(destination)), rules)
  return relativePath(directory, await resolvePath(io, source, rules))
}
