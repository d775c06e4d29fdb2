/** What requests and answers of HTTP share: headers, and how a body is sent. */
'use strict'
$polyfs.internal.define('internal/http-messages', ({ exported, builtin, internal }) => {
  const { Readable, Stream } = builtin('stream')
  const { Buffer } = builtin('buffer')
  const { joined, distinct } = builtin('internal/http-parser')
  const token = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/
  const wrongValue = /[^\t\x20-\x7e\x80-\xff]/

  function validateName(name) {
    if (typeof name === 'string' && token.test(name)) return
    throw new internal.NodeTypeError(
      'ERR_INVALID_HTTP_TOKEN',
      'Header name must be a valid HTTP token ["' + name + '"]',
    )
  }
  function validateValue(name, value) {
    if (value === undefined)
      throw new internal.NodeTypeError(
        'ERR_HTTP_INVALID_HEADER_VALUE',
        'Invalid value "' + value + '" for header "' + name + '"',
      )
    for (const each of Array.isArray(value) ? value : [value])
      if (wrongValue.test(String(each)))
        throw new internal.NodeTypeError('ERR_INVALID_CHAR', 'Invalid character in header content ["' + name + '"]')
  }
  Object.assign(exported, { validateName, validateValue })

  class IncomingMessage extends Readable {
    constructor(socket) {
      super({ highWaterMark: 65536 })
      Object.assign(this, {
        httpVersionMajor: null,
        httpVersionMinor: null,
        httpVersion: null,
        complete: false,
        rawHeaders: [],
        rawTrailers: [],
        joinDuplicateHeaders: false,
        aborted: false,
        upgrade: null,
        url: '',
        method: null,
        statusCode: null,
        statusMessage: null,
        client: socket,
      })
      this.socket = socket
    }
    get connection() {
      return this.socket
    }
    set connection(socket) {
      this.socket = socket
    }
    get headers() {
      if (this.$headers === undefined) hide(this, '$headers', joined(this.rawHeaders))
      return this.$headers
    }
    set headers(headers) {
      hide(this, '$headers', headers)
    }
    get headersDistinct() {
      return distinct(this.rawHeaders)
    }
    get trailers() {
      return joined(this.rawTrailers)
    }
    get trailersDistinct() {
      return distinct(this.rawTrailers)
    }
    setTimeout(delay, done) {
      if (done) this.on('timeout', done)
      this.socket.setTimeout(delay)
      return this
    }
    _read() {
      const resume = this.$resume
      this.$resume = undefined
      if (resume) resume()
    }
    _destroy(error, done) {
      if (!this.readableEnded || !this.complete) {
        this.aborted = true
        this.emit('aborted')
      }
      if (this.socket && !this.socket.destroyed && this.aborted) this.socket.destroy(error)
      if (!error && !this.complete && this.statusCode !== null) {
        internal.soon(() => done(aborted()))
        return
      }
      if (error && this.listenerCount('error') === 0) return void internal.soon(() => done(null))
      internal.soon(() => done(error))
    }
    _dump() {
      if (this._dumped) return
      this._dumped = true
      this.resume()
    }
  }
  const aborted = () => Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
  const hide = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false })

  /** Sends its head with the first part of its body, or with its end. */
  class OutgoingMessage extends Stream {
    constructor(options) {
      super(options)
      Object.assign(this, {
        writable: true,
        destroyed: false,
        finished: false,
        headersSent: false,
        chunkedEncoding: false,
        shouldKeepAlive: true,
        useChunkedEncodingByDefault: true,
        sendDate: false,
        strictContentLength: false,
        _removedConnection: false,
        _removedContLen: false,
        _removedTE: false,
        _hasBody: true,
        _contentLength: null,
        _trailer: '',
        _header: null,
        socket: null,
        _closed: false,
        errored: null,
      })
      for (const [name, value] of Object.entries({ $headers: new Map(), $queue: [], $isFinished: false, $corked: 0 }))
        hide(this, name, value)
    }
    get connection() {
      return this.socket
    }
    get closed() {
      return this._closed
    }
    get writableEnded() {
      return this.finished
    }
    get writableFinished() {
      return this.$isFinished
    }
    get writableObjectMode() {
      return false
    }
    get writableHighWaterMark() {
      return 16384
    }
    get writableLength() {
      return this.$queue.reduce((sum, [bytes]) => sum + bytes.length, 0)
    }
    get writableCorked() {
      return this.$corked
    }
    get writableNeedDrain() {
      return !this.destroyed && !this.finished && this.$needsDrain === true
    }
    get _headers() {
      return this.getHeaders()
    }
    get headersSent() {
      return this._header !== null
    }
    set headersSent(_value) {}

    setHeader(name, value) {
      if (this._header) throw sent('set')
      validateName(name)
      validateValue(name, value)
      this.$headers.set(name.toLowerCase(), [name, value])
      return this
    }
    setHeaders(headers) {
      if (this._header) throw sent('set')
      for (const [name, value] of headers) this.setHeader(name, value)
      return this
    }
    appendHeader(name, value) {
      if (this._header) throw sent('append')
      validateName(name)
      validateValue(name, value)
      /** @type {[string, any] | undefined} */
      const known = this.$headers.get(name.toLowerCase())
      if (known === undefined) return this.setHeader(name, value)
      known[1] = [known[1], value].flat()
      return this
    }
    getHeader(name) {
      if (typeof name !== 'string') throw internal.wrongType('name', 'of type string', name)
      return this.$headers.get(name.toLowerCase())?.[1]
    }
    hasHeader(name) {
      if (typeof name !== 'string') throw internal.wrongType('name', 'of type string', name)
      return this.$headers.has(name.toLowerCase())
    }
    removeHeader(name) {
      if (typeof name !== 'string') throw internal.wrongType('name', 'of type string', name)
      if (this._header) throw sent('remove')
      const key = name.toLowerCase()
      this.$headers.delete(key)
      if (key === 'connection') this._removedConnection = true
      else if (key === 'content-length') this._removedContLen = true
      else if (key === 'transfer-encoding') this._removedTE = true
      else if (key === 'date') this.sendDate = false
    }
    getHeaders() {
      const all = Object.create(null)
      for (const [key, [, value]] of this.$headers) all[key] = value
      return all
    }
    getHeaderNames() {
      return [...this.$headers.keys()]
    }
    getRawHeaderNames() {
      return [...this.$headers.values()].map(([name]) => name)
    }
    setTimeout(delay, done) {
      if (done) this.on('timeout', done)
      if (this.socket) this.socket.setTimeout(delay)
      else this.once('socket', (socket) => socket.setTimeout(delay))
      return this
    }
    cork() {
      this.$corked = Number(this.$corked) + 1
    }
    uncork() {
      this.$corked = Math.max(0, Number(this.$corked) - 1)
    }
    addTrailers(trailers) {
      for (const [name, value] of Array.isArray(trailers) ? trailers : Object.entries(trailers)) {
        validateName(name)
        this._trailer += name + ': ' + value + '\r\n'
      }
    }
    flushHeaders() {
      if (!this._header) this._implicitHeader()
      this._send('')
    }

    /** The text of the head, with what Node adds to it. */
    _storeHeader(first, given) {
      const lines = []
      const has = { connection: false, length: false, encoding: false, date: false, expect: false, trailer: false }
      const add = (name, value) => {
        const key = name.toLowerCase()
        validateName(name)
        for (const each of Array.isArray(value) && key !== 'cookie' ? value : [[value].flat().join('; ')]) {
          validateValue(name, each)
          lines.push(name + ': ' + each)
        }
        if (key === 'connection') {
          has.connection = true
          this._removedConnection = false
          if (/close/i.test(value)) this._last = true
          else this.shouldKeepAlive = true
        } else if (key === 'transfer-encoding') {
          has.encoding = true
          if (/chunked/i.test(value)) this.chunkedEncoding = true
        } else if (key === 'content-length') {
          has.length = true
          this._contentLength = Number(value)
        } else if (key === 'date' || key === 'expect' || key === 'trailer') has[key] = true
      }
      if (Array.isArray(given)) {
        if (Array.isArray(given[0])) for (const [name, value] of given) add(name, value)
        else for (let at = 0; at < given.length; at += 2) add(given[at], given[at + 1])
      } else if (given) for (const [name, value] of Object.entries(given)) add(name, value)
      else for (const [name, value] of this.$headers.values()) add(name, value)

      if (this.sendDate && !has.date) lines.push('Date: ' + new Date().toUTCString())
      if (this.chunkedEncoding && (this.statusCode === 204 || this.statusCode === 304)) {
        this.chunkedEncoding = false
        this.shouldKeepAlive = false
      }
      if (this._removedConnection) this._last = !this.shouldKeepAlive
      else if (!has.connection) {
        const isKept = this.shouldKeepAlive && (has.length || this.useChunkedEncodingByDefault || this.agent)
        if (isKept) {
          lines.push('Connection: keep-alive')
          if (this._keepAliveTimeout && this._defaultKeepAlive)
            lines.push('Keep-Alive: timeout=' + Math.floor(this._keepAliveTimeout / 1000))
        } else {
          this._last = true
          lines.push('Connection: close')
        }
      }
      if (!has.length && !has.encoding) {
        if (!this._hasBody) this.chunkedEncoding = false
        else if (!this.useChunkedEncodingByDefault) this._last = true
        else if (!has.trailer && !this._removedContLen && typeof this._contentLength === 'number')
          lines.push('Content-Length: ' + this._contentLength)
        else if (!this._removedTE) {
          lines.push('Transfer-Encoding: chunked')
          this.chunkedEncoding = true
        } else this._last = true
      }
      this._header = first + lines.join('\r\n') + (lines.length > 0 ? '\r\n' : '') + '\r\n'
      hide(this, '$unsent', this._header)
    }

    _send(data, done) {
      if (this.$unsent !== undefined) {
        const head = this.$unsent
        hide(this, '$unsent', undefined)
        this.$put(Buffer.from(head, 'latin1'))
      }
      const bytes = typeof data === 'string' ? Buffer.from(data) : data
      if (bytes.length > 0 || done) return this.$put(bytes, done)
      return true
    }
    /** What goes out before there is a socket waits for one. */
    $put(bytes, done) {
      if (this.destroyed) return false
      if (this.socket === null || !this.socket.writable) {
        this.$queue.push([bytes, done])
        return this.writableLength < this.writableHighWaterMark
      }
      if (bytes.length > 0) return this.socket.write(bytes, done)
      if (done) this.socket.write('', done)
      return true
    }
    $flush() {
      const queue = this.$queue.splice(0)
      for (const [bytes, done] of queue) this.$put(bytes, done)
      if (this.$needsDrain && !this.finished) {
        this.$needsDrain = false
        this.emit('drain')
      }
      if (this.finished) this.$finish()
    }
    write(chunk, encoding, done) {
      const after = typeof encoding === 'function' ? encoding : done
      if (chunk === null)
        throw new internal.NodeTypeError('ERR_STREAM_NULL_VALUES', 'May not write null values to stream')
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
        throw internal.wrongType('chunk', 'of type string or an instance of Buffer or Uint8Array', chunk)
      if (this.finished || this.destroyed) {
        const error = this.finished
          ? new internal.NodeError('ERR_STREAM_WRITE_AFTER_END', 'write after end')
          : new internal.NodeError('ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed')
        internal.nextTick(() => {
          if (this.finished) this.emit('error', error)
          if (after) after(error)
        })
        return false
      }
      const bytes =
        typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : chunk
      if (!this._header) {
        if (this._contentLength === null && !this.chunkedEncoding && this.$isEnding) this._contentLength = bytes.length
        this._implicitHeader()
      }
      if (!this._hasBody) {
        if (after) internal.nextTick(after)
        return true
      }
      const isFine = this.$write(bytes, after)
      if (!isFine) hide(this, '$needsDrain', true)
      return isFine
    }
    $write(bytes, done) {
      if (!this.chunkedEncoding) return this._send(bytes, done)
      if (bytes.length === 0) {
        if (done) internal.nextTick(done)
        return true
      }
      return this._send(
        Buffer.concat([Buffer.from(bytes.length.toString(16) + '\r\n'), bytes, Buffer.from('\r\n')]),
        done,
      )
    }
    end(chunk, encoding, done) {
      const after = [chunk, encoding, done].find((each) => typeof each === 'function')
      const data = typeof chunk === 'function' ? undefined : chunk
      if (this.finished) {
        if (after) {
          if (this.$isFinished)
            internal.nextTick(() =>
              after(
                new internal.NodeError('ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished'),
              ),
            )
          else this.once('finish', after)
        }
        return this
      }
      if (after) this.once('finish', after)
      if (data !== undefined && data !== null) {
        hide(this, '$isEnding', true)
        if (!this._header) {
          if (typeof data !== 'string' && !(data instanceof Uint8Array))
            throw internal.wrongType('chunk', 'of type string or an instance of Buffer or Uint8Array', data)
          this._contentLength =
            typeof data === 'string'
              ? Buffer.byteLength(data, typeof encoding === 'string' ? encoding : 'utf8')
              : data.byteLength
        }
        this.write(data, typeof encoding === 'string' ? encoding : undefined)
      } else if (!this._header) {
        this._contentLength = 0
        this._implicitHeader()
      }
      if (this._hasBody && this.chunkedEncoding) this._send('0\r\n' + this._trailer + '\r\n')
      else this._send('')
      this.finished = true
      this.$corked = 0
      if (this.socket !== null) this.$finish()
      return this
    }
    $finish() {
      if (this.$isFinished || this.$isFinishing) return
      hide(this, '$isFinishing', true)
      this.emit('prefinish')
      internal.soon(() => {
        if (this.destroyed && !this.$wasDone) return
        hide(this, '$isFinished', true)
        this.emit('finish')
        this._finish()
      })
    }
    _finish() {}
    destroy(error) {
      if (this.destroyed) return this
      this.destroyed = true
      this.errored = error || null
      if (this.socket) this.socket.destroy(error)
      else this.once('socket', (socket) => socket.destroy(error))
      return this
    }
    pipe() {
      this.emit('error', new internal.NodeError('ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'))
    }
    [internal.builtin('events').captureRejectionSymbol](error) {
      this.destroy(error)
    }
  }
  const sent = (what) =>
    new internal.NodeError('ERR_HTTP_HEADERS_SENT', 'Cannot ' + what + ' headers after they are sent to the client')
  Object.assign(exported, { IncomingMessage, OutgoingMessage, hide, aborted, sent })
})
