/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { make } from './make.js'

export const makePrograms: readonly Program[] = [make]
