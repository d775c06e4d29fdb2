/** Versions of packages and ranges of them, by the rules of semantic versions. */

/** The npm that is imitated. */
export const npmVersion = '11.19.1'

export interface Version {
  /** Major, minor and patch. */
  numbers: readonly [number, number, number]
  prerelease: ReadonlyArray<string | number>
}

const identifier = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][a-zA-Z0-9-]*)'
const pattern = new RegExp(
  `^[v=\\s]*(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-?(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z.-]+)?$`,
)

export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, prerelease] = pattern.exec(text.trim()) ?? []
  if (major === undefined) return undefined
  const numbers = [Number(major), Number(minor), Number(patch)] as const
  return { numbers, prerelease: prerelease === undefined ? [] : prerelease.split('.').map(part) }
}

const part = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text)

export function printVersion({ numbers, prerelease }: Version): string {
  return `${numbers.join('.')}${prerelease.length > 0 ? `-${prerelease.join('.')}` : ''}`
}

export function compareVersions(one: Version, other: Version): number {
  for (const index of [0, 1, 2] as const) {
    if (one.numbers[index] !== other.numbers[index]) return one.numbers[index] - other.numbers[index]
  }
  if (one.prerelease.length === 0 || other.prerelease.length === 0) {
    return other.prerelease.length - one.prerelease.length
  }
  for (let index = 0; ; index += 1) {
    const [a, b] = [one.prerelease[index], other.prerelease[index]]
    if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
    if (a === b) continue
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
    return a < b ? -1 : 1
  }
}

/** The next version of a kind such as `minor` or `prerelease`; undefined for another word. */
export function incremented({ numbers, prerelease }: Version, kind: string, preid: string): Version | undefined {
  const [major, minor, patch] = numbers
  const first = preid === '' ? [0] : [preid, 0]
  const isPre = prerelease.length > 0
  switch (kind) {
    case 'major':
      return release(isPre && minor === 0 && patch === 0 ? numbers : [major + 1, 0, 0])
    case 'minor':
      return release(isPre && patch === 0 ? numbers : [major, minor + 1, 0])
    case 'patch':
      return release(isPre ? numbers : [major, minor, patch + 1])
    case 'premajor':
      return { numbers: [major + 1, 0, 0], prerelease: first }
    case 'preminor':
      return { numbers: [major, minor + 1, 0], prerelease: first }
    case 'prepatch':
      return { numbers: [major, minor, patch + 1], prerelease: first }
    case 'prerelease':
      if (!isPre) return { numbers: [major, minor, patch + 1], prerelease: first }
      return { numbers, prerelease: nextPrerelease(prerelease, preid) }
    default:
      return undefined
  }
}

const release = (numbers: Version['numbers']): Version => ({ numbers, prerelease: [] })

function nextPrerelease(prerelease: Version['prerelease'], preid: string): Version['prerelease'] {
  const last = prerelease.map((each) => typeof each).lastIndexOf('number')
  const raised =
    last < 0 ? [...prerelease, 0] : prerelease.map((each, index) => (index === last ? Number(each) + 1 : each))
  if (preid === '') return raised
  const isSame = String(raised[0]) === preid
  return isSame && typeof raised[1] === 'number' ? raised : [preid, 0]
}

interface Bound {
  operator: '<' | '<=' | '>' | '>=' | '='
  version: Version
}

/** Whether a version lies in a range such as `^1.2.0 || >=3 <4`; undefined when that is no range. */
export function satisfies(version: string, range: string): boolean | undefined {
  const found = parseVersion(version)
  const alternatives = range.split('||').map((each) => parseRange(each.trim()))
  if (alternatives.some((each) => each === undefined)) return undefined
  return found !== undefined && alternatives.some((bounds) => bounds !== undefined && isWithin(found, bounds))
}

/** A prerelease is only meant where a bound is one of the same version. */
function isWithin(version: Version, bounds: readonly Bound[]): boolean {
  const holds = bounds.every(({ operator, version: limit }) => {
    const order = compareVersions(version, limit)
    if (operator === '<') return order < 0
    if (operator === '<=') return order <= 0
    if (operator === '>') return order > 0
    return operator === '>=' ? order >= 0 : order === 0
  })
  if (!holds || version.prerelease.length === 0) return holds
  return bounds.some(
    ({ version: limit }) => limit.prerelease.length > 0 && limit.numbers.join() === version.numbers.join(),
  )
}

function parseRange(text: string): Bound[] | undefined {
  const [, from, to] = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(text) ?? []
  if (from !== undefined && to !== undefined) return both(comparator('>=', from), comparator('<=', to))
  const words = text
    .replace(/([<>=~^]+)\s+/g, '$1')
    .split(/\s+/)
    .filter((word) => word !== '')
  let bounds: Bound[] | undefined = []
  for (const word of words) {
    const [, operator = '', version = ''] = /^(>=|<=|>|<|=|~>|~|\^)?(.*)$/.exec(word) ?? []
    bounds = both(bounds, comparator(operator, version))
  }
  return bounds
}

const both = (one: Bound[] | undefined, other: Bound[] | undefined) =>
  one === undefined || other === undefined ? undefined : [...one, ...other]

/** What an operator with a version that may be partial, such as `^1.x`, stands for. */
function comparator(operator: string, text: string): Bound[] | undefined {
  const found = /^[v=]*(\d+|[xX*])?(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(text)
  if (found === null) return undefined
  const [major, minor, patch] = found.slice(1, 4).map((each) => (/^\d+$/.test(each ?? '') ? Number(each) : undefined))
  const prerelease = patch === undefined || found[4] === undefined ? [] : found[4].split('.').map(part)
  if (major === undefined) return operator === '<' || operator === '>' ? [bound('<', [0, 0, 0], [0])] : []
  const low = [major, minor ?? 0, patch ?? 0] as const
  const next: Version['numbers'] = minor === undefined ? [major + 1, 0, 0] : [major, minor + 1, 0]
  const isWhole = minor !== undefined && patch !== undefined
  if (operator === '^') return [bound('>=', low, prerelease), bound('<', afterCaret(major, minor, patch), [0])]
  if (operator === '~' || operator === '~>') return [bound('>=', low, prerelease), bound('<', next, [0])]
  if (operator === '>' && !isWhole) return [bound('>=', next, [])]
  if (operator === '<=' && !isWhole) return [bound('<', next, [0])]
  if (operator === '<' && !isWhole) return [bound('<', low, [0])]
  if (operator === '' || operator === '=') {
    return isWhole ? [bound('=', low, prerelease)] : [bound('>=', low, []), bound('<', next, [0])]
  }
  return [bound(operator as Bound['operator'], low, prerelease)]
}

function afterCaret(major: number, minor: number | undefined, patch: number | undefined): Version['numbers'] {
  if (major > 0 || minor === undefined) return [major + 1, 0, 0]
  if (minor > 0 || patch === undefined) return [0, minor + 1, 0]
  return [0, 0, patch + 1]
}

const bound = (operator: Bound['operator'], numbers: Version['numbers'], prerelease: Version['prerelease']): Bound => ({
  operator,
  version: { numbers, prerelease },
})
