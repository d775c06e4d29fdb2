/** Streams that are read. */
'use strict'
$polyfs.internal.define('internal/stream-readable', ({ exported, builtin, internal }) => {
  const { Buffer } = builtin('buffer')
  const base = builtin('internal/stream-base')
  const { Stream, errors, errorOrDestroy } = base
  const nothing = () => {}

  function ReadableState(options, isDuplex) {
    this.objectMode = Boolean(options?.objectMode || (isDuplex && options?.readableObjectMode))
    this.highWaterMark = base.markOf(options || {}, isDuplex, 'readableHighWaterMark', this.objectMode)
    this.buffer = []
    this.length = 0
    this.pipes = []
    this.flowing = null
    this.ended = false
    this.endEmitted = false
    this.reading = false
    this.constructed = true
    this.sync = true
    this.needReadable = false
    this.emittedReadable = false
    this.readableListening = false
    this.resumeScheduled = false
    this.paused = null
    this.errorEmitted = false
    this.emitClose = options?.emitClose !== false
    this.autoDestroy = options?.autoDestroy !== false
    this.destroyed = false
    this.errored = null
    this.closed = false
    this.closeEmitted = false
    this.defaultEncoding = options?.defaultEncoding || 'utf8'
    this.awaitDrainWriters = null
    this.multiAwaitDrain = false
    this.readingMore = false
    this.dataEmitted = false
    this.decoder = null
    this.encoding = null
    if (options?.encoding) {
      const { StringDecoder } = builtin('string_decoder')
      this.decoder = new StringDecoder(options.encoding)
      this.encoding = options.encoding
    }
  }
  exported.ReadableState = ReadableState

  const Readable = /** @type {any} */ (
    function (options) {
      if (!(this instanceof Readable)) return new Readable(options)
      exported.startReading(this, options, false)
      Stream.call(this, options)
      base.construct(this, () => {
        if (this._readableState.needReadable) maybeReadMore(this, this._readableState)
      })
    }
  )
  exported.startReading = (stream, options, isDuplex) => {
    stream._readableState = new ReadableState(options, isDuplex)
    if (!options) return
    if (typeof options.read === 'function') stream._read = options.read
    if (typeof options.destroy === 'function') stream._destroy = options.destroy
    if (typeof options.construct === 'function') stream._construct = options.construct
    if (options.signal && !isDuplex) base.signalled(options.signal, stream)
  }
  base.inherits(Readable, Stream)
  Readable.ReadableState = ReadableState
  exported.Readable = Readable

  /** Takes a chunk of what `_read` found. */
  function add(stream, chunk, encoding, isFirst) {
    const state = stream._readableState
    let data = chunk
    let given = encoding
    if (!state.objectMode) {
      if (typeof data === 'string') {
        given = given || state.defaultEncoding
        if (state.encoding !== given) {
          data = Buffer.from(data, given)
          if (isFirst && state.encoding) data = data.toString(state.encoding)
          else given = ''
        }
      } else if (data instanceof Buffer) given = ''
      else if (ArrayBuffer.isView(data)) {
        data = internal.adoptBytes(internal.plainBytes(data))
        given = ''
      } else if (data != null) {
        const expected = 'of type string or an instance of Buffer, TypedArray, or DataView'
        errorOrDestroy(stream, internal.wrongType('chunk', expected, data))
        return false
      }
    }
    if (data === null) {
      state.reading = false
      onEnd(stream, state)
    } else if (state.objectMode || data?.length > 0) {
      if (isFirst) {
        if (state.endEmitted) errorOrDestroy(stream, errors.unshiftAfterEnd())
        else if (state.destroyed || state.errored) return false
        else addChunk(stream, state, data, true)
      } else if (state.ended) errorOrDestroy(stream, errors.pushAfterEnd())
      else if (state.destroyed || state.errored) return false
      else {
        state.reading = false
        if (state.decoder && !given) {
          data = state.decoder.write(data)
          if (state.objectMode || data.length !== 0) addChunk(stream, state, data, false)
          else maybeReadMore(stream, state)
        } else addChunk(stream, state, data, false)
      }
    } else if (!isFirst) {
      state.reading = false
      maybeReadMore(stream, state)
    }
    return !state.ended && (state.length < state.highWaterMark || state.length === 0)
  }
  function addChunk(stream, state, chunk, isFirst) {
    if (state.flowing && state.length === 0 && !state.sync && stream.listenerCount('data') > 0) {
      if (state.multiAwaitDrain) state.awaitDrainWriters.clear()
      else state.awaitDrainWriters = null
      state.dataEmitted = true
      stream.emit('data', chunk)
    } else {
      state.length += state.objectMode ? 1 : chunk.length
      if (isFirst) state.buffer.unshift(chunk)
      else state.buffer.push(chunk)
      if (state.needReadable) emitReadable(stream)
    }
    maybeReadMore(stream, state)
  }
  function onEnd(stream, state) {
    if (state.ended) return
    if (state.decoder) {
      const chunk = state.decoder.end()
      if (chunk?.length) {
        state.buffer.push(chunk)
        state.length += state.objectMode ? 1 : chunk.length
      }
    }
    state.ended = true
    if (state.sync) emitReadable(stream)
    else {
      state.needReadable = false
      state.emittedReadable = true
      emitReadableNow(stream)
    }
  }
  function emitReadable(stream) {
    const state = stream._readableState
    state.needReadable = false
    if (state.emittedReadable) return
    state.emittedReadable = true
    internal.nextTick(emitReadableNow, stream)
  }
  function emitReadableNow(stream) {
    const state = stream._readableState
    if (!state.destroyed && !state.errored && (state.length > 0 || state.ended)) {
      stream.emit('readable')
      state.emittedReadable = false
    }
    state.needReadable = !state.flowing && !state.ended && state.length <= state.highWaterMark
    flow(stream)
  }
  function maybeReadMore(stream, state) {
    if (state.readingMore || !state.constructed) return
    state.readingMore = true
    internal.nextTick(() => {
      while (
        !state.reading &&
        !state.ended &&
        (state.length < state.highWaterMark || (state.flowing && state.length === 0))
      ) {
        const before = state.length
        stream.read(0)
        if (before === state.length) break
      }
      state.readingMore = false
    })
  }
  function toRead(count, state) {
    if (count <= 0 || (state.length === 0 && state.ended)) return 0
    if (state.objectMode) return 1
    if (Number.isNaN(count)) return state.flowing && state.length > 0 ? state.buffer[0].length : state.length
    if (count <= state.length) return count
    return state.ended ? state.length : 0
  }
  function taken(count, state) {
    if (state.length === 0) return null
    const { buffer, decoder } = state
    if (state.objectMode) return buffer.shift()
    if (!count || count >= state.length) {
      const all = decoder ? buffer.join('') : buffer.length === 1 ? buffer[0] : Buffer.concat(buffer, state.length)
      state.buffer = []
      return all
    }
    const parts = []
    let left = count
    while (left > 0) {
      const first = buffer[0]
      if (first.length > left) {
        parts.push(first.slice(0, left))
        buffer[0] = first.slice(left)
      } else parts.push(buffer.shift())
      left -= parts[parts.length - 1].length
    }
    if (decoder) return parts.join('')
    return parts.length === 1 ? parts[0] : Buffer.concat(parts, count)
  }
  function endReadable(stream) {
    const state = stream._readableState
    if (state.endEmitted) return
    state.ended = true
    internal.nextTick(() => {
      if (state.errored || state.closeEmitted || state.endEmitted || state.length > 0) return
      state.endEmitted = true
      stream.emit('end')
      const writing = stream._writableState
      if (stream.writable && stream.allowHalfOpen === false) {
        internal.nextTick(() => {
          if (stream.writable && !stream.writableEnded && !stream.destroyed) stream.end()
        })
      } else if (state.autoDestroy) {
        if (!writing || (writing.autoDestroy && (writing.finished || writing.writable === false))) stream.destroy()
      }
    })
  }
  function flow(stream) {
    const state = stream._readableState
    while (state.flowing && stream.read() !== null);
  }
  function resume(stream, state) {
    if (state.resumeScheduled) return
    state.resumeScheduled = true
    internal.nextTick(() => {
      if (!state.reading) stream.read(0)
      state.resumeScheduled = false
      stream.emit('resume')
      flow(stream)
      if (state.flowing && !state.reading) stream.read(0)
    })
  }
  function updateListening(stream) {
    const state = stream._readableState
    state.readableListening = stream.listenerCount('readable') > 0
    if (state.resumeScheduled && state.paused === false) state.flowing = true
    else if (stream.listenerCount('data') > 0) stream.resume()
    else if (!state.readableListening) state.flowing = null
  }

  const methods = {
    destroy: base.destroy,
    _destroy(error, done) {
      done(error)
    },
    push(chunk, encoding) {
      return add(this, chunk, encoding, false)
    },
    unshift(chunk, encoding) {
      return add(this, chunk, encoding, true)
    },
    isPaused() {
      const state = this._readableState
      return state.paused === true || state.flowing === false
    },
    setEncoding(encoding) {
      const { StringDecoder } = builtin('string_decoder')
      const state = this._readableState
      state.decoder = new StringDecoder(encoding)
      state.encoding = state.decoder.encoding
      const content = state.buffer.map((chunk) => state.decoder.write(chunk)).join('')
      state.buffer = content === '' ? [] : [content]
      state.length = content.length
      return this
    },
    read(given) {
      const state = this._readableState
      let count = given === undefined ? NaN : Number.isInteger(given) ? given : Number.parseInt(given, 10)
      const asked = count
      if (count > state.highWaterMark) state.highWaterMark = 2 ** Math.ceil(Math.log2(count))
      if (count !== 0) state.emittedReadable = false
      const isFull = state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0
      if (count === 0 && state.needReadable && (isFull || state.ended)) {
        if (state.length === 0 && state.ended) endReadable(this)
        else emitReadable(this)
        return null
      }
      count = toRead(count, state)
      if (count === 0 && state.ended) {
        if (state.length === 0) endReadable(this)
        return null
      }
      const isLow = state.needReadable || state.length === 0 || state.length - count < state.highWaterMark
      if (isLow && !(state.ended || state.reading || state.destroyed || state.errored || !state.constructed)) {
        state.reading = true
        state.sync = true
        if (state.length === 0) state.needReadable = true
        try {
          this._read(state.highWaterMark)
        } catch (error) {
          errorOrDestroy(this, error)
        }
        state.sync = false
        if (!state.reading) count = toRead(asked, state)
      }
      const result = count > 0 ? taken(count, state) : null
      if (result === null) {
        state.needReadable = state.length <= state.highWaterMark
        count = 0
      } else {
        state.length -= count
        if (state.multiAwaitDrain) state.awaitDrainWriters.clear()
        else state.awaitDrainWriters = null
      }
      if (state.length === 0) {
        if (!state.ended) state.needReadable = true
        if (!Object.is(asked, count) && state.ended) endReadable(this)
      }
      if (result !== null && !state.errorEmitted && !state.closeEmitted) {
        state.dataEmitted = true
        this.emit('data', result)
      }
      return result
    },
    /** @type {(size: number) => void} */
    _read() {
      throw errors.notImplemented('_read()')
    },
    pipe(target, options) {
      return exported.pipe(this, target, options)
    },
    unpipe(target) {
      const state = this._readableState
      if (state.pipes.length === 0) return this
      if (!target) {
        const all = state.pipes
        state.pipes = []
        this.pause()
        for (const each of all) each.emit('unpipe', this, { hasUnpiped: false })
        return this
      }
      const index = state.pipes.indexOf(target)
      if (index === -1) return this
      state.pipes.splice(index, 1)
      if (state.pipes.length === 0) this.pause()
      target.emit('unpipe', this, { hasUnpiped: false })
      return this
    },
    on(type, listener) {
      const result = Stream.prototype.on.call(this, type, listener)
      const state = this._readableState
      if (type === 'data') {
        state.readableListening = this.listenerCount('readable') > 0
        if (state.flowing !== false) this.resume()
      } else if (type === 'readable' && !state.endEmitted && !state.readableListening) {
        state.readableListening = true
        state.needReadable = true
        state.flowing = false
        state.emittedReadable = false
        if (state.length > 0) emitReadable(this)
        else if (!state.reading) internal.nextTick(() => this.read(0))
      }
      return result
    },
    removeListener(type, listener) {
      const result = Stream.prototype.removeListener.call(this, type, listener)
      if (type === 'readable') internal.nextTick(updateListening, this)
      return result
    },
    removeAllListeners(...given) {
      const result = Stream.prototype.removeAllListeners.apply(this, given)
      if (given[0] === 'readable' || given[0] === undefined) internal.nextTick(updateListening, this)
      return result
    },
    resume() {
      const state = this._readableState
      if (!state.flowing) {
        state.flowing = !state.readableListening
        resume(this, state)
      }
      state.paused = false
      return this
    },
    pause() {
      if (this._readableState.flowing !== false) {
        this._readableState.flowing = false
        this.emit('pause')
      }
      this._readableState.paused = true
      return this
    },
    /** Reads from a stream of the oldest kind. */
    wrap(stream) {
      let isPaused = false
      stream.on('data', (chunk) => {
        if (this.push(chunk) || !stream.pause) return
        isPaused = true
        stream.pause()
      })
      stream.on('end', () => this.push(null))
      stream.on('error', (error) => errorOrDestroy(this, error))
      stream.on('close', () => base.destroyBy(this))
      stream.on('destroy', () => base.destroyBy(this))
      this._read = () => {
        if (!isPaused || !stream.resume) return
        isPaused = false
        stream.resume()
      }
      for (const name of Object.keys(stream))
        if (this[name] === undefined && typeof stream[name] === 'function') this[name] = stream[name].bind(stream)
      return this
    },
    [Symbol.asyncIterator]() {
      return iterate(this)
    },
    iterator(options) {
      return iterate(this, options)
    },
  }
  Object.assign(Readable.prototype, methods)
  Object.defineProperty(Readable.prototype, Symbol.asyncIterator, { enumerable: false })
  Readable.prototype.addListener = Readable.prototype.on
  Readable.prototype.off = Readable.prototype.removeListener
  Readable.prototype[Symbol.for('nodejs.rejection')] = function (error) {
    this.destroy(error)
  }

  async function* iterate(stream, options) {
    let wake = nothing
    function next(resolve) {
      if (this === stream) {
        wake()
        wake = nothing
      } else wake = resolve
    }
    stream.on('readable', next)
    let error
    const cleanUp = builtin('stream').finished(stream, { writable: false }, (failure) => {
      error = failure || null
      wake()
      wake = nothing
    })
    try {
      for (;;) {
        const chunk = stream.destroyed ? null : stream.read()
        if (chunk !== null) yield chunk
        else if (error) throw error
        else if (error === null) return
        else await new Promise(next)
      }
    } catch (failure) {
      error = failure
      throw failure
    } finally {
      if ((error || options?.destroyOnReturn !== false) && (error === undefined || stream._readableState.autoDestroy)) {
        base.destroyBy(stream, null)
      } else {
        stream.off('readable', next)
        cleanUp()
      }
    }
  }

  const properties = {
    readable: {
      get() {
        const state = this._readableState
        return Boolean(
          state && state.readable !== false && !state.destroyed && !state.errorEmitted && !state.endEmitted,
        )
      },
      set(value) {
        if (this._readableState) this._readableState.readable = Boolean(value)
      },
    },
    readableDidRead: { get: of('dataEmitted') },
    readableAborted: {
      get() {
        const state = this._readableState
        return state.readable !== false && (state.destroyed || Boolean(state.errored)) && !state.endEmitted
      },
    },
    readableHighWaterMark: { get: of('highWaterMark') },
    readableBuffer: { get: of('buffer') },
    readableFlowing: {
      get: of('flowing'),
      set(value) {
        if (this._readableState) this._readableState.flowing = value
      },
    },
    readableLength: { get: of('length') },
    readableObjectMode: { get: of('objectMode') },
    readableEncoding: { get: of('encoding') },
    readableEnded: { get: of('endEmitted') },
    errored: { get: of('errored') },
    closed: { get: of('closed') },
    destroyed: {
      get: of('destroyed'),
      set(value) {
        if (this._readableState) this._readableState.destroyed = value
      },
    },
  }
  function of(name) {
    return function () {
      return this._readableState?.[name]
    }
  }
  for (const [name, property] of Object.entries(properties))
    Object.defineProperty(Readable.prototype, name, { ...property, configurable: true, enumerable: false })
})
