/** Simple commands: assignments, functions, builtins, programs. */
import { isFsError } from '../../../src/errors.js'
import { describeError } from '../../io/describe-error.js'
import { builtins } from '../builtins/index.js'
import { assign } from '../expand/assign.js'
import { bracedWords, expandFields, expandText } from '../expand/expand-word.js'
import type { Assignment, Simple, Word } from '../syntax/ast.js'
import { parseWord } from '../syntax/parse.js'
import { runFound } from './external.js'
import { findToRun } from './find-command.js'
import { callFunction } from './functions.js'
import { keep, redirect, restore, type Saved } from './redirect.js'
import { CommandFailure, ReadonlyFailure } from './state/jumps.js'
import { ClosedDescriptor, type RunHow, type Shell } from './state/shell.js'
import type { Steps } from './state/steps.js'
import { traceAssignment, traceWords } from './trace.js'
import { announce } from './traps.js'

const noArrays: ReadonlyMap<number, Assignment> = new Map()

/** `isAnnounced`: the shell above has run the trap of `DEBUG` for it. */
export function* runSimple(shell: Shell, command: Simple, isAnnounced = false): Steps<number> {
  shell.line = command.line
  shell.errorLine = command.line
  if (shell.inTrap.size === 0) shell.command = command
  if (!isAnnounced && shell.traps.size > 0 && !(yield* announce(shell, command))) return 0
  shell.substitutionStatus = undefined
  if (command.words.length === 0) return yield* runAssignments(shell, command)
  const { argv, arrays } = yield* expandArguments(shell, command.words)
  if (argv.length === 0) return yield* runAssignments(shell, command)
  let saved: Saved | undefined
  const isExec = argv[0] === 'exec' && !shell.functions.has('exec')
  try {
    if (shell.options.xtrace && command.assignments.length === 0) yield* traceWords(shell, argv, arrays)
    if (command.redirections.length > 0) saved = yield* redirect(shell, command.redirections)
    const status =
      command.assignments.length === 0
        ? yield* runWords(shell, argv, {}, arrays)
        : yield* runWithAssignments(shell, command.assignments, isSpecial(shell, argv), () =>
            runTraced(shell, argv, arrays),
          )
    shell.lastArgument = argv[argv.length - 1] as string
    shell.errorLine = command.line
    if (shell.inTrap.size === 0 && runsText.has(argv[0] as string)) shell.command = command
    return status
  } catch (error) {
    return yield* failedCommand(shell, error)
  } finally {
    const isKept = isExec && (argv.length === 1 || (argv.length === 2 && argv[1] === '--'))
    if (saved !== undefined && isKept) keep(saved)
    else if (saved !== undefined) restore(shell, saved)
  }
}

/** Reports what makes one command fail; everything else is thrown on. */
export function* failedCommand(shell: Shell, error: unknown): Steps<number> {
  if (!(error instanceof CommandFailure)) throw error
  yield* shell.report(error.message)
  return error.status
}

/** An assignment to what can't be changed makes a builtin or a loop fail. */
export function* readonlyVariable(shell: Shell, error: unknown): Steps<number> {
  if (!(error instanceof ReadonlyFailure)) throw error
  yield* shell.report(error.message)
  return 1
}

interface Arguments {
  argv: string[]
  arrays: ReadonlyMap<number, Assignment>
}

function* expandArguments(shell: Shell, words: Simple['words']): Steps<Arguments> {
  if (words.every((word): word is Word => word.type === 'word')) {
    return { argv: yield* expandFields(shell, words), arrays: noArrays }
  }
  const argv: string[] = []
  const arrays = new Map<number, Assignment>()
  for (const word of words) {
    if (word.type === 'word') {
      argv.push(...(yield* expandFields(shell, [word])))
      continue
    }
    const { name, subscript, appends, value } = word
    if (value.type === 'array' && argv[0] === 'let') {
      argv.push(`${name}${appends ? '+' : ''}=${yield* expandText(shell, parseWord(value.source))}`)
      continue
    }
    if (value.type === 'array') {
      arrays.set(argv.length, word)
      argv.push(name)
      continue
    }
    const key = subscript === undefined ? '' : `[${yield* expandText(shell, subscript)}]`
    const start = `${name}${key}${appends ? '+' : ''}=`
    for (const one of bracedWords(shell, value)) argv.push(start + (yield* expandText(shell, one, 'assignment')))
  }
  return { argv, arrays }
}

/** Those that POSIX calls special. */
export const specialBuiltins: ReadonlySet<string> = new Set(
  'break : . continue eval exec exit export readonly return set shift source times trap unset'.split(' '),
)

function isSpecial(shell: Shell, [name = '']: readonly string[]): boolean {
  return specialBuiltins.has(name) && shell.options.has('posix')
}

