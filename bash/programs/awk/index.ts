/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { awk } from './awk.js'

export const awkPrograms: readonly Program[] = [awk]
