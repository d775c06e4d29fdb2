/** polyfs in the browser: file systems over picked folders and browser storage, and an MCP endpoint over message ports. */
import './engine/no-eval.js'

export type { OperationInput, OperationName, OperationResult, Operations } from '../src/engine/operations.js'
export type { WorkspaceEvents } from '../src/engine/workspace-engine.js'
export { type FileEndpoint, type FilesToServe, type ServeFilesOptions, serveFiles } from './endpoint/endpoint.js'
export { type JsonRpcMessage, MessagePortTransport } from './endpoint/message-port.js'
export type {
  ServiceWorkerClient,
  ServiceWorkerEndpoint,
  ServiceWorkerOptions,
} from './endpoint/service-worker-client.js'
export type { WebMcpOptions } from './endpoint/webmcp.js'
export type {
  ConnectionOptions,
  EngineEvents,
  ListedTool,
  TerminalOptions,
  TerminalResult,
  WorkspaceAbout,
} from './engine/engine.js'
export type { FileSource } from './engine/file-source.js'
export { type DirectoryHandleOptions, directoryHandle } from './fs-access/fs-access.js'
export { type OpenDirectoryOptions, openDirectory } from './fs-access/open-directory.js'
export {
  allowDirectory,
  forgetDirectory,
  type RememberedDirectory,
  rememberDirectory,
  rememberedDirectories,
} from './fs-access/remembered-directories.js'
export { opfs } from './opfs/opfs.js'
export { type OpfsWorkspace, type OpfsWorkspaceOptions, openOpfs } from './opfs/opfs-workspace.js'
export type { WorkingSet, WorkingSetOptions } from './opfs/working-set.js'
export type { ClientOptions, Terminal } from './webcontainer/api.js'
export type { ContainerShell } from './webcontainer/container-shell.js'
export type { CopiedBack, CopyOptions } from './webcontainer/copy-files.js'
export {
  type BootOptions,
  bootWebContainer,
  type Container,
  containerShellOr,
  type Unavailability,
  WebContainerError,
} from './webcontainer/webcontainer.js'
