/** The programs of this folder. */
import type { Program } from '../program.js'
import { date } from './date.js'

export const dataPrograms: readonly Program[] = [date]
