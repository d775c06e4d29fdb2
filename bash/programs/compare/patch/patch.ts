/** Applies a diff to files. */
import { isFsError } from '../../../../src/errors.js'
import { basename, dirname } from '../../../../src/fs/path.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { applyHunks, type HunkOutcome } from './apply-hunks.js'
import { type FilePatch, parsePatches, reversed } from './parse-patch.js'

const options = {
  strip: { names: ['-p', '--strip'], value: 'required' },
  fuzz: { names: ['-F', '--fuzz'], value: 'required' },
  ignoreSpace: { names: ['-l', '--ignore-whitespace'] },
  unified: { names: ['-u', '--unified'] },
  context: { names: ['-c', '--context'] },
  normal: { names: ['-n', '--normal'] },
  forward: { names: ['-N', '--forward'] },
  reverse: { names: ['-R', '--reverse'] },
  input: { names: ['-i', '--input'], value: 'required' },
  output: { names: ['-o', '--output'], value: 'required' },
  rejectFile: { names: ['-r', '--reject-file'], value: 'required' },
  removeEmpty: { names: ['-E', '--remove-empty-files'] },
  batch: { names: ['-t', '--batch'] },
  force: { names: ['-f', '--force'] },
  silent: { names: ['-s', '--quiet', '--silent'] },
  verbose: { names: ['--verbose'] },
  dryRun: { names: ['--dry-run'] },
  directory: { names: ['-d', '--directory'], value: 'required' },
  backup: { names: ['-b', '--backup'] },
  suffix: { names: ['-z', '--suffix'], value: 'required' },
  backupIfMismatch: { names: ['--backup-if-mismatch'] },
  noBackupIfMismatch: { names: ['--no-backup-if-mismatch'] },
  binary: { names: ['--binary'] },
} as const

type Given = ParsedArguments<typeof options>

const troubleStatus = 2
const defaultFuzz = 2

export const patch = defineProgram({
  name: 'patch',
  usage: '[OPTION]... [ORIGFILE [PATCHFILE]]',
  options,
  unsupported: [
    '-e',
    '--ed',
    '-D',
    '--ifdef',
    '-m',
    '--merge',
    '-T',
    '--set-time',
    '-Z',
    '--set-utc',
    '--quoting-style',
    '-V',
    '--version-control',
    '-B',
    '--prefix',
    '-Y',
    '--basename-prefix',
    '--follow-symlinks',
    '--posix',
    '-g',
    '--get',
    '--read-only',
    '--reject-format',
  ],
  usageStatus: troubleStatus,
  usageHint: "patch: Try 'patch --help' for more information.",
  async run(io, given) {
    const [operand, patchFile, extra] = given.operands
    if (extra !== undefined) throw new ProgramError(`${extra}: extra operand`, troubleStatus)
    const input = given.value('input') ?? patchFile
    const text = await readPatch(io, input)
    if (text === '') return 0
    const patches = parsePatches(text).map((one) => (given.has('reverse') ? reversed(one) : one))
    const isNamed = ({ oldName, newName, indexName }: FilePatch) => oldName ?? newName ?? indexName
    if (operand === undefined && !patches.some(isNamed)) patches.length = 0
    if (patches.length === 0) throw new ProgramError('**** Only garbage was found in the patch input.', troubleStatus)
    let status = 0
    for (const one of patches) status = Math.max(status, await applyPatch(io, given, one, operand))
    return status
  },
})

async function readPatch(io: ProgramIo, name: string | undefined): Promise<string> {
  if (name === undefined || name === '-') return decodeText(await readAll(io.stdin))
  try {
    return decodeText(await io.fs.readFile(name))
  } catch (error) {
    throw new ProgramError(`**** Can't open patch file ${name} : ${describeError(error)}`, troubleStatus)
  }
}

async function applyPatch(io: ProgramIo, given: Given, one: FilePatch, operand: string | undefined): Promise<number> {
  const place = (name: string) => {
    const directory = given.value('directory')
    return directory === undefined || name.startsWith('/') ? name : `${directory}/${name}`
  }
  const name = operand ?? (await targetOf(io, namesOf(one, given), one.creates, stripOf(given), place))
  if (name === undefined) return notFound(io, one)
  const path = place(name)
  const before = await readIfThere(io, path)
  const say = async (message: string) => {
    if (!given.has('silent')) await io.stdout.write(message)
  }
  const target =
    given.value('output') ?? (one.renameTo === undefined ? name : strippedName(one.renameTo, stripOf(given)))
  const shown =
    target === name ? name : given.has('output') ? `${target} (read from ${name})` : `${target} (renamed from ${name})`
  await say(`${given.has('dryRun') ? 'checking' : 'patching'} file ${quoted(shown)}\n`)
  const lines = (before ?? '').split(/(?<=\n)/).filter((line) => line !== '')
  const settings = { maxFuzz: fuzzOf(given), ignoreSpace: given.has('ignoreSpace') }
  const isReversed = await looksReversed(io, given, one, lines, before)
  if (isReversed === 'skip') return skipped(io, given, one, path)
  const used = isReversed === 'assume' ? reversed(one) : one
  const { lines: after, outcomes } = applyHunks(lines, used.hunks, settings)
  const failed = outcomes.filter(({ applied }) => !applied)
  for (const [index, outcome] of outcomes.entries()) await reportHunk(say, index + 1, outcome, given.has('verbose'))
  const isInexact =
    isReversed === 'assume' || outcomes.some(({ applied, fuzz, offset }) => !applied || fuzz > 0 || offset !== 0)
  if (!given.has('dryRun')) {
    await store(io, given, {
      path,
      target: place(target),
      before,
      after: after.join(''),
      isInexact,
      patch: used,
      failed,
    })
  }
  if (failed.length === 0) return 0
  const count = `${failed.length} out of ${outcomes.length} hunk${outcomes.length === 1 ? '' : 's'} FAILED`
  const rejects = rejectsOf(given, path)
  await io.stdout.write(given.has('dryRun') ? `${count}\n` : `${count} -- saving rejects to file ${rejects}\n`)
  if (!given.has('dryRun')) await saveRejects(io, given, rejects, used, failed)
  return 1
}

