/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { jq } from './jq.js'

export const jqPrograms: readonly Program[] = [jq]
