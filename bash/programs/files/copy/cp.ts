/** Copies files and directories. */

import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { choice } from '../../choice.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { below, modeOf, statIfThere } from '../shared/facts.js'
import { backupOf, backupOptions } from './backup.js'
import type { CopyRules } from './copy-rules.js'
import { copier } from './copy-tree.js'
import { type Pair, pairsOf, targetOptions } from './targets.js'

const options = {
  archive: { names: ['-a', '--archive'] },
  attributesOnly: { names: ['--attributes-only'] },
  ...backupOptions,
  noDereferenceLinks: { names: ['-d'] },
  force: { names: ['-f', '--force'] },
  interactive: { names: ['-i', '--interactive'] },
  followOperands: { names: ['-H'] },
  hardLink: { names: ['-l', '--link'] },
  dereference: { names: ['-L', '--dereference'] },
  noClobber: { names: ['-n', '--no-clobber'] },
  noDereference: { names: ['-P', '--no-dereference'] },
  preserveUsual: { names: ['-p'] },
  preserve: { names: ['--preserve'], value: 'optional' },
  noPreserve: { names: ['--no-preserve'], value: 'required' },
  parents: { names: ['--parents'] },
  recursive: { names: ['-R', '-r', '--recursive'] },
  reflink: { names: ['--reflink'], value: 'optional' },
  removeDestination: { names: ['--remove-destination'] },
  sparse: { names: ['--sparse'], value: 'required' },
  stripSlashes: { names: ['--strip-trailing-slashes'] },
  symbolicLink: { names: ['-s', '--symbolic-link'] },
  ...targetOptions,
  update: { names: ['-u', '--update'] },
  verbose: { names: ['-v', '--verbose'] },
  oneFileSystem: { names: ['-x', '--one-file-system'] },
} as const

export const cp = defineProgram({
  name: 'cp',
  usage: '[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n[OPTION]... -t DIRECTORY SOURCE...',
  options,
  unsupported: ['-Z', '--context', '--copy-contents'],
  async run(io, given) {
    if (given.has('hardLink')) throw new ProgramError("option '-l': hard links are not supported by this shell", 2)
    for (const key of ['reflink', 'sparse'] as const) {
      const value = given.value(key)
      if (value !== undefined) choice(io, `--${key}`, value, { auto: 'auto', always: 'always', never: 'never' })
    }
    if (given.value('reflink') === 'always') {
      throw new ProgramError("option '--reflink=always' is not supported by this shell", 2)
    }
    const operands = given.has('stripSlashes')
      ? given.operands.map((path) => path.replace(/(.)\/+$/, '$1'))
      : given.operands
    const hasParents = given.has('parents')
    const pairs = await pairsOf(io, operands, {
      directory: given.value('targetDirectory'),
      isExact: given.has('noTargetDirectory'),
      hasParents,
    })
    const rules = rulesOf(io, given)
    const { copy } = copier(io, rules)
    const seen = new Set<string>()
    let isFine = true
    for (const { source, destination } of pairs) {
      if (seen.has(source)) {
        const what = (await statIfThere(io.fs, source))?.kind === 'directory' ? 'directory' : 'file'
        await io.error(`warning: source ${what} ${quotedName(source)} specified more than once`)
        continue
      }
      seen.add(source)
      if (hasParents && !(await makeParents(io, { source, destination }, rules.isVerbose))) {
        isFine = false
        continue
      }
      isFine = (await copy(source, destination)) && isFine
    }
    return isFine ? 0 : 1
  },
})

function rulesOf(io: ProgramIo, given: ParsedArguments<typeof options>): CopyRules {
  const isArchive = given.has('archive')
  const isRecursive = isArchive || given.has('recursive')
  const preserves = { mode: false, timestamps: false }
  for (const { key, value } of given.given) {
    if (key === 'archive') Object.assign(preserves, { mode: true, timestamps: true })
    if (key === 'preserveUsual') Object.assign(preserves, { mode: true, timestamps: true })
    if (key === 'preserve') setPreserved(preserves, value ?? 'mode,ownership,timestamps', true)
    if (key === 'noPreserve') setPreserved(preserves, value ?? '', false)
  }
  const clobber = given.last('noClobber', 'interactive')
  const existing = clobber === 'noClobber' ? 'keep' : clobber === 'interactive' ? 'ask' : 'replace'
  return {
    isRecursive,
    follows: followsOf(given, isRecursive),
    preserves,
    existing,
    isForced: given.has('force'),
    removesFirst: given.has('removeDestination'),
    onlyNewer: given.has('update'),
    isVerbose: given.has('verbose'),
    makesLinks: given.has('symbolicLink'),
    attributesOnly: given.has('attributesOnly'),
    backup: backupOf(io, given, existing),
  }
}

function followsOf(given: ParsedArguments<typeof options>, isRecursive: boolean): CopyRules['follows'] {
  const last = given.last('archive', 'noDereferenceLinks', 'noDereference', 'dereference', 'followOperands')
  if (last === 'dereference') return 'all'
  if (last === 'followOperands') return 'operands'
  return last === undefined && !isRecursive ? 'all' : 'none'
}

function setPreserved(preserves: CopyRules['preserves'], list: string, isWanted: boolean): void {
  for (const what of list.split(',')) {
    if (!['mode', 'ownership', 'timestamps', 'links', 'context', 'xattr', 'all'].includes(what)) {
      throw new ProgramError(
        `invalid argument ${quoted(what)} for ${quoted(isWanted ? '--preserve' : '--no-preserve')}`,
      )
    }
    if (what === 'mode' || what === 'all') preserves.mode = isWanted
    if (what === 'timestamps' || what === 'all') preserves.timestamps = isWanted
  }
}

/** `--parents`: the directories of the source, with their modes. */
async function makeParents(io: ProgramIo, { source, destination }: Pair, isVerbose: boolean): Promise<boolean> {
  const names = source.replace(/^\/+/, '').replace(/\/+$/, '').split('/').slice(0, -1)
  const root = destination.slice(0, destination.length - source.replace(/^\/+/, '').replace(/\/+$/, '').length)
  let from = source.startsWith('/') ? '/' : ''
  let to = root
  for (const name of names) {
    from = from === '' ? name : below(from, name)
    to = to === '' ? name : below(to, name)
    const there = await statIfThere(io.fs, to)
    if (there?.kind === 'directory') continue
    try {
      const stat = await io.fs.stat(from)
      await io.fs.makeDir(to)
      const mode = modeOf(stat) & ~io.umask
      if (mode !== (0o777 & ~io.umask) && io.fs.capabilities.modeBits) await io.fs.setMode(to, mode)
      if (isVerbose) await io.stdout.write(`${from} -> ${to}\n`)
    } catch (error) {
      const reason = describeError(error)
      const isMissing = (await statIfThere(io.fs, from)) === undefined
      await io.error(
        isMissing
          ? `failed to get attributes of ${quotedName(from)}: ${reason}`
          : `cannot make directory ${quotedName(to)}: ${reason}`,
      )
      return false
    }
  }
  return true
}
