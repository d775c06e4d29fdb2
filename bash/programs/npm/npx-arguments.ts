/** The arguments of `npx` as those of `npm exec`: what follows the command is the command's own. */
import { flags, shorthands, withValue } from './option-names.js'

const ownFlags = ['quiet', 'q', 'version', 'v', 'help', 'h']

export function npxArguments(given: readonly string[]): string[] {
  const args: string[] = []
  const rest = [...given]
  while (rest.length > 0) {
    const arg = rest.shift() as string
    if (arg === '--') return [...args, arg, ...rest]
    if (!arg.startsWith('-')) return [...args, '--', arg, ...rest]
    const [key = '', ...value] = arg.replace(/^-+/, '').split('=')
    if (key === 'no-install') args.push('--yes=false')
    else if (key === 'p') args.push(['--package', ...value].join('='))
    else if (key === 'shell') args.push(['--script-shell', ...value].join('='))
    else if (Object.hasOwn(shorthands, key) && key !== 'n') {
      rest.unshift(...(shorthands[key] as readonly string[]), ...(value.length > 0 ? [value.join('=')] : []))
      continue
    } else args.push(arg)
    const takesNext = value.length === 0 && !flags.has(key) && !ownFlags.includes(key) && key !== 'no-install'
    const isKnown = withValue.has(key) || key === 'p' || key === 'c' || !rest[0]?.startsWith('-')
    if (takesNext && isKnown && rest.length > 0 && !key.startsWith('no-')) args.push(rest.shift() as string)
  }
  return args
}
