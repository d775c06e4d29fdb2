export { type NodeFileSystem, type NodeFsOptions, nodeFs } from './disk/node-fs.js'
export { type CommandAgentOptions, commandAgent } from './eval/command-agent.js'
export { nodeNetwork } from './network/node-network.js'
export type { GuardedServerOptions } from './serve/guarded-server.js'
export { type HttpOptions, type HttpServer, serveHttp } from './serve/http.js'
export type { PageFiles } from './serve/page-files.js'
export { type StdioOptions, type StdioServer, serveStdio } from './serve/stdio.js'
export { emulatedShell } from './shell/emulated-shell.js'
export { type RealShellOptions, realShell, realShellFault } from './shell/layers/real-shell.js'
export type { RealTierOptions } from './shell/layers/real-tier.js'
export { type NodeShellOptions, nodeShell } from './shell/node-shell.js'
export type { ConfinedCommand, Wrapped } from './shell/sandbox/confined-command.js'
export type { ConfinementOptions } from './shell/sandbox/confinement.js'
export type { SandboxLimits } from './shell/sandbox/limits.js'
export type { Mask } from './shell/sandbox/masks.js'
export type { SandboxRoot } from './shell/sandbox/root-mounts.js'
export {
  openSandbox,
  type Sandbox,
  SandboxError,
  type SandboxMode,
  type SandboxOptions,
} from './shell/sandbox/sandbox.js'
export { type AnyDirectory, type AnyDirectoryOptions, anyDirectory } from './workspace/any-directory.js'
export {
  type Directory,
  type DirectoryWorkspace,
  type DirectoryWorkspaceOptions,
  openDirectories,
} from './workspace/directory-workspace.js'
export type { GitPatch } from './workspace/overlay-patch.js'
export {
  type OverlayWorkspace,
  openOverlayWorkspace as openOverlay,
} from './workspace/overlay-workspace.js'
