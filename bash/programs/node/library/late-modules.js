/** Modules that are loaded when a script asks for them, by the file in `late/` that has them. */
'use strict'
;(() => {
  const { internal } = $polyfs
  internal.defineLate('zlib', ['zlib'])
  internal.defineLate('net', ['net'])
  for (const part of ['http-client', 'http-messages', 'http-parser', 'http-server'])
    internal.defineLate(part, ['internal/' + part])
  const network = 'internal/http-names http https dns dns/promises tls http2 dgram internal/fetch'
  internal.defineLate('network', network.split(' '))
  internal.defineLate('vm', ['vm'])
  internal.defineLate('punycode', ['punycode'])
  internal.defineLate('threads', ['worker_threads', 'diagnostics_channel'])
})()
