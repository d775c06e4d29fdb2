/** The health of a container: over HTTP the server must answer, whatever it answers; one on standard input and output has no port. */
import { readFileSync } from 'node:fs'

// The words are given by tests only.
const [, , ...given] = process.argv
const words = given.length > 0 ? given : readFileSync('/proc/1/cmdline', 'utf8').split('\0')
const address = words[words.indexOf('--http') + 1]
if (words.includes('--http')) {
  const port = /\d+$/.exec(address ?? '')?.[0]
  const response = await fetch(`http://127.0.0.1:${port}/mcp`).catch(() => undefined)
  process.exitCode = response !== undefined && response.status < 500 ? 0 : 1
}
