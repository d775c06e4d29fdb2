/** What Python in a page is made of: a directory that the page's server has, with files of ours and of the optional package `pyodide`. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Writes our own: the frame, and the script of its threads, which is one file because a frame without network loads no other.
 *
 * @param {string} folder
 */
export async function buildPythonFiles(folder) {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'es2022',
      minify: true,
      reportCompressedSize: false,
      lib: {
        entry: join(root, 'web/python/thread.ts'),
        name: 'polyfsPython',
        formats: ['iife'],
        fileName: () => 'thread.js',
      },
    },
  })
  await copyFile(join(root, 'web/python/frame.html'), join(folder, 'frame.html'))
}
