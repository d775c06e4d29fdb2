/** The engines of programs that a page's terminal runs: files of optional packages, which the page's server has to have. */
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Where each is, by its name: the package, its file, and the folder beside the page. */
export const engineFile = {
  'pyodide.asm.wasm': { of: 'pyodide', file: 'pyodide.asm.wasm', folder: 'python' },
  'python_stdlib.zip': { of: 'pyodide', file: 'python_stdlib.zip', folder: 'python' },
  'sqlite3.wasm': { of: '@sqlite.org/sqlite-wasm', file: 'dist/sqlite3.wasm', folder: '.' },
}

/**
 * Copies those that are installed.
 *
 * @param {string} page
 */
export async function copyEngines(page) {
  for (const [name, { of, file, folder }] of Object.entries(engineFile)) {
    const directory = directoryOf(of)
    if (directory === undefined) continue
    await mkdir(join(page, folder), { recursive: true })
    await copyFile(join(directory, file), join(page, folder, name))
  }
}

/** @param {string} name */
function directoryOf(name) {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}
