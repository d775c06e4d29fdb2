/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { curl } from './curl/curl.js'
import { wget } from './wget/wget.js'

export const networkPrograms: readonly Program[] = [curl, wget]