function stripOf(given: Given): number | undefined {
  const text = given.value('strip')
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw new ProgramError(`**** strip count ${text} is not a number`, troubleStatus)
  return Number(text)
}

function fuzzOf(given: Given): number {
  const text = given.value('fuzz')
  if (text === undefined) return defaultFuzz
  if (!/^\d+$/.test(text)) throw new ProgramError(`**** fuzz factor ${text} is not a number`, troubleStatus)
  return Number(text)
}

/** Without `-p` only the last component counts. */
function strippedName(name: string, strip: number | undefined): string {
  if (strip === undefined) return basename(`/${name}`)
  const components = name.split(/\/+/)
  return components.length > strip ? components.slice(strip).join('/') : ''
}

/** In the order of the patch, also when it is reversed: the first of equally good names is taken. */
function namesOf({ oldName, newName, renameFrom, indexName }: FilePatch, given: Given): string[] {
  const names = given.has('reverse') ? [renameFrom ?? newName, oldName] : [renameFrom ?? oldName, newName]
  return [...names, indexName].filter((name) => name !== undefined)
}

/** Of the names in a patch: one that exists, with the fewest components, then the shortest. */
async function targetOf(
  io: ProgramIo,
  written: readonly string[],
  creates: boolean,
  strip: number | undefined,
  place: (name: string) => string,
): Promise<string | undefined> {
  const names = [...new Set(written.map((name) => strippedName(name, strip)))]
  const usable = names.filter((name) => name !== '' && !escapes(name))
  const there: string[] = []
  for (const name of usable) if ((await readIfThere(io, place(name))) !== undefined) there.push(name)
  const best = (list: string[]) =>
    list.sort(
      (a, b) =>
        a.split('/').length - b.split('/').length ||
        basename(`/${a}`).length - basename(`/${b}`).length ||
        a.length - b.length,
    )[0]
  if (there.length > 0) return best(there)
  return creates ? best(usable) : undefined
}

function escapes(name: string): boolean {
  return name.startsWith('/') || name.split('/').includes('..')
}

async function readIfThere(io: ProgramIo, path: string): Promise<string | undefined> {
  try {
    return decodeText(await io.fs.readFile(path))
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) return undefined
    if (isFsError(error, 'IS_A_DIRECTORY')) {
      throw new ProgramError(`**** File ${path} is not a regular file -- can't patch`, troubleStatus)
    }
    throw error
  }
}

async function notFound(io: ProgramIo, one: FilePatch): Promise<number> {
  const hints = `Perhaps you used the wrong -p or --strip option?\nThe text leading up to this was:\n`
  const rule = '--------------------------\n'
  const leading = one.leading.map((line) => `|${line}\n`).join('')
  const hunks = one.hunks.length
  await io.stdout.write(
    `can't find file to patch at input line ${one.line}\n${hints}${rule}${leading}${rule}File to patch: \nSkip this patch? [y] \nSkipping patch.\n${hunks} out of ${hunks} hunk${hunks === 1 ? '' : 's'} ignored\n`,
  )
  return 1
}

/** When the first hunk fits only the other way round, the patch was probably applied already. */
async function looksReversed(
  io: ProgramIo,
  given: Given,
  one: FilePatch,
  lines: readonly string[],
  before: string | undefined,
): Promise<'no' | 'skip' | 'assume'> {
  const [first] = one.hunks
  if (first === undefined || given.has('force')) return 'no'
  const creates = one.creates && before !== undefined && before !== ''
  const back = reversed({ ...one, hunks: [first] })
  const fits = (hunks: FilePatch['hunks'], maxFuzz: number) =>
    applyHunks(lines, hunks, { maxFuzz, ignoreSpace: given.has('ignoreSpace') }).outcomes[0]?.applied === true
  let isBack = false
  for (let fuzz = 0; fuzz <= fuzzOf(given) && !isBack; fuzz += 1) {
    if (!creates && fits([first], fuzz)) return 'no'
    isBack = fits(back.hunks, fuzz)
  }
  if (!isBack) return 'no'
  const is = given.has('reverse') ? 'Unreversed' : 'Reversed (or previously applied)'
  if (given.has('forward')) {
    await io.stdout.write(`${is} patch detected!  Skipping patch.\n`)
    return 'skip'
  }
  if (given.has('batch')) {
    await io.stdout.write(`${is} patch detected!  ${given.has('reverse') ? 'Ignoring -R' : 'Assuming -R'}.\n`)
    return 'assume'
  }
  const question = given.has('reverse') ? 'Ignore -R?' : 'Assume -R?'
  await io.stdout.write(
    `${is} patch detected!  ${question} [n] \nApply anyway? [n] \n${given.has('silent') ? '' : 'Skipping patch.\n'}`,
  )
  return 'skip'
}

