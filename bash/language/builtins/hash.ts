/** `hash` */
import { findCommand, hashTable } from '../run/find-command.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'

const usage = 'hash [-lr] [-p pathname] [-dt] [name ...]'

export function hashBuiltins(isBuiltin: (name: string) => boolean): Builtins {
  return {
    *hash(shell, args, call) {
      const { flags, rest, wrong, missing } = parseFlags(args, 'lrdt', 'p')
      if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, usage)
      if (missing !== undefined) {
        yield* shell.report(`hash: ${missing}: option requires an argument`)
        yield* shell.complain(`hash: usage: ${usage}\n`)
        return 2
      }
      const table = hashTable(shell)
      if (flags.has('r')) table.clear()
      else if (rest.length === 0) return yield* list(shell, flags.has('l'))
      let status = 0
      for (const name of rest) status = (yield* hashOne(shell, call, name, flags, rest.length > 1)) || status
      return status
    },
  }

  function* hashOne(
    shell: Shell,
    call: BuiltinCall,
    name: string,
    flags: ReadonlyMap<string, string>,
    isOneOfMany: boolean,
  ): Steps<number> {
    const table = hashTable(shell)
    const known = table.get(name)
    const path = flags.get('p')
    if (path !== undefined) {
      table.set(name, { found: { kind: 'script', path }, hits: 0 })
      const found = yield* findCommand(shell, path)
      if (found.kind !== 'failure') table.set(name, { found, hits: 0 })
      return 0
    }
    if (flags.has('t') || flags.has('d')) {
      if (known === undefined) return yield* fail(shell, call, `${name}: not found`)
      if (flags.has('d')) table.delete(name)
      else if (flags.has('l')) yield* shell.write(1, `builtin hash -p ${shownPath(known.found)} ${name}\n`)
      else yield* shell.write(1, `${isOneOfMany ? `${name}\t` : ''}${shownPath(known.found)}\n`)
      return 0
    }
    if (name.includes('/') || isBuiltin(name) || shell.functions.has(name)) return 0
    const found = yield* findCommand(shell, name)
    if (found.kind === 'failure') return yield* fail(shell, call, `${name}: not found`)
    table.set(name, { found, hits: 0 })
    return 0
  }
}

function* list(shell: Shell, asCommands: boolean): Steps<number> {
  const entries = [...hashTable(shell)]
  const lines = asCommands
    ? entries.map(([name, { found }]) => `builtin hash -p ${found.path} ${name}\n`)
    : ['hits\tcommand\n', ...entries.map(([, { found, hits }]) => `${String(hits).padStart(4)}\t${found.path}\n`)]
  if (entries.length === 0 && !asCommands) yield* shell.write(1, 'hash: hash table empty\n')
  else yield* shell.write(1, lines.join(''))
  return 0
}

function shownPath({ path }: { path: string }): string {
  return path.startsWith('/') ? path : `./${path}`
}
