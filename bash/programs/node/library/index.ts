/** The library inside the engine, in the order in which it is set up. */
import type { LibraryPart } from '../engine/quickjs.js'
import { assert } from './assert.js'
import { boot } from './boot.js'
import { buffer } from './buffer.js'
import { core } from './core.js'
import { events } from './events.js'
import { fs } from './fs.js'
import { globals } from './globals.js'
import { inspect } from './inspect.js'
import { json } from './json.js'
import { locale } from './locale.js'
import { modules } from './modules.js'
import { path } from './path.js'
import { stack } from './stack.js'
import { stream } from './stream.js'
import { system } from './system.js'
import { url } from './url.js'
import { util } from './util.js'

const parts = {
  core,
  stack,
  json,
  locale,
  inspect,
  path,
  events,
  buffer,
  util,
  url,
  stream,
  fs,
  system,
  assert,
  globals,
  modules,
  boot,
}

export const library: readonly LibraryPart[] = Object.entries(parts).map(([name, source]) => ({
  name: `node:internal/${name}`,
  source,
}))
