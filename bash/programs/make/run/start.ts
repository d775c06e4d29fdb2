/** Starts a command of a recipe, or of `$(shell)`. */
import type { RunOptions } from '../../../io/program.js'
import { isThere } from '../read/directories.js'
import type { MakeState } from '../state.js'

/** Makefiles that call make for themselves would never end. */
const deepest = 20

/** Its exit status; 127 with a message when there is no such command. */
export async function start(make: MakeState, argv: readonly string[], options: RunOptions): Promise<number> {
  const [name = ''] = argv
  if (!(await make.io.has(name))) {
    const isDenied = name.includes('/') && (await isThere(make.io, name))
    await make.complain(`${name}: ${isDenied ? 'Permission denied' : 'No such file or directory'}`)
    return 127
  }
  if (make.level >= deepest) {
    await make.complain('*** make calls itself too deeply.  Stop.')
    return 2
  }
  return make.io.run(argv, options)
}
