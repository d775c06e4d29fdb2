/** An MCP endpoint on Cloudflare: each name is a workspace of its own, in a Durable Object with SQLite. */
import { DurableObject } from 'cloudflare:workers'
import { durableWorkspace, mcpEndpoint } from 'polyfs/workers'

interface Env {
  WORKSPACES: DurableObjectNamespace<Workspace>
  /** A secret: `npx wrangler secret put TOKEN`. */
  TOKEN?: string
}

/** One object is one workspace. It is made on first use, sleeps while nobody calls, and is deleted after 30 days without a call. */
export class Workspace extends durableWorkspace(DurableObject, { clearAfterDays: 30 }) {}

const endpoint = mcpEndpoint<Env>({
  workspace: (name, { WORKSPACES }) => WORKSPACES.get(WORKSPACES.idFromName(name)),
  token: ({ TOKEN }) => TOKEN,
})

export default endpoint
