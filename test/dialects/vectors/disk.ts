/** The trees of cases on a real disk, without our adapter, which could hide something. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Kind } from '../../../src/fs/types.js'
import { type Places, placesIn } from './places.js'
import type { RawTree } from './tree.js'

export const disk: Required<RawTree> = {
  async stat(at) {
    const stats = fs.lstatSync(at)
    return { kind: kindOf(stats), size: stats.size, mode: stats.mode & 0o7777 }
  },
  readDir: async (at) =>
    fs.readdirSync(at, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
  readFile: async (at) => fs.readFileSync(at),
  writeFile: async (at, bytes) => fs.writeFileSync(at, bytes),
  makeDir: async (at) => fs.mkdirSync(at),
  symlink: async (target, at) => fs.symlinkSync(target, at),
  readLink: async (at) => fs.readlinkSync(at),
  setMode: async (at, mode) => fs.chmodSync(at, mode),
  setModified: async (at, modifiedMs) => fs.utimesSync(at, modifiedMs / 1000, modifiedMs / 1000),
}

/** A directory of the system's temporary ones, with both sides of the border in it. */
export function temporaryPlaces(): Places {
  const places = placesIn(temporaryDirectory())
  fs.mkdirSync(places.ROOT)
  fs.mkdirSync(places.OUTSIDE)
  return places
}

/** Its real path, as servers report it. */
export function temporaryDirectory(): string {
  return fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-vectors-')))
}

/** Both sides of the border as they were in the beginning; the directories themselves stay. */
export function empty({ BASE, ROOT, OUTSIDE }: Places): void {
  for (const directory of [BASE, ROOT, OUTSIDE]) {
    for (const name of fs.readdirSync(directory)) {
      const at = path.join(directory, name)
      if (at !== ROOT && at !== OUTSIDE) remove(at)
    }
  }
}

export function remove(at: string): void {
  fs.rmSync(at, { recursive: true, force: true })
}

function kindOf(entry: fs.Dirent | fs.Stats): Kind {
  if (entry.isSymbolicLink()) return 'symlink'
  if (entry.isDirectory()) return 'directory'
  return entry.isFile() ? 'file' : 'other'
}
