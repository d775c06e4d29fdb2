/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { bunx, npm, npx } from './npm.js'
import { otherManagers } from './other-managers.js'

export const npmPrograms: readonly Program[] = [npm, npx, bunx, ...otherManagers]
