/** Moves and renames files and directories. */
import { isFsError } from '../../../../src/errors.js'
import { isWithin } from '../../../../src/fs/path.js'
import type { Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { quotedName } from '../../quoting.js'
import { below, entryPath, lstatIfThere, modifiedOf } from '../shared/facts.js'
import { type Backup, backupOf, backupOptions } from './backup.js'
import { copier } from './copy-tree.js'
import { mayOverwrite } from './overwriting.js'
import { pairsOf, targetOptions } from './targets.js'

interface Work {
  io: ProgramIo
  existing: 'replace' | 'keep' | 'ask'
  onlyNewer: boolean
  isVerbose: boolean
  backup?: Backup | undefined
  made: Set<string>
}

export const mv = defineProgram({
  name: 'mv',
  usage: '[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n[OPTION]... -t DIRECTORY SOURCE...',
  options: {
    ...backupOptions,
    force: { names: ['-f', '--force'] },
    interactive: { names: ['-i', '--interactive'] },
    noClobber: { names: ['-n', '--no-clobber'] },
    stripSlashes: { names: ['--strip-trailing-slashes'] },
    ...targetOptions,
    update: { names: ['-u', '--update'] },
    verbose: { names: ['-v', '--verbose'] },
  },
  unsupported: ['-Z', '--context'],
  async run(io, given) {
    const operands = given.has('stripSlashes')
      ? given.operands.map((path) => path.replace(/(.)\/+$/, '$1'))
      : given.operands
    const pairs = await pairsOf(io, operands, {
      directory: given.value('targetDirectory'),
      isExact: given.has('noTargetDirectory'),
    })
    const last = given.last('force', 'interactive', 'noClobber')
    const existing = last === 'noClobber' ? 'keep' : last === 'interactive' ? 'ask' : 'replace'
    const work: Work = {
      io,
      existing,
      onlyNewer: given.has('update'),
      isVerbose: given.has('verbose'),
      backup: backupOf(io, given, existing),
      made: new Set(),
    }
    let isFine = true
    for (const { source, destination } of pairs) isFine = (await move(work, source, destination)) && isFine
    return isFine ? 0 : 1
  },
})

async function move(work: Work, source: string, destination: string): Promise<boolean> {
  const { io, made } = work
  const fail = async (message: string) => {
    await io.error(message)
    return false
  }
  let stat: Stat
  try {
    stat = await io.fs.lstat(source)
  } catch (error) {
    return fail(`cannot stat ${quotedName(source)}: ${describeError(error)}`)
  }
  const from = await entryPath(io, source)
  const to = await entryPath(io, destination)
  const there = await lstatIfThere(io.fs, destination)
  const isDirectory = stat.kind === 'directory'
  if (isDirectory && from !== to && isWithin(from, to)) {
    return fail(`cannot move ${quotedName(source)} to a subdirectory of itself, ${quotedName(destination)}`)
  }
  let said = ''
  if (there !== undefined) {
    if (from === to) return fail(`${quotedName(source)} and ${quotedName(destination)} are the same file`)
    if (work.existing === 'keep') return true
    if (work.onlyNewer && modifiedOf(there) >= modifiedOf(stat) && there.kind !== 'directory') return true
    if (there.kind === 'directory' && !isDirectory) {
      return fail(`cannot overwrite directory ${quotedName(destination)} with non-directory`)
    }
    if (there.kind !== 'directory' && isDirectory && work.backup === undefined) {
      return fail(`cannot overwrite non-directory ${quotedName(destination)} with directory ${quotedName(source)}`)
    }
    if (made.has(to) && !isDirectory) {
      return fail(`will not overwrite just-created ${quotedName(destination)} with ${quotedName(source)}`)
    }
    if (work.existing === 'ask' && !(await mayOverwrite(io, destination, there))) return true
    if (work.backup !== undefined) {
      const saved = await work.backup(destination)
      await io.fs.rename(destination, saved)
      said = ` (backup: ${quotedName(saved)})`
    }
  } else if (destination.endsWith('/') && !isDirectory) {
    return fail(`cannot move ${quotedName(source)} to ${quotedName(destination)}: Not a directory`)
  }
  try {
    await io.fs.rename(source, destination)
    if (work.isVerbose) await io.stdout.write(`renamed ${quotedName(source)} -> ${quotedName(destination)}${said}\n`)
  } catch (error) {
    if (!isFsError(error, 'CROSS_DEVICE')) {
      return fail(`cannot move ${quotedName(source)} to ${quotedName(destination)}: ${describeError(error)}`)
    }
    if (!(await moveAcross(work, source, destination))) return false
  }
  made.add(to)
  return true
}

/** Between file systems: a copy, then the source is removed. */
async function moveAcross({ io, isVerbose }: Work, source: string, destination: string): Promise<boolean> {
  const { copy } = copier(io, {
    isRecursive: true,
    follows: 'none',
    preserves: { mode: true, timestamps: io.fs.capabilities.modified === 'write' },
    existing: 'replace',
    isForced: true,
    removesFirst: true,
    onlyNewer: false,
    isVerbose: false,
    makesLinks: false,
    attributesOnly: false,
  })
  if (!(await copy(source, destination))) return false
  if (isVerbose) await io.stdout.write(`copied ${quotedName(source)} -> ${quotedName(destination)}\n`)
  await removeAll(io, source)
  if (isVerbose) await io.stdout.write(`removed ${quotedName(source)}\n`)
  return true
}

async function removeAll(io: ProgramIo, path: string): Promise<void> {
  const { kind } = await io.fs.lstat(path)
  if (kind === 'directory') for (const { name } of await io.fs.readDir(path)) await removeAll(io, below(path, name))
  await io.fs.remove(path)
}
