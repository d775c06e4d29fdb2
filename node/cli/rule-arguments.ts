/** `--deny`, `--ask` and `--allow`: a pattern, or what it is about before a colon, as in `change:src/**`. */
import type { RuledKind } from '../../src/errors.js'
import { isFsError } from '../../src/errors.js'
import { compileRules, type Rule } from '../../src/workspace/rules.js'
import { UsageError } from '../terminal/usage-error.js'

/** What `--ask PATTERN` becomes: without a pattern it is a switch. */
export const askRule = 'ask-rule'

/** Tells `--ask 'src/**'` and `--ask=src` from the switch, which a directory may follow. */
export function withAskRules(argv: readonly string[]): string[] {
  const args: string[] = []
  const end = argv.indexOf('--')
  for (let at = 0; at < argv.length; at += 1) {
    const [arg = '', next = ''] = [argv[at], argv[at + 1]]
    const isOption = end === -1 || at < end
    if (isOption && arg === '--ask' && isPattern(next)) {
      args.push(`--${askRule}=${next}`)
      at += 1
    } else if (isOption && arg.startsWith('--ask=')) args.push(`--${askRule}=${arg.slice('--ask='.length)}`)
    else args.push(arg)
  }
  return args
}

function isPattern(text: string): boolean {
  return !text.startsWith('-') && (/[*?[{]/.test(text) || kindsBefore.test(text))
}

const kindsBefore = /^((?:read|change)(?:,(?:read|change))*):(.*)$/s

type Token = { kind: string; name?: string; value?: string | undefined }

/** In the order given. */
export function rulesOf(tokens: readonly Token[]): Rule[] {
  const rules = tokens.flatMap(({ kind, name, value = '' }): Rule[] => {
    if (kind !== 'option') return []
    const [, kinds, pattern = value] = kindsBefore.exec(value) ?? []
    const to = kinds === undefined ? {} : { to: kinds.split(',') as RuledKind[] }
    if (name === 'deny') return [{ deny: pattern, ...to }]
    if (name === 'allow') return [{ allow: pattern, ...to }]
    return name === askRule ? [{ ask: pattern, ...to }] : []
  })
  try {
    compileRules(rules, ['/'])
  } catch (error) {
    if (!isFsError(error, 'INVALID_PATTERN', 'PATTERN_TOO_COMPLEX')) throw error
    throw new UsageError(`the rule '${error.facts.pattern}' can't be read: ${error.facts.reason}`)
  }
  return rules
}
