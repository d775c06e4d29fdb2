/**
 * just-bash returns a script's output when the whole script has run, as text. Here every statement is redirected to the
 * output devices, so that its output arrives when it ends: byte for byte, and before the end of the script.
 */

import { outputPaths } from './devices.js'
import type { Script, TransformPlugin } from './just-bash.js'

type Statement = Script['statements'][number]
type Pipeline = Statement['pipelines'][number]
type Command = Pipeline['commands'][number]
type Simple = Extract<Command, { type: 'SimpleCommand' }>
type Redirection = Simple['redirections'][number]

/** Transforms only scripts for which `isOwn` returns true, not those of a nested `bash`. */
export function streamOutput(isOwn: () => boolean): TransformPlugin {
  return {
    name: 'polyfs:stream-output',
    transform({ ast }) {
      if (!isOwn()) return { ast }
      const context: Context = { hasExec: mentions(ast, 'exec') }
      return { ast: { ...ast, statements: ast.statements.map((statement) => streamed(statement, context)) } }
    },
  }
}

interface Context {
  /** The script may have redirected its streams with `exec`, which a statement must not undo. */
  hasExec: boolean
}

/** Streams what runs in the script's own shell; the output of a pipeline or subshell arrives when all of it has ended. */
function streamed(statement: Statement, context: Context): Statement {
  if (statement.deferredError || statement.background) return statement
  const only = onlyCommand(statement)
  if (only === undefined) return isPlain(statement) && !context.hasExec ? overPipeline(statement) : inGroup([statement])
  const inside = (body: readonly Statement[]) => body.map((each) => streamed(each, context))
  const replaceBy = (command: Command) => withCommand(statement, command)
  if (only.type === 'FunctionDef') return statement
  if (only.type === 'SimpleCommand') {
    if (only.name === null || context.hasExec) return inGroup([statement])
    return replaceBy({ ...only, redirections: [...toDevices(true), ...only.redirections] })
  }
  if (only.redirections.length > 0) return inGroup([statement])
  switch (only.type) {
    case 'For':
    case 'CStyleFor':
    case 'Group':
      return replaceBy({ ...only, body: inside(only.body) })
    case 'While':
    case 'Until':
      return replaceBy({ ...only, condition: inside(only.condition), body: inside(only.body) })
    case 'If':
      return replaceBy({
        ...only,
        clauses: only.clauses.map(({ condition, body }) => ({ condition: inside(condition), body: inside(body) })),
        elseBody: only.elseBody && inside(only.elseBody),
      })
    case 'Case':
      return replaceBy({ ...only, items: only.items.map((item) => ({ ...item, body: inside(item.body) })) })
    default:
      return inGroup([statement])
  }
}

function onlyCommand({ pipelines }: Statement): Command | undefined {
  const [pipeline] = pipelines
  if (pipelines.length !== 1 || pipeline === undefined || pipeline.negated || pipeline.timed) return undefined
  return pipeline.commands.length === 1 ? pipeline.commands[0] : undefined
}

/** True for one pipeline of simple commands, whose bytes must not be decoded as text. */
function isPlain({ pipelines }: Statement): boolean {
  const [pipeline] = pipelines
  if (pipelines.length !== 1 || pipeline === undefined || pipeline.timed || pipeline.pipeStderr?.some(Boolean))
    return false
  return pipeline.commands.every((command) => command.type === 'SimpleCommand' && command.name !== null)
}

function overPipeline(statement: Statement): Statement {
  const [pipeline] = statement.pipelines as [Pipeline]
  const commands = pipeline.commands.map((command, index): Command => {
    const isLast = index === pipeline.commands.length - 1
    // `isPlain` has checked that all are simple commands.
    return { ...(command as Simple), redirections: [...toDevices(isLast), ...(command as Simple).redirections] }
  })
  return { ...statement, pipelines: [{ ...pipeline, commands }] }
}

function inGroup(body: Statement[]): Statement {
  const group: Command = { type: 'Group', body, redirections: toDevices(true) }
  return withCommand({ type: 'Statement', pipelines: [], operators: [], background: false, ...lineOf(body) }, group)
}

function lineOf([first]: readonly Statement[]): { line?: number } {
  return first?.line === undefined ? {} : { line: first.line }
}

function withCommand(statement: Statement, command: Command): Statement {
  const [pipeline = { type: 'Pipeline', commands: [], negated: false } satisfies Pipeline] = statement.pipelines
  return { ...statement, pipelines: [{ ...pipeline, commands: [command] }] }
}

function toDevices(stdout: boolean): Redirection[] {
  const to = (fd: number, path: string): Redirection => ({
    type: 'Redirection',
    fd,
    operator: '>>',
    target: word(path),
  })
  return [...(stdout ? [to(1, outputPaths.stdout)] : []), to(2, outputPaths.stderr)]
}

function word(value: string): NonNullable<Simple['name']> {
  return { type: 'Word', parts: [{ type: 'Literal', value }] }
}

function mentions(node: unknown, command: string): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { type, value } = node as { type?: unknown; value?: unknown }
  if (type === 'Literal' && value === command) return true
  return Object.values(node).some((child) => mentions(child, command))
}
