/** Scripts on the emulated shell and on this machine's bash, each in a directory of its own, and what differs. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { commandTree } from '../../../bash/io/command-tree.js'
import { readerOf } from '../../../bash/io/streams.js'
import { runScript } from '../../../bash/language/run/run-script.js'
import { shellPrograms } from '../../../bash/programs/index.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { confine } from '../../../src/fs/gate/confine.js'
import type { Bytes } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'

export interface Ended {
  stdout: string
  exitCode: number
  /** Files left, by name. Directories end with a slash. */
  files: Record<string, string>
}

interface OursEnded extends Ended {
  stderr: string
}

export interface Tally {
  scripts: number
  /** Ours said that it does not support something. */
  refused: number
  failing: number
  /** A busy machine did not get bash to the end of it in time. */
  unfinished: number
  differing: { seed: number; script: string; ours: OursEnded; bash: Ended }[]
}

const directory = '/srv/w'
const perBatch = 50
/** Ours may take longer than bash: nothing kills it when the machine is busy. */
const longestMs = 60_000
/** The status of `timeout`. */
const timedOut = 124
const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'UTC', TERM: 'dumb', HOME: '/nowhere' }

/** Why there is nothing to compare with, or undefined. */
export function whyNoBash(): string | undefined {
  const version = (program: string) => spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? ''
  if (!version('bash').startsWith('GNU bash, version 5.')) return 'GNU bash 5 is not installed'
  if (!/^sort \(GNU coreutils\) 9\./.test(version('sort'))) return 'GNU coreutils 9 is not installed'
  if (!version('awk').startsWith('GNU Awk 5.')) return 'GNU awk 5 is not installed'
  return undefined
}

/** One script for each seed. A single bash runs those of a batch. */
export async function compare(seeds: readonly number[], scriptFrom: (seed: number) => string): Promise<Tally> {
  const tally: Tally = { scripts: 0, refused: 0, failing: 0, unfinished: 0, differing: [] }
  for (let at = 0; at < seeds.length; at += perBatch) {
    const batch = seeds.slice(at, at + perBatch).map((seed) => ({ seed, script: scriptFrom(seed) }))
    const all = onBash(batch.map(({ script }) => script))
    for (const [index, { seed, script }] of batch.entries()) {
      const bash = all[index]
      if (bash === undefined) throw new Error(`bash did not run ${script}`)
      if (bash.exitCode === timedOut) {
        tally.unfinished += 1
        continue
      }
      const { stderr, ...ours } = await onOurs(script)
      tally.scripts += 1
      if (bash.exitCode !== 0) tally.failing += 1
      if (stderr.includes('not supported')) tally.refused += 1
      else if (canonical(ours) !== canonical(bash))
        tally.differing.push({ seed, script, ours: { ...ours, stderr }, bash })
    }
  }
  return tally
}

function onBash(scripts: readonly string[]): Ended[] {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-shell-'))
  try {
    for (const [index, script] of scripts.entries()) {
      fs.mkdirSync(path.join(base, `${index}`, 'w'), { recursive: true })
      fs.writeFileSync(path.join(base, `${index}`, 'script'), script)
    }
    const driver = `for one in */; do
      cd "$one/w"; timeout 10 bash -c "$(<../script)" > ../stdout 2> /dev/null < /dev/null; echo $? > ../status; cd ../..
    done`
    spawnSync('bash', ['-c', driver], { cwd: base, env, stdio: 'ignore' })
    return scripts.map((_, index) => {
      const read = (name: string) => fs.readFileSync(path.join(base, `${index}`, name))
      return {
        stdout: textOf(read('stdout')),
        exitCode: Number(read('status').toString()),
        files: filesIn(path.join(base, `${index}`, 'w')),
      }
    })
  } finally {
    fs.rmSync(base, { recursive: true })
  }
}

function filesIn(root: string): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of fs.readdirSync(root, { recursive: true }) as string[]) {
    const at = path.join(root, name)
    if (fs.lstatSync(at).isDirectory()) files[`${name}/`] = ''
    else files[name] = textOf(fs.readFileSync(at))
  }
  return files
}

async function onOurs(source: string): Promise<OursEnded> {
  const files = memory()
  for (const made of ['/srv', directory, '/tmp']) await files.makeDir(made)
  const view = confine(files, { roots: [{ path: '/', access: 'read-write' }], protect: { git: false } })
  const append = async (at: string, data: Bytes) => {
    const before = await view.readFile(at).catch(() => new Uint8Array())
    await view.writeFile(at, Buffer.concat([before, data]))
  }
  const tree = commandTree({ ...view, append })
  const [stdout, stderr] = [collector(), collector()]
  const until = Date.now() + longestMs
  const { exitCode } = await runScript({
    source,
    cwd: directory,
    env,
    tree,
    programs: new Map(shellPrograms),
    stdin: readerOf(new Uint8Array()),
    stdout: stdout.writer,
    stderr: stderr.writer,
    now: () => Date.now(),
    random: Math.random,
    step() {
      if (Date.now() > until) throw new Error(`does not end:\n${source}`)
    },
    account() {},
  })
  await tree.settle()
  const left: Record<string, string> = {}
  for await (const { path: at, kind } of walk(files, directory)) {
    const name = at.slice(directory.length + 1)
    if (name === '') continue
    if (kind === 'directory') left[`${name}/`] = ''
    else left[name] = textOf(await files.readFile(at))
  }
  return { stdout: stdout.text(), stderr: stderr.text(), exitCode, files: left }
}

function collector() {
  const chunks: Uint8Array[] = []
  const write = (chunk: Uint8Array) => {
    chunks.push(Uint8Array.from(chunk))
    return undefined
  }
  return { writer: { write, close: async () => {} }, text: () => textOf(Buffer.concat(chunks)) }
}

/** Every byte keeps its identity. */
function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes)
  const text = buffer.toString('utf8')
  return Buffer.from(text).equals(buffer) ? text : buffer.toString('latin1')
}

function canonical({ stdout, exitCode, files }: Ended): string {
  const entries = Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([stdout, exitCode, entries])
}

/** For people to read. */
export function describeDifference({ seed, script, ours, bash }: Tally['differing'][number]): string {
  const one = ({ stdout, exitCode, files }: Ended) =>
    `${exitCode} ${JSON.stringify(stdout)}\n  ${JSON.stringify(files)}`
  return `seed ${seed}:\n${script}bash ${one(bash)}\nours ${one(ours)}\n  ${ours.stderr}`
}
