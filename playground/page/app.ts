/** State shared by all panels: the open workspace, its events and notifications to the user. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type { Activity, CallSeen } from '../../src/engine/ui-protocol.js'
import { FsError, isFsError } from '../../src/errors.js'
import { type FileEndpoint, serveFiles } from '../../web/endpoint/endpoint.js'
import type { WorkspaceAbout } from '../../web/engine/engine.js'
import type { FileSource } from '../../web/engine/file-source.js'
import type { ServerPlace } from '../../web/remote/connection.js'
import type { RemoteEvents, RemoteFiles } from '../../web/remote/remote.js'
import { lookNowAndThen, rememberServer } from '../remote/server-of.js'
import { type Author, createAuthors } from './authors.js'
import { type Connection, connect, type TrafficEntry } from './connection.js'
import { describe } from './describe-error.js'
import { createEvents, type Events } from './events.js'
import { userChanges } from './user-changes.js'
import { watchFolder } from './watch-folder.js'

export interface Place {
  /** The name shown to the user. */
  title: string
  kind: 'memory' | 'opfs' | 'folder' | 'zip' | 'clone' | 'server'
  source: FileSource | ServerPlace
}

export interface OpenWorkspace extends Place {
  files: FileEndpoint
  about: WorkspaceAbout
}

/** Two texts to compare. */
export interface Versions {
  before: string
  after: string
}

export interface AppEvents {
  /** Another workspace was opened. */
  opened: OpenWorkspace
  /** The file tree of a newly opened workspace is visible: less urgent work can start now. */
  listed: OpenWorkspace
  /** The worker that holds the files failed; the workspace is being reopened. */
  lost: Place
  /** Files were changed, by the user, a tool, the shell or another tab. */
  changed: ChangeRecord
  /** Other programs may have changed these paths, or any path when none are given. `isLook`: it is only time to look, nothing was noticed. */
  outside: { paths?: readonly string[]; isLook?: true }
  /** A command in the terminal writes something. */
  terminal: { stream: 'stdout' | 'stderr'; text: string }
  /** So many files are being written to the browser's storage. */
  storing: number
  /** Show a file; `part` selects a part of the line, `focus` also moves the cursor into the editor, and `changed` marks lines that an agent has changed. */
  show: {
    path: string
    line?: number
    part?: { column: number; length: number }
    focus?: boolean
    changed?: readonly number[]
  }
  /**
   * Show the difference between two versions of a file; `load` reads them again, for versions that can still change. One with the same path
   * and title is replaced; `about` says more.
   */
  compare: Versions & { path: string; title: string; about?: string; load?: () => Promise<Versions | undefined> }
  traffic: TrafficEntry
  dialect: string
  /** Bring a panel to the front. */
  panel: string
  /** Start the demo, or ask for a model. */
  agent: 'demo' | 'model'
  /** A client of the server has made a call, or it has come further. */
  call: CallSeen
  /** A client or a server has come or gone, or has to ask. */
  people: Omit<Activity, 'calls'>
  /** The server is reached, or not for the moment. */
  link: boolean
  /** The server was started again and does not admit the page any more. */
  barred: Place
  /** The browser withdrew the page's access to the folder. */
  denied: OpenWorkspace
}

export interface App extends Pick<Events<AppEvents>, 'on' | 'emit'> {
  readonly workspace: OpenWorkspace
  readonly dialect: string
  /** Opens another workspace, unless the user wants to stay because of edits that can't be saved. */
  open(place: Place): Promise<void>
  /** Opens a workspace again that was lost, as what was typed meanwhile waits for it. */
  reopen(place: Place): Promise<void>
  /** Registers a function that saves pending edits before another workspace is opened; false stays in this one. */
  beforeLeaving(save: () => Promise<boolean>): void
  /**
   * Opens a workspace for a while. The one that is left stays open, also where it is only in memory, and comes back unchanged.
   */
  visit(place: Place): Promise<Visit>
  setDialect(name: string): void
  /** True for a change that no tool made: the page itself, on behalf of the user, or another tab. */
  isOfUser(record: ChangeRecord): boolean
  /** True when closing the page would lose changes. */
  hasUnsaved(): boolean
  /** True while changes are being written to the browser's storage. */
  isStoring(): boolean
  /** Who made a change, where the page knows it. */
  authorOf(record: ChangeRecord): string | undefined
  /** Opens a new MCP connection; its messages appear in the traffic log, and its changes are recorded as the author's. */
  connect(dialect?: string, author?: Author): Promise<Connection>
  /** Shows a message to the user; one of kind `failed` stays until it is dismissed. */
  notify(message: string, kind?: 'done' | 'failed', action?: NoticeAction): void
  /** Runs `run`, reports a failure to the user, and shows progress when it takes long. Undefined after a failure. */
  attempt<Result>(what: string, run: () => Promise<Result>): Promise<Result | undefined>
}

/** A workspace that is open beside the user's own. */
export interface Visit {
  readonly isHere: boolean
  /** Shows it again. */
  enter(): Promise<void>
  /** Shows the user's workspace again. */
  leave(): Promise<void>
  /** Closes it for good, after `leave`. */
  close(): Promise<void>
}

