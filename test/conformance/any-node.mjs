/** Preloaded for the suite: it imports a function of Node 22 that no scenario for servers needs, and older ones refuse to load it for that. */
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

// Hooks run in a thread of their own, which loads this file again.
if (isMainThread) register(import.meta.url)

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (!/\/conformance[^/]*\/dist\/index\.js$/.test(url)) return loaded
  const [imported, name] = /\bglobSync as (\w+),/.exec(String(loaded.source)) ?? []
  if (imported === undefined) return loaded
  return { ...loaded, source: `${String(loaded.source).replace(imported, '')}\nfunction ${name}() { return [] }\n` }
}
