/** polyfs in the browser: folders as file systems, and an MCP endpoint over message ports. */
import './no-eval.js'

export { emulatedShell, type WebEmulatedShellOptions } from './emulated-shell.js'
export { type FileEndpoint, type ServeFilesOptions, serveFiles } from './endpoint.js'
export type { ConnectionOptions, EngineEvents, ListedTool } from './engine.js'
export { type DirectoryHandleOptions, directoryHandle } from './fs-access.js'
export { type JsonRpcMessage, MessagePortTransport } from './message-port.js'
export { type OpenDirectoryOptions, openDirectory } from './open-directory.js'
export type { OperationInput, OperationName, OperationResult } from './operations.js'
export { opfs } from './opfs.js'
export { type OpfsWorkspace, type OpfsWorkspaceOptions, openOpfs } from './opfs-workspace.js'
export {
  allowDirectory,
  forgetDirectory,
  type RememberedDirectory,
  rememberDirectory,
  rememberedDirectories,
} from './remembered-directories.js'
export type { ServiceWorkerEndpoint, ServiceWorkerOptions } from './service-worker-client.js'
export type { FileSource } from './source.js'
export {
  type BootOptions,
  bootWebContainer,
  type Container,
  containerShellOr,
  type Unavailability,
  WebContainerUnavailable,
} from './webcontainer.js'
export type { BroughtBack, CopyOptions } from './webcontainer-copy.js'
export type { ContainerShell } from './webcontainer-shell.js'
export type { WebMcpOptions } from './webmcp.js'
export type { WorkingSetOptions } from './working-set.js'
