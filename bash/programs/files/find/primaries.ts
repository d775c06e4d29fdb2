/** The words of a `find` expression, and what each makes of its arguments. */
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { parseTime } from '../shared/times.js'
import {
  batchAction,
  commandAction,
  deleteAction,
  fileOutputs,
  formatAction,
  listAction,
  printAction,
  pruneAction,
  quitAction,
  toStdout,
  type Write,
} from './actions.js'
import { outputFormat } from './format.js'
import type { Search, Test } from './found.js'
import {
  accessTest,
  ageTest,
  emptyTest,
  fileTimes,
  inodeOfFound,
  linksOf,
  linkTargetTest,
  nameTest,
  newerTest,
  numberTest,
  ownerOf,
  ownerTest,
  pathTest,
  permissionTest,
  referenceTime,
  regexSyntax,
  regexTest,
  sameFileTest,
  sizeTest,
  typeTest,
} from './tests.js'

/** What the words so far have said. */
export interface Given {
  search: Search
  regexSyntax: 'basic' | 'extended' | 'emacs'
  /** An action other than `-prune` was given, so nothing is printed by itself. */
  hasAction: boolean
  hasPrune: boolean
  hasDelete: boolean
  isDepthAsked: boolean
  outputs?: (path: string) => Promise<Write>
}

export interface Words {
  word: string
  /** The next word; fails when there is none. */
  argument(): string
  /** All words that follow. */
  rest(): readonly string[]
  skip(count: number): void
  given: Given
}

type Primary = (words: Words) => Test | Promise<Test>

const always: Test = () => true

/** An option: it changes the search and is always true. */
function option(set: (words: Words) => void): Primary {
  return (words) => {
    set(words)
    return always
  }
}

function action(make: (words: Words) => Test | Promise<Test>): Primary {
  return (words) => {
    words.given.hasAction = true
    return make(words)
  }
}

function refused({ word }: Words): never {
  throw new ProgramError(`'${word}' is not supported by this shell`, 2)
}

function depth({ word, argument }: Words): number {
  const text = argument()
  if (!/^\d+$/.test(text)) {
    throw new ProgramError(`Expected a positive decimal integer argument to ${word}, but got ${quoted(text)}`)
  }
  return Number(text)
}

function output({ argument, given }: Words): Promise<Write> {
  given.outputs ??= fileOutputs(given.search)
  return given.outputs(argument())
}

function command({ word, rest, skip, given }: Words): Test {
  const isInDirectory = word.endsWith('dir')
  const asks = word.startsWith('-ok')
  const words = rest()
  const end = words.findIndex((one, index) => one === ';' || (!asks && one === '+' && words[index - 1] === '{}'))
  if (end < 1) throw new ProgramError(`missing argument to \`${word}'`)
  skip(end + 1)
  if (words[end] === ';') return commandAction({ words: words.slice(0, end), isInDirectory, asks })
  const fixed = words.slice(0, end - 1)
  if (fixed.some((one) => one.includes('{}'))) {
    throw new ProgramError(`Only one instance of {} is supported with ${word} ... +`)
  }
  if (fixed.length === 0) throw new ProgramError(`missing argument to \`${word}'`)
  return batchAction({ words: fixed, isInDirectory, asks }, given.search)
}

async function newer({ word, argument, given }: Words): Promise<Test> {
  const text = argument()
  const [, own = 'm', other = 'm'] = /^-newer(.)(.)$/.exec(word) ?? []
  const time = fileTimes[own]
  if (time === undefined || (other !== 't' && fileTimes[other] === undefined)) {
    throw new ProgramError(`'${word}' is not supported by this shell`, 2)
  }
  if (other !== 't') return newerTest(time, await referenceTime(given.search, text, fileTimes[other] ?? time))
  const at = parseTime(given.search.io, text, given.search.now)
  if (at === undefined) {
    throw new ProgramError(`I cannot figure out how to interpret ${quoted(text)} as a date or time`)
  }
  return newerTest(time, at)
}

