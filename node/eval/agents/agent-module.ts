/** The only file that loads code of the user's. */
import { pathToFileURL } from 'node:url'

/** What a JavaScript module exports as its default. */
export async function defaultExport(file: string): Promise<unknown> {
  const loaded: { default?: unknown } = await import(pathToFileURL(file).href)
  return loaded.default
}
