/** Servers of HTTP, which only the script itself reaches. */
'use strict'
$polyfs.internal.define('internal/http-server', ({ exported, builtin, internal }) => {
  const net = builtin('net')
  const { IncomingMessage, OutgoingMessage, hide, sent } = builtin('internal/http-messages')
  const { parser } = builtin('internal/http-parser')
  const { statuses } = builtin('internal/http-names')

  class ServerResponse extends OutgoingMessage {
    constructor(request, options) {
      super(options)
      this.statusCode = 200
      this.statusMessage = undefined
      this.sendDate = true
      this.req = request
      this._sent100 = false
      this._expect_continue = false
      this._defaultKeepAlive = true
      if (request.method === 'HEAD') this._hasBody = false
      if (request.httpVersionMajor < 1 || request.httpVersionMinor < 1) {
        this.useChunkedEncodingByDefault = /chunked/i.test(request.headers.te || '')
        this.shouldKeepAlive = false
      }
    }
    assignSocket(socket) {
      socket._httpMessage = this
      hide(this, '$onClose', () => {
        this.destroyed = true
        this._closed = true
        this.emit('close')
      })
      socket.on('close', this.$onClose)
      this.socket = socket
      this.emit('socket', socket)
      this.$flush()
    }
    detachSocket(socket) {
      if (this.$onClose) socket.removeListener('close', this.$onClose)
      socket._httpMessage = null
      this.socket = null
    }
    writeContinue(done) {
      this.socket.write('HTTP/1.1 100 Continue\r\n\r\n', done)
      this._sent100 = true
    }
    writeProcessing(done) {
      this.socket.write('HTTP/1.1 102 Processing\r\n\r\n', done)
    }
    writeEarlyHints(hints, done) {
      const lines = Object.entries(hints).map(([name, value]) => name + ': ' + [value].flat().join(', ') + '\r\n')
      this.socket.write('HTTP/1.1 103 Early Hints\r\n' + lines.join('') + '\r\n', done)
    }
    _implicitHeader() {
      this.writeHead(this.statusCode)
    }
    writeHead(status, reason, headers) {
      if (this._header) throw sent('write')
      const code = Number(status) | 0
      if (code < 100 || code > 999)
        throw new internal.NodeRangeError('ERR_HTTP_INVALID_STATUS_CODE', 'Invalid status code: ' + status)
      let given = headers
      if (typeof reason === 'string') this.statusMessage = reason
      else {
        if (!this.statusMessage) this.statusMessage = statuses[code] || 'unknown'
        given = headers === undefined ? reason : headers
      }
      this.statusCode = code
      let all
      if (this.$headers.size > 0 && given) {
        const pairs = Array.isArray(given)
          ? Array.isArray(given[0])
            ? given
            : given.flatMap((name, at) => (at % 2 === 0 ? [[name, given[at + 1]]] : []))
          : Object.entries(given)
        for (const [name, value] of pairs) this.setHeader(name, value)
      } else all = given
      if (/[^\t\x20-\x7e\x80-\xff]/.test(this.statusMessage))
        throw new internal.NodeTypeError('ERR_INVALID_CHAR', 'Invalid character in statusMessage')
      if (code === 204 || code === 304 || (code >= 100 && code <= 199)) this._hasBody = false
      if (this._expect_continue && !this._sent100) this.shouldKeepAlive = false
      this._storeHeader('HTTP/1.1 ' + code + ' ' + this.statusMessage + '\r\n', all)
      return this
    }
    _finish() {
      this.$onDone()
    }
  }
  ServerResponse.prototype.writeHeader = ServerResponse.prototype.writeHead

  class Server extends net.Server {
    constructor(options, onRequest) {
      const settings = typeof options === 'object' && options !== null ? options : {}
      super({ allowHalfOpen: true })
      const listener = typeof options === 'function' ? options : onRequest
      if (listener) this.on('request', listener)
      Object.assign(this, {
        timeout: 0,
        keepAliveTimeout: 5000,
        headersTimeout: 60000,
        requestTimeout: 300000,
        maxHeadersCount: null,
        maxRequestsPerSocket: 0,
        ...settings,
      })
      hide(this, '$sockets', new Map())
      hide(this, '$types', [settings.IncomingMessage || IncomingMessage, settings.ServerResponse || ServerResponse])
      this.on('connection', (socket) => serve(this, socket))
    }
    setTimeout(delay, done) {
      this.timeout = delay
      if (done) this.on('timeout', done)
      return this
    }
    close(done) {
      super.close(done)
      this.closeIdleConnections()
      return this
    }
    closeIdleConnections() {
      for (const [socket, connection] of this.$sockets) if (connection.isIdle()) socket.destroy()
    }
    closeAllConnections() {
      for (const socket of this.$sockets.keys()) socket.destroy()
    }
  }

  function serve(server, socket) {
    const [Request, Response] = server.$types
    /** Requests whose answers are not sent. */
    const waiting = []
    let request
    let isUpgraded = false
    const reader = parser({
      onHead(first, raw) {
        const [, method, url, major, minor] = /^([A-Z-]+) (\S+) HTTP\/(\d)\.(\d)$/.exec(first) || []
        if (method === undefined) throw builtin('internal/http-parser').fault('HPE_INVALID_CONSTANT', 'Expected HTTP/')
        request = new Request(socket)
        Object.assign(request, {
          method,
          url,
          rawHeaders: raw,
          httpVersion: major + '.' + minor,
          httpVersionMajor: Number(major),
          httpVersionMinor: Number(minor),
        })
        const { headers } = request
        if (method === 'CONNECT' || (/\bupgrade\b/i.test(headers.connection || '') && headers.upgrade !== undefined)) {
          const event = method === 'CONNECT' ? 'connect' : 'upgrade'
          if (method === 'CONNECT' || server.listenerCount(event) > 0) {
            isUpgraded = true
            request.upgrade = true
            internal.soon(() => upgrade(event, request))
            return 'upgrade'
          }
        }
        answer(request)
        if (/\bchunked\b/i.test(headers['transfer-encoding'] || '')) return 'chunked'
        return Number(headers['content-length']) || 0
      },
      onBody(part) {
        if (request._dumped || request.destroyed) return
        if (!request.push(part)) hold(request)
      },
      onEnd(trailers) {
        request.rawTrailers = trailers
        request.complete = true
        request.push(null)
      },
    })
    function hold(message) {
      socket.pause()
      message.$resume = () => socket.resume()
    }
    function upgrade(event, given) {
      release()
      if (server.listenerCount(event) > 0) server.emit(event, given, socket, reader.rest())
      else socket.destroy()
    }
    function answer(given) {
      const response = new Response(given)
      response._keepAliveTimeout = server.keepAliveTimeout
      response.shouldKeepAlive =
        given.httpVersion === '1.1'
          ? !/\bclose\b/i.test(given.headers.connection || '')
          : /\bkeep-alive\b/i.test(given.headers.connection || '')
      hide(response, '$onDone', () => done(given, response))
      waiting.push(response)
      if (waiting.length === 1) response.assignSocket(socket)
      const { expect } = given.headers
      if (expect !== undefined && given.httpVersion === '1.1') {
        if (/^100-continue$/i.test(expect)) {
          response._expect_continue = true
          if (server.listenerCount('checkContinue') > 0) return void server.emit('checkContinue', given, response)
          response.writeContinue()
        } else if (server.listenerCount('checkExpectation') > 0)
          return void server.emit('checkExpectation', given, response)
        else return void response.writeHead(417).end()
      }
      server.emit('request', given, response)
    }
    function done(given, response) {
      waiting.shift()
      if (!given._consumed && !given.readableFlowing) given._dump()
      hide(response, '$wasDone', true)
      response.detachSocket(socket)
      response.destroyed = true
      response._closed = true
      response.emit('close')
      if (response._last || !server.listening) socket.destroySoon()
      else if (waiting.length > 0) waiting[0].assignSocket(socket)
    }
    function release() {
      server.$sockets.delete(socket)
      for (const [event, listener] of Object.entries(listeners)) socket.removeListener(event, listener)
    }
    const listeners = {
      data(bytes) {
        try {
          reader.feed(bytes)
        } catch (error) {
          if (!String(error.code).startsWith('HPE_')) throw error
          error.bytesParsed = 0
          error.rawPacket = bytes
          if (server.listenerCount('clientError') > 0) return void server.emit('clientError', error, socket)
          const status =
            error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
          socket.end('HTTP/1.1 ' + status + '\r\nConnection: close\r\n\r\n')
        }
      },
      end() {
        if (isUpgraded) return
        if (waiting.length === 0) socket.end()
        else waiting[waiting.length - 1]._last = true
        if (request !== undefined && !request.complete) request.destroy(resetError())
      },
      error(error) {
        if (server.listenerCount('clientError') > 0) server.emit('clientError', error, socket)
        else socket.destroy(error)
      },
      timeout() {
        const [response] = waiting
        const isHeard =
          (request && !request.complete && request.emit('timeout', socket)) ||
          response?.emit('timeout', socket) ||
          server.emit('timeout', socket)
        if (!isHeard) socket.destroy()
      },
      close() {
        server.$sockets.delete(socket)
        if (request !== undefined && !request.destroyed && (!request.complete || waiting.length > 0)) {
          if (!request.complete) request.destroy(resetError())
          else request.emit('close')
        }
      },
    }
    const resetError = () => Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener)
    if (server.timeout) socket.setTimeout(server.timeout)
    server.$sockets.set(socket, { isIdle: () => waiting.length === 0 && reader.isIdle })
  }

  Object.assign(exported, { Server, ServerResponse })
})
