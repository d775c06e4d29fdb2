/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { grep } from './grep.js'
import { rg } from './rg.js'

export const searchPrograms: readonly Program[] = [grep, rg]
