/** The programs of the emulated shell that need more than its files. */
import type { Programs } from '../shell/emulated/programs.js'
import { git } from './git.js'
import { patch } from './patch.js'
import { unzip, zip } from './zip.js'

export const programs: Programs = { git, patch, zip, unzip }