/** Beside the file that is written. */
function rejectsOf(given: Given, path: string): string {
  return given.value('rejectFile') ?? `${given.value('output') ?? path}.rej`
}

async function skipped(io: ProgramIo, given: Given, one: FilePatch, path: string): Promise<number> {
  const count = one.hunks.length
  const rejects = rejectsOf(given, path)
  const ignored = `${count} out of ${count} hunk${count === 1 ? '' : 's'} ignored`
  await io.stdout.write(given.has('dryRun') ? `${ignored}\n` : `${ignored} -- saving rejects to file ${rejects}\n`)
  if (!given.has('dryRun')) {
    const { outcomes } = applyHunks([], one.hunks, { maxFuzz: 0, ignoreSpace: false, skips: true })
    await saveRejects(io, given, rejects, one, outcomes)
  }
  return 1
}

async function reportHunk(
  say: (message: string) => Promise<void>,
  number: number,
  { applied, line, fuzz, offset }: HunkOutcome,
  isVerbose: boolean,
): Promise<void> {
  if (!applied) return say(`Hunk #${number} FAILED at ${line}.\n`)
  if (fuzz === 0 && offset === 0 && !isVerbose) return undefined
  const about = fuzz > 0 ? ` with fuzz ${fuzz}` : ''
  const moved = offset === 0 ? '' : ` (offset ${offset} line${offset === 1 ? '' : 's'})`
  return say(`Hunk #${number} succeeded at ${line}${about}${moved}.\n`)
}

interface Result {
  path: string
  target: string
  before: string | undefined
  after: string
  isInexact: boolean
  patch: FilePatch
  failed: readonly HunkOutcome[]
}

async function store(io: ProgramIo, given: Given, result: Result): Promise<void> {
  const { path, target, before, after, isInexact, patch: one, failed } = result
  const isBackedUp = isInexact && !given.has('noBackupIfMismatch') && !given.has('output')
  const backsUp = given.has('backup') || isBackedUp
  if (backsUp) await io.fs.writeFile(`${path}${given.value('suffix') ?? '.orig'}`, encodeText(before ?? ''))
  const removes = (one.deletes || given.has('removeEmpty')) && after === '' && failed.length === 0
  if (removes && !given.has('output')) {
    if (before !== undefined) await io.fs.remove(path)
    return
  }
  if (failed.length === one.hunks.length && one.hunks.length > 0 && !given.has('output')) return
  if (before === undefined || target !== path) await makeParents(io, dirname(io.path(target)))
  const mode = target !== path && before !== undefined ? (await io.fs.stat(path)).mode : undefined
  await io.fs.writeFile(target, encodeText(after), mode === undefined ? {} : { mode })
  if (target !== path && !given.has('output') && before !== undefined) await io.fs.remove(path)
  if (one.newMode !== undefined && io.fs.capabilities.modeBits) await io.fs.setMode(target, one.newMode)
}

async function makeParents(io: ProgramIo, directory: string): Promise<void> {
  try {
    await io.fs.makeDir(directory)
  } catch (error) {
    if (isFsError(error, 'EXISTS')) return
    if (!isFsError(error, 'NOT_FOUND')) throw error
    await makeParents(io, dirname(directory))
    await io.fs.makeDir(directory)
  }
}

async function saveRejects(
  io: ProgramIo,
  given: Given,
  path: string,
  one: FilePatch,
  failed: readonly HunkOutcome[],
): Promise<void> {
  const shown = (name: string | undefined) => (name === undefined ? '/dev/null' : strippedName(name, stripOf(given)))
  const head = `--- ${shown(one.oldName)}\n+++ ${shown(one.newName)}\n`
  const body = failed.map(({ hunk }) => {
    const count = (mark: string) => hunk.lines.filter((line) => line.mark !== mark).length
    const span = (start: number, lines: number) => (lines === 1 ? String(start) : `${start},${lines}`)
    const lines = hunk.lines.map(({ mark, text }) => {
      return `${mark}${text}${text.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`
    })
    const heading = hunk.heading === '' ? '' : ` ${hunk.heading}`
    return `@@ -${span(hunk.oldStart, count('+'))} +${span(hunk.newStart, count('-'))} @@${heading}\n${lines.join('')}`
  })
  await io.fs.writeFile(path, encodeText(head + body.join('')))
}

function quoted(name: string): string {
  return /^[\w%+,./:=@()~ ^-]+$/.test(name) && !/^[^(]* [^(]/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`
}
