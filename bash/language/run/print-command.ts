/** Commands as text, formatted as bash does: for `declare -f`, `type`, `BASH_COMMAND` and `jobs`. */
import type {
  ArrayLiteral,
  Assignment,
  Command,
  Pipeline,
  Redirection,
  Simple,
  Statement,
  Test,
} from '../syntax/ast.js'

const indentation = '    '

/** `name () { … }` */
export function printFunction(name: string, body: Command, redirections: readonly Redirection[] = []): string {
  const own =
    body.type === 'group' ? body : { type: 'group' as const, body: [wrapped(body)], redirections: [], line: 0 }
  const printed = new Printer(0).command({ ...own, redirections: [...own.redirections, ...redirections] })
  return `${name} () \n${printed}\n`
}

function wrapped(command: Command): Statement {
  const first: Pipeline = { negated: false, commands: [command], pipesErrors: [false] }
  return { first, rest: [], background: false, line: command.line }
}

export function printCommand(command: Command): string {
  return new Printer(0, true).command(command)
}

export function printStatement(statement: Statement): string {
  return new Printer(0).statement(statement)
}

class Printer {
  constructor(
    readonly depth: number,
    /** Outside of functions lists stay on a line. */
    readonly isInline = false,
  ) {}

  get #indent(): string {
    return indentation.repeat(this.depth)
  }

  get #inner(): Printer {
    return new Printer(this.depth + 1)
  }

  statement({ first, rest }: Statement): string {
    let text = this.pipeline(first)
    for (const { operator, pipeline } of rest) text = `${text} ${operator} ${this.pipeline(pipeline)}`
    return text
  }

  /** Statements one per line. */
  lines(statements: readonly Statement[], endsWithSemicolon: boolean): string {
    let text = ''
    statements.forEach((statement, at) => {
      const isLast = at === statements.length - 1
      const before = statements[at - 1]
      text += before?.background ? ' ' : this.#indent
      const printed = this.statement(statement)
      if (statement.background) text += `${printed} &${isLast ? '\n' : ''}`
      else if (printed.endsWith('\n')) text += `${printed}\n`
      else text += `${printed}${isLast && !endsWithSemicolon ? '' : ';'}\n`
    })
    return text
  }

  /** Statements in one line, such as conditions. */
  inline(statements: readonly Statement[]): string {
    return statements.map((one) => this.statement(one) + (one.background ? ' &' : '')).join('; ')
  }

  pipeline({ negated, timed, commands, pipesErrors }: Pipeline): string {
    const prefix = `${timed === undefined ? '' : timed === 'posix' ? 'time -p ' : 'time '}${negated ? '! ' : ''}`
    const text = commands
      .map((command, at) => {
        const isLast = at === commands.length - 1
        return `${this.command(command)}${isLast ? '' : pipesErrors[at] ? ' 2>&1 | ' : ' | '}`
      })
      .join('')
    return prefix + text
  }

  command(command: Command): string {
    if (command.type === 'simple') return simple(command)
    const redirections = command.redirections.map((one) => ` ${redirection(one)}`).join('')
    const documents = command.redirections.map(documentText).join('')
    return this.#compound(command) + redirections + (documents === '' ? '' : `\n${documents}`)
  }

  #compound(command: Exclude<Command, Simple>): string {
    const indent = this.#indent
    const body = (statements: readonly Statement[]) => this.#inner.lines(statements, true)
    switch (command.type) {
      case 'group':
        return `{ \n${this.#inner.lines(command.body, false)}${indent}}`
      case 'subshell': {
        const [first, ...rest] = command.body
        if (first === undefined) return '(  )'
        const separator = this.isInline ? '; ' : `;\n${indent}`
        return `( ${[first, ...rest].map((one) => this.statement(one)).join(separator)} )`
      }
      case 'if': {
        const [first, ...others] = command.clauses
        if (first === undefined) return ''
        const { otherwise } = command
        const next =
          others.length > 0
            ? [wrapped({ ...command, clauses: others, redirections: [], ...(otherwise && { otherwise }) })]
            : otherwise
        const tail = next === undefined ? '' : `${indent}else\n${body(next)}`
        return `if ${this.inline(first.condition)}; then\n${body(first.body)}${tail}${indent}fi`
      }
      case 'while': {
        const word = command.until ? 'until' : 'while'
        return `${word} ${this.inline(command.condition)}; do\n${body(command.body)}${indent}done`
      }
      case 'for':
      case 'select': {
        const words = command.words?.map(({ source }) => source).join(' ') ?? '"$@"'
        return `${command.type} ${command.name} in ${words};\n${indent}do\n${body(command.body)}${indent}done`
      }
      case 'arithmetic-for': {
        const parts = [command.init, command.condition, command.step].map(({ source }) => source.trim() || '1')
        return `for ((${parts.join('; ')}))\n${indent}do\n${body(command.body)}${indent}done`
      }
      case 'case': {
        const items = command.items.map(({ patterns, body: statements, end }) => {
          const list = patterns.map(({ source }) => source).join(' | ')
          const lines = new Printer(this.depth + 2).lines(statements, false)
          return `${indent}${indentation}${list})\n${lines}${indent}${indentation}${end}\n`
        })
        return `case ${command.subject.source} in \n${items.join('')}${indent}esac`
      }
      case 'arithmetic':
        return `((${command.expression.source}))`
      case 'condition':
        return `[[ ${condition(command.test)} ]]`
      case 'function':
        return `function ${printFunction(command.name, command.body).trimEnd().replaceAll('\n', `\n${indent}`)}`
      case 'coprocess':
        return `coproc ${command.name ?? 'COPROC'} ${this.command(command.body)}`
    }
  }
}

