/** Ends commands when the server has died without being able to, for example by `SIGKILL`. */
import type { ProcessIdentity } from './process-identity.js'
import { markName } from './process-tree.js'
import { removal } from './sandbox/temporary-place.js'

export interface DeathWatch {
  /**
   * Sets the namespaces to end; each call replaces the whole list. Calls `done` once the watcher is certain to get it,
   * even if this process dies.
   */
  watchNamespaces(firsts: readonly ProcessIdentity[], done: () => void): void
  /** Stops watching. */
  close(): void
}

/**
 * Starts a process that waits for the end of this one. It then ends the reported namespaces, all processes that carry
 * the mark and the process groups they lead, and removes the directory. Linux only: other systems do not show marks.
 * Undefined where it can't be started.
 */
export function startDeathWatch(mark: string, directory = ''): DeathWatch | undefined {
  if (process.platform !== 'linux') return undefined
  // In its own session, so that it outlives the server's. Its input ends with the server.
  const watcher = process
    .getBuiltinModule('node:child_process')
    .spawn('/bin/sh', ['-c', script, 'sh', mark, directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
    })
  watcher.once('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  // It is a socket, though its type does not say so.
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref()
  return {
    watchNamespaces(firsts, done) {
      const line = firsts.map(({ pid, startTime }) => `${pid}:${startTime}`).join(' ')
      // Data in the pipe outlives this process. Without a watcher there is nothing to wait for.
      watcher.stdin.write(`${line}\n`, () => done())
    },
    close: () => watcher.stdin.destroy(),
  }
}

/** Repeats, because processes may fork while they are being ended. */
const script = `
${removal}
mark=$1 directory=$2
firsts=
while read -r line; do firsts=$line; done
for first in $firsts; do
  pid=\${first%:*}
  # Field 22 behind the name of the program, which may hold anything.
  stat=$(cat "/proc/$pid/stat" 2>/dev/null) || continue
  set -- \${stat##*) }
  [ "\${20}" = "\${first#*:}" ] && kill -s KILL "$pid" 2>/dev/null
done
tries=0
while [ $tries -lt 50 ]; do
  found=$(grep -lF "${markName}=$mark" /proc/[0-9]*/environ 2>/dev/null)
  [ -n "$found" ] || break
  for file in $found; do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    kill -s KILL -- "-$pid" 2>/dev/null
    kill -s KILL "$pid" 2>/dev/null
  done
  tries=$((tries + 1))
done
remove "$directory"
`
