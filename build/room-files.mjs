/** What the rooms of a page are made of: directories that the page's server has, with a frame and the script of its threads. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What may run in each frame. The browser's own engine compiles scripts from text; CPython needs WebAssembly and nothing else. */
const rooms = {
  node: { title: 'node', policy: "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; worker-src blob:" },
  python: {
    title: 'Python',
    policy: "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:",
  },
}

/** What scripts of `node` get replaced or not at all: our own code keeps what was there when it started. */
const taken = 'Date Intl MessageChannel TextDecoder TextEncoder URL URLSearchParams performance'.split(' ')

/**
 * Writes the frame, and the script of its threads, which is one file because a frame without network loads no other. Python needs two files of the
 * optional package `pyodide` beside them.
 *
 * @param {string} folder gets a directory for each
 */
export async function buildRooms(folder) {
  const frame = await readFile(join(root, 'web/room/frame.html'), 'utf8')
  for (const [name, { title, policy }] of Object.entries(rooms)) {
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: join(folder, name),
        emptyOutDir: false,
        copyPublicDir: false,
        target: 'es2022',
        minify: true,
        reportCompressedSize: false,
        lib: {
          entry: join(root, `web/${name}/thread.ts`),
          name: 'polyfsThread',
          formats: ['iife'],
          fileName: () => 'thread.js',
        },
        rolldownOptions: { output: { intro: `"use strict"; const { ${taken.join(', ')} } = globalThis;` } },
      },
    })
    await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(folder, name, 'frame.html'), frame.replace('{{policy}}', policy).replace('{{title}}', title))
  }
}
