/** What escapes are tried on: a workspace in `/w` with hostile archives and links in it, and secrets outside. */

import { systemUser } from '../../bash/io/accounts.js'
import { headerBlocks, paddingAfter, type TarHeader } from '../../bash/programs/archives/tar/tar-format.js'
import { isFsError } from '../../src/errors.js'
import { dirname, isWithin, join, resolve } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'
import type { Shell } from '../../src/shell/types.js'
import { joinBytes } from '../../src/text/join-bytes.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { zipBytes } from '../core/archive/zip-bytes.js'
import type { EscapeCase } from './cases.js'

export const root = '/w'
export const secret = 'TOP-SECRET-5e1f'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (given: Uint8Array) => new TextDecoder().decode(given)

const outside: Record<string, string> = {
  '/secret': `${secret}\n`,
  '/hidden/secret.txt': `${secret}\n`,
  '/hidden/git/HEAD': 'ref: refs/heads/main\n',
  '/hidden/git/config': `[core]\n\trepositoryformatversion = 0\n[${secret}]\n`,
  '/hidden/git/refs/heads/none': '',
  '/hidden/git/objects/none': '',
  '/w-other/secret.txt': `${secret}\n`,
}

const inside: Record<string, string> = {
  '/w/a.txt': 'a\n',
  '/w/sub/b.txt': 'b\n',
  '/w/deep/er/c.txt': 'c\n',
  '/w/repository/.git': 'gitdir: ../../hidden/git\n',
  '/w/outward.patch':
    '--- /dev/null\n+++ ../made-by-patch\n@@ -0,0 +1 @@\n+x\n--- ../secret\n+++ ../secret\n@@ -0,0 +1 @@\n+x\n',
  '/w/plain.patch': '--- /dev/null\n+++ made-by-patch\n@@ -0,0 +1 @@\n+x\n',
}

const links: Record<string, string> = {
  '/w/to-file': '../secret',
  '/w/to-file-absolute': '/secret',
  '/w/up': '..',
  '/w/to-directory': '/hidden',
  '/w/chain': 'chain2',
  '/w/chain2': 'deep/chain3',
  '/w/deep/chain3': '../../hidden',
  '/w/sub/round': '../up/hidden',
  '/w/loop': 'loop',
  '/w/ping': 'pong',
  '/w/pong': 'ping',
}

let files: Promise<Record<string, Uint8Array>> | undefined

/** Every file that is planted, but for those of links. */
export function plantedFiles(): Promise<Record<string, Uint8Array>> {
  files ??= makeFiles()
  return files
}

async function makeFiles(): Promise<Record<string, Uint8Array>> {
  const entry = (name: string, more: Partial<TarHeader> = {}): TarHeader => ({
    name,
    kind: 'file',
    mode: 0o644,
    modifiedMs: 0,
    size: 2,
    owner: systemUser,
    group: systemUser,
    ...more,
  })
  const linkEntry = entry('out', { kind: 'symlink', target: '../hidden', size: 0 })
  const link = { name: 'out', data: bytes('../hidden'), mode: 0o120777 }
  const names = ['../made-by-archive', '/made-by-archive', '../secret', '../../secret', 'sub/../../secret']
  const written = Object.entries({ ...outside, ...inside }).map(([path, content]) => [path, bytes(content)])
  return {
    ...Object.fromEntries(written),
    '/w/slip.tar': packTar(names.map((name) => entry(name))),
    '/w/slip.zip': await zipBytes(names.map((name) => ({ name, data: bytes('x\n') }))),
    '/w/links.tar': packTar([linkEntry, entry('out/made-by-archive'), entry('out/secret.txt')]),
    '/w/links.zip': await zipBytes([link, { name: 'out/made-by-archive', data: bytes('x\n') }]),
  }
}

/** An archive of files with two bytes each, whatever their names are. */
function packTar(entries: readonly TarHeader[]): Uint8Array {
  const blocks = entries.flatMap((entry) => [
    ...headerBlocks(entry),
    bytes('x\n').subarray(0, entry.size),
    new Uint8Array(paddingAfter(entry.size)),
  ])
  return joinBytes([...blocks, new Uint8Array(1024)])
}

/** Fills an empty tree. */
export async function plant(fs: FileSystem): Promise<void> {
  const made = new Set(['/'])
  for (const [path, content] of Object.entries(await plantedFiles())) {
    await makeDirs(fs, dirname(path), made)
    await fs.writeFile(path, content)
  }
  await makeDirs(fs, '/hidden/empty', made)
  await plantLinks(fs)
}

