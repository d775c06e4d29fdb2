/** The text of a program: operands, files, and what they include. */
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { ProgramError } from '../../program-error.js'
import { AwkFatal, SourceLine, type SourceText } from '../syntax/awk-error.js'
import { parseInto } from '../syntax/parser.js'
import type { AwkProgram } from '../syntax/syntax.js'
import type { Runtime } from './runtime.js'

/** Parses all sources, with those that they include, and prints what is odd in them. */
export async function parseProgram(runtime: Runtime, sources: SourceText[]): Promise<AwkProgram> {
  const { io } = runtime
  const warnings: string[] = []
  const included = new Set(sources.map(({ name }) => name))

  async function parse(source: SourceText, program: AwkProgram): Promise<void> {
    requireText(source)
    parseInto(program, source, (message) => warnings.push(message), runtime.dialect)
    const { includes } = program
    program.includes = []
    let added = 0
    for (const { name, at, line } of includes) {
      const found = await findSource(io, name)
      if (found === undefined) {
        throw new ProgramError(
          `${line}: error: cannot open source file \`${name}' for reading: No such file or directory`,
          1,
        )
      }
      if (included.has(found)) continue
      included.add(found)
      const text = await readSource(runtime, found)
      sources.push({ name: found, text })
      const part: AwkProgram = { rules: [], functions: program.functions, includes: [] }
      await parse({ name: found, text }, part)
      program.rules.splice(at + added, 0, ...part.rules)
      added += part.rules.length
    }
  }

  const program: AwkProgram = { rules: [], functions: new Map(), includes: [] }
  for (const source of [...sources]) {
    const part: AwkProgram = { rules: [], functions: program.functions, includes: [] }
    await parse(source, part)
    program.rules.push(...part.rules)
  }
  for (const warning of warnings) await io.stderr.write(`${io.name}: ${warning}\n`)
  return program
}

/** The path of a source: as it is when it has a slash, else in the directories of `AWKPATH`, also with `.awk`. */
export async function findSource(io: ProgramIo, name: string): Promise<string | undefined> {
  const directories = name.includes('/') ? ['.'] : (io.env.get('AWKPATH') || '.').split(':')
  for (const ending of ['', '.awk']) {
    for (const directory of directories) {
      const path = directory === '' || directory === '.' ? name + ending : `${directory}/${name}${ending}`
      const found = await io.fs.stat(path).catch(() => undefined)
      if (found !== undefined && found.kind !== 'directory') return path
    }
  }
  return undefined
}

export async function readSource({ io, locale }: Runtime, name: string): Promise<string> {
  try {
    const found = name === '-' ? name : ((await findSource(io, name)) ?? name)
    const bytes = await readAll(found === '-' ? io.stdin : await io.fs.openRead(found))
    return locale.decode(bytes).replace(/^#!.*/, '')
  } catch (error) {
    throw new AwkFatal(`cannot open source file \`${name}' for reading: ${describeError(error)}`, 'nowhere')
  }
}

function requireText({ name, text }: SourceText): void {
  const at = text.indexOf('\0')
  if (at < 0) return
  const line = new SourceLine(name, text.slice(0, at).split('\n').length)
  throw new AwkFatal("error: invalid character '\\000' in source code", line)
}
