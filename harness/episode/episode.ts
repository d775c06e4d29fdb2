/** Episodes: a tree, its tools and a record of their calls, all of it repeatable and forkable. */
import { changeId } from '../../src/change/change-id.js'
import { type MemoryJournal, memoryJournal } from '../../src/change/journal/journal.js'
import { processLocks } from '../../src/change/locks/locks.js'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { type ToolSet, tools } from '../../src/dialects/tool-definitions.js'
import {
  memory as emptyTree,
  fromNodes,
  type MemoryFileSystem,
  type MemoryOptions,
} from '../../src/fs/backends/memory.js'
import type { DirectoryNode } from '../../src/fs/backends/memory-nodes.js'
import { sha256 } from '../../src/fs/digests/sha256.js'
import type { Root } from '../../src/fs/gate/confine.js'
import { resolve } from '../../src/fs/path.js'
import { serialQueue } from '../../src/fs/serial-queue.js'
import type { Shell } from '../../src/shell/types.js'
import { type SeededRandom, seededRandom } from '../../src/text/seeded-random.js'
import type { CallOptions } from '../../src/tools/call-tool.js'
import type { ToolResult } from '../../src/tools/dialect.js'
import { selectTools } from '../../src/tools/select.js'
import { version } from '../../src/version.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Session, Workspace } from '../../src/workspace/workspace.js'
import { type RecordedTrace, recordedTrace } from '../trace/trace.js'
import {
  type Episode,
  type EpisodeOptions,
  type RecordedExchange,
  type TraceEvent,
  type TraceHeader,
  traceFormat,
} from '../types.js'
import { type EpisodeMemory, episodeMemory, heldBytes } from './episode-memory.js'
import { episodeShell } from './episode-shell.js'
import { type FaultInjector, faultInjector } from './fault-schedule.js'
import { createMeter, exhaustedText, fullText, type Meter } from './meter.js'
import { asRecorded, outcomeOf, type RecordedCall, recordedDialect, resultOf } from './recorded-dialect.js'
import { recordedNetwork } from './recorded-network.js'
import { startTree } from './start-tree.js'
import { treeChanges } from './tree-changes.js'
import { treeHash } from './tree-hash.js'

const defaultStartMs = Date.UTC(2026, 0, 1)
const defaultStepMs = 1000
/** Some seconds of work. */
const defaultStatements = 1_000_000

const defaultMaxBytes = 256 << 20

/** Everything that an episode changes, and that a fork of it starts with. */
interface State {
  tree: MemoryFileSystem
  scratch: Scratch
  journal: MemoryJournal
  clock: { ms: number }
  random: SeededRandom
  /** How many ids changes have got. */
  ids: number
  meter: Meter
  memory: EpisodeMemory
  faults: FaultInjector | undefined
  /** Why the run can't be trusted. */
  disturbed: string | undefined
  /** What the running call has asked of the network. */
  exchanges: RecordedExchange[]
  /** The workspaces of the original, whose sessions and answers go along. */
  original?: { workspace: Workspace; session: Session }
}

/** Where commands put temporary files. */
interface Scratch {
  open(): MemoryFileSystem
  snapshot(): DirectoryNode
}

/** What all forks of an episode share. */
interface Given {
  options: EpisodeOptions
  start: DirectoryNode
  stepMs: number
  roots: readonly [Root, ...Root[]]
}

/** A workspace in memory whose calls are recorded. The same options and the same calls give the same results, on any machine. */
export async function openEpisode(options: EpisodeOptions): Promise<Episode> {
  if (typeof options.shell === 'object') {
    throw new TypeError(
      'The shell of an episode must be a function, such as emulatedShell(): every fork needs its own.',
    )
  }
  const { seed = 1, startMs = defaultStartMs, stepMs = defaultStepMs, budget = {} } = options
  const clock = { ms: startMs }
  const now = () => clock.ms
  const { maxBytes = defaultMaxBytes, sharedRoom: shared } = options
  const memory = episodeMemory({ maxBytes, shared, onSharedFull: () => disturbedByOthers(state) })
  const room = memory.files
  const tree = (await startTree(options.files, startMs)).fork({ now, room })
  const start = tree.snapshot()
  const root = resolve('/', options.root ?? '/')
  const all: Root = { path: '/', access: 'read-write' }
  const roots: Given['roots'] = root === '/' ? [all] : [{ ...all, path: root }, all]
  const state: State = {
    tree,
    scratch: scratchSpace(emptyTree({}, { now }).snapshot(), { now, room }),
    journal: memoryJournal(),
    clock,
    random: seededRandom(seed),
    ids: 0,
    meter: createMeter(budget),
    memory,
    faults: options.faults && faultInjector(options.faults, { seed, root }),
    disturbed: undefined,
    exchanges: [],
  }
  const stateHash = await treeHash(start)
  const begin = ({ tools, shell }: Workspaces): Events => [
    {
      type: 'header',
      format: traceFormat,
      version,
      ...described(options, root),
      seed,
      startMs,
      stepMs,
      ...(shell?.kind === 'real' && { tier: 'real' as const }),
      toolsHash: sha256(new TextEncoder().encode(JSON.stringify(tools.definitions))),
      stateHash,
    },
  ]
  const episode = assemble({ options, start, stepMs, roots }, state, begin, options.onEvent)
  options.onEvent?.(episode.trace.header)
  return episode
}

