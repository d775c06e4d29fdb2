/** Targets and what they need, as the makefiles say it. */
import type { Place } from './make-error.js'
import type { Scope } from './variables.js'

/** Times of files in milliseconds; these are no times, and compare as what they stand for. */
export const unknownTime = -3
export const missingTime = -2
export const oldTime = -1
export const newTime = Number.POSITIVE_INFINITY

export type Status = 0 | 1 | 2 | 3
/** Higher ones are worse. `none`: nothing was done. `question`: `-q` found something to do. */
export const statuses = { success: 0, none: 1, question: 2, failed: 3 } as const

export interface Recipe {
  text: string
  place: Place
  /** What its lines began with. */
  prefix: string
  /** One for each line; cut when it is first run. */
  lines?: string[]
  flags: number[]
  hasRecursive: boolean
}

export interface Dependency {
  name: string
  file?: MakeFile
  /** An order-only prerequisite. */
  ignoresTime: boolean
  changed: boolean
  /** For `.SECONDEXPANSION`. */
  needsExpansion: boolean
  isStaticPattern: boolean
  stem?: string
}

export interface MakeFile {
  name: string
  /** Where `VPATH` found it. */
  foundName: string
  doubleColon?: MakeFile
  /** The next double-colon rule of the same name. */
  following?: MakeFile
  deps: Dependency[]
  recipe?: Recipe
  stem?: string
  alsoMake: MakeFile[]
  parent?: MakeFile
  variables?: Scope
  patternVariables?: Scope
  searchedPatterns: boolean
  time: number
  timeBefore: number
  status: Status
  state: 'not started' | 'running' | 'finished'
  considered: number
  /** Of a recipe, as bits: see `recipeFlags`. */
  flags: number
  isUpdated: boolean
  isUpdating: boolean
  isTarget: boolean
  isGoal: boolean
  isPhony: boolean
  isIntermediate: boolean
  isSecondary: boolean
  isPrecious: boolean
  triedImplicit: boolean
  ignoresPath: boolean
  /** Nobody minds if it can't be made. */
  isOptional: boolean
  /** That it can't be made was not said. */
  wasSilent: boolean
  renamedTo?: MakeFile
}

export const recipeFlags = { recursive: 1, silent: 2, ignores: 4 } as const

export function newFile(name: string): MakeFile {
  return {
    name,
    foundName: name,
    deps: [],
    alsoMake: [],
    searchedPatterns: false,
    time: unknownTime,
    timeBefore: unknownTime,
    status: statuses.none,
    state: 'not started',
    considered: 0,
    flags: 0,
    isUpdated: false,
    isUpdating: false,
    isTarget: false,
    isGoal: false,
    isPhony: false,
    isIntermediate: false,
    isSecondary: false,
    isPrecious: false,
    triedImplicit: false,
    ignoresPath: false,
    isOptional: false,
    wasSilent: false,
  }
}

export function newDependency(name: string): Dependency {
  return { name, ignoresTime: false, changed: false, needsExpansion: false, isStaticPattern: false }
}

/** The name under which a prerequisite is known now. */
export function nameOf({ name, file }: Dependency): string {
  return file?.name ?? name
}

/** All rules of a target with `::`, or the one there is. */
export function rulesOf(file: MakeFile): MakeFile[] {
  const all: MakeFile[] = []
  for (let at: MakeFile | undefined = file.doubleColon ?? file; at !== undefined; at = at.following) all.push(at)
  return all
}

export class FileTable {
  readonly #files = new Map<string, MakeFile>()

  find(given: string): MakeFile | undefined {
    const file = this.#files.get(withoutDot(given))
    return file === undefined ? undefined : this.current(file)
  }

  /** The file of that name; a further one, when it has rules with `::`. */
  enter(name: string): MakeFile {
    const known = this.#files.get(name)
    if (known !== undefined && known.doubleColon === undefined) return this.current(known)
    const file = newFile(name)
    if (known === undefined) this.#files.set(name, file)
    else {
      file.doubleColon = known
      const all = rulesOf(known)
      const last = all.at(-1)
      if (last !== undefined) last.following = file
    }
    return file
  }

  /** For a rule with one colon. */
  enterSingle(name: string): MakeFile {
    const known = this.#files.get(name)
    return known === undefined ? this.enter(name) : this.current(known)
  }

  findOrEnter(name: string): MakeFile {
    return this.find(name) ?? this.enter(name)
  }

  /** What became of a file that was found under another name. */
  current(file: MakeFile): MakeFile {
    let at = file
    while (at.renamedTo !== undefined) at = at.renamedTo
    return at
  }

  /** `VPATH` found the file elsewhere: from now on both names mean the same. */
  rename(file: MakeFile, foundName: string): void {
    const other = this.#files.get(foundName)
    file.foundName = foundName
    if (other === undefined || other === file) {
      this.#files.set(foundName, file)
      return
    }
    if (file.recipe === undefined && other.recipe !== undefined) file.recipe = other.recipe
    other.deps.push(...file.deps)
    file.deps = other.deps
    file.isTarget ||= other.isTarget
    file.isPrecious ||= other.isPrecious
    file.triedImplicit ||= other.triedImplicit
    file.isUpdated ||= other.isUpdated
    other.renamedTo = file
    this.#files.set(foundName, file)
  }

  all(): MakeFile[] {
    return [...new Set(this.#files.values())].flatMap((file) => (file.doubleColon === file ? rulesOf(file) : [file]))
  }
}

function withoutDot(given: string): string {
  let name = given
  while (name.startsWith('./') && name.length > 2) name = name.slice(2).replace(/^\/+/, '')
  return name === '' ? './' : name
}
