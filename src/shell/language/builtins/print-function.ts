/** Functions as `declare -f` and `type` print them. */
import type { FunctionDefinition } from '../syntax/ast.js'

/** As it was written: bash would format it anew. */
export function printFunction(name: string, { source }: FunctionDefinition): string {
  const [, body = source] = /^(?:function\s+)?[^\s()]+\s*(?:\(\s*\))?\s*(.*)$/s.exec(source) ?? []
  return `${name} () \n${body}\n`
}