/** Opened with the first command: most forks run none. */
function scratchSpace(start: DirectoryNode, options: MemoryOptions): Scratch {
  let opened: MemoryFileSystem | undefined
  return {
    open() {
      opened ??= fromNodes(start, options)
      return opened
    },
    snapshot: () => opened?.snapshot() ?? start,
  }
}

/** What the header of the trace says of the options. */
function described(
  {
    dialect = polyfs,
    tools: chosen,
    task,
    limits = {},
    budget = {},
    faults,
    env,
    network,
    maxStatements,
    maxBytes,
  }: EpisodeOptions,
  root: string,
) {
  return {
    ...(task !== undefined && { task }),
    dialect: dialect.name,
    ...(chosen !== undefined && { tools: chosen }),
    root,
    budget,
    limits,
    ...(faults && { faults }),
    ...(env && { env }),
    ...(network && { network: network.allowed }),
    ...(maxStatements !== undefined && { maxStatements }),
    ...(maxBytes !== undefined && { maxBytes }),
  }
}

function disturbedByOthers(state: State): void {
  state.disturbed ??= 'the memory that it shares with other episodes was used up'
}

type Events = readonly [TraceHeader, ...TraceEvent[]]

/** What an agent gets. */
interface Workspaces {
  tools: ToolSet
  shell: Shell | undefined
}

function assemble(
  given: Given,
  state: State,
  begin: (given: Workspaces) => Events,
  onEvent?: EpisodeOptions['onEvent'],
): Episode {
  const { options, start, stepMs } = given
  const { tree, clock, random, meter } = state
  const { dialect: plain = polyfs, budget = {}, maxBytes = defaultMaxBytes } = options
  const chosen = options.tools === undefined ? plain : selectTools(plain, options.tools)
  const session: Session = {}
  const workspace = openWorkspaces(given, state, session)
  const enqueue = serialQueue()
  let running = 0

  /** Calls run one at a time, in the order in which they arrive. */
  function run({ tool, args, make, context }: RecordedCall): Promise<ToolResult> {
    running += 1
    const made = enqueue(async () => {
      if (meter.exhausted !== undefined) return refusal(exhaustedText(meter.exhausted, budget))
      if (!state.memory.record(heldBytes(args))) return refusal(fullText(maxBytes))
      clock.ms += stepMs
      state.faults?.beginCall()
      state.exchanges = []
      const began = performance.now()
      const outcome = await outcomeOf(make(ownContext(context)))
      const stateHash = await treeHash(tree.snapshot())
      const wallMs = Math.round(performance.now() - began)
      const result = asRecorded(outcome)
      const faults = state.faults?.taken() ?? []
      const step = meter.spent.calls + 1
      trace.addCall({
        type: 'call',
        step,
        tool,
        args,
        result,
        stateHash,
        ...(state.exchanges.length > 0 && { network: state.exchanges }),
        ...(faults.length > 0 && { faults }),
        wallMs,
      })
      return resultOf(outcome)
    })
    return made.finally(() => {
      running -= 1
    })
  }

  /** All callers are one agent, who has one session, whatever connection it comes through. */
  function ownContext({ asked: _, ...context }: CallOptions): CallOptions {
    function onFault(fault: unknown): void {
      state.disturbed ??= `polyfs failed internally: ${fault}`
      context.onFault?.(fault)
    }

    return { ...context, session, onFault }
  }

  const dialect = recordedDialect(chosen, {
    run,
    refused: (call) => {
      const step = meter.spent.calls + 1
      trace.addCall({
        type: 'call',
        step,
        ...call,
        result: asRecorded(call.result),
        stateHash: lastHash(trace.events),
        wallMs: 0,
      })
    },
  })
  const set = tools(workspace, { dialect })
  const trace: RecordedTrace = recordedTrace({
    events: begin({ tools: set, shell: workspace.shell }),
    onAdd(event) {
      meter.count(event)
      // The arguments of a call were counted before it was made.
      state.memory.record(heldBytes(event.type === 'call' ? [event.result, event.network] : event))
      onEvent?.(event)
    },
  })

  return {
    workspace,
    dialect,
    tools: set,
    trace,
    get exhausted() {
      return meter.exhausted ?? (state.memory.isFull ? 'memory' : undefined)
    },
    get disturbed() {
      return state.disturbed
    },
    fork(forkOptions = {}) {
      if (running > 0) throw new Error('An episode can be forked only between calls: await the running one first.')
      const forked = { ms: clock.ms }
      const now = () => forked.ms
      const { seed, onEvent: onForkEvent } = forkOptions
      const memory = forkOptions.ownMemory
        ? episodeMemory({ maxBytes })
        : state.memory.fork(() => disturbedByOthers(next))
      const room = memory.files
      const next: State = {
        tree: tree.fork({ now, room }),
        scratch: scratchSpace(state.scratch.snapshot(), { now, room }),
        memory,
        journal: state.journal.fork(),
        clock: forked,
        random: seededRandom(seed ?? random.state()),
        ids: state.ids,
        meter: meter.fork(),
        faults: forkOptions.faults === false ? undefined : state.faults?.fork({ ...(seed !== undefined && { seed }) }),
        disturbed: state.disturbed,
        exchanges: [],
        original: { workspace, session },
      }
      // The same tools, and a header was written.
      return assemble(given, next, () => trace.events as Events, onForkEvent)
    },
    idle: () => enqueue(async () => {}),
    changes: async () => treeChanges(start, tree.snapshot()),
    stateHash: () => treeHash(tree.snapshot()),
    async close() {
      state.memory.release()
      await session.chosen?.shell?.close()
      await workspace.shell?.close()
    },
  }
}

