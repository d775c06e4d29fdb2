/** What a user interface does with a workspace, wherever the workspace is: in the page, in a worker, or behind a connection. */
import type { ChangeRecord } from '../change/journal/record.js'
import { FsError } from '../errors.js'
import { type ShellSession, shellSession } from '../shell/session.js'
import type { ExecResult, Shell } from '../shell/types.js'
import { callTool, describeTool, offeredTools } from '../tools/call-tool.js'
import type { Dialect, ToolResult } from '../tools/dialect.js'
import type { Workspace } from '../workspace/workspace.js'
import { historyPatch } from './history-patch.js'
import { type OperationInput, type OperationName, type OperationResult, runOperation } from './operations.js'

export interface WorkspaceEvents {
  /** Reports errors that no call returns. */
  onFault?: (fault: unknown) => void
  /** Reports every change, whoever made it. */
  onChanged?: (record: ChangeRecord) => void
  /** Reports what a command in the terminal writes, as it is written. Its result has all of it again. */
  onTerminalOutput?: (output: { stream: 'stdout' | 'stderr'; text: string }) => void
}

/** General facts about a workspace. */
export interface WorkspaceAbout {
  /** Relative paths are resolved against this. */
  root: string
  readOnly: boolean
  /** The engine that runs commands, and whether it reads the language of a POSIX shell; absent where there is no shell. */
  shell?: { kind: Shell['kind']; engine: string; posix: boolean }
  symlinks: boolean
  modeBits: boolean
}

export interface TerminalOptions {
  /** Errors become part of `stdout`, in the order in which all of it was written. */
  mergeStreams?: boolean
  /** Variables of the session, where this is its first command. */
  env?: Readonly<Record<string, string>>
}

/** The result of a command in the terminal. */
export interface TerminalResult {
  stdout: string
  stderr: string
  ended: ExecResult['ended']
  exitCode?: number
  /** The working directory of the next command. */
  cwd: string
}

export interface ConnectionOptions {
  /** The name of a dialect other than the endpoint's default. */
  dialect?: string
  /** Adds counts, hashes and cursors to every result as structured content; see `withStructuredResults`. */
  structured?: boolean
}

export interface ListedTool {
  name: string
  title: string
  description: string
  inputSchema: object
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean }
}

export interface WorkspaceEngine {
  listTools(options?: ConnectionOptions): Promise<ListedTool[]>
  /** Calls a tool without MCP. Protocol errors are returned as results too. */
  callTool(name: string, args: unknown, options?: ConnectionOptions & { call?: number }): Promise<ToolResult>
  /** Aborts the call that was given this number. */
  cancelCall(call: number): void
  /** Runs an operation for the page's own code: neutral names in, a structured result out. */
  run<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationResult<Name>>
  about(): WorkspaceAbout
  /**
   * Runs a command in a session: it starts in the working directory where the last one ended. Fails with `UNSUPPORTED`
   * where there is no shell.
   */
  terminal(command: string, options?: TerminalOptions): Promise<TerminalResult>
  /** Aborts the command that runs in the terminal. */
  interrupt(): void
  /** The whole workspace as a zip archive. */
  exportZip(): Promise<Uint8Array>
  /** All changes since the history began, as a patch for `git apply`; binary files are listed and omitted. */
  exportPatch(): Promise<string>
  /** Reports no more events, and aborts the command in the terminal. */
  end(): void
}

/** `dialectFor` finds the dialect of a call. */
export function workspaceEngine(
  workspace: Workspace,
  dialectFor: (connection: ConnectionOptions | undefined) => Promise<Dialect>,
  { onFault, onChanged, onTerminalOutput }: WorkspaceEvents = {},
): WorkspaceEngine {
  const unsubscribe = onChanged && workspace.changes.subscribe(onChanged)
  const calls = new Map<number, AbortController>()
  let session: ShellSession | undefined
  let interrupt = new AbortController()

  return {
    async listTools(connection) {
      return offeredTools(await dialectFor(connection), workspace).map(describeTool)
    },
    async callTool(name, args, { call, ...connection } = {}) {
      const controller = new AbortController()
      if (call !== undefined) calls.set(call, controller)
      const { signal } = controller
      try {
        const dialect = await dialectFor(connection)
        return await callTool(workspace, dialect, name, args, { signal, ...(onFault && { onFault }) })
      } catch (error) {
        return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
      } finally {
        if (call !== undefined) calls.delete(call)
      }
    },
    cancelCall: (call) => calls.get(call)?.abort(),
    run: (name, input) => runOperation(workspace, name, input),
    about() {
      const { root, readOnly, shell, fs } = workspace
      const { symlinks, modeBits } = fs.capabilities
      const aboutShell = shell && { kind: shell.kind, engine: shell.engine, posix: shell.capabilities.posix }
      return { root, readOnly, symlinks, modeBits, ...(aboutShell && { shell: aboutShell }) }
    },
    async terminal(command, { mergeStreams = false, env = {} } = {}) {
      const { shell, root, limits } = workspace
      if (shell === undefined) throw new FsError('UNSUPPORTED', { path: root, operation: 'shell' })
      session ??= shellSession(recorded(shell, workspace), { cwd: root, env })
      interrupt = new AbortController()
      const { signal } = interrupt
      const timeoutMs = limits.maxCommandTimeoutMs
      const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
      const ran = await session.run({
        command,
        timeoutMs,
        maxStreamBytes: maxTerminalBytes,
        mergeStreams,
        signal,
        onOutput({ stream, bytes }) {
          const text = decoders[mergeStreams ? 'stdout' : stream].decode(bytes, { stream: true })
          onTerminalOutput?.({ stream, text })
        },
      })
      const { ended, exitCode } = ran
      return {
        stdout: decoder.decode(ran.stdout.bytes),
        stderr: decoder.decode(ran.stderr.bytes),
        ended,
        ...(exitCode !== undefined && { exitCode }),
        cwd: session.state.cwd,
      }
    },
    interrupt: () => interrupt.abort(),
    async exportZip() {
      const { exportZip } = await import('../ops/archive/import-export-zip.js')
      return exportZip(workspace)
    },
    exportPatch: () => historyPatch(workspace),
    end() {
      unsubscribe?.()
      interrupt.abort()
    },
  }
}

/** A shell whose commands are in the history: where it does not record its changes, the tree is compared before and after. */
function recorded(shell: Shell, { internals: { commandWatcher } }: Workspace): Shell {
  if (commandWatcher === undefined || shell.capabilities.recordsChanges) return shell
  return {
    ...shell,
    async exec(request) {
      return (await commandWatcher.watch(request.command.slice(0, maxLabelUnits), () => shell.exec(request))).result
    },
  }
}

const decoder = new TextDecoder()

/** The history calls a command by its beginning. */
const maxLabelUnits = 200

/** The limit for each output stream of a command in the terminal. */
const maxTerminalBytes = 1_000_000
