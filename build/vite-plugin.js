/** How Vite bundles polyfs for the browser. Plain JavaScript, so that build scripts can import it before anything is built. */
import { createRequire, isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** Stand-ins for the Node built-ins that memfs requires. The trailing slash asks for the npm package of that name. */
const shims = {
  buffer: require.resolve('buffer/'),
  events: require.resolve('events/'),
  path: require.resolve('path-browserify'),
  process: fileURLToPath(new URL('./shims/process.js', import.meta.url)),
  stream: fileURLToPath(new URL('./shims/stream.js', import.meta.url)),
  url: fileURLToPath(new URL('./shims/url.js', import.meta.url)),
}

/** Modules that memfs requires when it is loaded, for calls that `memory` never makes: a quarter of its size. */
const unusedByMemory = {
  find: /^(@jsonjoy\.com\/fs-(print|snapshot)|glob-to-regex\.js)$/,
  replacement: fileURLToPath(new URL('./shims/unused.js', import.meta.url)),
}

/** The same for modules of memfs itself, and for one that only formats errors which `memory` never causes. */
const parts = [
  {
    source: /^\.\/(cp|glob)$/,
    importer: /[\\/]@jsonjoy\.com[\\/]fs-node[\\/]/,
    replacement: unusedByMemory.replacement,
  },
  {
    source: /^\.\/inspect$/,
    importer: /[\\/]@jsonjoy\.com[\\/]fs-node-utils[\\/]/,
    replacement: fileURLToPath(new URL('./shims/inspect.js', import.meta.url)),
  },
]

/**
 * Entries for `resolve.alias`.
 *
 * @returns {{ find: RegExp, replacement: string }[]}
 */
export function nodeShimAliases() {
  const builtins = Object.entries(shims).map(([name, replacement]) => ({
    find: new RegExp(`^(node:)?${name}$`),
    replacement,
  }))
  return [...builtins, unusedByMemory]
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
      const part = parts.find((one) => one.source.test(source) && one.importer.test(importer ?? ''))
      if (part !== undefined) return part.replacement
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
