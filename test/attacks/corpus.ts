import { readFileSync } from 'node:fs'

/** What must come of a case: refused, refused or harmless, done, or refused for every change. */
export type Verdict = 'DENY' | 'INSIDE' | 'ALLOW' | 'PROT'

export interface Attack {
  id: string
  cls: string
  expect: Verdict
  winExpect?: Verdict
  /** The path, with `{R}`, `{B}` and `{O}` for the root, its parent and the directory beside it. */
  path: string
  /** Letters of the operations that apply; absent: all. */
  ops?: readonly string[]
}

interface CorpusEntry extends Omit<Attack, 'path'> {
  path: string | { repeat: string; times: number; then: string }
}

// Not an import: some of its strings are lone surrogates, which bundlers refuse in JSON modules.
const corpus: { cases: CorpusEntry[] } = JSON.parse(
  readFileSync(new URL('../data/attacks.json', import.meta.url), 'utf8'),
)

export const attacks: readonly Attack[] = corpus.cases.map((entry) => {
  const { path } = entry
  return { ...entry, path: typeof path === 'string' ? path : path.repeat.repeat(path.times) + path.then }
})

export interface Places {
  base: string
  root: string
  outside: string
}

export function placesIn(base: string): Places {
  return { base, root: `${base}/root`, outside: `${base}/outside` }
}

export function aim(path: string, { base, root, outside }: Places): string {
  return path.replaceAll('{R}', root).replaceAll('{B}', base).replaceAll('{O}', outside)
}

/** A path as a test name shows it: short, and with nothing a terminal would act on. */
export function shown(path: string): string {
  const escaped = JSON.stringify(path)
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, escapeUnit)
  return escaped.length > 60 ? `${escaped.slice(0, 40)}… (${path.length} units)` : escaped
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
