/** The names of workspaces and forks, as they are in addresses. */
const route = /^\/mcp\/([\w.-]{1,64})(?:\/([\w.-]{1,64}))?$/

/** `/mcp/NAME`, and `/mcp/NAME/FORK` for a fork in the same Durable Object. */
export function addressOf(pathname: string): { name: string; fork?: string } | undefined {
  const [, name, fork] = route.exec(pathname) ?? []
  return name === undefined ? undefined : { name, ...(fork !== undefined && { fork }) }
}

/** Whether a workspace or fork of this name can be reached. */
export function isName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name)
}
