/**
 * The repository that agents work on: a bookkeeping service of some 150 files, a log of 18 MB, and a file in Latin-1 with CRLF.
 * Every byte is generated, so that checks can state what the result must be.
 */
import fs from 'node:fs'
import path from 'node:path'
import { sourceFiles } from './code.mjs'
import { pages } from './docs.mjs'
import { serverLog } from './log.mjs'
import { otherFiles } from './other.mjs'

export const logPath = 'logs/server.log'

let made

/** All files, from path to bytes. They are shared: do not change them. */
export function repository() {
  made ??= new Map(
    Object.entries({ ...otherFiles(), ...sourceFiles(), ...pages(), [logPath]: serverLog().text })
      .map(([name, content]) => [name, Buffer.from(content)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  return made
}

/** The text of one file. */
export function textOf(name) {
  const bytes = repository().get(name)
  if (bytes === undefined) throw new Error(`the repository has no ${name}`)
  return bytes.toString()
}

/** The paths that a test of the path accepts, sorted. */
export function pathsWhere(accepts) {
  return [...repository().keys()].filter(accepts)
}

/** Writes all files below a directory. */
export function writeRepository(root) {
  for (const [name, bytes] of repository()) {
    const place = path.join(root, name)
    fs.mkdirSync(path.dirname(place), { recursive: true })
    fs.writeFileSync(place, bytes)
  }
}
