/** Edits text by a script. */
import { joinedText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import { type TextLocale, textLocale } from '../../io/locale.js'
import type { ProgramIo } from '../../io/program.js'
import { readAll } from '../../io/streams.js'
import { defineProgram } from '../define-program.js'
import type { ParsedArguments } from '../options.js'
import { ProgramError } from '../program-error.js'
import { resetRanges } from './addresses.js'
import { outputOf } from './command-output.js'
import { editInPlace } from './in-place.js'
import { type InputFile, sedInput } from './input.js'
import { openWriteFiles, type Sink, sink } from './outputs.js'
import { parseScript } from './parse-script.js'
import { type RunMemory, type RunSettings, runScript } from './run-script.js'
import type { Script } from './script.js'
import type { ScriptPart } from './script-reader.js'

const options = {
  quiet: { names: ['-n', '--quiet', '--silent'] },
  expression: { names: ['-e', '--expression'], value: 'required' },
  file: { names: ['-f', '--file'], value: 'required' },
  extended: { names: ['-E', '-r', '--regexp-extended'] },
  inPlace: { names: ['-i', '--in-place'], value: 'optional' },
  followSymlinks: { names: ['--follow-symlinks'] },
  lineLength: { names: ['-l', '--line-length'], value: 'required' },
  posix: { names: ['--posix'] },
  separate: { names: ['-s', '--separate'] },
  sandbox: { names: ['--sandbox'] },
  unbuffered: { names: ['-u', '--unbuffered'] },
  binary: { names: ['-b', '--binary'] },
  nullData: { names: ['-z', '--null-data', '--zero-terminated'] },
} as const

type Given = ParsedArguments<typeof options>

/** As many as the kernel follows. */
const maxLinks = 40

const usage = '[OPTION]... {script-only-if-no-other-script} [input-file]...'

export const sed = defineProgram({
  name: 'sed',
  usage,
  options,
  unsupported: ['--debug'],
  usageHint: `Usage: sed ${usage}`,
  async run(io, given) {
    const locale = textLocale(io.env)
    const { parts, operands } = await readScript(io, given, locale)
    if (parts === undefined) {
      await io.stderr.write(`Usage: sed ${usage}\n`)
      return 1
    }
    const script = parseScript(parts, {
      extended: given.has('extended'),
      sandbox: given.has('sandbox'),
      nullData: given.has('nullData'),
      posix: given.has('posix'),
      locale,
    })
    return edit(io, given, script, operands, locale)
  },
})

async function readScript(
  io: ProgramIo,
  given: Given,
  locale: TextLocale,
): Promise<{ parts: ScriptPart[] | undefined; operands: readonly string[] }> {
  const parts: ScriptPart[] = []
  for (const { key, value = '' } of given.given) {
    if (key === 'expression') parts.push({ text: locale.text(value) })
    if (key === 'file') parts.push({ text: await readScriptFile(io, value, locale), file: value })
  }
  if (parts.length > 0) return { parts, operands: given.operands }
  const [script, ...operands] = given.operands
  return { parts: script === undefined ? undefined : [{ text: locale.text(script) }], operands }
}

async function readScriptFile(io: ProgramIo, name: string, locale: TextLocale): Promise<string> {
  try {
    return locale.decode(await readAll(name === '-' ? io.stdin : await io.fs.openRead(name)))
  } catch (error) {
    throw new ProgramError(`couldn't open file ${name}: ${describeError(error)}`, 4)
  }
}

function lineLengthOf(given: Given, columns: string | undefined): number {
  const width = Number.parseInt(columns ?? '', 10)
  if (!given.has('lineLength') && width > 1) return width - 1
  // What is not a number counts as 0.
  return Math.max(0, Number.parseInt(given.value('lineLength') ?? '70', 10) || 0)
}

function writtenFiles(script: Script): Set<string> {
  const names = new Set<string>()
  for (const { action } of script.commands) {
    if (action.name === 'w' || action.name === 'W') names.add(action.file)
    if (action.name === 's' && action.substitution.file !== undefined) names.add(action.substitution.file)
  }
  return names
}

async function edit(
  io: ProgramIo,
  given: Given,
  script: Script,
  operands: readonly string[],
  locale: TextLocale,
): Promise<number> {
  const delimiter = given.has('nullData') ? 0 : 10
  const mark = String.fromCharCode(delimiter)
  const stdout = sink(mark, (text) => io.stdout.write(text))
  const files = await openWriteFiles(io, writtenFiles(script), mark, stdout)
  const memory: RunMemory = { lastRegex: undefined }
  if (operands.length === 0 && given.has('inPlace')) throw new ProgramError('no input files', 4)
  const names = operands.length > 0 ? operands : ['-']
  let status = 0

  const settings: RunSettings = {
    isQuiet: given.has('quiet') || script.isQuiet,
    printsAtEnd: !given.has('posix') && !io.env.has('POSIXLY_CORRECT'),
    mark,
    lineLength: lineLengthOf(given, io.env.get('COLS')),
    isUnbuffered: given.has('unbuffered'),
    outputOf: async (command) => locale.decode(await outputOf(io, joinedText(command))),
    files,
    lineFiles: new Map(),
  }

  function inputFile(name: string): InputFile {
    return {
      name,
      async open() {
        if (name === '-' && !given.has('inPlace')) return { ...io.stdin, close() {} }
        try {
          if ((await io.fs.stat(name)).kind !== 'directory') return await io.fs.openRead(name)
        } catch (error) {
          await stdout.flush()
          await io.error(`can't read ${name}: ${describeError(error)}`)
          status = 2
          return undefined
        }
        await stdout.flush()
        throw new ProgramError(
          given.has('inPlace') ? `couldn't edit ${name}: not a regular file` : `read error on ${name}: Is a directory`,
          4,
        )
      },
    }
  }

  function run(list: readonly string[], output: Sink): Promise<number | undefined> {
    return runScript(io, script, sedInput(list.map(inputFile), delimiter, locale, io.account), output, settings, memory)
  }

  /** With `--follow-symlinks` a file goes by the name that links lead to. */
  async function followed(name: string): Promise<string> {
    return given.has('followSymlinks') && name !== '-' ? await linkedName(io, name) : name
  }

  /** Each file on its own: lines are counted anew, and ranges do not go on. */
  async function runSeparately(): Promise<number | undefined> {
    for (const each of names) {
      const name = await followed(each)
      resetRanges(script)
      settings.lineFiles.clear()
      const quit = await (given.has('inPlace')
        ? editInPlace(io, name, { suffix: given.value('inPlace'), mark, run })
        : run([name], stdout))
      if (quit !== undefined) return quit
    }
    return undefined
  }

  try {
    const quit = await (given.has('separate') || given.has('inPlace')
      ? runSeparately()
      : run(await Promise.all(names.map(followed)), stdout))
    return status === 0 ? (quit ?? 0) : status
  } finally {
    await stdout.flush()
    await files.close()
  }
}

/** The name that a link stands for, step by step; of what is no link its own. */
async function linkedName(io: ProgramIo, given: string): Promise<string> {
  let name = given
  for (let count = 0; count < maxLinks; count += 1) {
    let isLink: boolean
    try {
      isLink = (await io.fs.lstat(name)).kind === 'symlink'
    } catch (error) {
      throw new ProgramError(`couldn't readlink ${name}: ${describeError(error)}`, 4)
    }
    if (!isLink) return name
    const target = await io.fs.readLink(name)
    name = target.startsWith('/') || !name.includes('/') ? target : name.slice(0, name.lastIndexOf('/') + 1) + target
  }
  throw new ProgramError(`couldn't follow symlink ${given}: Too many levels of symbolic links`, 4)
}
