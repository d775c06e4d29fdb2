/** polyfs/workers: an MCP endpoint for hosts that answer web requests, and workspaces in Durable Objects. */
export { type DurableWorkspace, type DurableWorkspaceClass, durableWorkspace } from './durable-workspace.js'
export { type Endpoint, type EndpointOptions, mcpEndpoint, type RequestTarget } from './endpoint.js'
export type { ObjectBase, ObjectContext, ObjectState, ObjectStorage } from './object-types.js'
export { type WorkspaceHandler, type WorkspaceHandlerOptions, workspaceHandler } from './workspace-handler.js'
export type { DurableWorkspaceOptions } from './workspace-object.js'
