/** What a page and the server behind it say to each other, beside the calls of `WorkspaceEngine`. */
import type { ChangeRecord } from '../change/journal/record.js'
import type { Fault } from './remote-calls.js'
import type { ConnectionOptions, WorkspaceAbout, WorkspaceEngine } from './workspace-engine.js'

/** A server that works on the same files. */
export interface ServerSeen {
  id: string
  pid: number
  dialect: string
  over: 'stdio' | 'http'
  roots: string[]
  sinceMs: number
}

/** A client of one of the servers, by what it says about itself. */
export interface ClientSeen {
  id: string
  server: string
  name: string
  version?: string
  sinceMs: number
  /** Its changes and commands wait for the user. */
  asks: boolean
}

export type CallKind = 'read' | 'write' | 'command'

/** A call of a tool, as far as it has come. */
export interface CallSeen {
  id: string
  client: string
  tool: string
  kind: CallKind
  /** The paths it named so far, resolved. */
  paths: string[]
  /** The arguments as JSON; long ones are cut. */
  args: string
  atMs: number
  state: 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'cancelled'
  tookMs?: number
  /** The beginning of the answer. */
  answer?: string
  /** The ids of the changes it made. */
  changes?: string[]
}

/** What the user has decided about a call. */
export interface CallDecision {
  allow: boolean
  /** What the agent is to know. */
  word?: string
}

/** What the page is shown when it connects. */
export interface Activity {
  servers: ServerSeen[]
  clients: ClientSeen[]
  /** Oldest first. */
  calls: CallSeen[]
  /** New clients have to ask. */
  newClientsAsk: boolean
}

/** Events for the page. */
export type UiEvent =
  | { changed: ChangeRecord }
  | { output: { stream: 'stdout' | 'stderr'; text: string } }
  | { fault: Fault }
  | { call: CallSeen }
  | { people: Omit<Activity, 'calls'> }
  /** A client that is new, or has to ask from now on. */
  | { client: ClientSeen }
  /** The id of one that is not listed any more. */
  | { forgotten: string }
  /** A message of an MCP connection of the page; null ends it. */
  | { mcp: { connection: number; message: unknown } }

export interface UiAbout extends WorkspaceAbout {
  roots: { path: string; access: 'read-write' | 'read-only' }[]
  dialect: string
  version: string
}

/** The functions that the page can call. */
export type UiMethods = Omit<WorkspaceEngine, 'end' | 'about'> & {
  about(): UiAbout
  mcpOpen(connection: number, options?: ConnectionOptions): Promise<void>
  /** Null ends the connection. */
  mcpSend(connection: number, message: unknown): void
  activity(): Activity
  /** Makes a client ask before changes and commands, or all clients and those to come. */
  setAsks(client: string | undefined, asks: boolean): void
  decide(call: string, decision: CallDecision): void
}

/** Whether all clients and those to come have to ask: how often that was switched on, null while it is off. */
export type Asking = number | null

/** Between a server and the one that serves the page: what is seen there. */
export type FromMember =
  | { server: ServerSeen }
  | { client: ClientSeen }
  /** A client that is not shown any more. */
  | { forgotten: string }
  | { call: CallSeen }
  | { changed: ChangeRecord }

/** And what the user wants. */
export type ToMember =
  /** The first message to a server. */
  | { joined: Asking }
  /** It was switched on or off. */
  | { all: Asking }
  | { client: string; asks: boolean }
  | { decided: { call: string; decision: CallDecision } }

/** Where the page finds the server, relative to its own address. */
export const uiPaths = {
  /** Takes a token, and returns a key. */
  enter: '/ui/enter',
  /** Answers 401 without a key that is valid. */
  key: '/ui/key',
  socket: '/ui/socket',
  /** For other servers. */
  member: '/ui/member',
  /** Large values, each by its name. */
  values: '/ui/values',
} as const

/** The subprotocol of the connection, and what the key follows in another one: pages can't send headers. */
export const uiProtocol = { name: 'polyfs-ui', key: 'key.' } as const

/** The query that says that the page belongs to a server. The token follows in the fragment, which is never sent. */
export const uiQuery = 'ui'

/** Codes of closed connections: not admitted; and the server does not know what came before. */
export const uiClose = { refused: 4401, malformed: 4400 } as const
