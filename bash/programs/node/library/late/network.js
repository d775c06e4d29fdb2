/** Modules of the network beyond this script, which is not there: they load, and what connects fails as on a machine that is offline. */
'use strict'
;(() => {
  const { internal } = $polyfs
  const isAddress = (host) => /^(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|.*:.*)$/.test(host)
  const refused = (name) => () => {
    throw new Error(name + ' is not supported by this shell, which has no network')
  }

  internal.define('internal/http-names', ({ exported }) => {
    const methods =
      'ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE'
    const statuses =
      "100 Continue,101 Switching Protocols,102 Processing,103 Early Hints,200 OK,201 Created,202 Accepted,203 Non-Authoritative Information,204 No Content,205 Reset Content,206 Partial Content,207 Multi-Status,208 Already Reported,226 IM Used,300 Multiple Choices,301 Moved Permanently,302 Found,303 See Other,304 Not Modified,305 Use Proxy,307 Temporary Redirect,308 Permanent Redirect,400 Bad Request,401 Unauthorized,402 Payment Required,403 Forbidden,404 Not Found,405 Method Not Allowed,406 Not Acceptable,407 Proxy Authentication Required,408 Request Timeout,409 Conflict,410 Gone,411 Length Required,412 Precondition Failed,413 Payload Too Large,414 URI Too Long,415 Unsupported Media Type,416 Range Not Satisfiable,417 Expectation Failed,418 I'm a Teapot,421 Misdirected Request,422 Unprocessable Entity,423 Locked,424 Failed Dependency,425 Too Early,426 Upgrade Required,428 Precondition Required,429 Too Many Requests,431 Request Header Fields Too Large,451 Unavailable For Legal Reasons,500 Internal Server Error,501 Not Implemented,502 Bad Gateway,503 Service Unavailable,504 Gateway Timeout,505 HTTP Version Not Supported,506 Variant Also Negotiates,507 Insufficient Storage,508 Loop Detected,509 Bandwidth Limit Exceeded,510 Not Extended,511 Network Authentication Required"
    exported.methods = methods.split(' ')
    exported.statuses = Object.fromEntries(statuses.split(',').map((each) => [each.slice(0, 3), each.slice(4)]))
  })
  internal.define('http', ({ exported, builtin, internal: { wrongType } }) => {
    const { methods, statuses } = builtin('internal/http-names')
    const { IncomingMessage, OutgoingMessage, validateName, validateValue } = builtin('internal/http-messages')
    const { Server, ServerResponse } = builtin('internal/http-server')
    const { Agent, ClientRequest, globalAgent } = builtin('internal/http-client')
    const request = (...given) => new ClientRequest(...given)
    Object.assign(exported, {
      METHODS: methods,
      STATUS_CODES: statuses,
      Agent,
      ClientRequest,
      IncomingMessage,
      OutgoingMessage,
      Server: internal.callable(Server),
      ServerResponse,
      createServer: (options, listener) => new Server(options, listener),
      validateHeaderName: validateName,
      validateHeaderValue: validateValue,
      get(...given) {
        const made = request(...given)
        made.end()
        return made
      },
      request,
      maxHeaderSize: 16384,
      globalAgent,
      setMaxIdleHTTPParsers(max) {
        if (typeof max !== 'number') throw wrongType('max', 'of type number', max)
      },
    })
  })
  internal.define('https', ({ exported, builtin }) => {
    const { Agent: Plain, ClientRequest } = builtin('internal/http-client')
    class Agent extends Plain {
      constructor(options) {
        super(options)
        this.defaultPort = 443
        this.protocol = 'https:'
      }
    }
    const globalAgent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 })
    const request = (input, options, done) => {
      const secure = { _defaultAgent: globalAgent, _defaultProtocol: 'https:', defaultPort: 443 }
      if (typeof input === 'string' || input instanceof URL) {
        const [more, after] = typeof options === 'function' ? [{}, options] : [options, done]
        return new ClientRequest(input, { ...secure, ...more }, after)
      }
      return new ClientRequest({ ...secure, ...input }, options, done)
    }
    Object.assign(exported, {
      Agent,
      globalAgent,
      createServer: refused('https.createServer'),
      Server: class Server extends builtin('tls').Server {},
      request,
      get(...given) {
        const made = request(...given)
        made.end()
        return made
      },
    })
  })

  internal.define('dns', ({ exported, builtin }) => {
    builtin('net')
    const promises = {}
    for (const [name, syscall] of Object.entries({
      lookup: 'getaddrinfo',
      resolve: 'queryA',
      resolve4: 'queryA',
      resolve6: 'queryAaaa',
      resolveMx: 'queryMx',
      resolveTxt: 'queryTxt',
      resolveSrv: 'querySrv',
      resolveNs: 'queryNs',
      resolveCname: 'queryCname',
      reverse: 'getHostByAddr',
    })) {
      const isLookup = name === 'lookup'
      const answer = (host, options) => {
        if (!isLookup || !isAddress(host)) throw internal.hostNotFound(syscall, host)
        const found = { address: host === 'localhost' ? '127.0.0.1' : host, family: host.includes(':') ? 6 : 4 }
        return options?.all ? [found] : found
      }
      promises[name] = async (host, options) => answer(String(host), options)
      exported[name] = (host, ...rest) => {
        const done = rest.pop()
        if (typeof done !== 'function') throw internal.wrongType('callback', 'of type function', done)
        promises[name](host, rest[0]).then(
          (found) => (Array.isArray(found) ? done(null, found) : done(null, found.address, found.family)),
          (error) => done(error),
        )
      }
    }
    Object.assign(exported, { promises, NOTFOUND: 'ENOTFOUND', getServers: () => [], setServers() {} })
  })
  internal.define('dns/promises', ({ builtin }) => builtin('dns').promises)
  internal.define('tls', ({ exported, builtin }) => {
    const net = builtin('net')
    const { Socket } = net
    class Server extends net.Server {
      constructor() {
        super()
        refused('tls.createServer')()
      }
    }
    Object.assign(exported, {
      Server,
      TLSSocket: class TLSSocket extends Socket {},
      connect: (...given) => new Socket().connect(...given),
      createServer: refused('tls.createServer'),
      createSecureContext: () => ({}),
      rootCertificates: [],
    })
  })
  internal.define('http2', ({ exported }) => {
    Object.assign(exported, {
      connect: refused('http2.connect'),
      createServer: refused('http2.createServer'),
      createSecureServer: refused('http2.createSecureServer'),
      constants: {},
    })
  })
  internal.define('dgram', ({ exported }) => {
    exported.createSocket = refused('dgram.createSocket')
  })

  internal.define('internal/fetch', ({ builtin }) => {
    builtin('net')
    return async function fetch(input) {
      const url = new URL(typeof input === 'object' && input.url ? input.url : String(input))
      const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
      await internal.turn()
      throw new TypeError('fetch failed', { cause: internal.unreachable(url.hostname, port) })
    }
  })
})()
