/** What the user's rules say about paths. The gate asks; how rules are written is not its business. */
import { FsError, isFsError } from '../../errors.js'
import { join } from '../path.js'
import type { Entry } from '../types.js'

/** `read` is everything that shows that an entry is there or what is in it; `change` everything that makes, changes, moves or removes it. */
export type AccessKind = 'read' | 'change'

export interface RuleDecision {
  verdict: 'deny' | 'ask'
  /** The rule that decides, as it was written. */
  rule: string
}

export interface AccessRules {
  /** Undefined where it is allowed. `path` is absolute and normalised. What may not be read may not be changed either. */
  decide(path: string, kind: AccessKind): RuleDecision | undefined
  /** Some rule is about reading, so that content has to be checked wherever it is stored a second time. */
  readonly limitsReading: boolean
}

/** A path that the user has allowed for one call. */
export interface Grant {
  path: string
  kind: AccessKind
}

/** The rules of a gate. */
export interface RuleChecks extends Pick<AccessRules, 'decide'> {
  readonly areAny: boolean
  /** Throws `FORBIDDEN` or `NEEDS_APPROVAL`. */
  require(path: string, kind: AccessKind): void
  isHidden(path: string): boolean
  /** The entries of a directory that a listing may contain; the same array if that is all of them. */
  visible(directory: string, entries: Entry[]): Entry[]
}

const noChecks: RuleChecks = {
  areAny: false,
  decide: () => undefined,
  require() {},
  isHidden: () => false,
  visible: (_, entries) => entries,
}

export function ruleChecks(
  rules: AccessRules | undefined,
  { grants, readsObjects }: { grants: readonly Grant[]; readsObjects: boolean },
): RuleChecks {
  if (rules === undefined) return noChecks
  const granted = new Set(grants.map(({ path, kind }) => `${kind} ${path}`))
  const hidesObjects = rules.limitsReading && !readsObjects

  function decide(path: string, kind: AccessKind): RuleDecision | undefined {
    if (hidesObjects && isGitObject(path)) return { verdict: 'deny', rule: objectsRule }
    return rules?.decide(path, kind)
  }

  function isGranted(path: string, kind: AccessKind): boolean {
    return granted.has(`${kind} ${path}`) || (kind === 'read' && granted.has(`change ${path}`))
  }

  function isHidden(path: string): boolean {
    return rules?.decide(path, 'read')?.verdict === 'deny'
  }

  return {
    areAny: true,
    decide,
    require(path, kind) {
      const decided = decide(path, kind)
      if (decided === undefined) return
      const { verdict, rule } = decided
      if (verdict === 'deny') throw new FsError('FORBIDDEN', { path, doing: kind, rule })
      if (!isGranted(path, kind)) throw new FsError('NEEDS_APPROVAL', { path, at: path, doing: kind, rule })
    },
    isHidden,
    visible(directory, entries) {
      const isVisible = ({ name }: Entry) => !isHidden(join(directory, name))
      return entries.every(isVisible) ? entries : entries.filter(isVisible)
    },
  }
}

/** Given as the rule where it is not one of the user's that forbids reading the objects of git. */
export const objectsRule = 'objects of git'

/** A loose object or a pack, of any repository: they hold the content of all files that were ever added. */
function isGitObject(path: string): boolean {
  return /\/objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/[^/]+)$/i.test(path)
}

/** True for a failure that is a rule's. */
export function isRefusedByRule(error: unknown): error is FsError<'FORBIDDEN' | 'NEEDS_APPROVAL'> {
  return isFsError(error, 'FORBIDDEN', 'NEEDS_APPROVAL')
}
