import type { Dialect } from '../../tools/dialect.js'
import type { ClientInfo, Session, Workspace } from '../../workspace/workspace.js'

/** What a connection serves. Workspaces are shared between connections; the rest is created for each. */
export interface Served {
  workspace: Workspace
  dialect: Dialect
  /** Called with internal errors; the client only learns that there was one. */
  onFault?: (fault: unknown) => void
  /** Called when a client has introduced itself, in revisions where it does so once. */
  onClient?: (client: ClientInfo, session: Session) => void
  /** Called when the connection with this session has ended; without sessions, after every request. */
  onClientGone?: (session: Session) => void
  /** Called when `initialize` has been answered, where that was done without the SDK. */
  onInitialized?: () => void
}
