/** Ends commands when the server is gone without having been able to, as after `SIGKILL`. */
import { markName } from './process-tree.js'

export interface DeathWatch {
  /** Nothing is watched any more. */
  close(): void
}

/**
 * Starts a process that waits for the end of this one and then does what `sweep` would have done: it ends all that carry the mark, and the
 * process groups that they lead. Only Linux shows marks. Where it can't be started there is none.
 */
export function startDeathWatch(mark: string): DeathWatch | undefined {
  if (process.platform !== 'linux') return undefined
  // In a session of its own, so that it outlives whatever ends the server's. Its input ends with the server.
  const watcher = process.getBuiltinModule('node:child_process').spawn('/bin/sh', ['-c', script, 'sh', mark], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  })
  watcher.once('error', () => {})
  watcher.stdin.once('error', () => {})
  watcher.unref()
  // A socket, though its type does not say so.
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref()
  return { close: () => watcher.stdin.destroy() }
}

/** What forks while it is being ended is looked for again, so many times. */
const script = `
read -r _
tries=0
while [ $tries -lt 50 ]; do
  found=$(grep -lF "${markName}=$1" /proc/[0-9]*/environ 2>/dev/null)
  [ -n "$found" ] || exit 0
  for file in $found; do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    kill -s KILL -- "-$pid" 2>/dev/null
    kill -s KILL "$pid" 2>/dev/null
  done
  tries=$((tries + 1))
done
`
