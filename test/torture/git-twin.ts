/** Two directories that start equal: our operations run in one, git in the other. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isFsError } from '../../src/errors.js'
import { gitEnvironment, openStage, type Stage } from '../node/git/real-git.js'

export interface Twin {
  ours: Stage
  theirs: string
}

/** Where the main repository is, if the directory itself is a linked worktree. */
const mainName = '.main'

/** With `isLinked`, a linked worktree of a repository that lies in it, and that it ignores. */
export async function openTwin(plant: (stage: Stage) => void, { isLinked = false } = {}): Promise<Twin> {
  const ours = await openStage()
  plant(ours)
  if (isLinked) await becomeLinked(ours)
  return { ours, theirs: copyOf(ours.directory) }
}

export function closeTwin({ ours, theirs }: Twin): void {
  ours.close()
  fs.rmSync(theirs, { recursive: true, force: true })
}

/** Moves the repository into a directory of its own, and makes its worktree one that is linked to it. */
async function becomeLinked({ directory, git }: Stage): Promise<void> {
  const branch = git('branch', '--show-current').trim()
  const main = path.join(directory, mainName)
  git('switch', '-q', '--detach')
  fs.mkdirSync(main)
  fs.renameSync(path.join(directory, '.git'), path.join(main, '.git'))
  const inMain = (...args: string[]) => execFileSync('git', args, { cwd: main, env: gitEnvironment, stdio: 'pipe' })
  inMain('reset', '-q', '--hard')
  fs.appendFileSync(path.join(main, '.git/info/exclude'), `/${mainName}\n`)
  for (const name of fs.readdirSync(directory)) {
    if (name !== mainName) fs.rmSync(path.join(directory, name), { recursive: true })
  }
  const made = `${directory}-made`
  inMain('worktree', 'add', '-q', made, branch)
  for (const name of fs.readdirSync(made)) fs.renameSync(path.join(made, name), path.join(directory, name))
  fs.rmdirSync(made)
  const [entry] = fs.readdirSync(path.join(main, '.git/worktrees'))
  fs.renameSync(path.join(main, '.git/worktrees', entry as string), path.join(main, '.git/worktrees/linked'))
  relink(directory)
}

/** A linked worktree and its repository name each other by absolute paths. */
function relink(directory: string): void {
  const main = path.join(directory, mainName)
  if (!fs.existsSync(main)) return
  const entry = path.join(main, '.git/worktrees/linked')
  fs.writeFileSync(path.join(directory, '.git'), `gitdir: ${entry}\n`)
  fs.writeFileSync(path.join(entry, 'gitdir'), `${path.join(directory, '.git')}\n`)
}

/** Copies git's directory over ours. */
export async function resync(twin: Twin): Promise<void> {
  const from = { ...twin.ours, directory: twin.theirs }
  const ours = await openStage({ from })
  relink(ours.directory)
  refresh(ours.directory)
  twin.ours.close()
  twin.ours = ours
}

function copyOf(directory: string): string {
  const copy = `${directory}-twin`
  fs.cpSync(directory, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  relink(copy)
  refresh(copy)
  return copy
}

/** A copy has other inodes and times than its index; a forced checkout writes such files anew, with other line endings perhaps. */
function refresh(directory: string): void {
  spawnSync('git', ['update-index', '-q', '--refresh'], { cwd: directory, env: gitEnvironment })
}

/** Undefined on success, else git's message. */
export function runGit(directory: string, args: readonly string[]): string | undefined {
  const { status, stderr, stdout } = spawnSync('git', args, { cwd: directory, env: gitEnvironment, encoding: 'utf8' })
  return status === 0 ? undefined : `${stdout}${stderr}` || 'refused'
}

/** Undefined on success, else the reason of the refusal. */
export async function attempt(
  run: () => Promise<unknown>,
): Promise<{ reason: string; paths: readonly string[] } | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    if (!isFsError(error, 'GIT_REFUSED')) throw error
    return { reason: error.facts.reason, paths: error.facts.paths ?? [] }
  }
}

/** Settings of the user that git and we follow from now on, until the returned function is called. */
export function withUserConfig(text: string): () => void {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-user-'))
  const file = path.join(directory, 'config')
  fs.writeFileSync(file, text.replaceAll('~', directory))
  fs.writeFileSync(path.join(directory, 'ignore'), '*.log\n/a/b\n')
  fs.writeFileSync(path.join(directory, 'attributes'), 'a.b text eol=crlf\nb text=auto\n')
  const before = { ofGit: gitEnvironment.GIT_CONFIG_GLOBAL, ours: process.env.GIT_CONFIG_GLOBAL }
  gitEnvironment.GIT_CONFIG_GLOBAL = file
  process.env.GIT_CONFIG_GLOBAL = file
  return () => {
    gitEnvironment.GIT_CONFIG_GLOBAL = before.ofGit
    process.env.GIT_CONFIG_GLOBAL = before.ours
    fs.rmSync(directory, { recursive: true })
  }
}

export interface Snapshot {
  /** By path: kind, whether it may be executed, content. */
  files: Record<string, string>
  index: string
  status: string
  head: string
}

const question = [
  'git --no-optional-locks ls-files -s',
  'echo ==',
  'git --no-optional-locks status --porcelain --no-renames --untracked-files=all',
  'echo ==',
  'git symbolic-ref -q HEAD',
  'git rev-parse -q --verify HEAD^{tree}',
  'true',
].join('\n')

export function snapshot(directory: string): Snapshot {
  const text = execFileSync('sh', ['-c', question], { cwd: directory, env: gitEnvironment, encoding: 'utf8' })
  const [index = '', status = '', head = ''] = text.split('==\n')
  return { files: filesBelow(directory, ''), index, status, head }
}

/** Git does not track empty directories. */
function filesBelow(directory: string, prefix: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of fs.readdirSync(path.join(directory, prefix), { withFileTypes: true })) {
    const name = prefix + entry.name
    const full = path.join(directory, name)
    if (name === '.git' || name === mainName) continue
    if (entry.isDirectory()) Object.assign(found, filesBelow(directory, `${name}/`))
    else if (entry.isSymbolicLink()) found[name] = `link ${fs.readlinkSync(full)}`
    else found[name] = `${fs.statSync(full).mode & 0o100 ? 'executable' : 'file'} ${fs.readFileSync(full, 'latin1')}`
  }
  return found
}

/** Contents that were in the working tree and are now neither there nor among git's objects. */
export function lostContents(directory: string, before: Snapshot, after: Snapshot): string[] {
  // Line endings are git's to choose.
  const contentOf = (file: string) => file.slice(file.indexOf(' ') + 1).replaceAll('\r\n', '\n')
  const still = new Set(Object.values(after.files).map(contentOf))
  const gone = [...new Set(Object.values(before.files).map(contentOf))].filter((content) => !still.has(content))
  if (gone.length === 0) return []
  const names = gone.flatMap((content) => [blobName(content), blobName(content.replaceAll('\n', '\r\n'))])
  const answer = execFileSync('git', ['cat-file', '--batch-check'], {
    cwd: directory,
    env: gitEnvironment,
    encoding: 'utf8',
    input: `${names.join('\n')}\n`,
  })
  const isMissing = answer
    .trim()
    .split('\n')
    .map((line) => line.endsWith('missing'))
  return gone.filter((_, i) => isMissing[2 * i] && isMissing[2 * i + 1])
}

function blobName(content: string): string {
  const bytes = Buffer.from(content, 'latin1')
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
