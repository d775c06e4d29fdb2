export type { Anchor } from './anchor.js'
export { type AnyDirectory, type AnyDirectoryOptions, anyDirectory } from './any-directory.js'
export { emulatedShell, type NodeEmulatedShellOptions } from './emulated-shell.js'
export { type NodeFileSystem, type NodeFsOptions, nodeFs } from './fs.js'
export { type HttpOptions, type HttpServer, serveHttp } from './http.js'
export {
  type ConfinedCommand,
  openSandbox,
  type Sandbox,
  SandboxError,
  type SandboxMode,
  type SandboxOptions,
  type Wrapped,
} from './sandbox.js'
export type { SandboxLimits } from './sandbox-limits.js'
export type { SandboxRoot } from './sandbox-mounts.js'
export { type NodeShellOptions, nodeShell } from './shell.js'
export { type StdioOptions, type StdioServer, serveStdio } from './stdio.js'
export {
  type Directory,
  type DirectoryWorkspace,
  type DirectoryWorkspaceOptions,
  openDirectories,
} from './workspace.js'
