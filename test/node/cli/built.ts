import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const top = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * A file of `dist`, by its path there. Throws if it is missing or older than its sources: threads that run an outdated file would not
 * understand the messages, and the test would hang.
 */
export function built(name: string): string {
  const file = path.join(top, 'dist', name)
  const builtMs = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs
  const newer = ['src', 'bash', 'node'].flatMap((folder) => sourcesIn(path.join(top, folder))).find(isNewer)
  if (builtMs === undefined) throw new Error(`dist/${name} is missing: run \`npm run build\` first`)
  if (newer !== undefined) {
    throw new Error(`dist/${name} is older than ${path.relative(top, newer)}: run \`npm run build\` first`)
  }
  return file

  function isNewer(source: string): boolean {
    return fs.statSync(source).mtimeMs > (builtMs ?? Infinity)
  }
}

function sourcesIn(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name))
}
