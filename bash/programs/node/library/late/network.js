/** Modules of the network, which is not there: they load, and what connects fails as on a machine that is offline. */
'use strict'
;(() => {
  const { internal } = $polyfs
  const isAddress = (host) => /^(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|.*:.*)$/.test(host)
  /** Why nothing answers. */
  function unreachable(host, port) {
    if (!isAddress(host)) return notFound('getaddrinfo', host)
    const address = host === 'localhost' ? '127.0.0.1' : host
    const error = new Error('connect ECONNREFUSED ' + address + ':' + port)
    return Object.assign(error, { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', address, port })
  }
  function notFound(syscall, hostname) {
    const error = new Error(syscall + ' ENOTFOUND ' + hostname)
    return Object.assign(error, { errno: -3008, code: 'ENOTFOUND', syscall, hostname })
  }
  const refused = (name) => () => {
    throw new Error(name + ' is not supported by this shell, which has no network')
  }

  internal.define('net', ({ exported, builtin }) => {
    const { Duplex } = builtin('stream')
    class Socket extends Duplex {
      constructor(options) {
        super(options)
        this.connecting = false
      }
      connect(...given) {
        const done = typeof given[given.length - 1] === 'function' ? given.pop() : undefined
        const { host = 'localhost', port } =
          typeof given[0] === 'object' ? given[0] : { port: given[0], host: given[1] }
        if (done) this.once('connect', done)
        this.connecting = true
        internal.soon(() => this.destroy(unreachable(host, Number(port))))
        return this
      }
      _read() {}
      _write(_chunk, _encoding, done) {
        this.$waiting = done
      }
      setTimeout() {
        return this
      }
      setNoDelay() {
        return this
      }
      setKeepAlive() {
        return this
      }
      ref() {
        return this
      }
      unref() {
        return this
      }
    }
    const part = '(?:\\d|[1-9]\\d|1\\d\\d|2[0-4]\\d|25[0-5])'
    const four = new RegExp('^' + part + '(?:\\.' + part + '){3}$')
    const isIPv4 = (text) => four.test(String(text))
    function isIPv6(text) {
      const [, plain] = /^([^%]*)(?:%[0-9a-zA-Z-.:]+)?$/.exec(String(text)) || []
      if (plain === undefined || !/^[0-9a-fA-F:.]+$/.test(plain)) return false
      const halves = plain.split('::')
      if (halves.length > 2) return false
      const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
      const last = groups[groups.length - 1]
      const hasFour = last?.includes('.')
      if (hasFour && !isIPv4(groups.pop())) return false
      if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false
      const count = groups.length + (hasFour ? 2 : 0)
      return halves.length === 2 ? count < 8 : count === 8
    }
    const connect = (...given) => new Socket().connect(...given)
    Object.assign(exported, {
      Socket,
      Stream: Socket,
      connect,
      createConnection: connect,
      createServer: refused('net.createServer'),
      isIP: (text) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0),
      isIPv4,
      isIPv6,
    })
  })

  internal.define('http', ({ exported, builtin }) => {
    define(exported, builtin, { protocol: 'http:', port: 80 })
    class Agent extends builtin('events') {
      constructor(options = {}) {
        super()
        this.options = { ...options }
        this.maxSockets = options.maxSockets || Infinity
        this.keepAlive = options.keepAlive === true
      }
      destroy() {}
    }
    Object.assign(exported, {
      Agent,
      globalAgent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }),
      METHODS: methods.split(' '),
      STATUS_CODES: Object.fromEntries(statuses.split(',').map((each) => [each.slice(0, 3), each.slice(4)])),
      maxHeaderSize: 16384,
    })
  })
  internal.define('https', ({ exported, builtin }) => {
    define(exported, builtin, { protocol: 'https:', port: 443 })
    const { Agent } = builtin('http')
    Object.assign(exported, { Agent, globalAgent: new Agent({ keepAlive: true }) })
  })
  const methods =
    'ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE'
  const statuses =
    "100 Continue,101 Switching Protocols,102 Processing,103 Early Hints,200 OK,201 Created,202 Accepted,203 Non-Authoritative Information,204 No Content,205 Reset Content,206 Partial Content,207 Multi-Status,208 Already Reported,226 IM Used,300 Multiple Choices,301 Moved Permanently,302 Found,303 See Other,304 Not Modified,305 Use Proxy,307 Temporary Redirect,308 Permanent Redirect,400 Bad Request,401 Unauthorized,402 Payment Required,403 Forbidden,404 Not Found,405 Method Not Allowed,406 Not Acceptable,407 Proxy Authentication Required,408 Request Timeout,409 Conflict,410 Gone,411 Length Required,412 Precondition Failed,413 Payload Too Large,414 URI Too Long,415 Unsupported Media Type,416 Range Not Satisfiable,417 Expectation Failed,418 I'm a Teapot,421 Misdirected Request,422 Unprocessable Entity,423 Locked,424 Failed Dependency,425 Too Early,426 Upgrade Required,428 Precondition Required,429 Too Many Requests,431 Request Header Fields Too Large,451 Unavailable For Legal Reasons,500 Internal Server Error,501 Not Implemented,502 Bad Gateway,503 Service Unavailable,504 Gateway Timeout,505 HTTP Version Not Supported,506 Variant Also Negotiates,507 Insufficient Storage,508 Loop Detected,509 Bandwidth Limit Exceeded,510 Not Extended,511 Network Authentication Required"

  /** A request collects its headers, and fails when it would connect. */
  function define(exported, builtin, { protocol, port }) {
    const { Writable, Readable } = builtin('stream')
    class OutgoingMessage extends Writable {
      constructor() {
        // It is over with its answer, not when all of it is written.
        super({ autoDestroy: false })
        Object.defineProperty(this, '$headers', { value: new Map(), enumerable: false })
      }
      setHeader(name, value) {
        this.$headers.set(String(name).toLowerCase(), value)
        return this
      }
      getHeader(name) {
        return this.$headers.get(String(name).toLowerCase())
      }
      hasHeader(name) {
        return this.$headers.has(String(name).toLowerCase())
      }
      removeHeader(name) {
        this.$headers.delete(String(name).toLowerCase())
      }
      getHeaders() {
        return Object.assign(Object.create(null), Object.fromEntries(this.$headers))
      }
      getHeaderNames() {
        return [...this.$headers.keys()]
      }
      setTimeout() {
        return this
      }
      flushHeaders() {}
    }
    class ClientRequest extends OutgoingMessage {
      constructor(options, done) {
        super()
        const { hostname, host, method = 'GET', path = '/', headers = {} } = options
        for (const [name, value] of Object.entries(headers)) this.setHeader(name, value)
        this.method = String(method).toUpperCase()
        this.path = path
        this.host = hostname || host || 'localhost'
        this.protocol = protocol
        if (done) this.once('response', done)
        internal.soon(() => this.destroy(unreachable(this.host, Number(options.port || port))))
      }
      _write(_chunk, _encoding, done) {
        done()
      }
      abort() {
        this.destroy()
      }
    }
    class IncomingMessage extends Readable {}
    const request = (...given) => {
      const done = typeof given[given.length - 1] === 'function' ? given.pop() : undefined
      const first = typeof given[0] === 'string' ? new URL(given.shift()) : given[0] instanceof URL ? given.shift() : {}
      const fromUrl = first.href
        ? { hostname: first.hostname, port: first.port, path: first.pathname + first.search, protocol: first.protocol }
        : {}
      const options = { ...fromUrl, ...given[0] }
      if (options.protocol && options.protocol !== protocol)
        throw new internal.NodeTypeError(
          'ERR_INVALID_PROTOCOL',
          'Protocol "' + options.protocol + '" not supported. Expected "' + protocol + '"',
        )
      return new ClientRequest(options, done)
    }
    const name = protocol.slice(0, -1)
    class Server extends builtin('events') {
      constructor() {
        super()
        refused(name + '.createServer')()
      }
    }
    Object.assign(exported, {
      request,
      get(...given) {
        const made = request(...given)
        made.end()
        return made
      },
      createServer: refused(name + '.createServer'),
      Server,
    })
    if (protocol === 'http:')
      Object.assign(exported, {
        ClientRequest,
        IncomingMessage,
        OutgoingMessage,
        ServerResponse: class ServerResponse extends OutgoingMessage {},
      })
  }

  internal.define('dns', ({ exported }) => {
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
        if (!isLookup || !isAddress(host)) throw notFound(syscall, host)
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
    const { Socket } = builtin('net')
    Object.assign(exported, {
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

  internal.define('internal/fetch', () => {
    return async function fetch(input) {
      const url = new URL(typeof input === 'object' && input.url ? input.url : String(input))
      const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
      await internal.turn()
      throw new TypeError('fetch failed', { cause: unreachable(url.hostname, port) })
    }
  })
})()
