/** Sorts the nodes of a directed graph so that every edge points forward. */
import { decodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { shownName } from '../../quoting.js'
import { refuseExtra, requireInput } from '../common/inputs.js'

interface Node {
  name: string
  /** The latest edge comes first. */
  successors: Node[]
  predecessors: number
  isPrinted: boolean
  /** The next node while a loop is looked for. */
  link: Node | undefined
}

export const tsort = defineProgram({
  name: 'tsort',
  usage: '[OPTION] [FILE]',
  options: {},
  async run(io, { operands }) {
    refuseExtra(io, operands, 1)
    const name = operands[0] ?? '-'
    const all = await readAll(await requireInput(io, name))
    io.account(all.length * 4)
    const nodes = graphOf(decodeText(all), name)
    return print(io, nodes, name)
  },
})

/** The nodes in the order of their names. */
function graphOf(text: string, name: string): Node[] {
  const nodes = new Map<string, Node>()
  const node = (word: string): Node => {
    let found = nodes.get(word)
    if (found === undefined) {
      found = { name: word, successors: [], predecessors: 0, isPrinted: false, link: undefined }
      nodes.set(word, found)
    }
    return found
  }
  const words = text.split(/[ \t\n]+/).filter((word) => word !== '')
  if (words.length % 2 === 1) throw new ProgramError(`${shownName(name)}: input contains an odd number of tokens`)
  for (let index = 0; index < words.length; index += 2) {
    const before = node(words[index] as string)
    const after = node(words[index + 1] as string)
    if (before === after) continue
    before.successors.unshift(after)
    after.predecessors += 1
  }
  return [...nodes.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function print(io: ProgramIo, nodes: readonly Node[], name: string): Promise<number> {
  let status = 0
  let left = nodes.length
  while (left > 0) {
    const queue = nodes.filter((node) => node.predecessors === 0 && !node.isPrinted)
    for (let at = 0; at < queue.length; at += 1) {
      const node = queue[at] as Node
      await io.stdout.write(`${node.name}\n`)
      node.isPrinted = true
      left -= 1
      for (const next of node.successors) {
        next.predecessors -= 1
        if (next.predecessors === 0) queue.push(next)
      }
      io.step()
    }
    if (left === 0) break
    await io.error(`${shownName(name)}: input contains a loop:`)
    status = 1
    await breakLoop(io, nodes)
  }
  return status
}

/** Walks backward along edges until a node comes again, names the nodes of that loop and removes its last edge. */
async function breakLoop(io: ProgramIo, nodes: readonly Node[]): Promise<void> {
  let loop: Node | undefined
  for (;;) {
    for (const node of nodes) {
      if (node.predecessors === 0) continue
      if (loop === undefined) {
        loop = node
        continue
      }
      const edge = node.successors.indexOf(loop)
      if (edge === -1) continue
      if (node.link === undefined) {
        node.link = loop
        loop = node
        continue
      }
      await nameLoop(io, loop, node)
      const [target] = node.successors.splice(edge, 1)
      if (target !== undefined) target.predecessors -= 1
      for (const one of nodes) one.link = undefined
      return
    }
    io.step()
  }
}

async function nameLoop(io: ProgramIo, loop: Node, last: Node): Promise<void> {
  for (let node: Node | undefined = loop; node !== undefined; node = node.link) {
    await io.error(node.name)
    if (node === last) return
  }
}
