/** `vpath` and `VPATH`: where else prerequisites are looked for. */
import { patternOf, stemOf } from '../characters.js'
import { expand } from '../expand/expand.js'
import { newTime, oldTime, unknownTime } from '../files.js'
import { isThere } from '../read/directories.js'
import type { SearchPath } from '../rules.js'
import type { MakeState } from '../state.js'

/** Without directories, those of the pattern are forgotten; without a pattern all. */
export function setSearchPath(make: MakeState, pattern: string, directories: string): void {
  const list = directoriesOf(directories)
  if (directories === '') {
    make.searchPaths =
      pattern === '' ? [] : make.searchPaths.filter((one) => one.pattern.text !== patternOf(pattern).text)
    return
  }
  if (list.length > 0) make.searchPaths.push({ pattern: patternOf(pattern), directories: list })
}

function directoriesOf(text: string): string[] {
  return text
    .split(/[: \t\n\v\f\r]+/)
    .map((name) => (name.length > 1 ? name.replace(/\/$/, '') : name))
    .filter((name) => name !== '' && name !== '.')
}

export async function setGeneralPath(make: MakeState): Promise<void> {
  const { warnsUndefined } = make.options
  make.options.warnsUndefined = false
  const list = directoriesOf(await expand(make, '$(strip $(VPATH))'))
  if (list.length > 0) make.generalPath = { pattern: { text: '%', percent: 0 }, directories: list }
  const general = await expand(make, '$(strip $(GPATH))')
  make.options.warnsUndefined = warnsUndefined
  if (general !== '') throw make.fail("'GPATH' is not supported by this shell")
}

export interface FoundInPath {
  name: string
  /** Of a file that `-o` or `-W` names; else unknown. */
  time: number
}

export async function searchPaths(make: MakeState, name: string): Promise<FoundInPath | undefined> {
  if (name === '' || name.startsWith('/')) return undefined
  const general = make.generalPath === undefined ? [] : [make.generalPath]
  for (const path of [...make.searchPaths, ...general]) {
    const isMatched = path.pattern.percent < 0 ? path.pattern.text === name : stemOf(path.pattern, name) !== undefined
    const found = isMatched ? await searchPath(make, path, name) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

async function searchPath(make: MakeState, path: SearchPath, name: string): Promise<FoundInPath | undefined> {
  const isTarget = make.files.find(name)?.isTarget ?? false
  for (const directory of path.directories) {
    const candidate = directory.endsWith('/') ? directory + name : `${directory}/${name}`
    const file = make.files.find(candidate)
    const isMentioned = file !== undefined && (!isTarget || file.isTarget)
    if (isMentioned && (file.time === oldTime || file.time === newTime)) return { name: candidate, time: file.time }
    if (!isMentioned && !(await make.directories.has(candidate))) continue
    // What the directory had may be gone by now.
    if (await isThere(make.io, candidate)) return { name: candidate, time: unknownTime }
  }
  return undefined
}