function simple({ assignments, words, redirections }: Simple): string {
  const documents = redirections.map(documentText).join('')
  const line = [
    ...assignments.map(assignmentText),
    ...words.map((word) => (word.type === 'word' ? word.source : assignmentText(word))),
    ...redirections.map(redirection),
  ].join(' ')
  return documents === '' ? line : `${line}\n${documents}`
}

function assignmentText({ name, subscript, appends, value }: Assignment): string {
  const key = subscript === undefined ? '' : `[${subscript.source}]`
  return `${name}${key}${appends ? '+' : ''}=${value.type === 'array' ? arrayText(value) : value.source}`
}

function arrayText({ elements }: ArrayLiteral): string {
  const texts = elements.map(({ key, appends, value }) =>
    key === undefined ? value.source : `[${key.source}]${appends ? '+' : ''}=${value.source}`,
  )
  return `(${texts.join(' ')})`
}

/** The body of a here-document, which follows the line. */
function documentText({ operator, target, delimiter = 'EOF' }: Redirection): string {
  if (operator !== '<<') return ''
  return `${target.source}${delimiter.replace(/^-/, '').replace(/^'(.*)'$/s, '$1')}\n`
}

function redirection({ operator, descriptor, variable, target, delimiter = 'EOF' }: Redirection): string {
  const left = variable === undefined ? (descriptor ?? '') : `{${variable}}`
  if (operator === '<<') return `${left}<<${delimiter}`
  if (operator === '>&' || operator === '<&') {
    const isWord = operator === '>&' && descriptor === undefined && !/^(?:\d+-?|-)$/.test(target.source)
    if (isWord) return `&> ${target.source}`
    const isClosing = target.source === '-'
    return `${left === '' ? (operator === '<&' ? 0 : 1) : left}${isClosing ? '>&' : operator}${target.source}`
  }
  return `${left}${operator} ${target.source}`
}

function condition(test: Test): string {
  switch (test.type) {
    case 'unary':
      return `${test.operator} ${test.operand.source}`
    case 'binary':
      return `${test.left.source} ${test.operator} ${test.right.source}`
    case 'not':
      return `! ${condition(test.test)}`
    case 'and':
      return `${condition(test.left)} && ${condition(test.right)}`
    case 'or':
      return `${condition(test.left)} || ${condition(test.right)}`
  }
}
