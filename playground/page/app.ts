/** State shared by all panels: the open workspace, its events and notifications to the user. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type { Activity, CallSeen } from '../../src/engine/ui-protocol.js'
import { FsError, isFsError } from '../../src/errors.js'
import { type FileEndpoint, serveFiles } from '../../web/endpoint/endpoint.js'
import type { FileSource } from '../../web/engine/file-source.js'
import type { ServerPlace } from '../../web/remote/connection.js'
import type { RemoteEvents, RemoteFiles } from '../../web/remote/remote.js'
import { isNotAdmitted, rememberServer } from '../remote/server-of.js'
import { type Attempt, createAttempt } from './attempt.js'
import { type Author, createAuthors } from './authors.js'
import { type Connection, connect, type TrafficEntry } from './connection.js'
import { describe } from './describe-error.js'
import { createEvents, type Events } from './events.js'
import type { NoticeAction, Notices } from './notices.js'
import { otherWriters } from './other-writers.js'
import { isKept, type OpenWorkspace, type Place, storedName } from './place.js'
import { createStoring } from './storing.js'
import { userChanges } from './user-changes.js'
import { createVisits, type Visit } from './visits.js'

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
  attempt: Attempt
}

export function createApp(notices: Notices): App {
  const events = createEvents<AppEvents>()
  let workspace: OpenWorkspace | undefined
  let dialect = 'polyfs'
  /** There are changes that are only in memory. */
  let isUnsaved = false
  /** Removes the notice that the server does not admit the page. */
  let admitted = () => {}
  const savers: Array<() => Promise<boolean>> = []
  const users = userChanges()
  const authors = createAuthors()
  const storing = createStoring((count) => events.emit('storing', count))
  const others = otherWriters({
    onTab(record) {
      users.add(record)
      authors.note(record, 'another tab')
      events.emit('changed', record)
    },
    onPrograms: (paths) => events.emit('outside', paths ? { paths } : {}),
    onLook: () => events.emit('outside', { isLook: true }),
  })
  const visits = createVisits({
    save,
    shown: () => ({ workspace: opened(), isUnsaved }),
    openBeside: (place) => open(place, { beside: true }),
    show(shown) {
      others.follow(shown.workspace)
      workspace = shown.workspace
      isUnsaved = shown.isUnsaved
      authors.open(storedName(workspace))
      events.emit('opened', workspace)
    },
  })
  const attempt = createAttempt(notices, {
    workspace: () => workspace,
    onDenied: (denied) => events.emit('denied', denied),
  })

  function opened(): OpenWorkspace {
    if (workspace === undefined) throw new Error('No workspace is open')
    return workspace
  }

  async function save(): Promise<void> {
    for (const each of savers) if (!(await each())) throw new FsError('ABORTED', {})
  }

  async function saveAndOpen(place: Place): Promise<void> {
    await save()
    const left = visits.end()
    await open(place)
    void left?.files.close().catch(() => {})
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
          if (isShown()) isUnsaved = true
          delayed ??= notices.notify(
            `Not saved yet: ${describe(fault)}. Nothing is lost while this page stays open: free some space and it will be saved, or export a zip.`,
            'failed',
          )
        },
        onStored() {
          if (isShown()) isUnsaved = false
          delayed?.()
          delayed = undefined
          notices.notify('All changes are saved', 'done')
        },
        onPython,
        onTerminalOutput: (output: AppEvents['terminal']) => events.emit('terminal', output),
        onChanged(record: ChangeRecord) {
          // Another one is shown meanwhile.
          if (!isShown()) return
          if (isStored) others.tell(record)
          else isUnsaved = true
          authors.note(record, users.has(record) ? 'you' : undefined)
          events.emit('changed', record)
          if (isStored && workspace !== undefined) void storing.store(workspace.files, record)
        },
      }
      const { source } = place
      const remote = 'server' in source && (await connectTo(source, handlers))
      const served = remote || (await serveFiles({ fs: source as FileSource, dialect, ...handlers }))
      files = authors.watching(users.watching(served))
      if (remote) rememberServer(files, remote)
      others.follow(place)
      const before = workspace
      workspace = { ...place, files, about: await files.about() }
      isUnsaved = false
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

  let python: ReturnType<typeof notices.progress> | undefined
  function onPython(phase: string): void {
    python?.end()
    if (phase === 'loading') python = notices.progress('Loading Python, 12 MB…')
    if (phase === 'preparing') python = notices.progress('Preparing Python for the first time, for some ten seconds…')
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

  /** Replaces a failed worker. What reached storage is intact, and the journal recovers changes that were half done. */
  async function recover(place: Place, reason: Error): Promise<void> {
    events.emit('lost', place)
    if (isNotAdmitted(reason)) {
      others.stop()
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

  return {
    on: events.on,
    emit: events.emit,
    get workspace() {
      return opened()
    },
    get dialect() {
      return dialect
    },
    open: saveAndOpen,
    reopen: (place) => open(place),
    visit: visits.begin,
    isOfUser: users.has,
    beforeLeaving: (save) => void savers.push(save),
    setDialect(name) {
      dialect = name
      events.emit('dialect', name)
    },
    // What is visited is a copy that nobody misses.
    hasUnsaved: () => visits.home?.isUnsaved ?? isUnsaved,
    isStoring: storing.isStoring,
    authorOf: authors.of,
    async connect(name = dialect, author = 'tools panel') {
      const { files } = opened()
      const connection = await connect(files.connect({ dialect: name }), (entry) => events.emit('traffic', entry))
      return {
        ...connection,
        callTool: (...call) => authors.acting(author, files, () => connection.callTool(...call)),
      }
    },
    notify: (message, kind = 'done', action) => void notices.notify(message, kind, action),
    attempt,
  }
}

const startedAgain =
  'polyfs ui was started again, so this page has to be let in again. Open the address that it has printed, in this tab or in another one of this browser: what you typed here stays.'
