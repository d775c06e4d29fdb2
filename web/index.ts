/** polyfs in the browser: folders as file systems, and an MCP endpoint over message ports. */
import './no-eval.js'

export { type FileEndpoint, type ServeFilesOptions, serveFiles } from './endpoint.js'
export { type DirectoryHandleOptions, directoryHandle } from './fs-access.js'
export { type JsonRpcMessage, MessagePortTransport } from './message-port.js'
export { type OpenDirectoryOptions, openDirectory } from './open-directory.js'
export { opfs } from './opfs.js'
export { type OpfsWorkspaceOptions, openOpfs } from './opfs-workspace.js'
