/**
 * The names of scratch space. In a workspace at `/` a directory `tmp` belongs to the project, so scratch space is at another place of the
 * tree. While the workspace has no `/tmp`, scripts know scratch space as `/tmp` all the same: `scratch` is then where it is.
 */
import { isWithin, resolve } from '../../src/fs/path.js'

const shownAt = '/tmp'

/** Where a path leads that is below `/tmp` as it was written. */
export function throughScratch(path: string, scratch: string | undefined): string {
  return scratch === undefined ? path : path.replace(/^\/+tmp(?=\/|$)/, scratch)
}

/** The same place as scripts see it. */
export function shownPath(path: string, scratch: string | undefined): string {
  return scratch !== undefined && isWithin(scratch, path) ? shownAt + path.slice(scratch.length) : path
}

/** What a link at `path` holds. A link of the project keeps what was written: it lasts longer than scratch space. */
export function linkTarget(target: string, path: string, scratch: string | undefined): string {
  return scratch !== undefined && isWithin(scratch, path) ? throughScratch(target, scratch) : target
}

/** The same as scripts see it. */
export function shownTarget(target: string, path: string, scratch: string | undefined): string {
  return scratch !== undefined && isWithin(scratch, path) ? shownPath(target, scratch) : target
}

/** The absolute path of one that was written relative to a directory as scripts see it. */
export function pathFrom(directory: string, path: string, scratch: string | undefined): string {
  const absolute = resolve(directory, path)
  const isProjects = !path.startsWith('/') && !isWithin(shownAt, directory) && isWithin(shownAt, absolute)
  return scratch !== undefined && isProjects ? `/.${absolute}` : absolute
}

interface ProgramCall {
  args: string[]
  cwd: string
  env: Readonly<Record<string, string>>
}

/** What a program of the host is called with: it finds its files by itself. */
export function callThroughScratch<Call extends ProgramCall>(call: Call, scratch: string | undefined): Call {
  const placed = (text: string) => throughScratch(text, scratch)
  const env = Object.fromEntries(Object.entries(call.env).map(([name, text]) => [name, placed(text)]))
  return { ...call, args: call.args.map(placed), cwd: placed(call.cwd), env }
}
