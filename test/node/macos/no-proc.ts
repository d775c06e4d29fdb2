/** Runs programs as on macOS, as far as Linux can: Node says so, and there is no /proc. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const preload = fileURLToPath(new URL('as-macos.mjs', import.meta.url))
const withoutProc = ['bwrap', '--dev-bind', '/', '/', '--tmpfs', '/proc', '--die-with-parent']

/** What starts Node, which inherits it to its threads. */
export const asMacos: readonly string[] = [...withoutProc, 'env', `NODE_OPTIONS=--import ${preload}`]

/** The reason why this machine can't; undefined if it can. */
export function whyNotMacos(): string | undefined {
  if (process.platform !== 'linux') return 'bubblewrap is for Linux'
  const { status } = spawnSync(withoutProc[0] as string, [...withoutProc.slice(1), '/bin/true'])
  return status === 0 ? undefined : 'bubblewrap is missing, or may not mount here'
}
