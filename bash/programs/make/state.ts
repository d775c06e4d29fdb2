/** What one run of make knows. */
import type { ProgramIo } from '../../io/program.js'
import type { Options } from './arguments.js'
import { FileTable } from './files.js'
import { MakeError, type Place, placeText } from './make-error.js'
import type { DirectoryCache } from './read/directories.js'
import type { PatternRule, SearchPath } from './rules.js'
import {
  type Flavor,
  findVariable,
  newVariable,
  type Origin,
  origins,
  type Scope,
  type Variable,
  type VariableSet,
} from './variables.js'

export interface MakeFunction {
  least: number
  /** What comes after so many belongs to the last one. 0: as many as there are. */
  most: number
  /** It expands its arguments itself. */
  isRaw?: boolean
  run(make: MakeState, args: readonly string[]): Promise<string> | string
}

/** `%.o: CFLAGS = …`. */
export interface PatternVariable {
  pattern: string
  percent: number
  name: string
  value: string
  flavor: Flavor
  origin: Origin
  place: Place
  exports: boolean
  isPrivate: boolean
}

export interface MakefileRead {
  name: string
  isIncluded: boolean
  isOptional: boolean
  /** Why it could not be read, and where that is to be said. */
  problem?: { text: string; place: Place | undefined } | undefined
}

export class MakeState {
  readonly global: VariableSet = new Map()
  readonly globalScope: Scope = { set: this.global, next: undefined, nextIsParent: false }
  scope: Scope = this.globalScope
  /** Where what is being read or run stands. */
  reading: Place | undefined
  /** Where the variable stands that is being expanded. */
  expanding: Place | undefined
  expansions = 0
  /** The most arguments that a `$(call)` around this one has. */
  callArguments = 0
  readonly files = new FileTable()
  rules: PatternRule[] = []
  readonly patternVariables: PatternVariable[] = []
  searchPaths: SearchPath[] = []
  generalPath: SearchPath | undefined
  readonly makefiles: MakefileRead[] = []
  recipePrefix = '\t'
  isOneShell = false
  expandsTwice = false
  isPosix = false
  exportsAll = false
  isSnapped = false
  allSecondary = false
  isRebuilding = false
  round = 1
  commandsStarted = 0
  nestedIncludes = 0
  toldOfSkew = false
  readonly impossible = new Set<string>()
  /** The goal that is being made, when it is a makefile. */
  makefileGoal: MakefileRead | undefined

  constructor(
    readonly io: ProgramIo,
    readonly options: Options,
    /** Such as `make` or `make[1]`. */
    readonly title: string,
    readonly level: number,
    readonly cwd: string,
    readonly directories: DirectoryCache,
    readonly functions: ReadonlyMap<string, MakeFunction>,
  ) {}

  async say(text: string): Promise<void> {
    await this.io.stdout.write(text)
  }

  /** A message on standard error, with the place or else make's own name. */
  async complain(message: string, place?: Place): Promise<void> {
    await this.io.stderr.write(`${placeText(place) ?? this.title}: ${message}\n`)
  }

  fail(message: string): MakeError {
    return new MakeError(message, this.reading)
  }

  /** As `fail`, for what goes wrong within a variable. */
  failExpanding(message: string): MakeError {
    return new MakeError(message, this.expanding ?? this.reading)
  }

  lookup(name: string): Variable | undefined {
    if (name === '.VARIABLES') {
      const names = [...this.global.keys()].join(' ')
      return newVariable(name, names, 'default', false)
    }
    return findVariable(this.scope, name)
  }

  /** Defines a variable unless a stronger definition is there. */
  define(
    name: string,
    value: string,
    origin: Origin,
    {
      isRecursive = false,
      set = this.global,
      place,
    }: { isRecursive?: boolean; set?: VariableSet; place?: Place | undefined } = {},
  ): Variable {
    const real = this.options.environmentWins && origin === 'environment' ? 'environment override' : origin
    let variable = set.get(name)
    if (variable === undefined) {
      this.io.account(name.length * 2 + value.length * 2 + 200)
      variable = newVariable(name, value, real, isRecursive)
      variable.place = place && { ...place }
      set.set(name, variable)
    } else {
      if (this.options.environmentWins && variable.origin === 'environment') variable.origin = 'environment override'
      if (origins[real] < origins[variable.origin]) return variable
      this.io.account((value.length - variable.value.length) * 2)
      variable.value = value
      variable.origin = real
      variable.isRecursive = isRecursive
      variable.place = place && { ...place }
    }
    if (name === '.RECIPEPREFIX' && set === this.global) this.recipePrefix = variable.value[0] ?? '\t'
    return variable
  }
}
