import type { ShellCase } from '../types.js'
import { controlCases } from './control.js'
import { exitCases } from './exit.js'
import { fileCases } from './files.js'
import { jobCases } from './jobs.js'
import { languageCases } from './language.js'
import { outputCases } from './output.js'
import { sessionCases } from './sessions.js'
import { surroundingCases } from './surroundings.js'

/** All cases of the shell contract. */
export const shellCases: readonly ShellCase[] = [
  ...languageCases,
  ...exitCases,
  ...outputCases,
  ...surroundingCases,
  ...fileCases,
  ...controlCases,
  ...sessionCases,
  ...jobCases,
]
