/** How the playground is built and, with `npx vite playground`, served while it is worked on. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transformWithOxc } from 'vite'
import { nodeShims } from '../build/vite-plugin.js'

/** The page works without them; with them no other page can look into it. */
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/** In the page itself, for hosts that send no headers. Who may frame the page can only be said in a header. */
export const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; object-src 'none'"

/** @type {import('vite').UserConfig} */
export default {
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative addresses: it can be served from anywhere.
  base: './',
  plugins: [nodeShims(), offlineWorker(), ownPolicy()],
  // Modules, so that what a worker loads later is not in its first file.
  worker: { format: 'es', plugins: () => [nodeShims()] },
  server: { headers },
  preview: { headers },
  build: { target: 'es2022', minify: true },
}

/**
 * Adds the policy to what is built; while the page is worked on, vite puts scripts into it that the policy would refuse.
 *
 * @returns {import('vite').Plugin}
 */
function ownPolicy() {
  const attrs = { 'http-equiv': 'Content-Security-Policy', content: policy }
  return {
    name: 'polyfs:own-policy',
    apply: 'build',
    // Before anything that it is about.
    transformIndexHtml: () => [{ tag: 'meta', attrs, injectTo: 'head-prepend' }],
  }
}

/**
 * Adds the service worker, with the names of all files of the build in it.
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
        const { code } = await transformWithOxc(await readFile(source, 'utf8'), source)
        // A module for the compiler, which keeps its names apart; a classic script for browsers that know no other service worker.
        const script = code.replace(/^export \{\s*\};?$/m, '')
        const files = Object.keys(bundle)
          .filter((name) => name !== 'index.html' && !name.endsWith('.map'))
          .sort()
        const version = createHash('sha256').update(files.join()).digest('hex').slice(0, 16)
        const build = JSON.stringify({ version, files })
        this.emitFile({ type: 'asset', fileName: 'offline-worker.js', source: `const build = ${build}\n${script}` })
      },
    },
  }
}
