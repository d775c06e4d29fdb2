/** `yq`: its arguments, what it reads, and what it writes. */
import { isFsError } from '../../../src/errors.js'
import { decodeText, encodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { readAll } from '../../io/streams.js'
import { calls } from './calls.js'
import type { Context } from './context.js'
import { evaluator } from './evaluate.js'
import { readJson, readTable, writeJson, writeProperties, writeTable } from './formats.js'
import { isNull, isTrue, nothing, rootOf, type YamlNode, YqError } from './nodes.js'
import { type Format, type Given, readArguments } from './options.js'
import { readYaml } from './read-yaml.js'
import { parseExpression } from './syntax.js'
import { writeYaml } from './write-yaml.js'

const version = 'yq (https://github.com/mikefarah/yq/) version v4.53.6\n'

/** A file that an expression names: it has to be read first. */
class Missing extends Error {
  constructor(readonly file: string) {
    super(file)
  }
}

export async function yq(io: ProgramIo): Promise<number> {
  try {
    const given = await readArguments(io)
    if (given.about !== undefined) {
      await io.stdout.write(given.about === 'version' ? version : given.about)
      return 0
    }
    return await run(io, given)
  } catch (error) {
    if (!(error instanceof YqError)) throw error
    await io.stdout.flush()
    await io.stderr.write(`Error: ${error.message}\n`)
    return 1
  }
}

async function run(io: ProgramIo, given: Given): Promise<number> {
  const files = new Map<string, string>()
  const expression = parseExpression(given.expression)
  const inputs = given.isWithoutInput ? [] : await readInputs(io, given)
  for (;;) {
    try {
      return await attempt(io, given, expression, inputs, files)
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      files.set(error.file, await readText(io, error.file, `failed to load ${error.file}`))
    }
  }
}

interface Input {
  name: string
  text: string
}

async function readInputs(io: ProgramIo, { files }: Given): Promise<Input[]> {
  const made: Input[] = []
  for (const name of files) made.push({ name, text: await readText(io, name) })
  return made
}

async function readText(io: ProgramIo, name: string, says?: string): Promise<string> {
  try {
    const bytes = name === '-' ? await readAll(io.stdin) : await io.fs.readFile(io.path(name))
    io.account(bytes.length)
    return decodeText(bytes)
  } catch (error) {
    if (!isFsError(error)) throw error
    const fault = `open ${name}: ${describeError(error).toLowerCase()}`
    throw new YqError(says === undefined ? fault : `${says}: ${fault}`)
  }
}

const readers: Partial<Record<Format, (text: string) => YamlNode[]>> = {
  yaml: readYaml,
  json: readJson,
}

async function attempt(
  io: ProgramIo,
  given: Given,
  expression: ReturnType<typeof parseExpression>,
  inputs: readonly Input[],
  files: ReadonlyMap<string, string>,
): Promise<number> {
  const evaluate = evaluator(calls, {
    env: given.hidesEnvironment ? undefined : io.env,
    parse: readYaml,
    random: () => io.random(),
    step: () => io.step(),
    account: (bytes) => io.account(bytes),
    file(name) {
      if (given.hidesFiles) throw new YqError('file operations have been disabled')
      const content = files.get(name)
      if (content === undefined) throw new Missing(name)
      return content
    },
  })
  const cell = (value: string) => {
    if (!given.parsesCells) return undefined
    try {
      return readYaml(value)[0]
    } catch (error) {
      if (error instanceof YqError) return undefined
      throw error
    }
  }
  const separator = given.inputFormat === 'csv' ? ',' : given.inputFormat === 'tsv' ? '\t' : undefined
  const read =
    separator === undefined ? readers[given.inputFormat] : (text: string) => [readTable(text, separator, cell)]
  if (read === undefined) throw new YqError(`input format '${given.inputFormat}' is not supported by this shell`)
  const documents = inputs.flatMap(({ name, text }, fileIndex) =>
    read(text).map((root, document) =>
      Object.assign(root, { source: { file: name, fileIndex, document, isAll: given.isAll } }),
    ),
  )
  const contexts: Context[] = given.isWithoutInput
    ? [{ nodes: [nothing()], variables: new Map() }]
    : given.isAll
      ? [{ nodes: documents, variables: new Map() }]
      : documents.map((root) => ({ nodes: [root], variables: new Map() }))
  const made: Array<{ node: YamlNode; group: unknown }> = []
  for (const context of contexts)
    for (const node of evaluate(context, expression).nodes) {
      const root = rootOf(node)
      const source = node.source ?? root.source
      made.push({ node, group: source === undefined ? context : `${source.fileIndex} ${source.document}` })
    }
  const output = printed(given, made)
  if (given.isInPlace) {
    const [first] = given.files
    await io.fs.writeFile(io.path(first as string), encodeText(output))
  } else await io.stdout.write(output)
  const isFound = made.some(({ node }) => isTrue(node) && !isNull(node))
  if (given.needsMatch && !isFound) throw new YqError('no matches found')
  return 0
}

function printed(given: Given, made: ReadonlyArray<{ node: YamlNode; group: unknown }>): string {
  let output = ''
  let before: unknown
  for (const [at, { node, group }] of made.entries()) {
    const isYaml = given.outputFormat === 'yaml'
    const leading = isYaml && node.parent === undefined ? node.leading : ''
    if (isYaml && at > 0 && group !== before && !given.hidesMarks && !leading.startsWith('---')) output += '---\n'
    before = group
    const one = written(given, node)
    output += given.endsWithNul
      ? `${one.replace(/\n$/, '')}\0`
      : (node.kind === 'scalar' && given.isUnwrapped ? '' : leadingText(given, leading)) + one
  }
  return output
}

function leadingText({ hidesMarks }: Given, leading: string): string {
  return hidesMarks ? leading.replaceAll(/^---[ \t]*\n/gm, '') : leading
}

function written(given: Given, node: YamlNode): string {
  const { indent, isUnwrapped: unwrap, isCompact: compact } = given
  if (given.outputFormat === 'json') {
    if (unwrap && given.isUnwrapGiven && node.kind === 'scalar') return `${node.value}\n`
    return writeJson(node, indent)
  }
  if (given.outputFormat === 'csv') return writeTable(node, ',')
  if (given.outputFormat === 'tsv') return writeTable(node, '\t')
  if (given.outputFormat === 'props') return writeProperties(node, unwrap)
  return writeYaml(node, { indent, unwrap, compact })
}
