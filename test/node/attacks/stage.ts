/** The attack layout on a real disk, in a directory of its own. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type NodeFsOptions, nodeFs } from '../../../node/disk/node-fs.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { placesIn } from '../../attacks/corpus.js'
import { insideLayout, type LayoutEntry, outsideLayout } from '../../attacks/layout.js'
import type { Stage } from '../../attacks/suite.js'

export async function diskStage(options: NodeFsOptions = {}): Promise<Stage> {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-attacks-')))
  const places = placesIn(base)
  fs.mkdirSync(places.root)
  layOut(outsideLayout(places))
  layOut(insideLayout(places))
  const disk = nodeFs(places.root, { fsync: false, ...options })
  const workspace = createWorkspace({
    fs: mount({ [places.root]: disk }),
    roots: [{ path: places.root, access: 'read-write' }],
    protect: { git: true, config: true },
  })
  return {
    places,
    workspace,
    fs: workspace.fs,
    outsideState: async () => outsideState(base, places.root),
    insideState: async () => state(places.root, { times: false }).join('\n'),
    async restore() {
      for (const name of fs.readdirSync(places.root)) fs.rmSync(path.join(places.root, name), { recursive: true })
      layOut(insideLayout(places))
    },
    async close() {
      disk.close()
      fs.rmSync(base, { recursive: true })
    },
  }
}

/**
 * Names, kinds, content, modes and times of everything in `base` but the inside of `root`. The time of a directory tells
 * of a file that came and went.
 */
export function outsideState(base: string, root: string): string {
  return state(base, { times: true, except: root }).join('\n')
}

function state(directory: string, options: { times: boolean; except?: string }): string[] {
  const lines = options.times ? [`${directory} ${fs.statSync(directory).mtimeMs}`] : []
  for (const name of fs.readdirSync(directory).sort()) {
    const entry = path.join(directory, name)
    const stats = fs.lstatSync(entry)
    if (entry === options.except) {
      lines.push(`${entry} ${stats.isDirectory()}`)
      continue
    }
    const content = stats.isFile() ? fs.readFileSync(entry, 'latin1') : ''
    const target = stats.isSymbolicLink() ? fs.readlinkSync(entry) : ''
    const modified = options.times && stats.isFile() ? stats.mtimeMs : undefined
    lines.push(JSON.stringify([entry, stats.mode, content, target, modified]))
    if (stats.isDirectory()) lines.push(...state(entry, options))
  }
  return lines
}

function layOut(entries: readonly LayoutEntry[]): void {
  for (const entry of entries) {
    if (entry.kind === 'directory') fs.mkdirSync(entry.path)
    if (entry.kind === 'file') fs.writeFileSync(entry.path, entry.text)
    if (entry.kind === 'link') fs.symlinkSync(entry.target, entry.path)
    if (entry.kind === 'hard-link') fs.linkSync(entry.target, entry.path)
  }
}