/** The workspace of an episode. In a fork, it and the one that the agent has chosen go on from where those of the original are. */
function openWorkspaces({ options, roots }: Given, state: State, session: Session): Workspace {
  const { tree, scratch, journal, clock, random, memory } = state
  const { shell, env = {}, maxStatements = defaultStatements } = options
  const network = options.network && recordedNetwork(options.network, (exchange) => state.exchanges.push(exchange))
  const { maxHistoryBytes = Infinity } = options.limits ?? {}
  const limits = { ...options.limits, maxHistoryBytes: Math.min(maxHistoryBytes, memory.historyBytes) }
  const onWallClock = (command: string) => {
    state.disturbed ??= `a command was ended by the machine's clock: ${command.slice(0, 200)}`
  }
  const locks = processLocks()

  function open(within: readonly [Root, ...Root[]], from?: Workspace): Workspace {
    return createWorkspace({
      fs: state.faults?.wrap(tree) ?? tree,
      roots: within,
      journal,
      locks,
      now: () => clock.ms,
      random,
      watchCommands: false,
      ...(network && { network }),
      limits,
      ...(shell && { shell: episodeShell(shell, { env, maxStatements, onWallClock }) }),
      internals: {
        scratch: scratch.open,
        moveClock: (nowMs) => {
          clock.ms = Math.max(clock.ms, nowMs)
        },
        changeIds: (atMs) => changeId(atMs, ++state.ids, '00000000'),
        // Faults are for tools, not for what shows the tree to programs.
        ...(tree.moment && { moment: tree.moment }),
        ...(from && { recovered: from.ready }),
        ...(from?.shell && { shellBefore: new WeakRef(from.shell) }),
      },
    })
  }

  /** With a copy of what calls have left in the original. */
  function goOn(from: Workspace, owners: ReadonlyMap<object, object>): Workspace {
    const opened = open(from.fs.roots, from)
    const { internals } = opened
    return { ...opened, internals: { ...internals, callMemory: from.internals.callMemory.copy(opened, owners) } }
  }

  const { original } = state
  if (original === undefined) return open(roots)
  const owners = new Map([[original.session, session]])
  const { chosen } = original.session
  if (chosen !== undefined) session.chosen = goOn(chosen, owners)
  return goOn(original.workspace, owners)
}

function refusal(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** Of the tree after the last call. */
function lastHash(events: readonly TraceEvent[]): string {
  for (let at = events.length - 1; at >= 0; at -= 1) {
    const event = events[at]
    if (event !== undefined && 'stateHash' in event) return event.stateHash
  }
  return ''
}
