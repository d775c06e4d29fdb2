/** The part of sql.js that tests use; it has no types of its own. */
declare module 'sql.js' {
  interface Statement {
    bind(values: (null | number | string | Uint8Array)[]): boolean
    step(): boolean
    get(): unknown[]
    getColumnNames(): string[]
    reset(): void
  }
  export default function initSqlJs(options: { locateFile?: (file: string) => string }): Promise<{
    Database: new (
      bytes?: Uint8Array,
    ) => { prepare(sql: string): Statement; run(sql: string): unknown; export(): Uint8Array; close(): void }
  }>
}

declare module 'sql.js/dist/sql-wasm-browser.wasm?url' {
  const address: string
  export default address
}