export const primaries: Readonly<Record<string, Primary>> = {
  '-maxdepth': option((words) => void (words.given.search.maxDepth = depth(words))),
  '-mindepth': option((words) => void (words.given.search.minDepth = depth(words))),
  '-depth': option(askDepth),
  '-d': option(askDepth),
  '-follow': option(({ given }) => void (given.search.follows = 'all')),
  '-daystart': option(({ given }) => void (given.search.fromDayStart = true)),
  '-regextype': option(({ argument, given }) => void (given.regexSyntax = regexSyntax(argument()))),
  '-xdev': option(() => {}),
  '-mount': option(() => {}),
  '-noleaf': option(() => {}),
  '-warn': option(() => {}),
  '-nowarn': option(() => {}),
  '-ignore_readdir_race': option(() => {}),
  '-noignore_readdir_race': option(() => {}),
  '-true': () => always,
  '-false': () => () => false,
  '-name': ({ argument }) => nameTest(argument(), false),
  '-iname': ({ argument }) => nameTest(argument(), true),
  '-path': ({ argument }) => pathTest(argument(), false),
  '-wholename': ({ argument }) => pathTest(argument(), false),
  '-ipath': ({ argument }) => pathTest(argument(), true),
  '-iwholename': ({ argument }) => pathTest(argument(), true),
  '-lname': ({ argument }) => linkTargetTest(argument(), false),
  '-ilname': ({ argument }) => linkTargetTest(argument(), true),
  '-regex': ({ argument, given }) => regexTest(argument(), given.regexSyntax, false),
  '-iregex': ({ argument, given }) => regexTest(argument(), given.regexSyntax, true),
  '-type': ({ word, argument }) => typeTest(word, argument()),
  '-xtype': ({ word, argument }) => typeTest(word, argument()),
  '-size': ({ argument }) => sizeTest(argument()),
  '-empty': () => emptyTest,
  '-perm': ({ argument }) => permissionTest(argument()),
  '-readable': () => accessTest(0o400),
  '-writable': () => accessTest(0o200),
  '-executable': () => accessTest(0o100),
  '-user': ({ word, argument }) => ownerTest(word, argument()),
  '-group': ({ word, argument }) => ownerTest(word, argument()),
  '-uid': ({ word, argument }) => numberTest(word, argument(), ownerOf),
  '-gid': ({ word, argument }) => numberTest(word, argument(), ownerOf),
  '-nouser': () => () => false,
  '-nogroup': () => () => false,
  '-links': ({ word, argument }) => numberTest(word, argument(), linksOf),
  '-inum': ({ word, argument }) => numberTest(word, argument(), inodeOfFound),
  '-samefile': ({ argument, given }) => sameFileTest(given.search, argument()),
  '-mtime': age('m'),
  '-atime': age('a'),
  '-ctime': age('c'),
  '-mmin': age('m'),
  '-amin': age('a'),
  '-cmin': age('c'),
  '-newer': newer,
  '-anewer': (words) => newer({ ...words, word: '-neweram' }),
  '-cnewer': (words) => newer({ ...words, word: '-newercm' }),
  '-newerXY': newer,
  '-prune'({ given }) {
    given.hasPrune = true
    return pruneAction
  },
  // As with -prune, what it does not print is printed by default.
  '-quit': () => quitAction,
  '-print': action(() => printAction(toStdout, '\n')),
  '-print0': action(() => printAction(toStdout, '\0')),
  '-printf': action(async ({ argument, given }) => formatAction(toStdout, await format(given.search, argument()))),
  '-ls': action(() => listAction(toStdout)),
  '-fprint': action(async (words) => printAction(await output(words), '\n')),
  '-fprint0': action(async (words) => printAction(await output(words), '\0')),
  '-fprintf': action(async (words) => {
    const write = await output(words)
    return formatAction(write, await format(words.given.search, words.argument()))
  }),
  '-fls': action(async (words) => listAction(await output(words))),
  '-exec': action(command),
  '-execdir': action(command),
  '-ok': action(command),
  '-okdir': action(command),
  '-delete': action(({ given }) => {
    given.hasDelete = true
    return deleteAction
  }),
  '-fstype': refused,
  '-used': refused,
  '-context': refused,
  '-files0-from': refused,
}

async function format(search: Search, text: string): Promise<ReturnType<typeof outputFormat>['text']> {
  const made = outputFormat(text)
  for (const warning of made.warnings) await search.io.error(`warning: ${warning}`)
  return made.text
}

function askDepth({ given }: Words): void {
  given.search.isDepthFirst = true
  given.isDepthAsked = true
}

function age(letter: 'a' | 'c' | 'm'): Primary {
  const time = fileTimes[letter]
  if (time === undefined) throw new Error('unknown time')
  return ({ word, argument }) => ageTest(word, time, argument())
}
