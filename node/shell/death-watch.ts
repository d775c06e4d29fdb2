/** Ends commands when the server is gone without having been able to, as after `SIGKILL`. */
import type { ProcessIdentity } from './process-identity.js'
import { markName } from './process-tree.js'
import { removal } from './sandbox/temporary-place.js'

export interface DeathWatch {
  /** The namespaces that are to end too, all of them each time; calls back once that is certain, whatever becomes of this process. */
  tell(firsts: readonly ProcessIdentity[], done: () => void): void
  /** Nothing is watched any more. */
  close(): void
}

/**
 * Starts a process that waits for the end of this one and then does what would have been done: it ends the namespaces it was told of, all
 * that carry the mark, and the process groups that those lead, and removes the directory. Only Linux shows marks. Where it can't be started there is none.
 */
export function startDeathWatch(mark: string, directory = ''): DeathWatch | undefined {
  if (process.platform !== 'linux') return undefined
  // In a session of its own, so that it outlives whatever ends the server's. Its input ends with the server.
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
  // A socket, though its type does not say so.
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref()
  return {
    tell(firsts, done) {
      const line = firsts.map(({ pid, startTime }) => `${pid}:${startTime}`).join(' ')
      // In the pipe it outlives us. Without a watcher there is nothing to wait for.
      watcher.stdin.write(`${line}\n`, () => done())
    },
    close: () => watcher.stdin.destroy(),
  }
}

/** What forks while it is being ended is looked for again, so many times. */
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
