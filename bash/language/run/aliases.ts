/** Aliases. They are replaced when a command runs, by what held when its line was read. */
import type { Simple, Statement, Word } from '../syntax/ast.js'
import { parseScript } from '../syntax/parse.js'

const maxAliases = 100
/** Commands of an alias that have its own name, as in `alias ls='ls -a'`: these are not replaced again. */
const replaced = new WeakSet<Simple>()

/** What a command whose name is an alias stands for; undefined when it is not one. */
export function expandAlias(aliases: ReadonlyMap<string, string>, command: Simple): Statement[] | undefined {
  if (replaced.has(command)) return undefined
  const used = new Set<string>()
  let current = command
  let statements: Statement[] | undefined
  while (used.size < maxAliases) {
    const name = plainName(current.words[0])
    const value = name === undefined || used.has(name) ? undefined : aliases.get(name)
    if (name === undefined || value === undefined) return statements
    used.add(name)
    const parsed = parseScript(value).statements
    const last = parsed.at(-1)
    const pipeline = last?.rest.at(-1)?.pipeline ?? last?.first
    const target = pipeline?.commands.at(-1)
    if (target?.type !== 'simple' || pipeline === undefined) return statements
    const joined: Simple = {
      ...target,
      assignments: [...current.assignments, ...target.assignments],
      words: [...target.words, ...current.words.slice(1)],
      redirections: [...target.redirections, ...current.redirections],
      line: command.line,
    }
    pipeline.commands[pipeline.commands.length - 1] = joined
    statements = parsed
    markReplaced(parsed, used)
    if (parsed.length > 1 || pipeline.commands.length > 1) return statements
    current = joined
  }
  return statements
}

function markReplaced(statements: readonly Statement[], used: ReadonlySet<string>): void {
  for (const { first, rest } of statements) {
    for (const { commands } of [first, ...rest.map(({ pipeline }) => pipeline)]) {
      for (const command of commands) {
        if (command.type === 'simple' && used.has(plainName(command.words[0]) ?? '')) replaced.add(command)
      }
    }
  }
}

function plainName(word: Simple['words'][number] | undefined): string | undefined {
  if (word?.type !== 'word') return undefined
  const [part, ...more] = (word as Word).parts
  return part?.type === 'text' && more.length === 0 ? part.text : undefined
}
