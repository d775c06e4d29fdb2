/** Finds the pattern rule for a target without a recipe. */

import { expandFor } from '../expand/expand.js'
import { type Dependency, type MakeFile, newDependency, newFile, type Recipe } from '../files.js'
import { fileNames } from '../read/file-names.js'
import { splitPrerequisites } from '../read/record-rule.js'
import type { PatternRule } from '../rules.js'
import { setAutomatic } from '../run/automatic.js'
import type { MakeState } from '../state.js'
import { searchPaths } from './search-path.js'
import { scopeOf } from './target-scope.js'

export async function findImplicitRule(make: MakeState, file: MakeFile): Promise<boolean> {
  const found = await search(make, file, 0)
  if (found === undefined) return false
  apply(make, file, found)
  return true
}

interface Candidate {
  rule: PatternRule
  /** Which of its targets matches. */
  index: number
  /** Without the directory, when the pattern has none. */
  stem: string
  directory: string
  isDead: boolean
}

interface NeededName {
  name: string
  ignoresTime: boolean
  /** How it is made, when it is not there. */
  made?: { file: MakeFile; found: FoundRule }
}

interface FoundRule {
  candidate: Candidate
  needed: readonly NeededName[]
}

/** Searches within searches are ended by the rules in use; this is for those that `$(…)` makes up. */
const deepest = 60

async function search(make: MakeState, file: MakeFile, depth: number): Promise<FoundRule | undefined> {
  if (depth > deepest) return undefined
  const candidates = candidatesFor(make, file.name, depth)
  for (const isSecond of [false, true]) {
    for (const candidate of candidates) {
      make.io.step()
      const { rule } = candidate
      if (candidate.isDead || (isSecond && rule.isTerminal)) continue
      if (rule.deps.length === 0) return { candidate, needed: [] }
      rule.isInUse = true
      const needed = await neededBy(make, file, candidate, isSecond, depth)
      rule.isInUse = false
      if (needed !== undefined) return { candidate, needed }
    }
  }
  return undefined
}

/** Those that match, the shortest stem first. */
function candidatesFor(make: MakeState, name: string, depth: number): Candidate[] {
  const all: (Candidate & { length: number })[] = []
  let isSpecific = false
  const slash = name.slice(0, -1).lastIndexOf('/')
  for (const rule of make.rules) {
    make.io.step()
    if ((rule.deps.length > 0 && rule.recipe === undefined) || rule.isInUse) continue
    for (const [index, { text, percent }] of rule.targets.entries()) {
      if (depth > 0 && text.length === 1 && !rule.isTerminal) continue
      const directory = slash >= 0 && !text.includes('/') ? name.slice(0, slash + 1) : ''
      const own = name.slice(directory.length)
      if (text.length - 1 > own.length) continue
      if (!own.startsWith(text.slice(0, percent)) || !own.endsWith(text.slice(percent + 1))) continue
      if (text.length > 1) isSpecific = true
      if (rule.deps.length === 0 && rule.recipe === undefined) continue
      const stem = own.slice(percent, own.length - (text.length - percent - 1))
      all.push({ rule, index, stem, directory, isDead: false, length: stem.length + directory.length })
    }
  }
  all.sort((a, b) => a.length - b.length)
  if (!isSpecific) return all
  return all.filter(({ rule }) => rule.isTerminal || rule.targets.every(({ text }) => text.length > 1))
}

/** The prerequisites, if all of them are there, are mentioned, or can be made. */
async function neededBy(
  make: MakeState,
  file: MakeFile,
  candidate: Candidate,
  canMake: boolean,
  depth: number,
): Promise<NeededName[] | undefined> {
  const needed: NeededName[] = []
  for (const { name, ignoresTime } of await namesOf(make, file, candidate)) {
    if (make.impossible.has(name)) {
      candidate.isDead = true
      return undefined
    }
    const isThere =
      make.files.find(name) !== undefined ||
      (await make.directories.has(name)) ||
      (await searchPaths(make, name)) !== undefined
    if (isThere) {
      needed.push({ name, ignoresTime })
      continue
    }
    if (!canMake) return undefined
    const between = newFile(name)
    const found = await search(make, between, depth + 1)
    if (found === undefined) {
      make.impossible.add(name)
      return undefined
    }
    needed.push({ name, ignoresTime, made: { file: between, found } })
  }
  return needed
}

