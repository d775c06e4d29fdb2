/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { npm, npx } from './npm.js'

export const npmPrograms: readonly Program[] = [npm, npx]
