import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { isFsError } from '../../src/errors.js'
import { createSha1 } from '../../src/fs/digests/sha1.js'
import { inflateSync } from '../../src/git/objects/inflate.js'
import { printDiff, printLog, printShow } from '../../src/git/print/print-results.js'
import { mergeBases } from '../../src/git/refs/merge-base.js'
import { openRepository } from '../../src/git/repository.js'
import { gitBranch, gitBranches } from '../../src/ops/git/branch.js'
import { gitDiff } from '../../src/ops/git/diff.js'
import { gitLog } from '../../src/ops/git/log.js'
import { sidesOfRange } from '../../src/ops/git/revision-range.js'
import { gitShow } from '../../src/ops/git/show.js'
import { gitEnvironment, openStage, type Stage } from '../node/git/real-git.js'

/** Random histories, packs and refs, each compared with the real git. */
const seed = Number(process.env.POLYFS_TORTURE_SEED ?? 1)
const histories = 40
const refSequences = 40
const longHistory = 5000
const streams = 10_000

type Random = (below: number) => number

function generator(from: number): Random {
  let state = from * 2654435761 + 12345
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0
    return (state >>> 8) % below
  }
}

test(`${histories} random histories read as git reads them (seed ${seed})`, async () => {
  let compared = 0
  for (let i = 0; i < histories; i += 1) {
    const stage = await openStage()
    try {
      compared += await compareHistory(stage, generator(seed * 1000 + i), `history ${i}`)
    } finally {
      stage.close()
    }
  }
  console.log(`seed ${seed}: ${histories} histories, ${compared} answers compared`)
})

const names = ['a', 'b', 'd/a', 'd/b', 'd/e/f', 'd.x', 'd0', 'süß', 'x y']

/** A history with merges and some wrong dates, made with fast-import. */
function plantHistory(stage: Stage, random: Random): number {
  const commits = 10 + random(40)
  const lines: string[] = []
  const text = (value: string) => `data ${Buffer.byteLength(value)}\n${value}\n`
  for (let i = 1; i <= commits; i += 1) {
    const seconds = 1_700_000_000 + i * 10 + (random(4) === 0 ? random(400) - 200 : 0)
    lines.push(`commit refs/heads/b${i}`, `mark :${i}`, `committer A <a@b.c> ${seconds} +0100`)
    lines.push(text(`message ${i}\n`).trimEnd())
    const parents = i === 1 || random(15) === 0 ? [] : [...new Set([1 + random(i - 1), ...pick(random, i - 1)])]
    if (parents.length > 0) lines.push(`from :${parents[0]}`)
    for (const parent of parents.slice(1)) lines.push(`merge :${parent}`)
    for (let change = random(3); change >= 0; change -= 1) {
      const name = names[random(names.length)] as string
      if (random(6) === 0) lines.push(`D ${quoted(name)}`)
      else {
        const content = Array.from({ length: 60 }, (_, n) => `${name} line ${n} ${n === random(60) ? i : ''}`)
        lines.push(`M ${random(5) === 0 ? 755 : 644} inline ${quoted(name)}`, text(content.join('\n')).trimEnd())
      }
    }
    lines.push('')
  }
  execFileSync('git', ['fast-import', '--quiet', '--force'], {
    cwd: stage.directory,
    env: gitEnvironment,
    input: lines.join('\n'),
  })
  return commits
}

function quoted(name: string): string {
  return /^[\x21-\x7e]+$/.test(name) ? name : `"${name}"`
}

/** Up to three more parents, mostly none. */
function pick(random: Random, below: number): number[] {
  return Array.from({ length: random(3) === 0 ? 1 + random(2) : 0 }, () => 1 + random(below))
}