/** The names of prerequisites with the stem in them. */
async function namesOf(make: MakeState, file: MakeFile, candidate: Candidate): Promise<Dependency[]> {
  const { rule, stem, directory } = candidate
  const all: Dependency[] = []
  for (const dep of rule.deps) {
    if (dep.needsExpansion) {
      all.push(...(await expandedNames(make, file, candidate, dep)))
      continue
    }
    const percent = dep.name.indexOf('%')
    const name = percent < 0 ? dep.name : directory + dep.name.slice(0, percent) + stem + dep.name.slice(percent + 1)
    const { names } = await fileNames(make, name, { isOne: true })
    for (const one of names) all.push({ ...newDependency(one), ignoresTime: dep.ignoresTime })
  }
  return all
}

/** For `.SECONDEXPANSION`: word by word, with the stem as a variable. */
async function expandedNames(
  make: MakeState,
  file: MakeFile,
  { stem, directory }: Candidate,
  dep: Dependency,
): Promise<Dependency[]> {
  const { stem: before } = file
  file.stem = directory + stem
  await scopeOf(make, file, false)
  setAutomatic(make, file)
  const all: Dependency[] = []
  let isOrderOnly = false
  for (const word of wordsWithReferences(dep.name)) {
    if (word === '|') {
      isOrderOnly = true
      continue
    }
    const hasDirectory = directory !== '' && word.includes('%')
    const text = await expandFor(make, word.replace('%', directory === '' ? '$*' : '$(*F)'), file)
    for (const one of await splitPrerequisites(make, text)) {
      if (one.ignoresTime) isOrderOnly = true
      all.push({ ...one, name: (hasDirectory ? directory : '') + one.name, ignoresTime: isOrderOnly })
    }
  }
  if (before === undefined) delete file.stem
  else file.stem = before
  return all
}

function wordsWithReferences(text: string): string[] {
  return text.match(/(?:\$\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\$\{[^{}]*\}|[^ \t\n])+/g) ?? []
}

function apply(make: MakeState, file: MakeFile, { candidate, needed }: FoundRule): void {
  const { rule, stem, directory } = candidate
  const own = needed.map(({ name, ignoresTime, made }) => {
    const dep = { ...newDependency(name), ignoresTime }
    if (made !== undefined) dep.file = enterMade(make, made)
    else {
      dep.file = make.files.findOrEnter(name)
      if (rule.isTerminal) dep.file.triedImplicit = true
    }
    return dep
  })
  // A further mention of what the rule itself names does not matter.
  file.deps = [...own, ...file.deps]
  file.stem = directory + stem
  file.recipe = rule.recipe as Recipe
  file.isTarget = true
  const target = rule.targets[candidate.index]?.text ?? ''
  if (make.files.find(target)?.isPrecious) file.isPrecious = true
  addOthers(make, file, candidate)
}

/** What the same rule makes besides. */
function addOthers(make: MakeState, file: MakeFile, { rule, index }: Candidate): void {
  for (const [other, { text, percent }] of rule.targets.entries()) {
    if (other === index) continue
    const also = make.files.enterSingle(text.slice(0, percent) + (file.stem ?? '') + text.slice(percent + 1))
    if (make.files.find(text)?.isPrecious) also.isPrecious = true
    also.isTarget = true
    file.alsoMake.push(also)
  }
}

/** A file that is only a step in between: removed in the end unless somebody else mentions it. */
function enterMade(make: MakeState, { file, found }: { file: MakeFile; found: FoundRule }): MakeFile {
  const known = make.files.find(file.name)
  const entered = known ?? make.files.enter(file.name)
  if (known !== undefined) entered.isSecondary = true
  entered.deps = []
  apply(make, entered, found)
  const pattern = found.candidate.rule.targets[found.candidate.index]?.text ?? ''
  if (!entered.isSecondary) {
    if (make.files.find(pattern)?.isPrecious) entered.isPrecious = true
    entered.isIntermediate = true
  }
  entered.triedImplicit = true
  return entered
}
