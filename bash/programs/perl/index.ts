/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { perl } from './perl.js'

export const perlPrograms: readonly Program[] = [perl]
