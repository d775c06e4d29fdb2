/** What all panels share: the open workspace, what happens in it, and ways to tell the user. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import { isFsError } from '../../src/errors.js'
import { type FileEndpoint, serveFiles } from '../../web/endpoint/endpoint.js'
import type { WorkspaceAbout } from '../../web/engine/engine.js'
import type { FileSource } from '../../web/engine/file-source.js'
import { type Connection, connect, type TrafficEntry } from './connection.js'
import { createEvents, type Events } from './events.js'

export interface Place {
  /** What the user calls it. */
  title: string
  kind: 'memory' | 'opfs' | 'folder' | 'zip'
  source: FileSource
}

export interface OpenWorkspace extends Place {
  files: FileEndpoint
  about: WorkspaceAbout
}

export interface AppEvents {
  /** Another workspace is open. */
  opened: OpenWorkspace
  /** The tree of a workspace that was opened is on the screen: now there is time for the rest. */
  listed: OpenWorkspace
  /** The worker with the files has failed; they are being opened again. */
  lost: Place
  /** Something was changed, by whomever. */
  changed: ChangeRecord
  /** A file should be shown; with `focus`, to be typed into. */
  show: { path: string; line?: number; focus?: boolean }
  /** The difference between two versions of a file should be shown. */
  compare: { path: string; before: string; after: string; title: string }
  traffic: TrafficEntry
  dialect: string
  /** A panel should come to the front. */
  panel: string
  /** The browser no longer lets the page use the folder. */
  denied: OpenWorkspace
}

export interface App extends Pick<Events<AppEvents>, 'on' | 'emit'> {
  readonly workspace: OpenWorkspace
  readonly dialect: string
  open(place: Place): Promise<void>
  /** Done before another workspace takes the place of the one that is open. */
  beforeLeaving(save: () => Promise<void>): void
  setDialect(name: string): void
  /** Something would be lost if the page were closed now. */
  hasUnsaved(): boolean
  /** Something is on its way to where it is kept, and would be lost in this very moment. */
  isStoring(): boolean
  /** A connection of its own in the chosen dialect; its messages are in the traffic log. */
  connect(dialect?: string): Promise<Connection>
  /** Something the user should know; `failed` stays until dismissed. */
  notify(message: string, kind?: 'done' | 'failed', action?: NoticeAction): void
  /** Does something and tells when it fails; what takes long shows that it is under way. Undefined after a failure. */
  attempt<Result>(what: string, run: () => Promise<Result>): Promise<Result | undefined>
}

/** What can be done about it. */
export interface NoticeAction {
  label: string
  run(): void
}

export interface Notices {
  /** Returns what takes it away again. */
  notify(message: string, kind: 'done' | 'failed', action?: NoticeAction): () => void
  /** Returns what takes it away again. */
  progress(message: string): { update(message: string): void; end(): void }
}

/** What takes longer shows that it is under way. */
const unnoticedMs = 300

