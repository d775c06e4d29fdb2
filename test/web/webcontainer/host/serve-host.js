/** Serves the stand-in where the client looks for its host, on the same server as the tests. Plain JavaScript: the test runner's configuration imports it. */

/** @returns {import('vite').Plugin} */
export function webContainerHost() {
  return {
    name: 'polyfs:webcontainer-host',
    configureServer(server) {
      server.middlewares.use('/headless', async (_request, response) => {
        // The test runner wraps dynamic imports of all modules that it serves, and defines the wrapper in its own pages only.
        const wrapper =
          '<script>globalThis.__vitest_browser_runner__ = { wrapDynamicImport: (load) => load() }</script>'
        const page = `<!doctype html>${wrapper}<script type="module" src="/test/web/webcontainer/host/host.ts"></script>`
        response.setHeader('Content-Type', 'text/html')
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
        response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
        response.end(await server.transformIndexHtml('/headless', page))
      })
    },
  }
}
