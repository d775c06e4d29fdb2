/**
 * The shell of this computer on the tree of any workspace. The tree is mounted for each command, in a sandbox, and what the command has changed is
 * committed as one change when it ends.
 */
import fs from 'node:fs'
import path from 'node:path'
import { commitOrFail } from '../../../bash/host/commit-or-fail.js'
import { FsError, isFsError } from '../../../src/errors.js'
import { isWithin } from '../../../src/fs/path.js'
import type { ExecRequest, ExecResult, Shell } from '../../../src/shell/types.js'
import { joinBytes } from '../../../src/text/join-bytes.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { shellName } from '../find-shell.js'
import { SandboxError } from '../sandbox/sandbox.js'
import { type Collected, collectChanges } from './collect-changes.js'
import { lookAtTree } from './known-tree.js'
import type { Stack } from './layer-store.js'
import { allowWork, commandParts, mounted, treeArguments } from './overlay-mount.js'
import { type OpenTier, openRealTier, type RealTier, type RealTierOptions } from './real-tier.js'
import { describeRefused, isAsWritten, saveChanges, withoutRefused } from './save-changes.js'

export interface RealShellOptions extends RealTierOptions {
  /** Limit for the bytes of the files that a command has changed. Default: 1 GiB. */
  maxWrittenBytes?: number
}

const defaultWrittenBytes = 1 << 30
const maxLabel = 200

/** Makes shells for workspaces, which share what they have in common. Throws a `SandboxError` where that does not work. */
export function realShell(options: RealShellOptions = {}): (workspace: Workspace) => Shell {
  const tier = openRealTier(options)
  if ('fault' in tier) throw new SandboxError(`real programs can't see this workspace: ${tier.fault}`)
  return (workspace) => shellOn(workspace, tier, options)
}

/** Why there is no real shell on trees here; undefined if there is. */
export function realShellFault(options: RealTierOptions = {}): string | undefined {
  const tier = openRealTier(options)
  return 'fault' in tier ? tier.fault : undefined
}

function stackOf(shell: Shell | undefined): Stack | undefined {
  return shell && stacks.get(shell.close)?.()
}

interface Ended {
  /** What the command saw when it began. */
  seen: Stack
  collected: Collected | Error | undefined
  /** The directory with what it has changed. */
  upper: string
  store: OpenTier['store']
}

/** What a shell has prepared, for the shells of forks. Found by a function of the shell, which wrappers of it keep. */
const stacks = new WeakMap<Shell['close'], () => Stack | undefined>()