/** Builtins after which `BASH_COMMAND` is their own again. */
const runsText: ReadonlySet<string> = new Set(['eval', 'source', '.'])

/** A command without a name: its assignments stay, and its files are only opened. */
function* runAssignments(shell: Shell, command: Simple): Steps<number> {
  for (const assignment of command.assignments) {
    const text = yield* assign(shell, assignment)
    if (shell.options.xtrace) yield* traceAssignment(shell, assignment, text)
  }
  const status = shell.substitutionStatus
  if (command.redirections.length > 0) {
    try {
      restore(shell, yield* redirect(shell, command.redirections))
    } catch (error) {
      return yield* failedCommand(shell, error)
    }
  }
  shell.lastArgument = ''
  return status ?? shell.substitutionStatus ?? 0
}

/** Assignments before a command hold while it runs, and are exported to it. They stay before special builtins of POSIX. */
function* runWithAssignments(
  shell: Shell,
  assignments: readonly Assignment[],
  stays: boolean,
  run: () => Steps<number>,
): Steps<number> {
  if (stays) {
    for (const assignment of assignments) {
      const assigned = yield* assign(shell, assignment)
      shell.variables.set(assignment.name, { ...shell.variables.get(assignment.name), exported: true })
      if (shell.options.xtrace) yield* traceAssignment(shell, assignment, assigned)
    }
    return yield* run()
  }
  const scope = shell.variables.push('temporary')
  try {
    for (const assignment of assignments) {
      const { name } = assignment
      try {
        const outer = shell.variables.get(name)
        if (outer?.readonly) throw new ReadonlyFailure(`${name}: readonly variable`)
        const { text = '', ...attributes } = outer ?? {}
        if (assignment.appends) scope.table.set(name, { ...attributes, text })
        const assigned = yield* assign(shell, withoutArray(assignment), scope)
        const variable = scope.table.get(name)
        if (variable !== undefined) {
          shell.variables.set(name, { ...variable, exported: true, temporary: true }, scope)
        }
        if (shell.options.xtrace) yield* traceAssignment(shell, assignment, assigned)
      } catch (error) {
        if (!(error instanceof ReadonlyFailure)) throw error
        yield* shell.report(error.message)
      }
    }
    scope.isFresh = true
    return yield* run()
  } finally {
    shell.popScope()
  }
}

/** Arrays can't be handed on: a program sees what is written. */
function withoutArray(assignment: Assignment): Assignment {
  const { value } = assignment
  return value.type === 'array' ? { ...assignment, value: parseWord(value.source) } : assignment
}

function* runTraced(shell: Shell, argv: readonly string[], arrays: ReadonlyMap<number, Assignment>): Steps<number> {
  if (shell.options.xtrace) yield* traceWords(shell, argv, arrays)
  return yield* runWords(shell, argv, {}, arrays)
}

/** The assignments before these hold for all that they run, as variables. */
const evaluating = new Set(['eval', 'source', '.', 'unset', 'mapfile', 'readarray'])

/** Runs a command by its words: a function, a builtin or what `PATH` has. */
export function* runWords(
  shell: Shell,
  argv: readonly string[],
  { skipFunctions = false, isExternal = false, standardPath = false }: RunHow = {},
  arrays: ReadonlyMap<number, Assignment> = noArrays,
): Steps<number> {
  const name = argv[0] as string
  const found = skipFunctions || isExternal ? undefined : shell.functions.get(name)
  const { top } = shell.variables
  const isFresh = top.isFresh === true
  if (isFresh) top.isFresh = false
  if (found !== undefined && !isSpecial(shell, argv)) return yield* callFunction(shell, found, argv, isFresh)
  const builtin = isExternal || shell.disabled.has(name) ? undefined : builtins.get(name)
  if (builtin === undefined) {
    return yield* runFound(shell, yield* findToRun(shell, name, standardPath), argv, shell.environment())
  }
  if (isFresh && evaluating.has(name)) top.kind = 'evaluated'
  const shifted = arrays.size === 0 ? arrays : new Map([...arrays].map(([at, array]) => [at - 1, array]))
  try {
    const result = builtin(shell, argv.slice(1), { name, arrays: shifted })
    return typeof result === 'number' ? result : yield* result
  } catch (error) {
    if (error instanceof ClosedDescriptor) return yield* writeFailed(shell, name, error.message)
    if (isFsError(error)) return yield* writeFailed(shell, name, describeError(error))
    if (error instanceof CommandFailure)
      return yield* failedCommand(shell, new CommandFailure(`${name}: ${error.message}`, error.status))
    return yield* readonlyVariable(shell, error)
  }
}

function* writeFailed(shell: Shell, name: string, message: string): Steps<number> {
  yield* shell.report(`${name}: write error: ${message}`)
  return 1
}
