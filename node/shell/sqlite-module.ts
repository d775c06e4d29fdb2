/** The engine of `sqlite3` in Node: from the optional package of the project itself, of which only the WebAssembly is used. */
import { sqliteVersion } from '../../bash/programs/sqlite/package-version.js'
import { fileIfInstalled, fileOfPackage } from './optional-package.js'

const engine = 'dist/sqlite3.wasm'

export async function sqliteModule(): Promise<WebAssembly.Module> {
  return new WebAssembly.Module(new Uint8Array(await fileOfPackage(sqliteVersion, engine)))
}

/** For a page. Undefined where it is not installed. */
export async function sqliteFile(): Promise<Uint8Array | undefined> {
  return fileIfInstalled(sqliteVersion, engine)
}
