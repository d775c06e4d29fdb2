/** Rules of the user: which paths may be read and changed. */
import { FsError, type RuledKind } from '../errors.js'
import { foldedName } from '../fs/folded-name.js'
import type { AccessKind, AccessRules, RuleDecision } from '../fs/gate/access-rules.js'
import { isWithin, relative } from '../fs/path.js'
import { compileGlobs, defaultGlobRules, type Glob } from '../search/patterns/glob.js'

/**
 * What a rule says, and the patterns that it is for. A pattern without `/` is a name at any depth; one that starts with `/` is read from a
 * root and from the top of the file system; any other from every root. What matches a directory is for everything in it.
 *
 * A rule that denies wins, wherever it stands. Of the others the last that matches decides; what none matches is allowed.
 */
export type Rule = RulePatterns & {
  /** What it is about. Unless given, `deny` and `allow` are about reading and changing, `ask` about changing. */
  to?: RuledKind | readonly RuledKind[]
}

/** One of them. */
export type RulePatterns =
  | { deny: string | readonly string[]; ask?: never; allow?: never }
  | { ask: string | readonly string[]; deny?: never; allow?: never }
  | { allow: string | readonly string[]; deny?: never; ask?: never }

export interface CompiledRules extends AccessRules {
  readonly rules: readonly Rule[]
}

/** One pattern, compiled. */
interface Line {
  verdict: 'deny' | 'ask' | 'allow'
  /** As written. */
  rule: string
  kinds: readonly RuledKind[]
  fromRoot: Glob
  fromTop?: Glob
}

const defaultKinds: Record<Line['verdict'], readonly RuledKind[]> = {
  deny: ['read', 'change'],
  ask: ['change'],
  allow: ['read', 'change'],
}

/** `roots` are those that patterns are read from, now and in every workspace that is opened within. Fails with `INVALID_PATTERN`. */
export function compileRules(rules: readonly Rule[], roots: readonly string[]): CompiledRules {
  const lines = rules.flatMap(linesOf)
  const about = Object.fromEntries(
    (['read', 'change'] as const).map((kind) => [kind, lines.filter(({ kinds }) => kinds.includes(kind))]),
  ) as Record<RuledKind, Line[]>

  function decideOne(lines: readonly Line[], spellings: readonly Spelling[]): RuleDecision | undefined {
    let last: Line | undefined
    for (const line of lines) {
      if (!spellings.some((spelling) => matches(line, spelling))) continue
      if (line.verdict === 'deny') return { verdict: 'deny', rule: line.rule }
      last = line
    }
    return last?.verdict === 'ask' ? { verdict: 'ask', rule: last.rule } : undefined
  }

  function decide(path: string, kind: AccessKind): RuleDecision | undefined {
    if (about.read.length === 0 && (kind === 'read' || about.change.length === 0)) return undefined
    const spellings = spellingsOf(path, roots)
    if (spellings.length === 0) return undefined
    const reading = decideOne(about.read, spellings)
    if (kind === 'read' || reading?.verdict === 'deny') return reading
    const changing = decideOne(about.change, spellings)
    return changing?.verdict === 'deny' ? changing : (reading ?? changing)
  }

  return {
    rules,
    decide,
    limitsReading: about.read.some(({ verdict }) => verdict !== 'allow'),
  }
}

/** A path as a pattern sees it. */
interface Spelling {
  /** From a root; the same as from the top for what is in none. */
  fromRoot: string
  fromTop: string
  /** As it is given, not folded: what is allowed is only that. */
  isExact: boolean
}

function matches({ verdict, fromRoot, fromTop }: Line, spelling: Spelling): boolean {
  // Folding can only make more of what is forbidden.
  if (verdict === 'allow' && !spelling.isExact) return false
  return fromRoot.matches(spelling.fromRoot) || fromTop?.matches(spelling.fromTop) === true
}

/** Of a root itself there are none: no rule is about one. Roots in roots give a path several. */
function spellingsOf(path: string, roots: readonly string[]): Spelling[] {
  const spellings: Spelling[] = []
  const fromTop = path.startsWith('/') ? path.slice(1) : path
  const bases = roots.filter((root) => isWithin(root, path))
  if (bases.length === 0) spellings.push({ fromRoot: fromTop, fromTop, isExact: true })
  for (const base of bases)
    if (base !== path) spellings.push({ fromRoot: relative(base, path), fromTop, isExact: true })
  return spellings.flatMap((exact) => [exact, ...folded(exact)])
}

/** What some file systems take for the same name, which on others may be another file: a rule that forbids one forbids both. */
function folded({ fromRoot, fromTop }: Spelling): Spelling[] {
  const plain: Spelling = { fromRoot: foldedName(fromRoot), fromTop: foldedName(fromTop), isExact: false }
  if (isPlain(fromTop)) return [plain]
  return [plain, { fromRoot: bare(fromRoot), fromTop: bare(fromTop), isExact: false }]
}

/** No character that a file system might ignore. */
function isPlain(path: string): boolean {
  return /^[\x21-\x39\x3b-\x7e]*$/.test(path) && !/\.(\/|$)/.test(path)
}

/** Without invisible characters, trailing dots and spaces, and streams. */
function bare(path: string): string {
  return path
    .split('/')
    .map((name) =>
      foldedName(name.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, ''))
        .replace(/:.*$/s, '')
        .replace(/[ .]+$/, ''),
    )
    .join('/')
}

function linesOf(rule: Rule): Line[] {
  const verdict = rule.deny !== undefined ? 'deny' : rule.ask !== undefined ? 'ask' : 'allow'
  const patterns = (rule.deny ?? rule.ask ?? rule.allow) as string | readonly string[]
  const { to = defaultKinds[verdict] } = rule
  const kinds = typeof to === 'string' ? [to] : to
  return (typeof patterns === 'string' ? [patterns] : patterns).map((pattern): Line => {
    const isFromTop = pattern.startsWith('/')
    return {
      verdict,
      rule: pattern,
      kinds,
      // Both forms are compiled: where case counts, `[A-Z]` is not `[a-z]`.
      fromRoot: globOf(pattern, verdict),
      ...(isFromTop && { fromTop: globOf(pattern, verdict) }),
    }
  })
}

function globOf(pattern: string, verdict: Line['verdict']): Glob {
  const text = pattern
    .replace(/^(?:\.?\/+)+/, '')
    .replace(/\/(?:\.?\/)+/g, '/')
    .replace(/\/+$/, '')
  if (/(?:^|\/)\.\.(?:\/|$)/.test(text)) throw invalid(pattern, 'a rule can not lead out of a root with ..')
  if (text.startsWith('!'))
    throw invalid(pattern, 'a leading ! has no meaning here; write \\! for the character itself')
  if (text === '' || text === '.') throw invalid(pattern, 'it names no path; write ** for everything')
  // A pattern that starts with a slash is anchored, also if it is one name.
  const anchored = text.includes('/') || pattern.startsWith('/') || pattern.startsWith('./') ? text : `**/${text}`
  const both = verdict === 'allow' ? [anchored] : [anchored, foldedName(anchored)]
  return compileGlobs(
    [...new Set(both)].flatMap((each) => [each, `${each}/**`]),
    { ...defaultGlobRules, slashless: 'at-base' },
  )
}

function invalid(pattern: string, reason: string): FsError {
  return new FsError('INVALID_PATTERN', { pattern, reason })
}
