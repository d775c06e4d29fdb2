/** Two directories that start equal: our operations run in one, git in the other. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { isFsError } from '../../src/errors.js'
import { gitEnvironment, openStage, type Stage } from '../node/git/real-git.js'

export interface Twin {
  ours: Stage
  theirs: string
}

export async function openTwin(plant: (stage: Stage) => void): Promise<Twin> {
  const ours = await openStage()
  plant(ours)
  return { ours, theirs: copyOf(ours.directory) }
}

export function closeTwin({ ours, theirs }: Twin): void {
  ours.close()
  fs.rmSync(theirs, { recursive: true, force: true })
}

/** Copies git's directory over ours. */
export async function resync(twin: Twin): Promise<void> {
  const from = { ...twin.ours, directory: twin.theirs }
  const ours = await openStage({ from })
  twin.ours.close()
  twin.ours = ours
}

function copyOf(directory: string): string {
  const copy = `${directory}-twin`
  fs.cpSync(directory, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return copy
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
    if (name === '.git') continue
    if (entry.isDirectory()) Object.assign(found, filesBelow(directory, `${name}/`))
    else if (entry.isSymbolicLink()) found[name] = `link ${fs.readlinkSync(full)}`
    else found[name] = `${fs.statSync(full).mode & 0o100 ? 'executable' : 'file'} ${fs.readFileSync(full, 'latin1')}`
  }
  return found
}

/** Contents that were in the working tree and are now neither there nor among git's objects. */
export function lostContents(directory: string, before: Snapshot, after: Snapshot): string[] {
  const contentOf = (file: string) => file.slice(file.indexOf(' ') + 1)
  const still = new Set(Object.values(after.files).map(contentOf))
  const gone = [...new Set(Object.values(before.files).map(contentOf))].filter((content) => !still.has(content))
  if (gone.length === 0) return []
  const names = gone.map((content) => {
    const bytes = Buffer.from(content, 'latin1')
    return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  })
  const answer = execFileSync('git', ['cat-file', '--batch-check'], {
    cwd: directory,
    env: gitEnvironment,
    encoding: 'utf8',
    input: `${names.join('\n')}\n`,
  })
  return answer
    .trim()
    .split('\n')
    .flatMap((line, i) => (line.endsWith('missing') ? [gone[i] as string] : []))
}
