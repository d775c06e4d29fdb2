/** `command`, `builtin`, `type`, `hash`, `alias`, `enable` and `help`. */
import type { ProgramTable } from '../../programs/program-table.js'
import { quoteSingle } from '../expand/quote.js'
import { findCommand, findInPath, hashTable } from '../run/find-command.js'
import { printFunction } from '../run/print-command.js'
import type { Found } from '../run/state/found.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'

export const reservedWords = [
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'case',
  'esac',
  'for',
  'select',
  'while',
  'until',
  'do',
  'done',
  'in',
  'function',
  'time',
  '{',
  '}',
  '!',
  '[[',
  ']]',
  'coproc',
]

export function commandBuiltins(isBuiltin: (name: string) => boolean, names: () => readonly string[]): Builtins {
  /** All that a name stands for, in the order of their precedence. */
  function* meanings(
    shell: Shell,
    name: string,
    { all, skipFunctions }: { all: boolean; skipFunctions: boolean },
  ): Steps<Meaning[]> {
    const found: Meaning[] = []
    if (shell.options.has('expand_aliases') && shell.aliases.has(name)) found.push({ kind: 'alias' })
    if (reservedWords.includes(name)) found.push({ kind: 'keyword' })
    if (!skipFunctions && shell.functions.has(name)) found.push({ kind: 'function' })
    if (isBuiltin(name) && !shell.disabled.has(name)) found.push({ kind: 'builtin' })
    if (all || found.length === 0) {
      const files: Found[] = name.includes('/')
        ? [yield* findCommand(shell, name)]
        : yield* findInPath(shell, name, !all)
      for (const file of files) if (file.kind !== 'failure') found.push({ kind: 'file', path: file.path })
    }
    return found
  }

  function* describe(shell: Shell, name: string, meaning: Meaning): Steps<void> {
    const isHashed = hashTable(shell).has(name)
    switch (meaning.kind) {
      case 'alias':
        yield* shell.write(1, `${name} is aliased to \`${shell.aliases.get(name)}'\n`)
        return
      case 'keyword':
        yield* shell.write(1, `${name} is a shell keyword\n`)
        return
      case 'function': {
        const found = shell.functions.get(name)
        if (found !== undefined)
          yield* shell.write(
            1,
            `${name} is a function\n${printFunction(name, found.definition.body, found.definition.redirections)}`,
          )
        return
      }
      case 'builtin':
        yield* shell.write(1, `${name} is a shell builtin\n`)
        return
      case 'file':
        yield* shell.write(1, `${name} is ${isHashed ? `hashed (${meaning.path})` : meaning.path}\n`)
    }
  }

  function* type(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
    const { flags, rest, wrong } = parseFlags(args, 'afptP')
    if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'type [-afptP] name [name ...]')
    let status = 0
    for (const name of rest) {
      const all = flags.has('a')
      let found = yield* meanings(shell, name, { all: all || flags.has('P'), skipFunctions: flags.has('f') })
      if (flags.has('P')) found = found.filter(({ kind }) => kind === 'file').slice(0, all ? undefined : 1)
      if (found.length === 0) {
        status = 1
        if (!flags.has('t') && !flags.has('p') && !flags.has('P')) yield* shell.report(`type: ${name}: not found`)
        continue
      }
      for (const meaning of all ? found : found.slice(0, 1)) {
        if (flags.has('t')) yield* shell.write(1, `${meaning.kind}\n`)
        else if (flags.has('p') || flags.has('P')) {
          if (meaning.kind === 'file') yield* shell.write(1, `${meaning.path}\n`)
        } else yield* describe(shell, name, meaning)
      }
    }
    return status
  }

  function* command(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
    const { flags, rest, wrong } = parseFlags(args, 'pvV')
    if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'command [-pVv] command [arg ...]')
    if (!flags.has('v') && !flags.has('V')) {
      return rest.length === 0
        ? 0
        : yield* shell.engine.runWords(
            shell,
            rest,
            { skipFunctions: true, standardPath: flags.has('p') },
            shiftArrays(call, args, rest),
          )
    }
    let status = rest.length === 0 ? 0 : 1
    for (const name of rest) {
      const [meaning] = yield* meanings(shell, name, { all: false, skipFunctions: false })
      if (meaning === undefined) {
        if (flags.has('V')) yield* shell.report(`command: ${name}: not found`)
        continue
      }
      status = 0
      if (flags.has('V')) yield* describe(shell, name, meaning)
      else if (meaning.kind === 'alias')
        yield* shell.write(1, `alias ${name}=${quoteSingle(shell.aliases.get(name) ?? '')}\n`)
      else yield* shell.write(1, `${meaning.kind === 'file' ? meaning.path : name}\n`)
    }
    return status
  }

  return {
    type,
    command,
    *builtin(shell, args, call) {
      const rest = args[0] === '--' ? args.slice(1) : args
      const [name] = rest
      if (name === undefined) return 0
      if (!isBuiltin(name)) return yield* fail(shell, call, `${name}: not a shell builtin`)
      return yield* shell.engine.runWords(shell, rest, { skipFunctions: true }, shiftArrays(call, args, rest))
    },
    *alias(shell, args, call) {
      const { flags, rest, wrong } = parseFlags(args, 'p')
      if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'alias [-p] [name[=value] ... ]')
      const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
      const line = (name: string) =>
        `alias ${name.startsWith('-') ? '-- ' : ''}${name}=${quoted(shell.aliases.get(name) ?? '')}\n`
      if (rest.length === 0 || flags.has('p'))
        yield* shell.write(1, [...shell.aliases.keys()].sort().map(line).join(''))
      let status = 0
      for (const arg of rest) {
        const [, name, value] = /^([^=]+)=(.*)$/s.exec(arg) ?? []
        if (name !== undefined && /[\s;&|<>()'"\\$`/]/.test(name))
          status = yield* fail(shell, call, `\`${name}': invalid alias name`)
        else if (name !== undefined) shell.aliases.set(name, value ?? '')
        else if (shell.aliases.has(arg)) yield* shell.write(1, line(arg))
        else status = yield* fail(shell, call, `${arg}: not found`)
      }
      return status
    },
    *unalias(shell, args, call) {
      const { flags, rest, wrong } = parseFlags(args, 'a')
      if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'unalias [-a] name [name ...]')
      if (rest.length === 0 && !flags.has('a')) {
        yield* shell.complain('unalias: usage: unalias [-a] name [name ...]\n')
        return 2
      }
      if (flags.has('a')) {
        shell.aliases.clear()
        return 0
      }
      let status = 0
      for (const name of rest) if (!shell.aliases.delete(name)) status = yield* fail(shell, call, `${name}: not found`)
      return status
    },
    *enable(shell, args, call) {
      const { flags, rest, wrong } = parseFlags(args, 'anpsd', 'f')
      if (wrong !== undefined)
        return yield* wrongOption(shell, call, wrong, 'enable [-a] [-dnps] [-f filename] [name ...]')
      if (flags.has('f') || flags.has('d'))
        return yield* fail(shell, call, 'loadable builtins are not supported by this shell', 2)
      if (rest.length === 0) {
        const shown = [...names()]
          .sort()
          .filter((name) => flags.has('a') || shell.disabled.has(name) === flags.has('n'))
        yield* shell.write(1, shown.map((name) => `enable ${shell.disabled.has(name) ? '-n ' : ''}${name}\n`).join(''))
        return 0
      }
      let status = 0
      for (const name of rest) {
        if (!isBuiltin(name)) status = yield* fail(shell, call, `${name}: not a shell builtin`)
        else if (flags.has('n')) shell.disabled = new Set([...shell.disabled, name])
        else shell.disabled = new Set([...shell.disabled].filter((other) => other !== name))
      }
      return status
    },
    *help(shell, args, call) {
      if (args.length === 0) {
        yield* shell.write(1, listOfAll([...names()], shell.session.programs))
        return 0
      }
      const [name = ''] = args.filter((arg) => !arg.startsWith('-'))
      if (!isBuiltin(name)) return yield* fail(shell, call, `no help topics match \`${name}'.`)
      yield* shell.write(1, `${name}: a builtin of this shell, as in bash.\n`)
      return 0
    },
  }
}

/** The builtins and the programs, by what they work on. */
function listOfAll(builtins: readonly string[], programs: ProgramTable): string {
  const groups = new Map<string, string[]>()
  for (const [name, { group = 'other' }] of programs) groups.set(group, [...(groups.get(group) ?? []), name])
  const lines = [...groups].map(([group, members]) => `  ${group}: ${members.sort().join(' ')}\n`)
  const internal = `These shell commands are defined internally:\n  ${[...builtins].sort().join(' ')}\n`
  return `${internal}These programs exist:\n${lines.join('')}`
}

type Meaning = { kind: 'alias' | 'keyword' | 'function' | 'builtin' } | { kind: 'file'; path: string }

/** The arrays among the arguments, by their place after the options are gone. */
function shiftArrays({ arrays }: BuiltinCall, args: readonly string[], rest: readonly string[]) {
  if (arrays === undefined || arrays.size === 0) return undefined
  const gone = args.length - rest.length
  return new Map([...arrays].map(([at, array]) => [at - gone, array]))
}
