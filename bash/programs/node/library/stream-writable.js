/** Streams that are written, those that are both, and those that change what passes. */
'use strict'
$polyfs.internal.define('internal/stream-writable', ({ exported, builtin, internal }) => {
  const { Buffer } = builtin('buffer')
  const base = builtin('internal/stream-base')
  const { Readable, startReading } = builtin('internal/stream-readable')
  const { Stream, errors, errorOrDestroy } = base
  const nothing = () => {}

  function WritableState(options, stream, isDuplex) {
    this.objectMode = Boolean(options?.objectMode || (isDuplex && options?.writableObjectMode))
    this.highWaterMark = base.markOf(options || {}, isDuplex, 'writableHighWaterMark', this.objectMode)
    this.finalCalled = false
    this.needDrain = false
    this.ending = false
    this.ended = false
    this.finished = false
    this.destroyed = false
    this.decodeStrings = options?.decodeStrings !== false
    this.defaultEncoding = options?.defaultEncoding || 'utf8'
    this.length = 0
    this.writing = false
    this.corked = 0
    this.sync = true
    this.bufferProcessing = false
    this.onwrite = (error) => onWritten(stream, error)
    this.writecb = null
    this.writelen = 0
    this.afterWriteTickInfo = null
    this.afterWritePending = false
    this.buffered = []
    this.pendingcb = 0
    this.constructed = true
    this.prefinished = false
    this.errorEmitted = false
    this.emitClose = options?.emitClose !== false
    this.autoDestroy = options?.autoDestroy !== false
    this.errored = null
    this.closed = false
    this.closeEmitted = false
    this.onFinished = []
  }
  WritableState.prototype.getBuffer = function () {
    return [...this.buffered]
  }
  Object.defineProperty(WritableState.prototype, 'bufferedRequestCount', {
    get() {
      return this.buffered.length
    },
  })
  exported.WritableState = WritableState

  const Writable = /** @type {any} */ (
    function (options) {
      if (!(this instanceof Writable)) return new Writable(options)
      startWriting(this, options, false)
      Stream.call(this, options)
      constructed(this)
    }
  )
  function startWriting(stream, options, isDuplex) {
    stream._writableState = new WritableState(options, stream, isDuplex)
    if (!options) return
    if (typeof options.write === 'function') stream._write = options.write
    if (typeof options.writev === 'function') stream._writev = options.writev
    if (typeof options.destroy === 'function') stream._destroy = options.destroy
    if (typeof options.final === 'function') stream._final = options.final
    if (typeof options.construct === 'function') stream._construct = options.construct
    if (options.signal) base.signalled(options.signal, stream)
  }
  function constructed(stream) {
    base.construct(stream, () => {
      const state = stream._writableState
      if (!state.writing) clearBuffer(stream, state)
      finishMaybe(stream, state)
    })
  }
  base.inherits(Writable, Stream)
  Writable.WritableState = WritableState
  exported.Writable = Writable
  /** A duplex is one too, though it inherits from `Readable`. */
  Object.defineProperty(Writable, Symbol.hasInstance, {
    value(object) {
      if (Function.prototype[Symbol.hasInstance].call(this, object)) return true
      return this === Writable && object != null && object._writableState instanceof WritableState
    },
  })

  /** What is wrong, if anything is. */
  function write(stream, chunk, encoding, done) {
    const state = stream._writableState
    const after = typeof encoding === 'function' ? encoding : typeof done === 'function' ? done : nothing
    let kind = typeof encoding === 'function' || !encoding ? state.defaultEncoding : encoding
    if (kind !== 'buffer' && !Buffer.isEncoding(kind)) throw errors.unknownEncoding(kind)
    let data = chunk
    if (data === null) throw errors.nullValues()
    if (!state.objectMode) {
      if (typeof data === 'string') {
        if (state.decodeStrings) {
          data = Buffer.from(data, kind)
          kind = 'buffer'
        }
      } else if (data instanceof Buffer) kind = 'buffer'
      else if (ArrayBuffer.isView(data)) {
        data = internal.adoptBytes(internal.plainBytes(data))
        kind = 'buffer'
      } else throw internal.wrongType('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', data)
    }
    const error = state.ending ? errors.writeAfterEnd() : state.destroyed ? errors.destroyed('write') : undefined
    if (error) {
      internal.nextTick(after, error)
      errorOrDestroy(stream, error, true)
      return error
    }
    state.pendingcb += 1
    return writeOrBuffer(stream, state, [data, kind, after])
  }
  function writeOrBuffer(stream, state, request) {
    const [chunk, encoding, done] = request
    const size = state.objectMode ? 1 : chunk.length
    state.length += size
    if (state.writing || state.corked || state.errored || !state.constructed)
      state.buffered.push({ chunk, encoding, callback: done })
    else {
      begin(state, size, done)
      stream._write(chunk, encoding, state.onwrite)
      state.sync = false
    }
    const hasRoom = state.length < state.highWaterMark || state.length === 0
    if (!hasRoom) state.needDrain = true
    return hasRoom && !state.errored && !state.destroyed
  }
  function begin(state, size, done) {
    state.writelen = size
    state.writecb = done
    state.writing = true
    state.sync = true
  }
  function onWritten(stream, error) {
    const state = stream._writableState
    const { sync, writecb: done } = state
    if (typeof done !== 'function') return errorOrDestroy(stream, errors.multipleCallback())
    state.writing = false
    state.writecb = null
    state.length -= state.writelen
    state.writelen = 0
    if (error) {
      if (!state.errored) state.errored = error
      if (stream._readableState && !stream._readableState.errored) stream._readableState.errored = error
      const fail = () => {
        state.pendingcb -= 1
        done(error)
        failBuffered(state)
        errorOrDestroy(stream, error)
      }
      if (sync) internal.nextTick(fail)
      else fail()
      return
    }
    if (state.buffered.length > 0) clearBuffer(stream, state)
    if (!sync) return afterWrite(stream, state, 1, done)
    const drains = state.needDrain && state.length === 0
    if (done !== nothing && state.afterWriteTickInfo?.done === done) state.afterWriteTickInfo.count += 1
    else if (done === nothing ? drains && !state.afterWritePending : true) {
      const info = { count: 1, done }
      if (done !== nothing) state.afterWriteTickInfo = info
      state.afterWritePending = true
      internal.nextTick(() => {
        if (state.afterWriteTickInfo === info) state.afterWriteTickInfo = null
        afterWrite(stream, state, info.count, info.done)
      })
    } else {
      state.pendingcb -= 1
      if (state.ending) finishMaybe(stream, state, true)
    }
  }
  function afterWrite(stream, state, count, done) {
    state.afterWritePending = false
    if (!state.ending && !stream.destroyed && state.length === 0 && state.needDrain) {
      state.needDrain = false
      stream.emit('drain')
    }
    for (let left = count; left > 0; left -= 1) {
      state.pendingcb -= 1
      done(null)
    }
    if (state.destroyed) failBuffered(state)
    if (state.ending) finishMaybe(stream, state, true)
  }
  function failBuffered(state) {
    if (state.writing) return
    for (const { chunk, callback } of state.buffered.splice(0)) {
      state.length -= state.objectMode ? 1 : chunk.length
      callback(state.errored || errors.destroyed('write'))
    }
    for (const done of state.onFinished.splice(0)) done(state.errored || errors.destroyed('end'))
  }
  function clearBuffer(stream, state) {
    if (state.corked || state.bufferProcessing || state.destroyed || !state.constructed) return
    if (state.buffered.length === 0) return
    state.bufferProcessing = true
    if (state.buffered.length > 1 && stream._writev) {
      const all = state.buffered
      state.buffered = []
      state.pendingcb -= all.length - 1
      begin(state, state.length, (error) => {
        for (const { callback } of all) callback(error)
      })
      stream._writev(all, state.onwrite)
      state.sync = false
    } else {
      do {
        const { chunk, encoding, callback } = state.buffered.shift()
        begin(state, state.objectMode ? 1 : chunk.length, callback)
        stream._write(chunk, encoding, state.onwrite)
        state.sync = false
      } while (state.buffered.length > 0 && !state.writing)
    }
    state.bufferProcessing = false
  }

  const isReadyToFinish = (state) =>
    state.ending &&
    !state.destroyed &&
    state.constructed &&
    state.length === 0 &&
    !state.errored &&
    state.buffered.length === 0 &&
    !state.finished &&
    !state.writing &&
    !state.errorEmitted &&
    !state.closeEmitted
  function finishMaybe(stream, state, isSync) {
    if (!isReadyToFinish(state)) return
    prefinish(stream, state)
    if (state.pendingcb !== 0) return
    if (isSync) {
      state.pendingcb += 1
      internal.nextTick(() => {
        if (isReadyToFinish(state)) finish(stream, state)
        else state.pendingcb -= 1
      })
    } else if (isReadyToFinish(state)) {
      state.pendingcb += 1
      finish(stream, state)
    }
  }
  function prefinish(stream, state) {
    if (state.prefinished || state.finalCalled) return
    if (typeof stream._final === 'function' && !state.destroyed) {
      state.finalCalled = true
      callFinal(stream, state)
    } else {
      state.prefinished = true
      stream.emit('prefinish')
    }
  }
  function callFinal(stream, state) {
    let isCalled = false
    const over = (error) => {
      if (isCalled) return errorOrDestroy(stream, error || errors.multipleCallback())
      isCalled = true
      state.pendingcb -= 1
      if (error) {
        for (const done of state.onFinished.splice(0)) done(error)
        errorOrDestroy(stream, error, state.sync)
      } else if (isReadyToFinish(state)) {
        state.prefinished = true
        stream.emit('prefinish')
        state.pendingcb += 1
        internal.nextTick(finish, stream, state)
      }
    }
    state.sync = true
    state.pendingcb += 1
    try {
      stream._final(over)
    } catch (error) {
      over(error)
    }
    state.sync = false
  }
  function finish(stream, state) {
    state.pendingcb -= 1
    state.finished = true
    for (const done of state.onFinished.splice(0)) done(null)
    stream.emit('finish')
    if (!state.autoDestroy) return
    const reading = stream._readableState
    if (!reading || (reading.autoDestroy && (reading.endEmitted || reading.readable === false))) stream.destroy()
  }

  const methods = {
    pipe() {
      errorOrDestroy(this, errors.cannotPipe())
    },
    write(chunk, encoding, done) {
      return write(this, chunk, encoding, done) === true
    },
    cork() {
      this._writableState.corked += 1
    },
    uncork() {
      const state = this._writableState
      if (state.corked === 0) return
      state.corked -= 1
      if (!state.writing) clearBuffer(this, state)
    },
    setDefaultEncoding(given) {
      const encoding = typeof given === 'string' ? given.toLowerCase() : given
      if (!Buffer.isEncoding(encoding)) throw errors.unknownEncoding(encoding)
      this._writableState.defaultEncoding = encoding
      return this
    },
    _write(chunk, encoding, done) {
      if (!this._writev) throw errors.notImplemented('_write()')
      this._writev([{ chunk, encoding }], done)
    },
    end(...given) {
      const state = this._writableState
      const done = typeof given[given.length - 1] === 'function' ? given.pop() : undefined
      const [chunk, encoding] = given
      let error
      if (chunk !== null && chunk !== undefined) {
        const result = write(this, chunk, encoding)
        if (result instanceof Error) error = result
      }
      if (state.corked) {
        state.corked = 1
        this.uncork()
      }
      if (!error && !state.errored && !state.ending) {
        state.ending = true
        finishMaybe(this, state, true)
        state.ended = true
      } else if (!error && state.finished) error = errors.alreadyFinished('end')
      else if (!error && state.destroyed) error = errors.destroyed('end')
      if (done === undefined) return this
      if (error) internal.nextTick(done, error)
      else if (state.errored) internal.nextTick(done, state.errored)
      else if (state.finished) internal.nextTick(done)
      else state.onFinished.push(done)
      return this
    },
    destroy(error, done) {
      const state = this._writableState
      if (!state.destroyed && (state.buffered.length > 0 || state.onFinished.length > 0))
        internal.nextTick(failBuffered, state)
      base.destroy.call(this, error, done)
      return this
    },
    _destroy(error, done) {
      done(error)
    },
  }
  Object.assign(Writable.prototype, methods)
  Writable.prototype._writev = null

  const of = (name) =>
    function () {
      return this._writableState?.[name]
    }
  const properties = {
    closed: { get: of('closed') },
    destroyed: {
      get: of('destroyed'),
      set(value) {
        if (this._writableState) this._writableState.destroyed = value
      },
    },
    writable: {
      get() {
        const state = this._writableState
        return Boolean(
          state && state.writable !== false && !state.destroyed && !state.errored && !state.ending && !state.ended,
        )
      },
      set(value) {
        if (this._writableState) this._writableState.writable = Boolean(value)
      },
    },
    writableFinished: { get: of('finished') },
    writableObjectMode: { get: of('objectMode') },
    writableBuffer: { get: of('buffered') },
    writableEnded: { get: of('ending') },
    writableNeedDrain: {
      get() {
        const state = this._writableState
        return Boolean(state && !state.destroyed && !state.ending && state.needDrain)
      },
    },
    writableHighWaterMark: { get: of('highWaterMark') },
    writableCorked: { get: of('corked') },
    writableLength: { get: of('length') },
    errored: { get: of('errored') },
    writableAborted: {
      get() {
        const state = this._writableState
        return state.writable !== false && (state.destroyed || Boolean(state.errored)) && !state.finished
      },
    },
  }
  for (const [name, property] of Object.entries(properties))
    Object.defineProperty(Writable.prototype, name, { ...property, configurable: true, enumerable: false })

  const Duplex = /** @type {any} */ (
    function (options) {
      if (!(this instanceof Duplex)) return new Duplex(options)
      startReading(this, options, true)
      startWriting(this, options, true)
      Stream.call(this, options)
      this.allowHalfOpen = options?.allowHalfOpen !== false
      if (options?.readable === false)
        Object.assign(this._readableState, { readable: false, ended: true, endEmitted: true })
      if (options?.writable === false)
        Object.assign(this._writableState, { writable: false, ending: true, ended: true, finished: true })
      constructed(this)
    }
  )
  base.inherits(Duplex, Readable)
  for (const name of Object.keys(Writable.prototype))
    if (!Object.hasOwn(Duplex.prototype, name) && name !== 'pipe') Duplex.prototype[name] = Writable.prototype[name]
  for (const [name, property] of Object.entries(properties))
    if (name.startsWith('writable')) Object.defineProperty(Duplex.prototype, name, { ...property, configurable: true })
  const either = (name) => {
    const both = Object.getOwnPropertyDescriptor(Readable.prototype, name)
    Object.defineProperty(Duplex.prototype, name, {
      get() {
        const [reading, writing] = [this._readableState, this._writableState]
        return reading && writing ? reading[name] && writing[name] : both?.get?.call(this)
      },
      set(value) {
        if (this._readableState && this._writableState) this._readableState[name] = this._writableState[name] = value
      },
      configurable: true,
    })
  }
  either('destroyed')
  either('closed')
  exported.Duplex = Duplex

  const held = Symbol('kCallback')
  const Transform = /** @type {any} */ (
    function (options) {
      if (!(this instanceof Transform)) return new Transform(options)
      const hasNone = options && options.highWaterMark == null && options.readableHighWaterMark === 0
      Duplex.call(
        this,
        hasNone
          ? { ...options, highWaterMark: null, writableHighWaterMark: options.writableHighWaterMark || 0 }
          : options,
      )
      this._readableState.sync = false
      this[held] = null
      if (typeof options?.transform === 'function') this._transform = options.transform
      if (typeof options?.flush === 'function') this._flush = options.flush
      this.on('prefinish', function () {
        if (this._final !== final) final.call(this)
      })
    }
  )
  base.inherits(Transform, Duplex)
  function final(done) {
    const over = () => {
      this.push(null)
      if (done) done()
    }
    if (typeof this._flush !== 'function' || this.destroyed) return over()
    this._flush((error, data) => {
      if (error) return done ? done(error) : void this.destroy(error)
      if (data != null) this.push(data)
      over()
    })
  }
  Transform.prototype._final = final
  Transform.prototype._transform = () => {
    throw errors.notImplemented('_transform()')
  }
  Transform.prototype._write = function (chunk, encoding, done) {
    const reading = this._readableState
    const before = reading.length
    this._transform(chunk, encoding, (error, value) => {
      if (error) return done(error)
      if (value != null) this.push(value)
      // The end that was pushed comes first.
      if (reading.ended) internal.nextTick(done)
      else if (this._writableState.ended || before === reading.length || reading.length < reading.highWaterMark) done()
      else this[held] = done
    })
  }
  Transform.prototype._read = function () {
    const done = this[held]
    if (!done) return
    this[held] = null
    done()
  }
  exported.Transform = Transform

  const PassThrough = /** @type {any} */ (
    function (options) {
      if (!(this instanceof PassThrough)) return new PassThrough(options)
      Transform.call(this, options)
    }
  )
  base.inherits(PassThrough, Transform)
  PassThrough.prototype._transform = (chunk, _encoding, done) => done(null, chunk)
  exported.PassThrough = PassThrough
})
