/** The programs of this folder. */
import type { Program } from '../program.js'

export const comparePrograms: readonly Program[] = []
