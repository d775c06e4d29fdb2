/** Requests of HTTP: to servers of the script itself; every other address fails as on a machine that is offline. */
'use strict'
$polyfs.internal.define('internal/http-client', ({ exported, builtin, internal }) => {
  const net = builtin('net')
  const EventEmitter = builtin('events')
  const { Buffer } = builtin('buffer')
  const { IncomingMessage, OutgoingMessage, hide, aborted } = builtin('internal/http-messages')
  const { parser } = builtin('internal/http-parser')

  /** It keeps options only: every request has a connection of its own. */
  class Agent extends EventEmitter {
    constructor(options = {}) {
      super()
      Object.assign(this, {
        defaultPort: 80,
        protocol: 'http:',
        options: { path: null, noDelay: true, ...options },
        requests: {},
        sockets: {},
        freeSockets: {},
        keepAliveMsecs: options.keepAliveMsecs || 1000,
        keepAlive: options.keepAlive || false,
        maxSockets: options.maxSockets || Infinity,
        maxFreeSockets: options.maxFreeSockets || 256,
        scheduling: options.scheduling || 'lifo',
        maxTotalSockets: options.maxTotalSockets || Infinity,
        totalSocketCount: 0,
      })
    }
    createConnection(...given) {
      return net.connect(...given)
    }
    getName(options = {}) {
      const { host = 'localhost', port = '', localAddress = '', family } = options
      return host + ':' + port + ':' + localAddress + (family === 4 || family === 6 ? ':' + family : '')
    }
    destroy() {}
  }
  const globalAgent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 })

  const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])
  const wrongPath = /[^\x21-\xff]/

  class ClientRequest extends OutgoingMessage {
    constructor(input, options, done) {
      super()
      const [given, onResponse] = argumentsOf(input, options, done)
      const agent = given.agent === false ? new Agent() : given.agent || given._defaultAgent || globalAgent
      const expected = given.protocol && given.agent === undefined ? given._defaultProtocol || 'http:' : agent.protocol
      const protocol = given.protocol || expected
      if (given.path && wrongPath.test(String(given.path)))
        throw new internal.NodeTypeError('ERR_UNESCAPED_CHARACTERS', 'Request path contains unescaped characters')
      if (protocol !== expected)
        throw new internal.NodeTypeError(
          'ERR_INVALID_PROTOCOL',
          'Protocol "' + protocol + '" not supported. Expected "' + expected + '"',
        )
      const method = given.method === undefined || given.method === null ? 'GET' : given.method
      if (typeof method !== 'string') throw internal.wrongType('options.method', 'of type string', method)
      if (method !== '' && !/^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/.test(method))
        throw new internal.NodeTypeError(
          'ERR_INVALID_HTTP_TOKEN',
          'Method must be a valid HTTP token ["' + method + '"]',
        )
      const port = Number(given.port || given.defaultPort || agent.defaultPort || 80)
      Object.assign(this, {
        agent,
        method: method.toUpperCase() || 'GET',
        path: given.path || '/',
        host: given.hostname || given.host || 'localhost',
        protocol,
        socketPath: given.socketPath,
        timeout: given.timeout,
        reusedSocket: false,
        aborted: false,
        res: null,
        maxHeadersCount: null,
        shouldKeepAlive: agent.keepAlive === true,
      })
      this.useChunkedEncodingByDefault = !bodiless.has(this.method)
      if (onResponse) this.once('response', onResponse)
      const { headers } = given
      if (Array.isArray(headers)) {
        if (Array.isArray(headers[0])) for (const [name, value] of headers) this.setHeader(name, value)
        else for (let at = 0; at < headers.length; at += 2) this.setHeader(headers[at], headers[at + 1])
      } else for (const [name, value] of Object.entries(headers || {})) this.setHeader(name, value)
      if (!this.hasHeader('host') && given.setHost !== false) {
        const plain = this.host.includes(':') && !this.host.startsWith('[') ? '[' + this.host + ']' : this.host
        this.setHeader('Host', port === (protocol === 'https:' ? 443 : 80) ? plain : plain + ':' + port)
      }
      if (given.auth && !this.hasHeader('authorization'))
        this.setHeader('Authorization', 'Basic ' + Buffer.from(given.auth).toString('base64'))
      const { signal } = given
      if (signal) {
        const stop = () => this.destroy(abortError(signal.reason))
        if (signal.aborted) internal.nextTick(stop)
        else signal.addEventListener('abort', stop, { once: true })
      }
      const host = this.host.replace(/^\[(.*)\]$/, '$1')
      internal.nextTick(() => {
        if (this.destroyed) return void this.$fail(this.errored || (this.$isAborted ? hangUp() : undefined))
        if (protocol === 'https:') return void internal.soon(() => this.$fail(internal.unreachable(host, port)))
        const socket = given.createConnection
          ? given.createConnection({ ...given, host, port, path: this.socketPath })
          : this.socketPath
            ? net.connect({ path: this.socketPath })
            : net.connect({ host, port })
        this.$use(socket)
      })
    }
    _implicitHeader() {
      this._storeHeader(this.method + ' ' + this.path + ' HTTP/1.1\r\n')
    }
    $fail(error) {
      if (this.$hasFailed) return
      hide(this, '$hasFailed', true)
      this.destroyed = true
      if (error) this.emit('error', error)
      this._closed = true
      this.emit('close')
    }
    $use(socket) {
      this.socket = socket
      socket._httpMessage = this
      let response
      let isUpgraded = false
      const reader = parser({
        onHead: (first, raw) => {
          const [, major, minor, code, message = ''] = /^HTTP\/(\d)\.(\d) (\d{3})(?: (.*))?$/.exec(first) || []
          if (code === undefined) throw builtin('internal/http-parser').fault('HPE_INVALID_CONSTANT', 'Expected HTTP/')
          const made = new IncomingMessage(socket)
          Object.assign(made, {
            rawHeaders: raw,
            statusCode: Number(code),
            statusMessage: message,
            httpVersion: major + '.' + minor,
            httpVersionMajor: Number(major),
            httpVersionMinor: Number(minor),
            req: this,
          })
          if (made.statusCode === 100) {
            this.emit('continue')
            return 0
          }
          if (made.statusCode > 100 && made.statusCode < 200 && made.statusCode !== 101) {
            this.emit('information', made)
            return 0
          }
          response = made
          this.res = made
          const { headers } = made
          if (made.statusCode === 101 || this.method === 'CONNECT') {
            isUpgraded = true
            made.upgrade = true
            internal.soon(() => this.$upgrade(made, reader.rest(), listeners))
            return 'upgrade'
          }
          if (this.listenerCount('response') === 0) made._dump()
          else this.emit('response', made)
          if (this.method === 'HEAD' || made.statusCode === 204 || made.statusCode === 304) return 0
          if (/\bchunked\b/i.test(headers['transfer-encoding'] || '')) return 'chunked'
          return headers['content-length'] === undefined ? 'close' : Number(headers['content-length'])
        },
        onBody: (part) => {
          if (response._dumped || response.destroyed) return
          if (response.push(part)) return
          socket.pause()
          response.$resume = () => socket.resume()
        },
        onEnd: (trailers) => {
          if (response === undefined) return
          response.rawTrailers = trailers
          response.complete = true
          response.push(null)
          over()
        },
      })
      const over = () => {
        hide(this, '$wasDone', true)
        for (const [event, listener] of Object.entries(listeners))
          if (event !== 'error') socket.removeListener(event, listener)
        if (!socket.destroyed) socket.destroy()
        this.destroyed = true
        const end = () => {
          if (this._closed) return
          this._closed = true
          this.emit('close')
        }
        if (response.readableEnded || response._dumped) internal.nextTick(end)
        else response.once('close', end)
        if (response._dumped) response.resume()
      }
      const fail = (error) => {
        if (response !== undefined && !response.complete) {
          if (!response.destroyed) response.destroy(error.code === 'ECONNRESET' ? aborted() : error)
          this.destroyed = true
          if (!this._closed) {
            this._closed = true
            this.emit('close')
          }
        } else if (response === undefined) this.$fail(error)
      }
      const listeners = {
        data(bytes) {
          try {
            reader.feed(bytes)
          } catch (error) {
            if (!String(error.code).startsWith('HPE_')) throw error
            error.rawPacket = bytes
            socket.destroy()
            fail(error)
          }
        },
        end() {
          if (!isUpgraded && !reader.finish()) fail(hangUp())
        },
        error: fail,
        close: () => {
          if (isUpgraded) return
          if (response === undefined)
            this.$fail(this.errored || (this.$isAborted || !this.errored ? hangUp() : undefined))
          else if (!response.complete) fail(hangUp())
        },
        timeout: () => this.emit('timeout'),
        drain: () => this.$flush(),
      }
      for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener)
      this.emit('socket', socket)
      if (this.timeout) socket.setTimeout(this.timeout)
      this.$flush()
    }
    $upgrade(response, head, listeners) {
      const { socket } = this
      for (const [event, listener] of Object.entries(listeners)) socket.removeListener(event, listener)
      const event = this.method === 'CONNECT' ? 'connect' : 'upgrade'
      if (this.listenerCount(event) > 0) this.emit(event, response, socket, head)
      else socket.destroy()
      this.destroyed = true
      this._closed = true
      this.emit('close')
    }
    abort() {
      if (this.aborted) return
      this.aborted = true
      hide(this, '$isAborted', true)
      internal.nextTick(() => this.emit('abort'))
      this.destroy()
    }
    destroy(error) {
      if (this.destroyed) return this
      this.destroyed = true
      this.errored = error || null
      if (this.res) this.res._dump()
      if (this.socket) {
        if (this.res && !this.res.complete && !this.res.destroyed) this.res.destroy(error)
        this.socket.destroy(error)
      } else if (this.$isStarted) this.$fail(error || hangUp())
      return this
    }
    setNoDelay() {
      return this
    }
    setSocketKeepAlive() {
      return this
    }
    clearTimeout(done) {
      return this.setTimeout(0, done)
    }
  }
  const hangUp = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  function abortError(cause) {
    const error = new Error('The operation was aborted', { cause })
    return Object.assign(error, { code: 'ABORT_ERR', name: 'AbortError' })
  }

  function argumentsOf(input, options, done) {
    const { URL } = builtin('url')
    const address = typeof input === 'string' ? new URL(input) : input instanceof URL ? input : undefined
    if (address === undefined) return [{ ...input }, typeof options === 'function' ? options : done]
    const from = {
      protocol: address.protocol,
      hostname: address.hostname.replace(/^\[(.*)\]$/, '$1'),
      path: (address.pathname || '') + (address.search || ''),
      ...(address.port !== '' && { port: Number(address.port) }),
      ...((address.username || address.password) && {
        auth: decodeURIComponent(address.username) + ':' + decodeURIComponent(address.password),
      }),
    }
    return typeof options === 'function' ? [from, options] : [{ ...from, ...options }, done]
  }
  Object.assign(exported, { Agent, globalAgent, ClientRequest })
})
