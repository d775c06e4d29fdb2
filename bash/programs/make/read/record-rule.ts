/** Puts a rule that was read into the tables. */
import { findUnquoted, type Pattern, patternOf, stemOf } from '../characters.js'
import { type Dependency, type MakeFile, newDependency, type Recipe } from '../files.js'
import type { Place } from '../make-error.js'
import type { MakeState } from '../state.js'
import { addPatternRule } from '../update/pattern-rules.js'
import { fileNames } from './file-names.js'

export interface WaitingRule {
  targets: readonly string[]
  isDouble: boolean
  isGrouped: boolean
  /** Of a static pattern rule. */
  pattern: Pattern | undefined
  prerequisites: string
  recipe: string
  recipeLine: number
  prefix: string
  place: Place
}

export async function recordRule(make: MakeState, rule: WaitingRule): Promise<void> {
  const { reading } = make
  make.reading = rule.place
  try {
    if (make.isSnapped) throw make.fail('prerequisites cannot be defined in recipes')
    const recipe = recipeOf(make, rule)
    const targets = rule.targets.map(patternOf)
    const deps = await prerequisitesOf(make, rule)
    if ((targets[0]?.percent ?? -1) >= 0) {
      if (rule.pattern !== undefined) throw make.fail('mixed implicit and static pattern rules')
      if (targets.some(({ percent }) => percent < 0)) throw make.fail('mixed implicit and normal rules')
      addPatternRule(make, { targets, isTerminal: rule.isDouble, deps, recipe }, true)
      return
    }
    await recordTargets(make, rule, targets, deps, recipe)
  } finally {
    make.reading = reading
  }
}

function recipeOf(make: MakeState, rule: WaitingRule): Recipe | undefined {
  if (rule.recipe === '') {
    if (rule.isGrouped) throw make.fail('grouped targets must provide a recipe')
    return undefined
  }
  const place = { file: rule.place.file, line: rule.recipeLine, offset: 0 }
  return { text: rule.recipe, place, prefix: rule.prefix, flags: [], hasRecursive: false }
}

async function prerequisitesOf(make: MakeState, rule: WaitingRule): Promise<Dependency[]> {
  if (rule.prerequisites === '') return []
  const text = unescapedColons(rule.prerequisites)
  if (make.expandsTwice && text.includes('$')) {
    return [{ ...newDependency(text), needsExpansion: true, isStaticPattern: rule.pattern !== undefined }]
  }
  return splitPrerequisites(make, text)
}

function unescapedColons(text: string): string {
  return text.includes('\\:') ? findUnquoted(`${text}`, ':').text : text
}

/** Names, and behind a bar those whose times do not matter. */
export async function splitPrerequisites(make: MakeState, text: string): Promise<Dependency[]> {
  const { names, rest } = await fileNames(make, text, { stop: '|' })
  const library = names.find((name) => /^-l./.test(name))
  if (library !== undefined) throw make.fail(`libraries, such as ${library}, are not supported by this shell`)
  const deps = names.map(newDependency)
  if (rest === undefined) return deps
  const { names: more } = await fileNames(make, rest)
  return [...deps, ...more.map((name) => ({ ...newDependency(name), ignoresTime: true }))]
}

/** Names become files; those of a static pattern rule get the stem first. */
export function enterPrerequisites(make: MakeState, deps: readonly Dependency[], stem?: string): Dependency[] {
  const entered: Dependency[] = []
  for (const given of deps) {
    const dep = { ...given }
    if (stem !== undefined) {
      const { text, percent } = patternOf(dep.name)
      dep.name = percent < 0 ? text : text.slice(0, percent) + stem + text.slice(percent + 1)
      if (dep.name === '') continue
      dep.stem = stem
    }
    if (!dep.needsExpansion) dep.file = make.files.findOrEnter(dep.name)
    entered.push(dep)
  }
  return entered
}

async function recordTargets(
  make: MakeState,
  rule: WaitingRule,
  targets: readonly Pattern[],
  deps: readonly Dependency[],
  recipe: Recipe | undefined,
): Promise<void> {
  const group: MakeFile[] = []
  for (const [index, { text: name, percent }] of targets.entries()) {
    make.io.step()
    if (index > 0 && percent >= 0) {
      await make.complain('*** mixed implicit and normal rules: deprecated syntax', make.reading)
    }
    noteSpecial(make, name)
    const stem = rule.pattern && stemOf(rule.pattern, name)
    const isForeign = rule.pattern !== undefined && stem === undefined
    if (isForeign) await make.complain(`target '${name}' doesn't match the target pattern`, make.reading)
    const file = rule.isDouble ? doubleColon(make, name, recipe) : await singleColon(make, name, deps, recipe)
    group.push(file)
    file.isTarget = true
    const own = isForeign ? [] : prerequisitesFor(make, deps, rule, stem)
    if (rule.pattern !== undefined) file.stem = stem ?? ''
    // What belongs to the recipe comes first.
    file.deps = recipe === undefined ? [...file.deps, ...own] : [...own, ...file.deps]
  }
  if (rule.isGrouped) for (const file of group) file.alsoMake = group.filter((other) => other !== file)
}

function prerequisitesFor(
  make: MakeState,
  deps: readonly Dependency[],
  rule: WaitingRule,
  stem: string | undefined,
): Dependency[] {
  if (rule.pattern === undefined) return enterPrerequisites(make, deps)
  if (deps[0]?.needsExpansion) return deps.map((dep) => ({ ...dep, stem: stem ?? '' }))
  return enterPrerequisites(make, deps, stem)
}

function noteSpecial(make: MakeState, name: string): void {
  if (name === '.POSIX' && !make.isPosix) {
    make.isPosix = true
    const defaults = {
      '.SHELLFLAGS': '-ec',
      CC: 'c99',
      CFLAGS: '-O1',
      FC: 'fort77',
      FFLAGS: '-O1',
      SCCSGETFLAGS: '-s',
      ARFLAGS: '-rv',
    }
    for (const [variable, value] of Object.entries(defaults)) make.define(variable, value, 'default')
  } else if (name === '.SECONDEXPANSION') make.expandsTwice = true
  else if (name === '.ONESHELL') make.isOneShell = true
}

async function singleColon(
  make: MakeState,
  name: string,
  deps: readonly Dependency[],
  recipe: Recipe | undefined,
): Promise<MakeFile> {
  const file = make.files.enterSingle(name)
  if (file.doubleColon !== undefined) throw make.fail(`target file '${name}' has both : and :: entries`)
  if (recipe !== undefined && recipe === file.recipe) {
    await make.complain(`target '${name}' given more than once in the same rule`, make.reading)
  } else if (recipe !== undefined && file.recipe !== undefined && file.isTarget) {
    await make.complain(`warning: overriding recipe for target '${name}'`, recipe.place)
    await make.complain(`warning: ignoring old recipe for target '${name}'`, file.recipe.place)
  }
  if (name === '.DEFAULT' && deps.length === 0 && recipe === undefined) delete file.recipe
  if (recipe !== undefined) file.recipe = recipe
  if (name === '.SUFFIXES' && deps.length === 0) file.deps = []
  return file
}

function doubleColon(make: MakeState, name: string, recipe: Recipe | undefined): MakeFile {
  const known = make.files.find(name)
  if (known?.isTarget && known.doubleColon === undefined) {
    throw make.fail(`target file '${name}' has both : and :: entries`)
  }
  const file = make.files.enter(name)
  file.doubleColon ??= file
  if (recipe !== undefined) file.recipe = recipe
  return file
}