/** A button in a notification. */
export interface NoticeAction {
  label: string
  run(): void
}

export interface Notices {
  /** Returns a function that removes the message. */
  notify(message: string, kind: 'done' | 'failed', action?: NoticeAction): () => void
  /** Shows a message while something is in progress. */
  progress(message: string): { update(message: string): void; end(): void }
}

/** Work that takes longer than this shows its progress. */
const showProgressAfterMs = 300

export function createApp(notices: Notices): App {
  const events = createEvents<AppEvents>()
  let workspace: OpenWorkspace | undefined
  let dialect = 'polyfs'
  let tabs: BroadcastChannel | undefined
  /** There are changes that are only in memory. */
  let unsaved = false
  /** How many flushes to the browser's storage are in progress. */
  let storing = 0
  /** How many files they write. */
  let filesToStore = 0
  let stopWatching = () => {}
  /** Removes the notice that the server does not admit the page. */
  let admitted = () => {}
  const users = userChanges()
  const authors = createAuthors()
  /** The visit that is shown, and the user's workspace meanwhile. */
  let visiting: { home: OpenWorkspace; homeUnsaved: boolean } | undefined
  const savers: Array<() => Promise<boolean>> = []

  async function save(): Promise<void> {
    for (const each of savers) if (!(await each())) throw new FsError('ABORTED', {})
  }

  async function saveAndOpen(place: Place): Promise<void> {
    await save()
    const { home } = visiting ?? {}
    visiting = undefined
    await open(place)
    void home?.files.close().catch(() => {})
  }

  async function visit(place: Place): Promise<Visit> {
    if (visiting !== undefined) throw new Error('Another workspace is visited already')
    await save()
    let stay = { home: app().workspace, homeUnsaved: unsaved }
    await open(place, { beside: true })
    visiting = stay
    const own = app().workspace
    return {
      get isHere() {
        return visiting === stay
      },
      async enter() {
        if (visiting !== undefined) return
        await save()
        stay = { home: app().workspace, homeUnsaved: unsaved }
        visiting = stay
        show(own, false)
      },
      async leave() {
        if (visiting !== stay) return
        await save()
        visiting = undefined
        show(stay.home, stay.homeUnsaved)
      },
      async close() {
        if (visiting !== stay) await own.files.close().catch(() => {})
      },
    }
  }

  /** Shows a workspace that is open already. */
  function show(next: OpenWorkspace, isUnsaved: boolean): void {
    stopWatching()
    tabs = otherTabs(next)
    stopWatching = watching(next)
    workspace = next
    unsaved = isUnsaved
    authors.open(storedName(next))
    events.emit('opened', next)
  }

  function watching({ source }: Place): () => void {
    const look = () => events.emit('outside', { isLook: true })
    if ('server' in source) return lookNowAndThen(look)
    if (!('directory' in source)) return () => {}
    return watchFolder(source.directory, (paths) => events.emit('outside', paths ? { paths } : {}), look)
  }

  async function open(place: Place, { beside = false } = {}): Promise<void> {
    const progress = notices.progress(`Opening ${place.title}…`)
    const isStored = isKept(place)
    /** Removes the notice that changes are not saved. */
    let delayed: (() => void) | undefined
    let files: FileEndpoint | undefined
    const isShown = () => files === undefined || workspace?.files === files
    try {
      const handlers = {
        onProgress: ({ files: count, bytes }: { files: number; bytes: number }) =>
          progress.update(`Loading ${place.title}: ${count} files, ${Math.round(bytes / 1000)} kB`),
        onFault(fault: unknown) {
          if (!isFsError(fault)) {
            notices.notify(`Unexpected error: ${describe(fault)}`, 'failed')
            return
          }
          if (isShown()) unsaved = true
          delayed ??= notices.notify(
            `Not saved yet: ${describe(fault)}. Nothing is lost while this page stays open: free some space and it will be saved, or export a zip.`,
            'failed',
          )
        },
        onStored() {
          if (isShown()) unsaved = false
          delayed?.()
          delayed = undefined
          notices.notify('All changes are saved', 'done')
        },
        onTerminalOutput: (output: AppEvents['terminal']) => events.emit('terminal', output),
        onChanged(record: ChangeRecord) {
          // Another one is shown meanwhile.
          if (!isShown()) return
          if (isStored) tabs?.postMessage(record)
          else unsaved = true
          authors.note(record, users.has(record) ? 'you' : undefined)
          events.emit('changed', record)
          if (isStored && workspace !== undefined) void store(workspace.files, filesIn(record))
        },
      }
      const { source } = place
      const remote = 'server' in source && (await connectTo(source, handlers))
      const served = remote || (await serveFiles({ fs: source as FileSource, dialect, ...handlers }))
      files = authors.watching(users.watching(served))
      if (remote) rememberServer(files, remote)
      tabs = otherTabs(place)
      stopWatching()
      stopWatching = watching(place)
      const before = workspace
      workspace = { ...place, files, about: await files.about() }
      unsaved = false
      admitted()
      authors.open(storedName(place))
      // Closing fails when the worker has failed.
      if (!beside) void before?.files.close().catch(() => {})
      void files.ended.then((reason) => reason && workspace?.files === files && void recover(place, reason))
      events.emit('opened', workspace)
    } finally {
      progress.end()
    }
  }

  async function connectTo(source: ServerPlace, handlers: RemoteEvents): Promise<RemoteFiles> {
    const { connectFiles } = await import('../../web/remote/remote.js')
    return connectFiles(source, {
      ...handlers,
      onCall: (call) => events.emit('call', call),
      onPeople: (people) => events.emit('people', people),
      onState: (isConnected) => events.emit('link', isConnected),
    })
  }

  async function store(files: FileEndpoint, count: number): Promise<void> {
    storing += 1
    filesToStore += count
    events.emit('storing', filesToStore)
    // `onFault` reports what could not be stored.
    await files.flush().catch(() => {})
    storing -= 1
    filesToStore -= count
    events.emit('storing', filesToStore)
  }

  /** Tabs that have the same workspace open report their changes to each other. */
  function otherTabs({ kind, title }: Place): BroadcastChannel | undefined {
    tabs?.close()
    if (kind !== 'opfs') return undefined
    const channel = new BroadcastChannel(`polyfs-playground ${title}`)
    channel.onmessage = ({ data }) => {
      users.add(data)
      authors.note(data, 'another tab')
      events.emit('changed', data)
    }
    return channel
  }

  /** Replaces a failed worker. What reached storage is intact, and the journal recovers changes that were half done. */
  async function recover(place: Place, reason: Error): Promise<void> {
    events.emit('lost', place)
    if (isNotAdmitted(reason)) {
      stopWatching()
      events.emit('barred', place)
      admitted = notices.notify(startedAgain, 'failed')
      return
    }
    const isStored = isKept(place)
    notices.notify(
      `${reason.message}. ${isStored ? 'Reopening the workspace.' : 'Changes that were only in memory are lost.'}`,
      'failed',
    )
    await attempt(`reopen ${place.title}`, () => open(place))
  }

  async function attempt<Result>(what: string, run: () => Promise<Result>): Promise<Result | undefined> {
    let progress: ReturnType<Notices['progress']> | undefined
    const timer = setTimeout(() => {
      progress = notices.progress(`${what.charAt(0).toUpperCase()}${what.slice(1)}…`)
    }, showProgressAfterMs)
    const files = workspace?.files
    try {
      return await run()
    } catch (error) {
      const isLeft = files !== undefined && workspace?.files !== files
      if (isFsError(error, 'DENIED') && workspace?.kind === 'folder') events.emit('denied', workspace)
      // One notice has said so, and what to do.
      else if (isNotAdmitted(error)) return undefined
      // Nobody waits for what was asked of a workspace that was closed meanwhile.
      else if (isLeft && !isFsError(error)) return undefined
      // Cancelling a dialog is not a failure.
      else if (!isFsError(error, 'ABORTED')) notices.notify(`Could not ${what}: ${describe(error)}`, 'failed')
      return undefined
    } finally {
      clearTimeout(timer)
      progress?.end()
    }
  }

  const made: App = {
    on: events.on,
    emit: events.emit,
    get workspace() {
      if (workspace === undefined) throw new Error('No workspace is open')
      return workspace
    },
    get dialect() {
      return dialect
    },
    open: saveAndOpen,
    reopen: (place) => open(place),
    visit,
    isOfUser: users.has,
    beforeLeaving: (save) => void savers.push(save),
    setDialect(name) {
      dialect = name
      events.emit('dialect', name)
    },
    // What is visited is a copy that nobody misses.
    hasUnsaved: () => visiting?.homeUnsaved ?? unsaved,
    isStoring: () => storing > 0,
    authorOf: authors.of,
    async connect(name = dialect, author = 'tools panel') {
      if (workspace === undefined) throw new Error('No workspace is open')
      const { files } = workspace
      const connection = await connect(files.connect({ dialect: name }), (entry) => events.emit('traffic', entry))
      return {
        ...connection,
        callTool: (...call) => authors.acting(author, files, () => connection.callTool(...call)),
      }
    },
    notify: (message, kind = 'done', action) => void notices.notify(message, kind, action),
    attempt,
  }
  const app = () => made
  return made
}

const startedAgain =
  'polyfs ui was started again, so this page has to be let in again. Open the address that it has printed, in this tab or in another one of this browser: what you typed here stays.'

/** By its name: the connection is loaded only where there is a server. */
function isNotAdmitted(error: unknown): boolean {
  return error instanceof Error && error.name === 'NotAdmitted'
}

/** True for places whose changes outlive the page. */
function isKept({ kind }: Place): boolean {
  return kind === 'opfs' || kind === 'folder' || kind === 'server'
}

/** The name under which a workspace comes back after a reload. */
function storedName({ kind, title }: Place): string | undefined {
  return kind === 'opfs' || kind === 'folder' ? `${kind}:${title}` : undefined
}

function filesIn({ steps }: ChangeRecord): number {
  return steps.filter((step) => step.do === 'set' && step.after.kind === 'file').length
}
