/** The engine of `sqlite3` in Node: from the optional package of the project itself, of which only the WebAssembly is used. */
import { fileOfPackage } from './optional-package.js'

const sqlite = { name: '@sqlite.org/sqlite-wasm', version: '3.54.1-build1' }

export async function sqliteModule(): Promise<WebAssembly.Module> {
  return new WebAssembly.Module(new Uint8Array(await fileOfPackage(sqlite, 'dist/sqlite3.wasm')))
}
