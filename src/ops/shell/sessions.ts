/** Named shell sessions of a connection: each keeps its directory and exported variables from one command to the next. */
import type { StateKind } from '../../call-memory.js'
import { FsError } from '../../errors.js'
import { type SessionRequest, type ShellSession, shellSession } from '../../shell/session.js'
import type { ExecRequest, ExecResult, Shell } from '../../shell/types.js'
import type { Workspace } from '../../workspace/workspace.js'

/** Of one connection; the one that was not used for the longest time makes room for another. */
export const maxSessions = 16
const maxNameUnits = 64

export interface NamedSession {
  session: ShellSession
  /** It did not exist before this call. */
  isNew: boolean
}

type Sessions = Map<string, ShellSession>

const namedSessionsOf: StateKind<Sessions, Workspace> = {
  create: () => new Map(),
  copy: (sessions) =>
    new Map(
      [...sessions].map(([name, { initial, state }]) => [name, shellSession({ exec: execOwn }, { ...initial, state })]),
    ),
}

/** `owner` is the connection; without one all callers of the workspace share their sessions. */
function sessionsOf(workspace: Workspace, owner: object | undefined): Sessions {
  return workspace.internals.callMemory.of(namedSessionsOf, workspace, owner)
}

/** The session of this name, which starts in `cwd` if it is new. */
export function openSession(
  name: string,
  { workspace, owner, cwd }: { workspace: Workspace; owner: object | undefined; cwd: string },
): NamedSession {
  if (name === '' || name.length > maxNameUnits || !name.isWellFormed()) {
    const message = `must be a name of 1 to ${maxNameUnits} characters`
    throw new FsError('INVALID_INPUT', { issues: [{ at: ['session'], kind: 'other', message }] })
  }
  const sessions = sessionsOf(workspace, owner)
  const known = sessions.get(name)
  const session = known ?? shellSession({ exec: execOwn }, { cwd })
  // The last in a map is the one that was used last.
  sessions.delete(name)
  sessions.set(name, session)
  const [oldest] = sessions.keys()
  if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest)
  return { session, isNew: known === undefined }
}

/** Each call runs its command its own way, because the session outlives the call. */
type OwnRequest = ExecRequest & Pick<Shell, 'exec'>

function execOwn(request: ExecRequest): Promise<ExecResult> {
  // Only `runIn` runs commands in these sessions.
  const { exec, ...wanted } = request as OwnRequest
  return exec(wanted)
}

export function runIn(session: ShellSession, request: SessionRequest & Pick<Shell, 'exec'>): Promise<ExecResult> {
  return session.run(request)
}

/** The names of sessions, with the directory of each, for those who want to list them. */
export function namedSessions(workspace: Workspace, owner?: object): { name: string; cwd: string }[] {
  return [...sessionsOf(workspace, owner)].map(([name, { state }]) => ({ name, cwd: state.cwd }))
}
