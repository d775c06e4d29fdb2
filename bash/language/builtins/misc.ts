/** `umask`, `ulimit`, `times`, `caller`, `compgen` and the like. */
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'

export function miscBuiltins(names: () => readonly string[]): Builtins {
  return {
    umask,
    ulimit,
    *times(shell) {
      yield* shell.write(1, '0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n')
      return 0
    },
    *caller(shell, args) {
      let frame = shell.frame
      for (let count = Number(args[0] ?? 0); count > 0; count -= 1) frame = frame?.below
      if (frame === undefined) return 1
      const name = frame.below?.name ?? 'main'
      const source = frame.below?.source ?? (shell.mainSource === 'environment' ? 'NULL' : shell.mainSource)
      if (args.length > 0 && frame.below === undefined && shell.mainSource === 'environment') return 1
      yield* shell.write(1, args.length === 0 ? `${frame.line} ${source}\n` : `${frame.line} ${name} ${source}\n`)
      return 0
    },
    *compgen(shell, args, call) {
      const { flags, rest, wrong } = parseFlags(args, 'abcdefgjksuv', 'AWGPSXFCo')
      if (wrong !== undefined)
        return yield* wrongOption(shell, call, wrong, 'compgen [-abcdefgjksuv] [-A action] [-W wordlist] [word]')
      const unsupported = [...flags.keys()].find((letter) => !'abckvAW'.includes(letter))
      if (unsupported !== undefined) return yield* fail(shell, call, `-${unsupported}: not supported by this shell`, 2)
      const action = flags.get('A')
      const sources: string[][] = []
      if (flags.has('v') || action === 'variable') sources.push(shell.variables.names())
      if (flags.has('b') || flags.has('c') || action === 'builtin' || action === 'command') sources.push([...names()])
      if (flags.has('c') || action === 'function' || action === 'command') sources.push([...shell.functions.keys()])
      if (flags.has('c') || action === 'command') sources.push(Array.from(shell.session.programs, ([name]) => name))
      if (flags.has('a') || action === 'alias') sources.push([...shell.aliases.keys()])
      const words = flags.get('W')
      if (words !== undefined) sources.push(words.split(/\s+/).filter((word) => word !== ''))
      const [prefix = ''] = rest
      const found = sources.flat().filter((word) => word.startsWith(prefix))
      const shown = words === undefined ? [...new Set(found)].sort() : found
      yield* shell.write(1, shown.map((word) => `${word}\n`).join(''))
      return shown.length > 0 ? 0 : 1
    },
    complete: () => 0,
    history: () => 0,
    bind: (shell, _args, call) => fail(shell, call, 'not supported by this shell', 2),
    fc: (shell, _args, call) => fail(shell, call, 'not supported by this shell', 2),
    compopt: (shell, _args, call) => fail(shell, call, 'not supported by this shell', 2),
  }
}

function* umask(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong } = parseFlags(
    args.map((arg) => (/^-[^Sp]/.test(arg) ? `./${arg}` : arg)),
    'Sp',
  )
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'umask [-p] [-S] [mode]')
  const mode = rest[0]?.replace(/^\.\//, '')
  if (mode === undefined) {
    const text = flags.has('S') ? symbolic(shell.umask) : shell.umask.toString(8).padStart(4, '0')
    yield* shell.write(1, `${flags.has('p') ? `umask${flags.has('S') ? ' -S' : ''} ` : ''}${text}\n`)
    return 0
  }
  if (/^[0-7]+$/.test(mode)) {
    shell.umask = Number.parseInt(mode, 8) & 0o777
    return 0
  }
  let allowed = ~shell.umask & 0o777
  for (const clause of mode.split(',')) {
    const [, who, operator, rights] = /^([ugoa]*)([-+=])([rwx]*)$/.exec(clause) ?? []
    if (who === undefined || rights === undefined) {
      return yield* fail(
        shell,
        call,
        /^\d/.test(mode) ? `${mode}: octal number out of range` : `\`${clause[0]}': invalid symbolic mode operator`,
      )
    }
    const bits = [...rights].reduce((sum, right) => sum | { r: 4, w: 2, x: 1 }[right as 'r' | 'w' | 'x'], 0)
    const groups = who === '' || who.includes('a') ? 'ugo' : who
    for (const group of groups) {
      const shift = group === 'u' ? 6 : group === 'g' ? 3 : 0
      if (operator === '=') allowed &= ~(7 << shift)
      if (operator === '-') allowed &= ~(bits << shift)
      else allowed |= bits << shift
    }
  }
  shell.umask = ~allowed & 0o777
  return 0
}

function symbolic(mask: number): string {
  const rights = (shift: number) => [...'rwx'].filter((_right, at) => ((mask >> shift) & (4 >> at)) === 0).join('')
  return `u=${rights(6)},g=${rights(3)},o=${rights(0)}`
}

const limits: ReadonlyArray<readonly [letter: string, label: string, value: string]> = [
  ['c', 'core file size              (blocks, -c)', '0'],
  ['d', 'data seg size               (kbytes, -d)', 'unlimited'],
  ['f', 'file size                   (blocks, -f)', 'unlimited'],
  ['n', 'open files                          (-n)', '256'],
  ['s', 'stack size                  (kbytes, -s)', '8192'],
  ['t', 'cpu time                   (seconds, -t)', 'unlimited'],
  ['u', 'max user processes                  (-u)', 'unlimited'],
  ['v', 'virtual memory              (kbytes, -v)', 'unlimited'],
]

function* ulimit(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong } = parseFlags(args, 'SHacdfnstuvmlpqrx')
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]')
  if (rest.length > 0) return 0
  if (flags.has('a')) {
    yield* shell.write(1, limits.map(([, label, value]) => `${label} ${value}\n`).join(''))
    return 0
  }
  const letters = [...flags.keys()].filter((letter) => letter !== 'S' && letter !== 'H')
  for (const letter of letters.length > 0 ? letters : ['f']) {
    yield* shell.write(1, `${limits.find(([known]) => known === letter)?.[2] ?? 'unlimited'}\n`)
  }
  return 0
}
