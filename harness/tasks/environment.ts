/** The tree that an episode of a task starts with, from `environment/`. */
import { type MemoryFileSystem, memory } from '../../src/fs/backends/memory.js'
import { basename, join, resolve } from '../../src/fs/path.js'
import { compileGlobs, type GlobRules } from '../../src/search/patterns/glob.js'
import { type DockerStep, parseDockerfile, replaceVariables } from './dockerfile.js'
import { type Folder, kindOf, makeDirectories, placeEntry, textIn } from './folder.js'
import type { TaskProblem } from './task-error.js'

export interface Environment {
  files: MemoryFileSystem
  /** The working directory. */
  root: string
  env: Readonly<Record<string, string>>
  problems: readonly TaskProblem[]
}

export interface EnvironmentRequest {
  folder: Folder
  /** For messages. */
  name: string
  /** The working directory without a Dockerfile. */
  root: string
  /** The time of all files. */
  atMs: number
}

const composeFile = /^(docker-)?compose\.ya?ml$/
const sourceRules: GlobRules = { slashless: 'at-base', starCrosses: false, ignoreCase: false, dot: true }

/** What the folder needs is a text where it is more than files and variables. */
export async function buildEnvironment(request: EnvironmentRequest): Promise<Environment | { needs: string }> {
  const { folder, name, root, atMs } = request
  for (const path of folder.keys()) if (composeFile.test(path)) return { needs: `${name}/${path}: several containers` }
  const files = memory({}, { now: () => atMs })
  const text = textIn(folder, 'Dockerfile')
  if (text === undefined) {
    await makeDirectories(files, root)
    for (const [path, entry] of folder) await placeEntry(files, join(root, path), entry)
    return { files, root, env: {}, problems: [] }
  }
  if (folder.has('.dockerignore')) return { needs: `${name}/.dockerignore: rules for the files that are copied` }
  const dockerfile = parseDockerfile(text)
  if ('unsupported' in dockerfile) {
    return { needs: `${name}/Dockerfile:${dockerfile.line}: ${dockerfile.unsupported} needs a container` }
  }
  return perform(dockerfile.steps, request, files)
}

async function perform(
  steps: readonly DockerStep[],
  { folder, name }: EnvironmentRequest,
  files: MemoryFileSystem,
): Promise<Environment> {
  const values = new Map<string, string>()
  const problems: TaskProblem[] = []
  let root = '/'
  const known = (text: string) => replaceVariables(text, values)
  for (const step of steps) {
    if (step.kind === 'env') {
      // As Docker does it: no value of an instruction sees another one of the same instruction.
      const replaced = step.values.map(([key, value]) => [key, known(value)] as const)
      for (const [key, value] of replaced) values.set(key, value)
    } else if (step.kind === 'workdir') {
      root = resolve(root, known(step.path))
      await makeDirectories(files, root)
    } else {
      const fault = await copy(step, { folder, files, root, known })
      if (fault !== undefined) problems.push({ file: `${name}/Dockerfile`, line: step.line, ...fault })
    }
  }
  return { files, root, env: Object.fromEntries(values), problems }
}

interface CopyPlace {
  folder: Folder
  files: MemoryFileSystem
  root: string
  known(text: string): string
}

async function copy(
  { sources, to, mode }: DockerStep & { kind: 'copy' },
  { folder, files, root, known }: CopyPlace,
): Promise<Pick<TaskProblem, 'message' | 'remedy'> | undefined> {
  const target = known(to)
  const destination = resolve(root, target)
  const found = sources.map((source) => ({ source, paths: matching(folder, known(source)) }))
  const missing = found.find(({ paths }) => paths.length === 0)
  if (missing !== undefined) {
    return {
      message: `COPY finds no ${missing.source}`,
      remedy: 'Sources are paths in environment/, which is all that a build can see.',
    }
  }
  const paths = found.flatMap((each) => each.paths)
  const intoDirectory = /(^|\/)\.?$/.test(target) || (await kindOf(files, destination)) === 'directory'
  if (paths.length > 1 && !intoDirectory) {
    return { message: `COPY of several files to ${to}`, remedy: 'End the destination with a slash.' }
  }
  for (const path of paths) await copyOne(path, { folder, files, destination, intoDirectory, mode })
  return undefined
}

interface OneCopy {
  folder: Folder
  files: MemoryFileSystem
  destination: string
  intoDirectory: boolean
  mode: number | undefined
}

/** Of a directory only what it contains. */
async function copyOne(path: string, { folder, files, destination, intoDirectory, mode }: OneCopy): Promise<void> {
  const entry = folder.get(path)
  if (path !== '' && entry?.kind !== 'directory') {
    const at = intoDirectory ? join(destination, basename(`/${path}`)) : destination
    if (entry !== undefined) await placeEntry(files, at, entry, mode)
    return
  }
  await makeDirectories(files, destination)
  const prefix = path === '' ? '' : `${path}/`
  for (const [key, each] of folder) {
    if (key.startsWith(prefix)) await placeEntry(files, join(destination, key.slice(prefix.length)), each, mode)
  }
}

/** The entries that a source of COPY names; `''` is all of the folder. */
function matching(folder: Folder, source: string): string[] {
  const path = resolve('/', source).slice(1)
  if (path === '') return ['']
  if (folder.has(path)) return [path]
  if (!/[*?[]/.test(path)) return []
  const glob = compileGlobs([path], sourceRules)
  return [...folder.keys()].filter((key) => glob.matches(key))
}