export function createApp(notices: Notices): App {
  const events = createEvents<AppEvents>()
  let workspace: OpenWorkspace | undefined
  let dialect = 'polyfs'
  let tabs: BroadcastChannel | undefined
  /** Something was changed that is only in memory. */
  let unsaved = false
  /** Changes that are on their way to the browser's storage. */
  let storing = 0
  const savers: Array<() => Promise<void>> = []

  async function leaveFor(place: Place): Promise<void> {
    for (const save of savers) await save()
    await open(place)
  }

  async function open(place: Place): Promise<void> {
    const shown = notices.progress(`Opening ${place.title}…`)
    const isKept = place.kind === 'opfs' || place.kind === 'folder'
    /** Takes back the message that something is not stored. */
    let delayed: (() => void) | undefined
    try {
      const files = await serveFiles({
        fs: place.source,
        dialect,
        onProgress: ({ files: count, bytes }) =>
          shown.update(`Loading ${place.title}: ${count} files, ${Math.round(bytes / 1000)} kB`),
        onFault(fault) {
          if (!isFsError(fault)) {
            notices.notify(`Something went wrong that should not: ${describe(fault)}`, 'failed')
            return
          }
          unsaved = true
          delayed ??= notices.notify(
            `Not saved yet: ${describe(fault)}. Keep this page open and nothing is lost: free some space and it is saved by itself, or export a zip.`,
            'failed',
          )
        },
        onStored() {
          unsaved = false
          delayed?.()
          delayed = undefined
          notices.notify('Everything is saved now', 'done')
        },
        onChanged(record) {
          if (isKept) tabs?.postMessage(record)
          else unsaved = true
          events.emit('changed', record)
          if (isKept && workspace !== undefined) void store(workspace.files)
        },
      })
      tabs = otherTabs(place)
      const before = workspace
      workspace = { ...place, files, about: await files.about() }
      unsaved = false
      // One whose worker has failed can't be closed any more.
      void before?.files.close().catch(() => {})
      void files.ended.then((reason) => reason && workspace?.files === files && void reopen(place, reason))
      events.emit('opened', workspace)
    } finally {
      shown.end()
    }
  }

  async function store(files: FileEndpoint): Promise<void> {
    storing += 1
    // What can't be stored has its own message.
    await files.flush().catch(() => {})
    storing -= 1
  }

  /** The same workspace may be open in other tabs; each tells of what it changes. */
  function otherTabs({ kind, title }: Place): BroadcastChannel | undefined {
    tabs?.close()
    if (kind !== 'opfs') return undefined
    const channel = new BroadcastChannel(`polyfs-playground ${title}`)
    channel.onmessage = ({ data }) => events.emit('changed', data)
    return channel
  }

  /** A worker that failed is replaced; what was written to storage is there, and the journal puts right what was half done. */
  async function reopen(place: Place, reason: Error): Promise<void> {
    events.emit('lost', place)
    const isKept = place.kind === 'opfs' || place.kind === 'folder'
    notices.notify(
      `${reason.message}. ${isKept ? 'The workspace is opened again.' : 'What was only in memory is gone.'}`,
      'failed',
    )
    await attempt(`open ${place.title} again`, () => open(place))
  }

  async function attempt<Result>(what: string, run: () => Promise<Result>): Promise<Result | undefined> {
    let progress: ReturnType<Notices['progress']> | undefined
    const timer = setTimeout(() => {
      progress = notices.progress(`${what.charAt(0).toUpperCase()}${what.slice(1)}…`)
    }, unnoticedMs)
    try {
      return await run()
    } catch (error) {
      if (isFsError(error, 'DENIED') && workspace?.kind === 'folder') events.emit('denied', workspace)
      // Closing a dialog is no failure.
      else if (!isFsError(error, 'ABORTED')) notices.notify(`Could not ${what}: ${describe(error)}`, 'failed')
      return undefined
    } finally {
      clearTimeout(timer)
      progress?.end()
    }
  }

  return {
    on: events.on,
    emit: events.emit,
    get workspace() {
      if (workspace === undefined) throw new Error('No workspace is open')
      return workspace
    },
    get dialect() {
      return dialect
    },
    open: leaveFor,
    beforeLeaving: (save) => void savers.push(save),
    setDialect(name) {
      dialect = name
      events.emit('dialect', name)
    },
    hasUnsaved: () => unsaved,
    isStoring: () => storing > 0,
    async connect(name = dialect) {
      if (workspace === undefined) throw new Error('No workspace is open')
      return connect(workspace.files.connect({ dialect: name }), (entry) => events.emit('traffic', entry))
    },
    notify: (message, kind = 'done', action) => void notices.notify(message, kind, action),
    attempt,
  }
}

/** What went wrong, in words for the one in front of the page. */
export function describe(error: unknown): string {
  if (isFsError(error, 'NOT_FOUND')) return `there is no ${error.facts.path}`
  if (isFsError(error, 'EXISTS')) return `${error.facts.path} is there already`
  if (isFsError(error, 'DENIED'))
    return 'the browser no longer lets this page use the folder; open it again to grant it'
  if (isFsError(error, 'NO_SPACE')) return 'the browser has no space left for this site'
  if (isFsError(error, 'READ_ONLY')) return `${error.facts.path} can only be read`
  if (isFsError(error, 'PROTECTED')) return `${error.facts.path} is protected; use the git panel for what is in .git`
  if (isFsError(error, 'STALE')) return `${error.facts.path} was changed by someone else meanwhile`
  if (isFsError(error, 'CONFLICT')) return `${error.facts.path} was changed since; undo the later change first`
  if (isFsError(error, 'BAD_ARCHIVE')) {
    return 'it is no zip archive that can be read, or it is damaged; nothing was changed'
  }
  if (isFsError(error, 'ARCHIVE_TOO_LARGE')) {
    return 'what is in it is larger than it may be when unpacked; unpack it on your computer and drop the folder'
  }
  if (isFsError(error, 'INVALID_PATH'))
    return `${error.facts.path} can't be a name here; leave out / and odd characters`
  if (isFsError(error, 'UNSUPPORTED') && error.facts.operation === 'showDirectoryPicker') {
    return 'this browser has no folder picker; use Chrome or Edge, or drop a zip'
  }
  if (isFsError(error, 'UNSUPPORTED')) return `this workspace can't do that (${error.facts.operation})`
  return error instanceof Error ? error.message : String(error)
}