async function compareHistory(stage: Stage, random: Random, label: string): Promise<number> {
  const commits = plantHistory(stage, random)
  const branch = () => `b${1 + random(commits)}`
  repack(stage, random)
  let compared = 0
  const same = (ours: string, theirs: string, what: string) => {
    expect(ours, `${label}: ${what}`).toBe(theirs)
    compared += 1
  }
  for (let round = 0; round < 6; round += 1) {
    const [one, other] = [branch(), branch()]
    const repository = await openRepository(stage.workspace, stage.directory)
    const [left, right] = stage.git('rev-parse', one, other).trim().split('\n') as [string, string]
    const bases = gitOr(stage, '', 'merge-base', '--all', one, other)
    // Git sorts by date only what it lists; among equals the order is not promised.
    same(
      (await mergeBases(repository, left, right)).sort().join('\n'),
      bases.trim().split('\n').sort().join('\n'),
      `merge-base --all ${one} ${other}`,
    )
    const range = `${one}${random(2) === 0 ? '...' : '..'}${other}`
    const theirs = gitOr(stage, undefined, 'diff', '--no-renames', range)
    const ours = await stage.run(gitDiff, sidesOfRange([range])).then(printDiff, refusedAs)
    same(ours, theirs ?? 'no-merge-base', `diff ${range}`)
    same(
      printLog((await stage.run(gitLog, { revision: one, limit: 1000 })).commits),
      stage.git('log', one),
      `log ${one}`,
    )
    const name = names[random(names.length)] as string
    same(
      printLog((await stage.run(gitLog, { revision: one, limit: 1000, paths: [name] })).commits),
      stage.git('log', one, '--', name),
      `log ${one} -- ${name}`,
    )
    same(
      printLog((await stage.run(gitLog, { revision: one, since: other, limit: 1000 })).commits),
      stage.git('log', `${other}..${one}`),
      `log ${other}..${one}`,
    )
    const shown = await stage.run(gitShow, { revision: one })
    if (shown.kind === 'commit' && shown.commit.parents.length < 2) {
      same(printShow(shown), stage.git('show', '--no-renames', one), `show ${one}`)
    }
  }
  return compared
}

/** Loose, in packs of either version with deltas, in several packs, or with what git adds for speed. */
function repack(stage: Stage, random: Random): void {
  const version = ['-c', `pack.indexVersion=${1 + random(2)}`]
  switch (random(4)) {
    case 0:
      stage.git(...version, 'repack', '-adfq', `--depth=${1 + random(60)}`, '--window=20')
      break
    case 1:
      stage.git(...version, '-c', 'repack.useDeltaBaseOffset=false', 'repack', '-adfq')
      stage.git('commit-graph', 'write', '--reachable')
      break
    case 2:
      for (const name of fs.readdirSync(path.join(stage.directory, '.git/objects/pack'))) {
        const file = path.join(stage.directory, '.git/objects/pack', name)
        if (!name.endsWith('.pack')) continue
        const pack = fs.readFileSync(file)
        fs.rmSync(file)
        fs.rmSync(file.replace(/pack$/, 'idx'), { force: true })
        execFileSync('git', ['unpack-objects', '-q'], { cwd: stage.directory, env: gitEnvironment, input: pack })
      }
      break
  }
  if (random(2) === 0) stage.git('pack-refs', '--all')
}

function gitOr<Fallback>(stage: Stage, fallback: Fallback, ...args: string[]): string | Fallback {
  try {
    return stage.git(...args)
  } catch {
    return fallback
  }
}

function refusedAs(error: unknown): string {
  if (isFsError(error, 'GIT_REFUSED')) return error.facts.reason
  throw error
}

test(`a path is followed through ${longHistory} commits as git follows it (seed ${seed})`, async () => {
  const stage = await openStage()
  try {
    const random = generator(seed * 13)
    const place = () => `d${random(40)}/e${random(30)}`
    const commits = Array.from({ length: longHistory }, (_, i) => {
      const body = `line ${i}\n`.repeat(3)
      const head = `commit refs/heads/main\nmark :${i + 1}\ncommitter A <a@b.c> ${1_600_000_000 + i * 60} +0000\ndata 2\nm\n`
      const parent = i === 0 ? '' : `from :${i}\n`
      return `${head}${parent}M 644 inline ${place()}/f${random(20)}\ndata ${body.length}\n${body}`
    })
    const options = { cwd: stage.directory, env: gitEnvironment, input: commits.join('\n') }
    execFileSync('git', ['fast-import', '--quiet'], options)
    stage.git('repack', '-adq')
    const before = process.cpuUsage()
    const found: Array<[string, number]> = []
    for (let i = 0; i < 5; i += 1) {
      const wanted = place()
      const { commits } = await stage.run(gitLog, { paths: [wanted], limit: longHistory })
      found.push([wanted, commits.length])
    }
    const { user, system } = process.cpuUsage(before)
    const each = (user + system) / 1000 / 5
    for (const [wanted, count] of found) {
      expect(count, wanted).toBe(Number(stage.git('rev-list', '--count', 'main', '--', wanted)))
    }
    console.log(`seed ${seed}: ${longHistory} commits, ${Math.round(each)} ms of processor time for a path`)
    expect(each).toBeLessThan(longHistory * 0.6)
  } finally {
    stage.close()
  }
})

