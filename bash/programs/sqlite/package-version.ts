/** The package whose engine our system calls were written for. */
export const sqliteVersion = { name: '@sqlite.org/sqlite-wasm', version: '3.54.1-build1' }
export const sqlitePackage = `${sqliteVersion.name}@${sqliteVersion.version}`
