/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { sed } from './sed.js'

export const sedPrograms: readonly Program[] = [sed]
