import fs from 'node:fs'
import module from 'node:module'
import path from 'node:path'
import { checkOwn, makeOwn, stateHome } from '../state/state-directory.js'

/** Since Node 22.8. */
const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown }

/**
 * Where Node can. The code is stored beside the journals, where no agent gets: in the place that Node would choose, other users could
 * put code in our name. Where nothing was ever stored, no directory is made for it.
 */
export function keepCompiledCode({ env = process.env, enable = enableCompileCache } = {}): void {
  if (enable === undefined) return
  try {
    const home = fs.realpathSync.native(stateHome(env))
    checkOwn(home)
    const directory = path.join(home, 'compiled')
    makeOwn(directory)
    enable(directory)
  } catch {
    // There is no state, or no safe place for it.
  }
}
