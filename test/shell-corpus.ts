/**
 * Scripts as coding agents write them, with what GNU bash and its programs made of them (test/data/shell/corpus.json says
 * how they were recorded): standard output, exit code and the changes of the tree.
 */
import { describe, expect, test } from 'vitest'
import { memory } from '../src/fs/backends/memory.js'
import type { FileSystem } from '../src/fs/types.js'
import { walk } from '../src/fs/walk/walk.js'
import { sample } from './scale.js'

type Content = { text: string } | { base64: string } | { sha256: string; size: number }

interface TreeEntry {
  path: string
  text?: string
  base64?: string
  lines?: { count: number; template: string }
  dir?: true
  link?: string
  mode?: string
}

type Change = null | { dir: true } | { link: string } | { any: true } | (Content & { exec?: true })

export interface CorpusCase {
  id: string
  category: string
  tree: string
  script: string
  unordered?: true
  expected: { stdout: Content; exitCode: number; changes: Record<string, Change> }
}

/** As corpus.json and recorded.json have it. */
export interface Corpus {
  trees: Record<string, TreeEntry[]>
  cases: CorpusCase[]
  /** Cases that come out differently, by their ids, with the reason. Anything else that is wrong fails. */
  known: Record<string, string>
}

export interface CorpusRun {
  stdout: Uint8Array
  stderr: Uint8Array
  exitCode: number | undefined
}

/** Runs a script in `corpusDirectory` of a tree. */
export type RunCorpusScript = (script: string, fs: FileSystem) => Promise<CorpusRun>

export const corpusDirectory = '/srv/w'
export const corpusEnvironment = {
  HOME: corpusDirectory,
  USER: 'user',
  LOGNAME: 'user',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  TERM: 'dumb',
  SHELL: '/bin/bash',
  GIT_AUTHOR_NAME: 'Ann Dev',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann Dev',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  GIT_AUTHOR_DATE: '2024-06-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2024-06-01T00:00:00Z',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
}

/** Takes the parsed JSON, whose inferred type is too narrow. */
export function corpusOf(recorded: { trees: unknown; cases: unknown }, known: Record<string, string>): Corpus {
  return { ...(recorded as Pick<Corpus, 'trees' | 'cases'>), known }
}

/** A fifth of the scripts, and fewer of those on huge files, unless everything is to run. */
export function quickly(corpus: Corpus): Corpus {
  const isHuge = (one: CorpusCase) => one.category === 'scale'
  const small = corpus.cases.filter((one) => !isHuge(one))
  return { ...corpus, cases: [...sample(small, { every: 5 }), ...sample(corpus.cases.filter(isHuge))] }
}

/** A sixteenth of the scripts, unless everything is to run. */
export function partOf(corpus: Corpus): Corpus {
  return { ...corpus, cases: sample(corpus.cases, { every: 16 }) }
}

/** One test for each category; a failure lists what differs. */
export function describeCorpus(name: string, { trees, cases, known }: Corpus, run: RunCorpusScript): void {
  describe(`the scripts ${name}`, () => {
    for (const category of new Set(cases.map((one) => one.category))) {
      test(category, async () => {
        const unexpected: string[] = []
        for (const one of cases.filter((each) => each.category === category)) {
          const wrong = await judge(one, trees[one.tree] ?? [], run)
          const isKnown = one.id in known
          if (wrong !== '' && !isKnown) unexpected.push(`${one.id}: ${wrong}\n${one.script}`)
          else if (wrong === '' && isKnown) unexpected.push(`${one.id} is right: no longer a known difference`)
        }
        expect(unexpected).toEqual([])
      }, 600_000)
    }
  })
}

/** What is wrong, or nothing. */
async function judge(one: CorpusCase, tree: readonly TreeEntry[], run: RunCorpusScript): Promise<string> {
  const before = expandTree(tree)
  const fs = memory()
  await fs.makeDir('/srv')
  await fs.makeDir(corpusDirectory)
  for (const [path, entry] of before) {
    const at = `${corpusDirectory}/${path}`
    if (entry.kind === 'directory') await fs.makeDir(at)
    else if (entry.kind === 'symlink') await fs.symlink?.(entry.target, at)
    else await fs.writeFile(at, entry.bytes, { mode: entry.mode })
  }
  const { stdout, stderr, exitCode } = await run(one.script, fs)
  const { expected } = one
  const changes = await changesIn(fs, before)
  const wrong = [
    !(await isSameOutput(stdout, expected.stdout, one.unordered === true)) && 'output',
    exitCode !== expected.exitCode && `exit code ${exitCode} instead of ${expected.exitCode}`,
    canonical(changes) !== canonical(expected.changes) && 'files',
  ].filter(Boolean)
  const isGood = exitCode === 0 || exitCode === expected.exitCode
  const isSilent = isGood && stderr.length === 0
  return wrong.length === 0 ? '' : `${isSilent ? 'wrong in silence: ' : ''}${wrong.join(', ')}`
}