test(`${refSequences} random sequences of branches leave what git leaves (seed ${seed})`, async () => {
  let steps = 0
  let refused = 0
  for (let i = 0; i < refSequences; i += 1) {
    const random = generator(seed * 7000 + i)
    const [ours, theirs] = [await openStage(), await openStage()]
    try {
      for (const stage of [ours, theirs]) {
        const date = { GIT_AUTHOR_DATE: '1700000000 +0000', GIT_COMMITTER_DATE: '1700000000 +0000' }
        execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'first'], {
          cwd: stage.directory,
          env: { ...gitEnvironment, ...date },
        })
      }
      for (let step = 0; step < 25; step += 1) {
        const result = await stepOfRefs(ours, theirs, random)
        steps += 1
        if (result === 'refused') refused += 1
        const refs = ['for-each-ref', '--format=%(refname) %(objectname) %(symref)']
        expect(ours.git(...refs), `sequence ${i}, step ${step}`).toBe(theirs.git(...refs))
        const listed = (await ours.run(gitBranches, {})).map(({ name, oid }) => `${name} ${oid}\n`).join('')
        expect(listed).toBe(theirs.git('for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads'))
      }
      expect(ours.git('fsck', '--strict')).toBe('')
      ours.git('gc', '-q')
    } finally {
      ours.close()
      theirs.close()
    }
  }
  console.log(`seed ${seed}: ${refSequences} sequences, ${steps} steps, ${refused} refused by both`)
})

const branches = ['a', 'a/b', 'a/b/c', 'a-b', 'x/y', 'x/y/z', 'x', 'a/c']

/** Does the same in one repository with our operations and in the other with git; both do it or both refuse. */
async function stepOfRefs(ours: Stage, theirs: Stage, random: Random): Promise<'done' | 'refused'> {
  const name = branches[random(branches.length)] as string
  const to = branches[random(branches.length)] as string
  const kinds = ['create', 'create', 'delete', 'rename', 'pack', 'commit'] as const
  const kind = kinds[random(kinds.length)] as (typeof kinds)[number]
  if (kind === 'pack') {
    for (const stage of [ours, theirs]) stage.git('pack-refs', '--all')
    return 'done'
  }
  if (kind === 'commit') {
    // Makes git write a reflog for the branch.
    for (const stage of [ours, theirs]) gitOr(stage, '', 'update-ref', '-m', 'again', `refs/heads/${name}`, 'HEAD')
    return 'done'
  }
  const args = { create: ['branch', name], delete: ['branch', '-D', name], rename: ['branch', '-m', name, to] }[kind]
  const git = gitOr(theirs, undefined, ...args) === undefined ? 'refused' : 'done'
  const action =
    kind === 'rename'
      ? { action: kind, name, to }
      : kind === 'delete'
        ? { action: kind, name, force: true }
        : { action: kind, name }
  const us = await ours.run(gitBranch, action).then(
    () => 'done' as const,
    (error) => {
      if (!isFsError(error, 'GIT_REFUSED')) throw error
      return 'refused' as const
    },
  )
  expect(us, args.join(' ')).toBe(git)
  return us
}

test(`${streams} random streams inflate as zlib inflates them (seed ${seed})`, () => {
  const random = generator(seed * 31)
  let broken = 0
  for (let i = 0; i < streams; i += 1) {
    const size = random(8) === 0 ? random(20_000) : random(400)
    const alphabet = 1 + random(256)
    const content = Buffer.from(Array.from({ length: size }, () => random(alphabet)))
    const options = {
      level: random(10),
      strategy: random(5),
      memLevel: 1 + random(9),
      windowBits: 9 + random(7),
    }
    const stream = zlib.deflateSync(content, options)
    const found = inflateSync(stream, size)
    expect(found?.ends && Buffer.compare(found.content, content) === 0, `stream ${i}`).toBe(true)
    if (size > 0) expect(inflateSync(stream, size - 1)?.ends ?? false, `stream ${i}, one byte less`).toBe(false)
    expect(toHex(content)).toBe(createHash('sha1').update(content).digest('hex'))
    // A damaged stream is refused or inflates to at most its size; it never fails otherwise or hangs.
    stream[2 + random(stream.length - 2)] = random(256)
    const damaged = inflateSync(stream, size)
    if (damaged === undefined || !damaged.ends) broken += 1
    else expect(damaged.content.length).toBeLessThanOrEqual(size)
  }
  console.log(`seed ${seed}: ${streams} streams, ${broken} of the damaged ones refused`)
})

function toHex(content: Buffer): string {
  const hash = createSha1()
  const middle = content.length >> 1
  hash.update(content.subarray(0, middle))
  hash.update(content.subarray(middle))
  return Buffer.from(hash.digest()).toString('hex')
}
