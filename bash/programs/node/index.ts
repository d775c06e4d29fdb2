/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { node } from './node.js'

export const nodePrograms: readonly Program[] = [node]
