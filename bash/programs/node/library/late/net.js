/** The module `net`, within one script: servers listen on ports that only the script itself reaches. */
'use strict'
;(() => {
  const { internal } = $polyfs
  const isAddress = (host) => /^(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|.*:.*)$/.test(host)
  const isHere = (host) => /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0|localhost|::1?|::ffff:127\.0\.0\.1)$/.test(host)
  /** Why nothing answers. */
  internal.unreachable = function unreachable(host, port) {
    if (!isAddress(host)) return internal.hostNotFound('getaddrinfo', host)
    const address = host === 'localhost' ? '127.0.0.1' : host
    const error = new Error('connect ECONNREFUSED ' + address + ':' + port)
    return Object.assign(error, { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', address, port })
  }
  internal.hostNotFound = function hostNotFound(syscall, hostname) {
    const error = new Error(syscall + ' ENOTFOUND ' + hostname)
    return Object.assign(error, { errno: -3008, code: 'ENOTFOUND', syscall, hostname })
  }
  /** A class that is also made without `new`. */
  internal.callable = (Type) => new Proxy(Type, { apply: (_target, _self, given) => new Type(...given) })
  /** Servers by their ports, or by the paths of their sockets. */
  const listening = new Map()
  let lastPort = 40000
  /** What nobody outside can reach any more, if that is all that is left to wait for. */
  internal.waitingServer = () => {
    for (const [at, server] of listening) if (server.$isReferenced) return typeof at === 'number' ? 'port ' + at : at
    return undefined
  }

  internal.define('net', ({ exported, builtin }) => {
    const { Duplex } = builtin('stream')
    const EventEmitter = builtin('events')
    const timers = builtin('internal/timers')

    class Socket extends Duplex {
      constructor(options = {}) {
        super({ allowHalfOpen: false, ...options, autoDestroy: true, emitClose: false, decodeStrings: true })
        this.connecting = false
        this.bytesRead = 0
        this.timeout = 0
        this.server = null
        this._hadError = false
        Object.defineProperty(this, '$', {
          value: { peer: undefined, sent: 0, waiting: undefined, timer: undefined, held: undefined },
          enumerable: false,
        })
        this.on('end', () => {
          if (!this.allowHalfOpen && !this.writableEnded) this.end()
        })
      }
      get bytesWritten() {
        return this.$.sent + (this.writableLength || 0)
      }
      get pending() {
        return this.connecting || this.$.peer === undefined
      }
      get readyState() {
        if (this.connecting) return 'opening'
        if (this.readable && this.writable) return this.$.peer === undefined ? 'closed' : 'open'
        return this.readable ? 'readOnly' : this.writable ? 'writeOnly' : 'closed'
      }
      connect(...given) {
        const done = typeof given[given.length - 1] === 'function' ? given.pop() : undefined
        const [first] = Array.isArray(given[0]) ? given[0] : given
        const options =
          typeof first === 'object' && first !== null
            ? first
            : typeof first === 'string' && !/^\d+$/.test(first)
              ? { path: first }
              : { port: first, host: given[1] }
        const { path } = options
        const host = options.host || 'localhost'
        const port = Number(options.port)
        if (path === undefined && !(port >= 0 && port < 65536))
          throw new internal.NodeRangeError(
            'ERR_SOCKET_BAD_PORT',
            'Port should be >= 0 and < 65536.' + internal.describe(options.port) + '.',
          )
        if (done) this.once('connect', done)
        this.connecting = true
        internal.soon(() => {
          if (this.destroyed) return
          const server = path === undefined ? (isHere(host) ? listening.get(port) : undefined) : listening.get(path)
          if (server !== undefined) return void join(this, server, port)
          if (path === undefined) return void this.destroy(internal.unreachable(host, port))
          const error = new Error('connect ENOENT ' + path)
          this.destroy(Object.assign(error, { errno: -2, code: 'ENOENT', syscall: 'connect', address: path }))
        })
        return this
      }
      _read() {
        const { held } = this.$
        this.$.held = undefined
        if (held) held()
      }
      _write(chunk, _encoding, done) {
        if (this.connecting) return void this.once('connect', () => this._write(chunk, _encoding, done))
        const { peer } = this.$
        touch(this)
        internal.soon(() => {
          if (peer === undefined || peer.destroyed) {
            const error = new Error('write EPIPE')
            return void done(Object.assign(error, { errno: -32, code: 'EPIPE', syscall: 'write' }))
          }
          this.$.sent += chunk.length
          peer.bytesRead += chunk.length
          touch(peer)
          if (peer.push(chunk)) done()
          else peer.$.held = done
        })
      }
      _final(done) {
        if (this.connecting) return void this.once('connect', () => this._final(done))
        const { peer } = this.$
        internal.soon(() => {
          if (peer !== undefined && !peer.destroyed) peer.push(null)
          done()
        })
      }
      _destroy(error, done) {
        this.connecting = false
        timers.clearTimeout(this.$.timer)
        const { peer, held } = this.$
        this.$.held = undefined
        if (held) held()
        this._hadError = Boolean(error)
        if (peer !== undefined && !peer.destroyed) internal.soon(() => gone(peer, Boolean(error) || this.$.isReset))
        done(error)
        internal.soon(() => {
          if (this._server) {
            this._server._connections -= 1
            this._server._emitCloseIfDrained()
          }
          this.emit('close', Boolean(error))
        })
      }
      resetAndDestroy() {
        this.$.isReset = true
        return this.destroy()
      }
      destroySoon() {
        if (this.writable) this.end()
        if (this.writableFinished) this.destroy()
        else this.once('finish', this.destroy)
      }
      setTimeout(delay, done) {
        this.timeout = delay
        timers.clearTimeout(this.$.timer)
        if (delay === 0) {
          if (done) this.removeListener('timeout', done)
        } else {
          if (done) this.once('timeout', done)
          touch(this)
        }
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
      address() {
        return this.localAddress === undefined
          ? {}
          : { address: this.localAddress, family: this.remoteFamily, port: this.localPort }
      }
      get _handle() {
        return this.$.peer === undefined || this.destroyed ? null : {}
      }
    }
    function touch(socket) {
      if (!socket.timeout) return
      timers.clearTimeout(socket.$.timer)
      socket.$.timer = timers.setTimeout(() => socket.emit('timeout'), socket.timeout)
      socket.$.timer.unref()
    }
    /** The other side was destroyed. */
    function gone(socket, isReset) {
      if (socket.destroyed) return
      if (!isReset) {
        if (!socket.readableEnded) socket.push(null)
        return
      }
      const error = new Error('read ECONNRESET')
      socket.destroy(Object.assign(error, { errno: -104, code: 'ECONNRESET', syscall: 'read' }))
    }
    function join(socket, server, port) {
      const other = new Socket({ allowHalfOpen: server.allowHalfOpen })
      const from = (lastPort += 1)
      const address = server.$address
      const near = typeof address === 'string' ? undefined : address.address === '::' ? '::ffff:127.0.0.1' : '127.0.0.1'
      const family = near === undefined ? undefined : near.includes(':') ? 'IPv6' : 'IPv4'
      const ends = [
        [socket, other, near && '127.0.0.1', port, from, near && 'IPv4'],
        [other, socket, near, from, port, family],
      ]
      for (const [one, peer, host, remote, local, kind] of ends) {
        one.$.peer = peer
        if (host === undefined) continue
        Object.assign(one, {
          remoteAddress: host,
          remotePort: remote,
          localPort: local,
          localAddress: host,
          remoteFamily: kind,
        })
      }
      other.server = server
      other._server = server
      if (server.pauseOnConnect) other.pause()
      server._connections += 1
      internal.soon(() => {
        server.emit('connection', other)
        if (!other.destroyed && !server.pauseOnConnect) other.read(0)
      })
      internal.soon(() => {
        if (socket.destroyed) return
        socket.connecting = false
        socket.emit('connect')
        socket.emit('ready')
        if (!socket.isPaused()) socket.read(0)
      })
    }

    class Server extends EventEmitter {
      constructor(options, onConnection) {
        super()
        const settings = typeof options === 'object' && options !== null ? options : {}
        const listener = typeof options === 'function' ? options : onConnection
        if (listener) this.on('connection', listener)
        this.allowHalfOpen = settings.allowHalfOpen || false
        this.pauseOnConnect = settings.pauseOnConnect || false
        this._connections = 0
        this.$isReferenced = true
      }
      get listening() {
        return this.$address !== undefined
      }
      listen(...given) {
        if (this.listening || this.$isStarting)
          throw new internal.NodeError(
            'ERR_SERVER_ALREADY_LISTEN',
            'Listen method has been called more than once without closing.',
          )
        const done = typeof given[given.length - 1] === 'function' ? given.pop() : undefined
        const [first] = given
        const options =
          typeof first === 'object' && first !== null
            ? first
            : typeof first === 'string' && !/^\d+$/.test(first)
              ? { path: first }
              : { port: first, host: typeof given[1] === 'string' ? given[1] : undefined }
        const wanted = options.port === undefined || options.port === null ? 0 : Number(options.port)
        if (!(Number.isInteger(wanted) && wanted >= 0 && wanted < 65536))
          throw new internal.NodeRangeError(
            'ERR_SOCKET_BAD_PORT',
            'options.port should be >= 0 and < 65536.' + internal.describe(options.port) + '.',
          )
        if (done) this.once('listening', done)
        this.$isStarting = true
        const host = options.host
        const address = host === undefined ? '::' : host === 'localhost' ? '127.0.0.1' : host
        let port = wanted
        while (port === 0 || (wanted === 0 && listening.has(port))) port = lastPort += 1
        const at = options.path === undefined ? port : options.path
        const failure = listening.has(at)
          ? listenFailure('EADDRINUSE', -98, 'address already in use', { address, port, path: options.path })
          : host !== undefined && !isHere(host)
            ? isAddress(host)
              ? listenFailure('EADDRNOTAVAIL', -99, 'address not available', { address, port, path: undefined })
              : internal.hostNotFound('getaddrinfo', host)
            : undefined
        if (failure === undefined) {
          listening.set(at, this)
          this.$at = at
          this.$address =
            options.path === undefined
              ? { address, family: address.includes(':') ? 'IPv6' : 'IPv4', port }
              : options.path
        }
        internal.nextTick(() => {
          this.$isStarting = false
          if (failure !== undefined) this.emit('error', failure)
          else if (this.listening) this.emit('listening')
        })
        if (options.signal) options.signal.addEventListener('abort', () => this.close())
        return this
      }
      address() {
        return this.$address === undefined ? null : this.$address
      }
      close(done) {
        const isOpen = this.listening
        if (typeof done === 'function') {
          if (isOpen) this.once('close', done)
          else
            this.once('close', () => done(new internal.NodeError('ERR_SERVER_NOT_RUNNING', 'Server is not running.')))
        }
        if (isOpen) listening.delete(this.$at)
        this.$address = undefined
        this._emitCloseIfDrained()
        return this
      }
      _emitCloseIfDrained() {
        if (this.listening || this._connections > 0) return
        internal.nextTick(() => this.emit('close'))
      }
      getConnections(done) {
        internal.nextTick(() => done(null, this._connections))
        return this
      }
      ref() {
        this.$isReferenced = true
        return this
      }
      unref() {
        this.$isReferenced = false
        return this
      }
      [/** @type {any} */ (Symbol).asyncDispose]() {
        return new Promise((resolve, reject) => this.close((error) => (error ? reject(error) : resolve(undefined))))
      }
    }
    function listenFailure(code, errno, words, { address, port, path }) {
      const where = path === undefined ? address + ':' + port : path
      const error = new Error('listen ' + code + ': ' + words + ' ' + where)
      return Object.assign(error, {
        code,
        errno,
        syscall: 'listen',
        address: path === undefined ? address : path,
        port: path === undefined ? port : -1,
      })
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
    const connect = (...given) => new Socket(typeof given[0] === 'object' ? given[0] : {}).connect(...given)
    Object.assign(exported, {
      Socket: internal.callable(Socket),
      Stream: internal.callable(Socket),
      Server: internal.callable(Server),
      connect,
      createConnection: connect,
      createServer: (options, listener) => new Server(options, listener),
      isIP: (text) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0),
      isIPv4,
      isIPv6,
      getDefaultAutoSelectFamily: () => true,
      setDefaultAutoSelectFamily() {},
    })
  })
})()
