/** How Vite bundles polyfs for the browser. Plain JavaScript, so that build scripts can import it before anything is built. */
import { createRequire, isBuiltin } from 'node:module'

const require = createRequire(import.meta.url)

/** Stand-ins for the Node built-ins that isomorphic-git imports. The trailing slash asks for the npm package of that name. */
const shims = {
  buffer: require.resolve('buffer/'),
}

/**
 * Entries for `resolve.alias`.
 *
 * @returns {{ find: RegExp, replacement: string }[]}
 */
export function nodeShimAliases() {
  return Object.entries(shims).map(([name, replacement]) => ({ find: new RegExp(`^(node:)?${name}$`), replacement }))
}

/**
 * Puts the stand-ins in place, and fails the build on any other Node built-in: Vite alone would replace it by an empty
 * module, and the page would fail when it is used.
 *
 * @returns {import('vite').Plugin}
 */
export function nodeShims() {
  return {
    name: 'polyfs:node-shims',
    enforce: 'pre',
    config: () => ({
      resolve: { alias: nodeShimAliases() },
      optimizeDeps: { rolldownOptions: { plugins: [bufferForGit()] } },
    }),
    transform: bufferForGit().transform,
    resolveId(source, importer) {
      if (this.environment.mode !== 'build' || !isBuiltin(source)) return
      this.error(`${importer} imports the Node built-in "${source}", which the browser lacks`)
    },
  }
}

/**
 * isomorphic-git expects a global `Buffer`. It gets an import instead, so that the page needs no global.
 *
 * @returns {{ name: string, transform: { filter: { id: RegExp }, handler: (code: string) => { code: string, map: null } } }}
 */
function bufferForGit() {
  return {
    name: 'polyfs:buffer-for-git',
    transform: {
      filter: { id: /[\\/]isomorphic-git[\\/]index\.js$/ },
      handler: (code) => ({ code: `import { Buffer } from 'buffer';${code}`, map: null }),
    },
  }
}

/** A chunk of its own, or the bundler puts its helpers for all chunks into it, and every page loads it. */
export const gitChunk = { name: 'isomorphic-git', test: /[\\/]node_modules[\\/]isomorphic-git[\\/]/ }