type Entry =
  | { kind: 'directory' }
  | { kind: 'symlink'; target: string }
  | { kind: 'file'; bytes: Uint8Array; mode: number }

const expanded = new Map<readonly TreeEntry[], Map<string, Entry>>()

function expandTree(entries: readonly TreeEntry[]): Map<string, Entry> {
  const known = expanded.get(entries)
  if (known !== undefined) return known
  const tree = new Map<string, Entry>()
  expanded.set(entries, tree)
  for (const entry of entries) {
    const parts = entry.path.split('/')
    for (let depth = 1; depth < parts.length; depth += 1) {
      const above = parts.slice(0, depth).join('/')
      if (!tree.has(above)) tree.set(above, { kind: 'directory' })
    }
    if (entry.dir) tree.set(entry.path, { kind: 'directory' })
    else if (entry.link !== undefined) tree.set(entry.path, { kind: 'symlink', target: entry.link })
    else tree.set(entry.path, { kind: 'file', bytes: bytesOf(entry), mode: Number.parseInt(entry.mode ?? '644', 8) })
  }
  return tree
}

function bytesOf({ text, base64, lines }: TreeEntry): Uint8Array {
  if (text !== undefined) return encode(text)
  if (base64 !== undefined) return fromBase64(base64)
  return lines === undefined ? new Uint8Array() : makeLines(lines)
}

/** `{i}` is the line's number from 1, `{h}` is `i * 2654435761` modulo 2^32; each may be followed by `%N`. */
function makeLines({ count, template }: { count: number; template: string }): Uint8Array {
  const parts = template.split(/\{([ih](?:%\d+)?)\}/)
  const lines = Array.from({ length: count }, (_, index) => {
    const number = index + 1
    const hash = Math.imul(number, 2654435761) >>> 0
    return parts
      .map((part, place) => {
        if (place % 2 === 0) return part
        const [which, modulus] = part.split('%')
        const value = which === 'i' ? number : hash
        return String(modulus === undefined ? value : value % Number(modulus))
      })
      .join('')
  })
  return encode(`${lines.join('\n')}\n`)
}

/** What differs, without `.git`; of a mode only whether it is executable; of archives and patches only that they are there. */
async function changesIn(fs: FileSystem, before: ReadonlyMap<string, Entry>): Promise<Record<string, Change>> {
  const isSkipped = (path: string) => path.split('/').includes('.git')
  const after = new Map<string, Entry>()
  for await (const { path } of walk(fs, corpusDirectory)) {
    const name = path.slice(corpusDirectory.length + 1)
    if (name === '') continue
    const { kind, mode = 0o644 } = await fs.stat(path)
    if (kind === 'directory') after.set(name, { kind })
    else if (kind === 'symlink') after.set(name, { kind, target: (await fs.readLink?.(path)) ?? '' })
    else after.set(name, { kind: 'file', bytes: await fs.readFile(path), mode })
  }
  const changes: Record<string, Change> = {}
  for (const path of before.keys()) if (!isSkipped(path) && !after.has(path)) changes[path] = null
  for (const [path, now] of after) {
    const then = before.get(path)
    if (isSkipped(path) || (then !== undefined && isSame(now, then))) continue
    if (now.kind === 'directory') changes[path] = { dir: true }
    else if (now.kind === 'symlink') changes[path] = { link: now.target }
    else if (/\.(tgz|tar|gz|zip|tbz|xz|bz2|diff|patch)$/.test(path)) changes[path] = { any: true }
    else changes[path] = { ...(await described(now.bytes)), ...((now.mode & 0o100) !== 0 && { exec: true as const }) }
  }
  return changes
}

function isSame(one: Entry, other: Entry): boolean {
  if (one.kind === 'symlink') return other.kind === 'symlink' && one.target === other.target
  if (one.kind !== 'file' || other.kind !== 'file') return one.kind === other.kind
  return areEqual(one.bytes, other.bytes) && (one.mode & 0o100) === (other.mode & 0o100)
}

async function described(bytes: Uint8Array): Promise<Content> {
  if (bytes.length > 8192) return { sha256: await sha256(bytes), size: bytes.length }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return areEqual(encode(text), bytes) ? { text } : { base64: toBase64(bytes) }
}

async function isSameOutput(output: Uint8Array, wanted: Content, isUnordered: boolean): Promise<boolean> {
  if ('sha256' in wanted) return output.length === wanted.size && (await sha256(output)) === wanted.sha256
  const bytes = 'text' in wanted ? encode(wanted.text) : fromBase64(wanted.base64)
  if (areEqual(bytes, output)) return true
  const sorted = (given: Uint8Array) => latin1(given).split('\n').sort().join('\n')
  return isUnordered && sorted(bytes) === sorted(output)
}

function canonical(changes: Record<string, Change>): string {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
  const entries = Object.entries(changes).sort(byName)
  return JSON.stringify(entries.map(([path, change]) => [path, change && Object.entries(change).sort(byName)]))
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function toBase64(bytes: Uint8Array): string {
  return btoa(latin1(bytes))
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false
  return true
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
