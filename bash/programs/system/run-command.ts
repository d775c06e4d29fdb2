/** What the programs share that run another command. */
import { exists } from '../../io/exists.js'
import type { ProgramIo, RunOptions } from '../../io/program.js'

/** Runs a command; says so when none has that name. */
export async function runCommand(io: ProgramIo, argv: readonly string[], options?: RunOptions): Promise<number> {
  const [name = ''] = argv
  if (await io.has(name)) return io.run(argv, options)
  const subject = io.name === 'timeout' || io.name === 'nohup' || io.name === 'stdbuf' ? 'failed to run command ' : ''
  const isThere = name.includes('/') && (await exists(io.fs, name))
  await io.error(`${subject}‘${name}’: ${isThere ? 'Permission denied' : 'No such file or directory'}`)
  return isThere ? 126 : 127
}
