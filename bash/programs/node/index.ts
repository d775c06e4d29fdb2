/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { type NodeEngines, node, nodeProgram } from './node.js'

export const nodePrograms: readonly Program[] = [node]

/** `node` that uses these threads where it can: they have an engine that is faster. */
export function nodeOnThreads(threads: NodeEngines): ReadonlyMap<string, Program> {
  const program = nodeProgram(threads)
  return new Map(
    [program.name, ...(program.aliases ?? [])].map((name) => [name, { ...program, name, group: 'system' }]),
  )
}
