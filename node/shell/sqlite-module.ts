/** The engine of `sqlite3` in Node: from the optional package of the project itself, of which only the WebAssembly is used. */
import { sqliteVersion } from '../../bash/programs/sqlite/package-version.js'
import { fileOfPackage } from './optional-package.js'

export async function sqliteModule(): Promise<WebAssembly.Module> {
  return new WebAssembly.Module(new Uint8Array(await fileOfPackage(sqliteVersion, 'dist/sqlite3.wasm')))
}
