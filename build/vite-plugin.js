/** How Vite bundles polyfs for the browser. Plain JavaScript, so that build scripts can import it before anything is built. */
import { createRequire, isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** Stand-ins for the Node built-ins that memfs and just-bash require. The trailing slash asks for the npm package of that name. */
const shims = {
  buffer: require.resolve('buffer/'),
  events: require.resolve('events/'),
  path: require.resolve('path-browserify'),
  process: fileURLToPath(new URL('./shims/process.js', import.meta.url)),
  stream: fileURLToPath(new URL('./shims/stream.js', import.meta.url)),
  url: fileURLToPath(new URL('./shims/url.js', import.meta.url)),
  zlib: fileURLToPath(new URL('./shims/zlib.js', import.meta.url)),
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
      optimizeDeps: { rolldownOptions: { plugins: [bufferForGit(), hooksForBash()] } },
    }),
    transform: {
      filter: { id: [bufferForGit().transform.filter.id, hooksForBash().transform.filter.id] },
      handler: (code, id) => (id.includes('just-bash') ? hooksForBash() : bufferForGit()).transform.handler(code),
    },
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

/** Where calls are inserted: a place in the minified text of the pinned release of just-bash, and the call that follows it. */
const bashHooks = [
  ['async executeStatement(t){', 'globalThis.polyfsBash?.onStatement(this);'],
  ['async function Ae(e,t){', 'globalThis.polyfsBash?.onAwk(e);'],
  ['try{let s=FS(e,t,r);', 'globalThis.polyfsBash?.onQuery(s);'],
]

/**
 * just-bash does not expose its interpreter, and no option or subclass reaches it. `src/shell/emulated/worker/bash-hooks.ts`
 * needs it to bound a command's memory and to know the state the command left its shell in. The build fails when a place is
 * not found exactly once.
 *
 * @returns {{ name: string, transform: { filter: { id: RegExp }, handler: (code: string) => { code: string, map: null } } }}
 */
export function hooksForBash() {
  return {
    name: 'polyfs:hooks-for-bash',
    transform: {
      filter: { id: /[\\/]just-bash[\\/]dist[\\/]bundle[\\/]browser\.js$/ },
      handler: (code) => ({ code: bashHooks.reduce(withHook, code), map: null }),
    },
  }
}

function withHook(code, [place, hook]) {
  const parts = code.split(place)
  if (parts.length !== 2)
    throw new Error(`just-bash has changed: found ${parts.length - 1} times instead of once: ${place}`)
  return parts.join(place + hook)
}
