/** One run of make, from reading the makefiles to the last goal. */
import type { ProgramIo } from '../../io/program.js'
import { flagsText, type Given, quoted, readArguments, WrongOption, wordsOfFlags } from './arguments.js'
import { wordsOf } from './characters.js'
import { installDefaults, installPatternRules } from './default-rules.js'
import { expand } from './expand/expand.js'
import { makeFunctions } from './expand/functions.js'
import { type MakeFile, newTime, oldTime, statuses } from './files.js'
import { MakeEnded, MakeError, placeText } from './make-error.js'
import { assign, assignmentOf, nameOfAssigned } from './read/assignments.js'
import { directoryCache } from './read/directories.js'
import { fileNames } from './read/file-names.js'
import { readMakefile } from './read/includes.js'
import { readText } from './read/makefile.js'
import { removeIntermediates } from './run/intermediates.js'
import { MakeState } from './state.js'
import { features } from './texts.js'
import { convertSuffixRules } from './update/pattern-rules.js'
import { makeGoals } from './update/remake.js'
import { remakeMakefiles } from './update/remake-makefiles.js'
import { setGeneralPath } from './update/search-path.js'
import { snapPrerequisites } from './update/snap.js'

export interface Once {
  io: ProgramIo
  given: Given
  level: number
  title: string
  cwd: string
  /** How often makefiles were remade before. */
  restarts: number
}

const usualMakefiles = ['GNUmakefile', 'makefile', 'Makefile']

/** The exit status, or that a makefile has changed. */
export async function makeOnce(once: Once): Promise<number | 'again'> {
  const { io, given, level, title, cwd } = once
  const make = new MakeState(io, { ...given.options }, title, level, cwd, directoryCache(io), makeFunctions)
  let status: number | 'again'
  try {
    status = await run(make, once)
  } catch (error) {
    if (error instanceof MakeEnded) status = error.status
    else if (error instanceof MakeError) {
      await io.stderr.write(`${placeText(error.place) ?? title}: *** ${error.message}.  Stop.\n`)
      status = 2
    } else throw error
  }
  await removeIntermediates(make)
  if (make.toldOfSkew && status !== 'again') {
    await make.complain('warning:  Clock skew detected.  Your build may be incomplete.')
  }
  return status
}

async function run(make: MakeState, { given, restarts }: Once): Promise<number | 'again'> {
  importEnvironment(make, restarts)
  defineFacts(make)
  await defineGiven(make, given)
  installDefaults(make)
  for (const text of given.options.evaluated) await readText(make, text, { file: undefined, line: 1, offset: 0 })
  await readMakefiles(make, given)
  await applyFlagsOfMakefile(make)
  make.reading = undefined
  await snapPrerequisites(make)
  await convertSuffixRules(make)
  installPatternRules(make)
  await setGeneralPath(make)
  setGivenTimes(make)
  const goals = await goalsOf(make, given.goals)
  if (await remakeMakefiles(make)) return 'again'
  const usual = goals.length === 0 ? await usualGoal(make) : undefined
  const all = usual === undefined ? goals : [usual]
  if (all.length === 0) {
    const isRead = (make.lookup('MAKEFILE_LIST')?.value ?? '') !== ''
    throw new MakeError(isRead ? 'No targets' : 'No targets specified and no makefile found')
  }
  const status = await makeGoals(
    make,
    all.map((file) => ({ file })),
  )
  if (status === statuses.failed) return 2
  return status === statuses.question ? 1 : 0
}

function importEnvironment(make: MakeState, restarts: number): void {
  for (const [name, value] of make.io.env) {
    if (name === 'MAKEFLAGS' || name === 'MAKELEVEL' || name === 'MFLAGS') continue
    const variable = make.define(name, value, 'environment', { isRecursive: true })
    // With -e it becomes stronger only when a makefile defines it, too.
    variable.origin = 'environment'
    variable.export = name === 'SHELL' ? 'no' : 'yes'
  }
  if (restarts > 0) make.define('MAKE_RESTARTS', `${restarts}`, 'environment').export = 'no'
}

function defineFacts(make: MakeState): void {
  const { level, cwd, options } = make
  make.define('CURDIR', cwd, 'file')
  make.define('MAKELEVEL', `${level}`, 'environment')
  make.define('MAKE_VERSION', '4.3', 'default')
  make.define('MAKE_HOST', 'x86_64-pc-linux-gnu', 'default')
  make.define('MAKE_COMMAND', make.io.name, 'default')
  make.define('MAKE', '$(MAKE_COMMAND)', 'default', { isRecursive: true })
  make.define('.FEATURES', features, 'default')
  make.define(
    '.INCLUDE_DIRS',
    [...options.includes, '/usr/local/include', '/usr/include', '/usr/include'].join(' '),
    'default',
  )
  make.define('.SHELLFLAGS', '-c', 'default')
  make.define('.RECIPEPREFIX', '', 'default')
  make.define('.DEFAULT_GOAL', '', 'file')
  make.define('.LOADED', '', 'default')
  make.define('MAKEFILE_LIST', '', 'file')
  make.define('MAKEFILES', '', 'default').export = 'if set'
  const shell = make.define('SHELL', '/bin/sh', 'default')
  if (shell.origin !== 'default') Object.assign(shell, { origin: 'file', value: '/bin/sh', isRecursive: false })
  for (const name of ['@', '%', '*', '<', '?', '^', '+']) {
    make.define(`${name}D`, `$(patsubst %/,%,$(dir $${name}))`, 'automatic', { isRecursive: true })
    make.define(`${name}F`, `$(notdir $${name})`, 'automatic', { isRecursive: true })
  }
}

