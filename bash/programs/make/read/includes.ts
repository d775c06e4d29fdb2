/** Finds and reads makefiles: the first ones, and those of `include`. */
import { isFsError } from '../../../../src/errors.js'
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import { readAll } from '../../../io/streams.js'
import { expand } from '../expand/expand.js'
import type { Place } from '../make-error.js'
import type { MakefileRead, MakeState } from '../state.js'
import { assign } from './assignments.js'
import { fileNames } from './file-names.js'

const systemDirectories = ['/usr/local/include', '/usr/include', '/usr/include']
const mostNested = 200

export function includeDirectories(make: MakeState): string[] {
  return [...make.options.includes, ...systemDirectories]
}

export async function includeMakefiles(
  make: MakeState,
  text: string,
  isOptional: boolean,
  place: Place,
  read: ReadText,
): Promise<void> {
  const { names } = await fileNames(make, await expand(make, text))
  if (make.nestedIncludes >= mostNested) throw make.fail('makefiles include each other too deeply')
  make.nestedIncludes += 1
  try {
    for (const name of names)
      await readMakefile(make, name, read, { isIncluded: true, isOptional, place: { ...place } })
  } finally {
    make.nestedIncludes -= 1
  }
}

type ReadText = (make: MakeState, text: string, start: Place) => Promise<void>

export interface MakefileRules {
  isIncluded?: boolean
  isOptional?: boolean
  place?: Place
}

/** One that can't be read is noted: make may be able to make it. */
export async function readMakefile(
  make: MakeState,
  given: string,
  read: ReadText,
  { isIncluded = false, isOptional = false, place }: MakefileRules = {},
): Promise<boolean> {
  const found = await findMakefile(make, given, isIncluded)
  const name = found.name
  const noted: MakefileRead = { name, isIncluded, isOptional }
  make.makefiles.push(noted)
  make.files.findOrEnter(name)
  if (found.text === undefined) {
    noted.problem = { text: `${name}: ${found.problem}`, place }
    return false
  }
  await assign(make, { name: 'MAKEFILE_LIST', value: name, flavor: 'append' }, { origin: 'file' })
  await read(make, found.text, { file: name, line: 1, offset: 0 })
  return true
}

interface Found {
  name: string
  text?: string
  problem?: string
}

async function findMakefile(make: MakeState, given: string, isIncluded: boolean): Promise<Found> {
  if (given === '-') return { name: '-', text: decodeText(await readAll(make.io.stdin)) }
  const places = isIncluded && !given.startsWith('/') ? includeDirectories(make).map((one) => `${one}/${given}`) : []
  let problem = 'No such file or directory'
  for (const name of [given, ...places]) {
    try {
      return { name, text: decodeText(await make.io.fs.readFile(name)).replace(/^\ufeff/, '') }
    } catch (error) {
      if (name === given) problem = describeError(error)
      else if (!isFsError(error)) throw error
    }
  }
  return { name: given, problem }
}
