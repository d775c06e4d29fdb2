/** `git check-ignore`: which rule ignores a path. */
import { join } from '../../../src/fs/path.js'
import { isTrue, lastValue } from '../../../src/git/config.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { parseIgnoreRules } from '../../../src/search/patterns/ignore-rules.js'
import { decodeText } from '../../io/byte-text.js'
import { type GitContext, open, prefixOf, readIfThere } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { fatal } from '../git-error.js'
import { flag, parseGit } from '../options.js'
import { pathspecsOf } from '../pathspec.js'

const specs = {
  quiet: flag('-q', '--quiet'),
  verbose: flag('-v', '--verbose'),
  nonMatching: flag('-n', '--non-matching'),
  stdin: flag('--stdin'),
  nul: flag('-z'),
  noIndex: flag('--no-index'),
} as const

export async function checkIgnore(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('check-ignore', args, specs)
  const [isQuiet, isVerbose, isNul] = [given.has('quiet'), given.has('verbose'), given.has('nul')]
  if (given.has('stdin') && given.all.length > 0) throw fatal('cannot specify pathnames with --stdin')
  if (!given.has('stdin') && isNul) throw fatal('-z only makes sense with --stdin')
  if (!given.has('stdin') && given.all.length === 0) throw fatal('no path specified')
  if (isQuiet && (given.has('stdin') || given.all.length > 1))
    throw fatal('--quiet is only valid with a single pathname')
  if (isQuiet && isVerbose) throw fatal('cannot have both --quiet and --verbose')
  if (given.has('nonMatching') && !isVerbose) throw fatal('--non-matching is only valid with --verbose')
  const repository = await open(context)
  const prefix = await prefixOf(context, repository)
  const names = given.has('stdin')
    ? decodeText(await context.input())
        .split(isNul ? '\0' : '\n')
        .filter((line) => line !== '')
    : given.all
  const tracked = given.has('noIndex') ? [] : (await readIndex(repository)).entries.map(({ path }) => path)
  const ruleFor = ruleFinder(context, repository)
  const quote = isNul ? (path: string) => path : quoter(repository)
  let found = 0
  for (const name of names) {
    const path = pathspecsOf([`:(literal)${name}`], prefix, repository.root).specs[0]?.path.replace(/\/$/, '') ?? ''
    const isKnown = path === '' || tracked.some((each) => each === path || each.startsWith(`${path}/`))
    const match = isKnown ? undefined : await ruleFor(path, name.endsWith('/'))
    const rule = match?.isNegated && !isVerbose ? undefined : match
    if (rule !== undefined) found += 1
    if (isQuiet || (rule === undefined && !given.has('nonMatching'))) continue
    if (!isVerbose) context.out.write(`${quote(name)}${isNul ? '\0' : '\n'}`)
    else {
      const { file = '', line = '', text = '' } = rule ?? {}
      context.out.write(
        isNul
          ? `${file}\0${line}\0${text}\0${name}\0`
          : `${file === '' ? '' : quote(file)}:${line}:${text}\t${quote(name)}\n`,
      )
    }
  }
  return found > 0 ? 0 : 1
}

interface Rule {
  file: string
  line: number
  text: string
  isNegated: boolean
}

interface OneRule extends Rule {
  /** Of a path relative to the directory of the file. */
  matches(names: readonly string[], isDirectory: boolean): boolean
}

/** Finds the rule that decides about a path, which need not exist. */
function ruleFinder(
  context: GitContext,
  repository: Repository,
): (path: string, isDirectory: boolean) => Promise<Rule | undefined> {
  const { root, commonDirectory, fs, config } = repository
  const ignoreCase = isTrue(config, 'core.ignorecase') ?? !fs.capabilities.caseSensitive
  const known = new Map<string, Promise<OneRule[]>>()
  const rulesOf = (shown: string, path: string) => {
    const rules = known.get(path) ?? readIfThere(context, path).then((text) => rulesFrom(text ?? '', shown, ignoreCase))
    known.set(path, rules)
    return rules
  }
  const shared = rulesFrom(repository.globalIgnoreRules ?? '', excludesFile(context, repository), ignoreCase)
  const excludePath = join(commonDirectory, 'info/exclude')
  const excludeName = commonDirectory === join(root, '.git') ? '.git/info/exclude' : excludePath

  /** The rule for one name, without looking at the directories above. */
  async function decide(names: readonly string[], isDirectory: boolean): Promise<Rule | undefined> {
    for (let depth = names.length - 1; depth >= 0; depth -= 1) {
      const file = [...names.slice(0, depth), '.gitignore'].join('/')
      const rules = await rulesOf(file, join(root, file))
      const found = rules.find((rule) => rule.matches(names.slice(depth), isDirectory))
      if (found !== undefined) return found
    }
    const others = [...(await rulesOf(excludeName, excludePath)), ...shared]
    return others.find((rule) => rule.matches(names, isDirectory))
  }

  return async (path, isDirectory) => {
    const names = path.split('/')
    for (let length = 1; length < names.length; length += 1) {
      const above = await decide(names.slice(0, length), true)
      if (above !== undefined && !above.isNegated) return above
    }
    const kind = await fs.stat(join(root, path)).then(
      (stat) => stat.kind,
      () => undefined,
    )
    return decide(names, isDirectory || kind === 'directory')
  }
}

/** The rules of a file, the last one first: it decides. */
function rulesFrom(text: string, file: string, ignoreCase: boolean): OneRule[] {
  const rules: OneRule[] = []
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const rule = parseIgnoreRules(line, { ignoreCase })
    if (rule === undefined) continue
    rules.unshift({
      file,
      line: i + 1,
      text: line.replace(/\r$/, '').replace(/(?<!\\) +$/, ''),
      isNegated: rule.negated[0] === true,
      matches(names, isDirectory) {
        const { automaton } = rule
        let state = automaton.start
        for (const [at, name] of names.entries())
          state = automaton.advance(state, at < names.length - 1 ? `${name}/` : name)
        return (isDirectory ? state.directoryRule : state.fileRule) >= 0
      },
    })
  }
  return rules
}

/** The name of the file with the user's rules. */
function excludesFile({ env }: GitContext, { config }: Repository): string {
  const home = env.HOME ?? ''
  const named = lastValue(config, 'core.excludesfile')
  if (named !== undefined) return named.replace(/^~(?=\/)/, home)
  return join(env.XDG_CONFIG_HOME || join(home || '/', '.config'), 'git/ignore')
}
