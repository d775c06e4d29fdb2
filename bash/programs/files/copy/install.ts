/** Copies files with a mode, and creates directories. */

import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { makeWithParents } from '../change/mkdir.js'
import { directoryName } from '../names/basename.js'
import { lstatIfThere, statIfThere, userId, userName } from '../shared/facts.js'
import { applyMode, type ModeChanges, parseMode } from '../shared/modes.js'
import { requireOperand, requireSourceAndDestination, usageError } from '../shared/usage.js'
import { type Backup, backupOf, backupOptions } from './backup.js'
import { pairsOf, targetOptions } from './targets.js'

export const install = defineProgram({
  name: 'install',
  usage:
    '[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n[OPTION]... -t DIRECTORY SOURCE...\n[OPTION]... -d DIRECTORY...',
  options: {
    ...backupOptions,
    ignored: { names: ['-c'] },
    compare: { names: ['-C', '--compare'] },
    directory: { names: ['-d', '--directory'] },
    leading: { names: ['-D'] },
    group: { names: ['-g', '--group'], value: 'required' },
    mode: { names: ['-m', '--mode'], value: 'required' },
    owner: { names: ['-o', '--owner'], value: 'required' },
    preserveTimes: { names: ['-p', '--preserve-timestamps'] },
    ...targetOptions,
    verbose: { names: ['-v', '--verbose'] },
  },
  unsupported: ['-s', '--strip', '--strip-program', '-Z', '--context', '--preserve-context'],
  async run(io, given) {
    const changes = modeChanges(io, given.value('mode') ?? '755')
    for (const key of ['owner', 'group'] as const) refuseOther(key, given.value(key))
    const isVerbose = given.has('verbose')
    if (given.has('directory')) return makeDirectories(io, given.operands, changes, isVerbose)
    const [first = ''] = given.operands
    if (given.has('leading')) await makeLeading(io, given.operands, given.value('targetDirectory'), isVerbose)
    else if (given.value('targetDirectory') === undefined) requireSourceAndDestination(io, given.operands)
    if (first === '' && given.operands.length === 0) throw usageError(io, 'missing file operand')
    const pairs = await pairsOf(io, given.operands, {
      directory: given.value('targetDirectory'),
      isExact: given.has('noTargetDirectory'),
    })
    const backup = backupOf(io, given)
    let status = 0
    for (const { source, destination } of pairs) {
      const times = given.has('preserveTimes')
      if (!(await installFile(io, source, destination, { changes, backup, isVerbose, times }))) status = 1
    }
    return status
  },
})

function modeChanges(io: ProgramIo, text: string): ModeChanges {
  const changes = parseMode(text, io.umask)
  if (changes === undefined) throw new ProgramError(`invalid mode ${quoted(text)}`)
  return changes
}

function refuseOther(key: 'owner' | 'group', name: string | undefined): void {
  if (name === undefined || name === userName || name === String(userId)) return
  throw new ProgramError(`option '--${key}=${name}' is not supported by this shell`, 2)
}

async function makeDirectories(
  io: ProgramIo,
  paths: readonly string[],
  changes: ModeChanges,
  isVerbose: boolean,
): Promise<number> {
  requireOperand(io, paths, 'missing file operand')
  const created = (path: string) =>
    isVerbose ? io.stdout.write(`${io.name}: creating directory ${quotedName(path)}\n`) : undefined
  let status = 0
  for (const path of paths) {
    if (!(await makeWithParents(io, path, { created }))) status = 1
    else if (io.fs.capabilities.modeBits) await io.fs.setMode(path, applyMode(changes, 0, true))
  }
  return status
}

/** `-D`: all directories of the destination. */
async function makeLeading(
  io: ProgramIo,
  operands: readonly string[],
  directory: string | undefined,
  isVerbose: boolean,
): Promise<void> {
  const created = (path: string) =>
    isVerbose ? io.stdout.write(`${io.name}: creating directory ${quotedName(path)}\n`) : undefined
  if (directory === undefined) requireSourceAndDestination(io, operands)
  await makeWithParents(io, directory ?? directoryName(operands.at(-1) ?? ''), { created })
}

async function installFile(
  io: ProgramIo,
  source: string,
  destination: string,
  rules: { changes: ModeChanges; backup: Backup | undefined; isVerbose: boolean; times: boolean },
): Promise<boolean> {
  const { fs } = io
  try {
    const stat = await fs.stat(source)
    if (stat.kind === 'directory') {
      await io.error(`omitting directory ${quotedName(source)}`)
      return false
    }
    const there = await lstatIfThere(fs, destination)
    if (there !== undefined && (await fs.realPath(source)) === (await fs.realPath(destination).catch(() => ''))) {
      await io.error(`${quotedName(source)} and ${quotedName(destination)} are the same file`)
      return false
    }
    if ((await statIfThere(fs, destination))?.kind === 'directory') {
      await io.error(`cannot overwrite directory ${quotedName(destination)} with non-directory`)
      return false
    }
    let said = ''
    if (there !== undefined && rules.backup !== undefined) {
      const saved = await rules.backup(destination)
      await fs.rename(destination, saved)
      said = ` (backup: ${quotedName(saved)})`
    } else if (there !== undefined) {
      await fs.remove(destination)
      if (rules.isVerbose) await io.stdout.write(`removed ${quotedName(destination)}\n`)
    }
    const reader = await fs.openRead(source)
    const writer = await fs.openWrite(destination)
    for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) await writer.write(chunk)
    await writer.close()
    if (fs.capabilities.modeBits) await fs.setMode(destination, applyMode(rules.changes, 0, false))
    if (rules.times && stat.modifiedMs !== undefined) await fs.setModified(destination, stat.modifiedMs)
    if (rules.isVerbose) await io.stdout.write(`${quotedName(source)} -> ${quotedName(destination)}${said}\n`)
    return true
  } catch (error) {
    const reason = describeError(error)
    const isMissing = (await statIfThere(fs, source)) === undefined
    await io.error(
      isMissing
        ? `cannot stat ${quotedName(source)}: ${reason}`
        : `cannot create regular file ${quotedName(destination)}: ${reason}`,
    )
    return false
  }
}
