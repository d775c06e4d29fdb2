/** The library inside the engine, in the order in which it is set up. It runs as text, so its files are imported as text. */
import type { LibraryPart } from './engine/machine.js'
import assert from './library/assert.js?raw'
import boot from './library/boot.js?raw'
import buffer from './library/buffer.js?raw'
import core from './library/core.js?raw'
import events from './library/events.js?raw'
import fs from './library/fs.js?raw'
import globals from './library/globals.js?raw'
import inspect from './library/inspect.js?raw'
import json from './library/json.js?raw'
import httpClient from './library/late/http-client.js?raw'
import httpMessages from './library/late/http-messages.js?raw'
import httpParser from './library/late/http-parser.js?raw'
import httpServer from './library/late/http-server.js?raw'
import net from './library/late/net.js?raw'
import network from './library/late/network.js?raw'
import punycode from './library/late/punycode.js?raw'
import threads from './library/late/threads.js?raw'
import vm from './library/late/vm.js?raw'
import zlib from './library/late/zlib.js?raw'
import late from './library/late-modules.js?raw'
import locale from './library/locale.js?raw'
import modules from './library/modules.js?raw'
import path from './library/path.js?raw'
import readline from './library/readline.js?raw'
import stack from './library/stack.js?raw'
import stream from './library/stream.js?raw'
import streamBase from './library/stream-base.js?raw'
import streamPipe from './library/stream-pipe.js?raw'
import streamReadable from './library/stream-readable.js?raw'
import streamWritable from './library/stream-writable.js?raw'
import system from './library/system.js?raw'
import test from './library/test.js?raw'
import testMock from './library/test-mock.js?raw'
import testParts from './library/test-parts.js?raw'
import testReporters from './library/test-reporters.js?raw'
import testRun from './library/test-run.js?raw'
import url from './library/url.js?raw'
import urlLegacy from './library/url-legacy.js?raw'
import util from './library/util.js?raw'

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
  'url-legacy': urlLegacy,
  url,
  'stream-base': streamBase,
  'stream-readable': streamReadable,
  'stream-pipe': streamPipe,
  'stream-writable': streamWritable,
  stream,
  readline,
  fs,
  system,
  assert,
  'test-parts': testParts,
  'test-reporters': testReporters,
  'test-mock': testMock,
  test,
  'test-run': testRun,
  globals,
  late,
  modules,
  boot,
}

/** Loaded when a script needs them, by name. */
export const lateParts: Readonly<Record<string, string>> = {
  'http-client': httpClient,
  'http-messages': httpMessages,
  'http-parser': httpParser,
  'http-server': httpServer,
  net,
  network,
  punycode,
  threads,
  vm,
  zlib,
  // For contexts of vm once more.
  json,
  locale,
}

export const library: readonly LibraryPart[] = Object.entries(parts).map(([name, source]) => ({
  name: `node:internal/${name}`,
  source,
}))
