/** Builds the playground; `npx vite playground` serves it during development. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { copyEngines } from '../build/engine-files.mjs'
import { buildRooms } from '../build/room-files.mjs'
import { gitChunk, nodeShims } from '../build/vite-plugin.js'

/** Optional: they isolate the page from other pages. */
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/**
 * The Content Security Policy as a `meta` element, for hosts that send no headers. It can't say who may frame the page:
 * only a header can. WebAssembly is for `node` in the terminal; it allows no `eval`.
 */
export const policy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; object-src 'none'"

/**
 * What the page's worker loads first, in one file: it compresses to a fifth less than 60 small ones. What these modules import statically comes
 * along.
 */
const engineChunk = {
  name: 'engine',
  test: /[\\/](web[\\/]engine[\\/]engine(-methods)?|src[\\/]dialects[\\/]polyfs[\\/]tools)\.ts$/,
}

/** @type {import('vite').UserConfig} */
export default {
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative addresses, so that it can be served from any path.
  base: './',
  plugins: [nodeShims(), offlineWorker(), ownPolicy(), compressedCopies(), enginesOfTerminal()],
  // Modules, so that code a worker loads later is not in its first file.
  worker: {
    format: 'es',
    plugins: () => [nodeShims()],
    rolldownOptions: { output: { codeSplitting: { groups: [gitChunk, engineChunk] } } },
  },
  server: { headers },
  preview: { headers },
  build: { target: 'es2022', minify: true },
}

/**
 * Adds the policy to the build. In development Vite adds scripts that the policy would block.
 *
 * @returns {import('vite').Plugin}
 */
function ownPolicy() {
  const attrs = { 'http-equiv': 'Content-Security-Policy', content: policy }
  return {
    name: 'polyfs:own-policy',
    apply: 'build',
    // Before the elements it applies to.
    transformIndexHtml: () => [{ tag: 'meta', attrs, injectTo: 'head-prepend' }],
  }
}

/**
 * Adds the service worker, which contains the names of all files of the build.
 *
 * @returns {import('vite').Plugin}
 */
function offlineWorker() {
  return {
    name: 'polyfs:offline-worker',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const source = fileURLToPath(new URL('./page/offline-worker.ts', import.meta.url))
        const script = await classicScript(source)
        const files = Object.keys(bundle)
          .filter((name) => name !== 'index.html' && !name.endsWith('.map'))
          .sort()
        const version = createHash('sha256').update(files.join()).digest('hex').slice(0, 16)
        const about = JSON.stringify({ version, files })
        this.emitFile({ type: 'asset', fileName: 'offline-worker.js', source: `const build = ${about};\n${script}` })
      },
    },
  }
}

/**
 * A module with what it imports as one script: not all browsers take modules as service workers.
 *
 * @param {string} entry
 */
async function classicScript(entry) {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry, name: 'worker', formats: ['iife'], fileName: 'worker' },
    },
  })
  const [{ output }] = /** @type {import('vite').Rolldown.RolldownOutput[]} */ ([result].flat())
  return output[0].code
}

/**
 * Adds what `python3` and `sqlite3` of the page's terminal need. The page loads it with the first of each, so it is not among the files that are
 * kept from the start.
 *
 * @returns {import('vite').Plugin}
 */
function enginesOfTerminal() {
  return {
    name: 'polyfs:engines-of-terminal',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      await Promise.all([buildRooms(dir), copyEngines(dir)])
    },
  }
}

/** Smaller files gain nothing. */
const leastCompressed = 1000

/**
 * Writes a compressed copy of each file beside it, for servers that send them: `polyfs --memory --http` does.
 *
 * @returns {import('vite').Plugin}
 */
function compressedCopies() {
  return {
    name: 'polyfs:compressed-copies',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((name) => !name.endsWith('.map'))
      await Promise.all(names.map((name) => compressCopies(join(dir, name))))
    },
  }
}

/** @param {string} file */
async function compressCopies(file) {
  const content = await readFile(file)
  if (content.length < leastCompressed) return
  // What is loaded first is in the engine and in small files.
  const quality = content.length < 200_000 || basename(file).startsWith(`${engineChunk.name}-`) ? 10 : 5
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }))
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
}
