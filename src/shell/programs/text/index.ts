/** The programs of this folder. */

import type { Program } from '../program.js'
import { cat } from './cat.js'

export const textPrograms: readonly Program[] = [cat]
