/** The lowest layer of a tree that begins at the root: empty entries on which the machine's own are mounted. */
import fs from 'node:fs'
import path from 'node:path'
import { dirname } from '../../../src/fs/path.js'
import { mountPoints } from './overlay-mount.js'

/** The paths of its directories, besides which it has files. */
export function writeMountPoints(layer: string, scratch: string): ReadonlySet<string> {
  const made = new Set<string>()

  function makeDirectory(at: string): void {
    if (at === '/' || made.has(at)) return
    makeDirectory(dirname(at))
    fs.mkdirSync(path.join(layer, at), { mode: 0o755 })
    made.add(at)
  }

  fs.mkdirSync(layer, { mode: 0o755 })
  fs.chmodSync(layer, 0o755)
  for (const at of mountPoints.directories) if (fs.existsSync(at)) makeDirectory(at)
  makeDirectory(scratch)
  for (const at of mountPoints.configuration) {
    const found = fs.statSync(at, { throwIfNoEntry: false })
    makeDirectory(dirname(at))
    if (found?.isDirectory()) makeDirectory(at)
    else if (found !== undefined) fs.writeFileSync(path.join(layer, at), '', { mode: 0o644 })
  }
  return made
}
