/**
 * In just-bash, a file that can't be opened for standard output or error ends the script. For other descriptors only
 * the command fails, as it should. So every such redirection is routed through a descriptor of its own.
 */
import type { TransformPlugin } from './just-bash.js'

interface Redirection {
  type: 'Redirection'
  fd: number | null
  fdVariable?: string
  operator: string
  target: unknown
}

/** Scripts rarely use descriptors this high. */
const firstDescriptor = 100
const openOperators: Record<string, string> = { '>': '>', '>>': '>>', '>|': '>|', '&>': '>', '&>>': '>>' }

export function recoverableRedirections(): TransformPlugin {
  return {
    name: 'polyfs:gentle-redirections',
    transform({ ast }) {
      let next = firstDescriptor
      const rewritten = everyRedirection(ast, (redirection) => {
        const rerouted = reroute(redirection, next)
        if (rerouted.length > 1) next += 1
        return rerouted
      })
      // The same kind of tree, with more redirections.
      return { ast: rewritten as typeof ast }
    },
  }
}

function reroute(redirection: Redirection, over: number): Redirection[] {
  const { fd, fdVariable, operator } = redirection
  const opens = openOperators[operator]
  if (opens === undefined || fdVariable !== undefined || (fd !== null && fd > 2)) return [redirection]
  // Devices can always be opened.
  if (JSON.stringify(redirection.target).includes('"/dev/')) return [redirection]
  const descriptors = operator.startsWith('&') ? [1, 2] : [fd ?? 1]
  const duplicate = (to: number, from: string): Redirection => ({
    type: 'Redirection',
    fd: to,
    operator: '>&',
    target: { type: 'Word', parts: [{ type: 'Literal', value: from }] },
  })
  return [
    { ...redirection, fd: over, operator: opens },
    ...descriptors.map((to) => duplicate(to, String(over))),
    duplicate(over, '-'),
  ]
}

function everyRedirection(node: unknown, change: (redirection: Redirection) => Redirection[]): unknown {
  if (Array.isArray(node)) return node.map((each) => everyRedirection(each, change))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    const inner = everyRedirection(value, change)
    return [key, key === 'redirections' ? (inner as Redirection[]).flatMap(change) : inner]
  })
  return Object.fromEntries(entries)
}
