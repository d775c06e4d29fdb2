/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { rawProgram } from '../define-program.js'
import { yq } from './yq.js'

export const yqPrograms: readonly Program[] = [rawProgram({ name: 'yq', run: yq })]