const overrides = '-*-command-variables-*-'

/** Variables of the command line, and what tells the same to a make below. */
async function defineGiven(make: MakeState, { goals, assignments }: Given): Promise<void> {
  const texts = new Map<string, string>()
  for (const text of assignments) {
    const assignment = assignmentOf(text)
    if (assignment === undefined) continue
    const name = await nameOfAssigned(make, assignment.name, { file: undefined, line: 0, offset: 0 })
    await assign(make, { ...assignment, name }, { origin: 'command line' })
    texts.delete(name)
    texts.set(name, text)
  }
  const flags = flagsText(make.options)
  make.define('MFLAGS', flags, 'environment', { isRecursive: true }).export = 'default'
  if (texts.size > 0) {
    make.define(overrides, [...texts.values()].reverse().map(quoted).join(' '), 'automatic')
    make.define('MAKEOVERRIDES', `\${${overrides}}`, 'environment', { isRecursive: true }).export = 'yes'
  }
  setFlags(make, flags, texts.size > 0)
  if (goals.length > 0) make.define('MAKECMDGOALS', goals.join(' '), 'default')
}

function setFlags(make: MakeState, flags: string, hasOverrides: boolean): void {
  const own = /^-[^-jlIOC]/.test(flags) ? flags.slice(1) : flags === '' ? '' : ` ${flags}`
  const text = hasOverrides ? `${own} -- $(MAKEOVERRIDES)` : own
  make.define('MAKEFLAGS', text, 'file', { isRecursive: true }).export = 'yes'
  make.define('MFLAGS', flags, 'environment', { isRecursive: true }).export = 'no'
}

/** A makefile may add to `MAKEFLAGS`. */
async function applyFlagsOfMakefile(make: MakeState): Promise<void> {
  const given: Given = { options: make.options, goals: [], assignments: [], asksFor: undefined }
  const text = (await expand(make, '$(MAKEFLAGS)')).split(/(?:^| )-- /)[0] ?? ''
  const before = flagsText(make.options)
  const lists = { includes: [...make.options.includes], others: [...make.options.others] }
  try {
    readArguments(wordsOfFlags(text), given, true)
  } catch (error) {
    if (!(error instanceof WrongOption)) throw error
    throw new MakeError(error.message)
  }
  Object.assign(make.options, lists)
  const after = flagsText(make.options)
  if (after !== before) setFlags(make, after, make.lookup('MAKEOVERRIDES') !== undefined)
}

async function readMakefiles(make: MakeState, { options }: Given): Promise<void> {
  for (const name of wordsOf(make.lookup('MAKEFILES')?.value ?? '')) {
    await readMakefile(make, name, readText, { isIncluded: true, isOptional: true })
    make.define('.DEFAULT_GOAL', '', 'file')
  }
  for (const name of options.makefiles) {
    if (await readMakefile(make, name, readText)) continue
    const noted = make.makefiles.at(-1)
    if (noted?.problem !== undefined) await make.complain(noted.problem.text)
  }
  if (options.makefiles.length > 0) return
  for (const name of usualMakefiles) {
    if (!(await make.directories.has(name))) continue
    await readMakefile(make, name, readText)
    return
  }
  // One of them may be made.
  for (const name of usualMakefiles) {
    make.files.findOrEnter(name)
    make.makefiles.push({ name, isIncluded: false, isOptional: true })
  }
}

function setGivenTimes(make: MakeState): void {
  for (const name of make.options.oldFiles) {
    const file = make.files.findOrEnter(name)
    Object.assign(file, {
      time: oldTime,
      timeBefore: oldTime,
      isUpdated: true,
      status: statuses.success,
      state: 'finished',
    })
  }
  for (const name of make.options.newFiles)
    Object.assign(make.files.findOrEnter(name), { time: newTime, timeBefore: newTime })
}

async function goalsOf(make: MakeState, names: readonly string[]): Promise<MakeFile[]> {
  const goals: MakeFile[] = []
  for (const name of names) {
    const [given = name] = (await fileNames(make, name, { isOne: true, isLiteral: true })).names
    const file = make.files.findOrEnter(given)
    file.isGoal = true
    goals.push(file)
  }
  return goals
}

async function usualGoal(make: MakeState): Promise<MakeFile | undefined> {
  const text = await expand(make, '$(.DEFAULT_GOAL)')
  if (text === '') return undefined
  const known = make.files.find(text)
  if (known !== undefined) return known
  const { names } = await fileNames(make, text)
  if (names.length > 1) throw new MakeError('.DEFAULT_GOAL contains more than one target')
  return names[0] === undefined ? undefined : make.files.findOrEnter(names[0])
}