export async function plantLinks(fs: FileSystem): Promise<void> {
  if (!fs.capabilities.symlinks) return
  for (const [path, target] of Object.entries(links)) {
    await fs.symlink?.(target, path).catch((error) => {
      // No link leads from one mounted tree into another.
      if (!isFsError(error, 'CROSS_DEVICE')) throw error
    })
  }
}

export interface Tried {
  /** What was found wrong; nothing when the command stayed inside. */
  faults: string[]
  reads: boolean
  changes: boolean
}

export interface TryOptions {
  shell: (workspace: Workspace) => Shell
  /** The workspace is everything: what is outside otherwise is part of it. */
  everything?: boolean
}

export interface PlantedTree {
  fs: FileSystem
  /** Everything in it when it was planted. */
  all: Record<string, string>
  isAsPlanted: boolean
}

/** Gives trees that are as they were planted: the one before, as long as no case has left a trace in it. */
export function plantedTrees(makeFs: () => Promise<FileSystem>): () => Promise<PlantedTree> {
  let tree: PlantedTree | undefined
  return async () => {
    if (!tree?.isAsPlanted) {
      const fs = await makeFs()
      tree = { fs, all: await everythingIn(fs, '/'), isAsPlanted: true }
    }
    return tree
  }
}

/** Runs one case on a tree that is as it was planted. */
export async function tryEscape(
  tree: PlantedTree,
  { command, mustNotShow }: EscapeCase,
  options: TryOptions,
): Promise<Tried> {
  const { fs, all } = tree
  const { shell, everything = false } = options
  tree.isAsPlanted = false
  const roots: [{ path: string; access: 'read-write' }] = [{ path: everything ? '/' : root, access: 'read-write' }]
  const workspace = createWorkspace({ fs, roots, shell })
  const { output, ended } = await run(workspace, command)
  const left = await everythingIn(fs, '/')
  tree.isAsPlanted = JSON.stringify(left) === JSON.stringify(all)
  const [before, after] = [all, left].map((entries) => only(entries, (path) => !isWithin(root, path)))
  const within = only(left, (path) => isWithin(root, path))
  const stolen = Object.keys(within).filter((path) => within[path]?.includes(secret))
  const reads = output.includes(secret) || stolen.length > 0
  const changes = JSON.stringify(after) !== JSON.stringify(before)
  const faults: string[] = []
  if (ended !== 'exit') faults.push(`the command ended with ${ended}`)
  if (output.includes(secret)) faults.push(`the secret was shown: ${output}`)
  if (mustNotShow?.test(output)) faults.push(`${mustNotShow} was shown: ${output}`)
  for (const path of stolen) faults.push(`the secret is in ${path}`)
  if (changes) faults.push(`outside, ${JSON.stringify(before)} became ${JSON.stringify(after)}`)
  for (const [path, content] of Object.entries(within)) {
    const target = /^link to (.*)/.exec(content)?.[1]
    if (target === undefined || links[path] === target || Object.values(links).includes(target)) continue
    if (!isWithin(root, resolve(dirname(path), target))) faults.push(`${path} leads to ${target}`)
  }
  return { faults, reads, changes }
}

function only(entries: Record<string, string>, isMeant: (path: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter(([path]) => isMeant(path)))
}

async function run({ shell }: Workspace, command: string): Promise<{ output: string; ended: string }> {
  if (shell === undefined) throw new Error('there is no shell')
  const request = { command, cwd: root, timeoutMs: 60_000, maxStreamBytes: 1_000_000 }
  const { stdout, stderr, ended } = await shell.exec(request)
  return { output: text(stdout.bytes) + text(stderr.bytes), ended }
}

/** Every entry below a directory, links as links. */
export async function everythingIn(fs: FileSystem, directory: string): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  const entries = await fs.readDir(directory).catch((error) => {
    if (isFsError(error, 'NOT_FOUND')) return []
    throw error
  })
  for (const { name, kind } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, name)
    const { mode } = await fs.stat(path)
    if (kind === 'file') all[path] = `${mode} ${text(await fs.readFile(path))}`
    else if (kind === 'symlink') all[path] = `link to ${await fs.readLink?.(path)}`
    else if (kind === 'directory') {
      all[path] = `directory ${mode}`
      Object.assign(all, await everythingIn(fs, path))
    }
  }
  return all
}

async function makeDirs(fs: FileSystem, path: string, made: Set<string>): Promise<void> {
  if (made.has(path)) return
  made.add(path)
  await makeDirs(fs, dirname(path), made)
  await fs.makeDir(path).catch((error) => {
    if (!isFsError(error, 'EXISTS')) throw error
  })
}
