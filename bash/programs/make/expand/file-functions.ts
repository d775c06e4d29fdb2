/** Functions that look at files, or read and write them. */
import { isFsError } from '../../../../src/errors.js'
import { resolve } from '../../../../src/fs/path.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import { skipSpace, wordsOf } from '../characters.js'
import { fileNames } from '../read/file-names.js'
import type { MakeFunction, MakeState } from '../state.js'

export const fileFunctions: Readonly<Record<string, MakeFunction>> = {
  wildcard: {
    least: 0,
    most: 1,
    run: async (make, [patterns = '']) =>
      (await fileNames(make, patterns, { keepsDots: true, onlyExisting: true })).names.join(' '),
  },
  abspath: {
    least: 0,
    most: 1,
    run: (make, [names = '']) =>
      wordsOf(names)
        .map((name) => resolve(make.cwd, name))
        .join(' '),
  },
  realpath: { least: 0, most: 1, run: realPaths },
  file: { least: 1, most: 2, run: file },
}

async function realPaths(make: MakeState, [names = '']: readonly string[]): Promise<string> {
  const found: string[] = []
  for (const name of wordsOf(names)) {
    try {
      found.push(await make.io.fs.realPath(name))
    } catch (error) {
      if (!isFsError(error)) throw error
    }
  }
  return found.join(' ')
}

/** `$(file > NAME,TEXT)`, `>>` and `<`. */
async function file(make: MakeState, [given = '', text]: readonly string[]): Promise<string> {
  const operation = /^(>>|>|<)/.exec(given)?.[0]
  if (operation === undefined) throw make.failExpanding(`file: invalid file operation: ${given}`)
  const name = given.slice(skipSpace(given, operation.length))
  if (name === '') throw make.failExpanding('file: missing filename')
  if (operation === '<' && text !== undefined) throw make.failExpanding('file: too many arguments')
  try {
    if (operation === '<') return await contentOf(make, name)
    const writer = await make.io.fs.openWrite(name, { append: operation === '>>' })
    if (text !== undefined) await writer.write(encodeText(text.endsWith('\n') ? text : `${text}\n`))
    await writer.close()
  } catch (error) {
    if (!isFsError(error)) throw error
    throw make.fail(`open: ${name}: ${describeError(error)}`)
  }
  return ''
}

async function contentOf(make: MakeState, name: string): Promise<string> {
  try {
    const text = decodeText(await make.io.fs.readFile(name))
    return text.endsWith('\n') ? text.slice(0, -1) : text
  } catch (error) {
    if (isFsError(error) && error.code === 'NOT_FOUND') return ''
    throw error
  }
}