function shellOn(workspace: Workspace, tier: RealTier, options: RealShellOptions): Shell {
  const { fs: gate } = workspace
  const { maxWrittenBytes = defaultWrittenBytes } = options
  const before = workspace.internals.shellBefore
  const running = new Map<AbortController, Promise<unknown>>()
  let stack: Stack | undefined
  let scratch: { name: string; inside: string } | undefined
  let isJoined = false
  let turn: Promise<unknown> = Promise.resolve()

  /** One at a time, so that a change is written into a layer once. */
  function stackNow(store: OpenTier['store']): Promise<Stack> {
    const next = turn.then(async () => {
      const start = stack ?? stackOf(before?.deref())
      const found = await store.stackFor(workspace, start).catch((error) => {
        throw isFsError(error) ? error : new FsError('IO', { path: gate.roots[0].path, detail: reasonOf(error) })
      })
      if (stack !== undefined) store.drop(stack.layers)
      stack = found
      store.hold(found.layers)
      return found
    })
    turn = next.catch(() => {})
    return next
  }

  function scratchIn({ place }: OpenTier, { tree }: Stack): { directory: string; inside: string } {
    if (scratch === undefined) {
      const isTaken = gate.roots.some((root) => root.path === '/tmp') || tree.stat('/tmp') !== undefined
      scratch = { name: place.newName('t'), inside: isTaken ? '/.tmp' : '/tmp' }
      fs.mkdirSync(place.path(scratch.name), { mode: 0o700 })
    }
    return { directory: place.path(scratch.name), inside: scratch.inside }
  }

  async function scratchDirectory(virtual: string): Promise<string | undefined> {
    if (scratch === undefined || !isWithin(scratch.inside, virtual)) return undefined
    if (gate.roots.some((root) => root.path !== '/' && isWithin(root.path, virtual))) return undefined
    const { place } = tier.open()
    const found = path.join(place.path(scratch.name), virtual.slice(scratch.inside.length))
    return fs.statSync(found, { throwIfNoEntry: false })?.isDirectory() ? virtual : undefined
  }

  /** Without a directory that is neither in the workspace nor in scratch space. */
  async function visible(left: ExecResult['left']): Promise<ExecResult['left']> {
    if (left?.cwd === undefined) return left
    const { cwd, ...rest } = left
    try {
      return { ...rest, cwd: (await scratchDirectory(cwd)) ?? (await gate.realPath(cwd)) }
    } catch (error) {
      if (isFsError(error)) return rest
      throw error
    }
  }

  async function run(request: ExecRequest): Promise<ExecResult> {
    if (!isJoined) tier.join()
    isJoined = true
    const opened = tier.open()
    const { place, store } = opened
    const mountedStack = await stackNow(store)
    const command = place.newName('c')
    try {
      return await runOn(mountedStack, command, request, opened)
    } finally {
      store.drop(mountedStack.layers)
      allowWork(place.path(command))
      place.remove(command)
    }
  }

  async function runOn(seen: Stack, command: string, request: ExecRequest, opened: OpenTier): Promise<ExecResult> {
    const { place, store, commands } = opened
    const at = (part: keyof typeof commandParts) => path.join(place.path(command), commandParts[part])
    fs.mkdirSync(place.path(command), { mode: 0o700 })
    for (const part of ['upper', 'work', 'merged'] as const) fs.mkdirSync(at(part), { mode: 0o755 })
    const temporary = scratchIn(opened, seen)
    const isWhole = gate.roots.some((root) => root.path === '/')
    const points = isWhole ? opened.mountPoints(temporary.inside) : undefined
    const lower = [...seen.layers.map(({ name }) => name), ...(points ? [points.name] : [])]
    const top = seen.tree.stat('/')?.mode
    if (top !== undefined) fs.chmodSync(at('upper'), top)
    const merged = at('merged')
    const belongs = (virtual: string) => virtual !== '/' && gate.roots.some((root) => isWithin(root.path, virtual))
    let collected: Collected | Error | undefined

    const result = await commands.exec(request, {
      cwd: request.cwd,
      virtualPath: (virtual) => virtual,
      sandbox: {
        program: 'bwrap',
        env: { HOME: temporary.inside, TMPDIR: temporary.inside },
        wrap(confined) {
          const mounts = treeArguments({ gate, tree: seen.tree, merged, scratch: temporary })
          const wrapped = tier.confinement.wrap(confined, [...ids, ...mounts])
          return {
            ...wrapped,
            argv: mounted(wrapped.argv, tier.programs, { directory: place.directory, lower, command }),
            descriptors: [],
            async whenEnded(holder) {
              try {
                const isMachines = (virtual: string) => points?.directories.has(virtual) ?? false
                const inNamespace = `/proc/${holder}/root${merged}`
                collected = collectChanges({
                  upper: at('upper'),
                  merged: inNamespace,
                  stack: seen,
                  belongs,
                  isMachines,
                })
              } catch (error) {
                collected = error instanceof Error ? error : new Error(String(error))
              }
            },
          }
        },
      },
    })
    return finish(result, request, { seen, collected, upper: at('upper'), store })
  }

  async function finish(
    { left: given, ...result }: ExecResult,
    request: ExecRequest,
    { seen, collected, upper, store }: Ended,
  ): Promise<ExecResult> {
    if (collected === undefined || collected instanceof Error) {
      const why = collected === undefined ? 'its sandbox was ended from outside' : collected.message
      return noted(result, request, [`polyfs: ${why}; none of its changes were saved\n`])
    }
    const saved = withoutRefused(collected, workspace)
    const notes = describeRefused(saved.refused)
    const label = request.command.slice(0, maxLabel)
    const { exitCode, ...committed } = result
    const outcome = await commitOrFail(
      () => saveChanges(saved, workspace, { label, tree: seen.tree, maxWrittenBytes }),
      { exitCode, isKilled: result.ended !== 'exit', note: (text) => void notes.push(text) },
    )
    if (outcome.isSaved && saved.changes.length > 0 && notes.length === 0) await keepAsLayer(seen, saved, upper, store)
    // Now it has what the command has made.
    const left = await visible(given)
    const code = outcome.exitCode === undefined ? {} : { exitCode: outcome.exitCode }
    const { record } = outcome
    return noted({ ...committed, ...(left && { left }), ...code, ...(record && { record }) }, request, notes)
  }

  /** What the command wrote is part of the tree now, and need not be written again for the next one. */
  async function keepAsLayer(seen: Stack, saved: Collected, upper: string, store: OpenTier['store']): Promise<void> {
    const next = turn.then(async () => {
      if (stack?.layers !== seen.layers) return
      const now = await lookAtTree(workspace)
      const own = new Set(saved.changes.map(({ path: virtual }) => virtual))
      const { gone, there } = now.since(seen.tree)
      const stale = [...gone, ...there].filter((virtual) => !own.has(virtual))
      for (const virtual of own) if (!isAsWritten(now.stat(virtual), saved.entries.get(virtual))) stale.push(virtual)
      const layers = [store.adopt(upper), ...seen.layers]
      store.hold(layers)
      store.drop(stack.layers)
      stack = { layers, tree: now, stale, base: seen.base }
    })
    turn = next.catch(() => {})
    await next
  }

  async function exec(request: ExecRequest): Promise<ExecResult> {
    if (request.signal?.aborted) throw new FsError('ABORTED', {})
    const stopper = new AbortController()
    const stop = () => stopper.abort()
    request.signal?.addEventListener('abort', stop, { once: true })
    const ran = run({ ...request, signal: stopper.signal })
    running.set(stopper, ran)
    try {
      return await ran
    } finally {
      running.delete(stopper)
      request.signal?.removeEventListener('abort', stop)
    }
  }

  async function close(): Promise<void> {
    for (const stopper of running.keys()) stopper.abort()
    await Promise.allSettled(running.values())
    if (!isJoined) return
    isJoined = false
    const { place, store } = tier.open()
    if (stack !== undefined) store.drop(stack.layers)
    stack = undefined
    if (scratch !== undefined) place.remove(scratch.name)
    scratch = undefined
    tier.leave()
  }

  stacks.set(close, () => stack)
  return {
    kind: 'real',
    engine: `the shell of this computer (${shellName(tier.found)}) on a mount of the workspace, in ${tier.confinement.name}`,
    capabilities: {
      sharesFiles: true,
      confined: true,
      recordsChanges: true,
      background: false,
      signals: true,
      posix: true,
      separateStreams: true,
    },
    exec,
    scratchDirectory,
    close,
  }
}

/** Whoever runs this process, also inside the namespaces. */
const ids = ['--uid', String(process.getuid?.() ?? 0), '--gid', String(process.getgid?.() ?? 0)]

/** Messages of our own are errors of the command, whatever fits into its output. */
function noted(result: ExecResult, { mergeStreams, onOutput }: ExecRequest, notes: readonly string[]): ExecResult {
  if (notes.length === 0) return result
  const bytes = new TextEncoder().encode(notes.join(''))
  onOutput?.({ stream: mergeStreams ? 'stdout' : 'stderr', bytes })
  const name = mergeStreams ? 'stdout' : 'stderr'
  const { bytes: before, cut } = result[name]
  return { ...result, [name]: { bytes: joinBytes([before, bytes]), cut } }
}

function reasonOf(error: unknown): string {
  return `the tree could not be written for the command (${error instanceof Error ? error.message : error})`
}
