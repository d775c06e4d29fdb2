/** The addresses of open tabs. The server has nothing there, so that a request that misses the service worker reaches no other files. */

/** The path of a tab's endpoint below the page's own folder. */
export function tabPath(scope: string, id: string): string {
  return `${new URL(scope).pathname}tab/${id}/mcp`
}

export function isTabPath(scope: string, path: string): boolean {
  const folder = `${new URL(scope).pathname}tab/`
  return path.startsWith(folder) && /^[0-9a-f]+\/mcp$/.test(path.slice(folder.length))
}
