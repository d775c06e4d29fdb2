/** Mounts the layers of a tree for one command, in a user namespace of its own, and confines the command to it. */
import fs from 'node:fs'
import path from 'node:path'
import type { ConfinedFileSystem } from '../../../src/fs/gate/confine.js'
import { dirname, isWithin } from '../../../src/fs/path.js'
import { channels } from '../sandbox/channels.js'
import { findProgram } from '../sandbox/confinement.js'
import { baseArguments, systemPaths } from '../sandbox/system-mounts.js'
import type { KnownTree } from './known-tree.js'

/** The programs that mounts are made with. */
export interface MountPrograms {
  unshare: string
  mount: string
}

/** Undefined where one is missing. */
export function findMountPrograms(searchPath: string): MountPrograms | undefined {
  const everywhere = `${searchPath}:/usr/sbin:/sbin:/usr/bin:/bin`
  const [unshare, mount] = [findProgram('unshare', everywhere), findProgram('mount', everywhere)]
  return unshare === undefined || mount === undefined ? undefined : { unshare, mount }
}

export interface OverlayMount {
  /** The place of all layers. */
  directory: string
  /** Names in the place, the uppermost first. */
  lower: readonly string[]
  /** The directory of the command, with `u`, `w` and `m`. */
  command: string
}

/** What a command has in its directory: its upper layer, what the kernel works in, and where the tree is mounted. */
export const commandParts = { upper: 'u', work: 'w', merged: 'm' } as const

/** The kernel leaves a directory behind that nobody may enter, and so nobody could remove. */
export function allowWork(command: string): void {
  const left = path.join(command, commandParts.work, 'work')
  if (fs.existsSync(left)) fs.chmodSync(left, 0o700)
}

/**
 * The command behind a mount of its layers. It waits until its files were read, and then ends with the command's status: all that is left of it is
 * the upper layer. If this process dies it ends too, and takes the mount with it.
 */
export function mounted(argv: readonly string[], programs: MountPrograms, given: OverlayMount): string[] {
  const { directory, lower, command } = given
  const { upper, work, merged } = commandParts
  const options = `userxattr,lowerdir=${lower.join(':')},upperdir=${command}/${upper},workdir=${command}/${work}`
  const { unshare, mount } = programs
  const script = ['-c', holding, 'sh', directory, mount, options, `${command}/${merged}`]
  return [unshare, '--user', '--map-root-user', '--mount', '/bin/sh', ...script, ...argv]
}

const holding = `
cd "$1" && "$2" -t overlay overlay -o "$3" "$4" || exit 125
shift 4
trap : TERM INT HUP
"$@" ${channels.ended}>&- ${channels.go}<&-
code=$?
echo >&${channels.ended}
read -r _ <&${channels.go}
exit $code
`

/** Which parts of the tree a command sees, and where its temporary files are. */
export interface TreeMounts {
  gate: ConfinedFileSystem
  tree: KnownTree
  /** The tree as a whole, in the namespace of the mount. */
  merged: string
  /** The host directory of temporary files, and what scripts call it. */
  scratch: { directory: string; inside: string }
}

/** Where a tree that begins at the root has entries of the machine, which need something to be mounted on. */
export const mountPoints = {
  directories: ['/proc', '/dev', ...systemPaths.directories],
  configuration: systemPaths.configuration,
} as const

export function treeArguments({ gate, tree, merged, scratch }: TreeMounts): string[] {
  const { roots } = gate
  const isWhole = roots.some(({ path }) => path === '/')
  const bound = new Set<string>()
  const bind = (path: string, access: string, from: string) => {
    bound.add(path)
    return [access === 'read-write' ? '--bind' : '--ro-bind', from, path]
  }
  const byDepth = [...roots].sort((a, b) => a.path.length - b.path.length)
  /** A directory between two mounts could be renamed, and what is mounted in it with it. */
  const between = (path: string, from: (path: string) => string) => {
    const outer = [...bound].filter((other) => isWithin(other, path)).sort((a, b) => b.length - a.length)[0]
    if (outer === undefined) return []
    const steps: string[] = []
    for (let at = dirname(path); at !== outer && isWithin(outer, at); at = dirname(at)) steps.unshift(at)
    return steps.filter((at) => !bound.has(at)).flatMap((at) => bind(at, 'read-write', from(at)))
  }
  const ofTree = (path: string) => (path === '/' ? merged : merged + path)
  const whole = isWhole ? bind('/', byDepth[0]?.access ?? 'read-write', merged) : []
  const temporary = bind(scratch.inside, 'read-write', scratch.directory)
  const inner = byDepth.filter(({ path }) => path !== '/')
  const mounts = inner.flatMap(({ path, access }) => {
    const inScratch = isWithin(scratch.inside, path)
    const from = inScratch ? (at: string) => scratch.directory + at.slice(scratch.inside.length) : ofTree
    return [...between(path, from), ...bind(path, access, ofTree(path))]
  })
  return [
    ...whole,
    ...systemArgumentsBeside(isWhole ? tree : undefined),
    ...baseArguments,
    ...temporary,
    ...mounts,
    ...(isWhole ? [] : ['--remount-ro', '/']),
  ]
}

/** The machine's programs, and of its configuration what the tree does not have itself. */
function systemArgumentsBeside(tree: KnownTree | undefined): string[] {
  const { directories, configuration } = systemPaths
  return [...directories, ...configuration.filter((path) => tree?.stat(path) === undefined)].flatMap((path) => [
    '--ro-bind-try',
    path,
    path,
  ])
}
