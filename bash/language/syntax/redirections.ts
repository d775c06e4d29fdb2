/** Reads redirections. */
import type { Part, Redirection, Word } from './ast.js'
import { emptyWord, type Input, isMeta, lineOf, readWord, skipBlanks } from './input.js'
import { wordMode } from './modes.js'
import { unexpectedNewline } from './unexpected.js'

const redirection = /([0-9]+|\{[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\})?(&>>|&>|<<<|<<-|<<|<&|<>|<|>>|>&|>\||>)/y

/** The redirection that is next, if there is one. */
export function readRedirection(input: Input): Redirection | undefined {
  const { text, at } = input
  redirection.lastIndex = at
  const [all, prefix, operator] = redirection.exec(text) ?? []
  if (all === undefined || operator === undefined) return undefined
  if (prefix !== undefined && operator.startsWith('&')) return undefined
  if ((operator === '<' || operator === '>') && text[at + all.length] === '(') return undefined
  const line = lineOf(input)
  input.at += all.length
  skipBlanks(input)
  if (isMeta(text[input.at]) && !isProcess(input)) throw unexpectedNewline(input)
  const target = readWord(input, wordMode)
  const isHeredoc = operator === '<<' || operator === '<<-'
  const result: Redirection = {
    operator: isHeredoc ? '<<' : (operator as Redirection['operator']),
    ...describePrefix(prefix),
    target: isHeredoc ? emptyWord() : target,
    line,
  }
  if (isHeredoc) {
    const quoted = isQuoted(target)
    const stripsTabs = operator === '<<-'
    const delimiter = delimiterOf(target)
    result.delimiter = `${stripsTabs ? '-' : ''}${quoted ? `'${delimiter}'` : delimiter}`
    input.heredocs.push({ redirection: result, delimiter, quoted, stripsTabs })
  }
  return result
}

function isProcess({ text, at }: Input): boolean {
  return (text[at] === '<' || text[at] === '>') && text[at + 1] === '('
}

function describePrefix(prefix: string | undefined): { descriptor?: number; variable?: string } {
  if (prefix === undefined) return {}
  return prefix.startsWith('{') ? { variable: prefix.slice(1, -1) } : { descriptor: Number(prefix) }
}

function isQuoted({ parts }: Word): boolean {
  return parts.some((part) => part.type === 'quoted' || part.type === 'double')
}

/** The delimiter is not expanded, only its quotes are removed. */
function delimiterOf(word: Word): string {
  return isQuoted(word) ? word.parts.map(delimiterText).join('') : word.source
}

function delimiterText(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'quoted':
      return part.text
    case 'double':
      return part.parts.map(delimiterText).join('')
    case 'parameter':
      return `$${part.name}`
    case 'command':
      return `$(${part.source})`
    default:
      return ''
  }
}
