/** What all streams share: the oldest kind of stream, errors, and how a stream ends before its time. */
'use strict'
$polyfs.internal.define('internal/stream-base', ({ exported, builtin, internal }) => {
  const EventEmitter = builtin('events')

  function Stream(options) {
    EventEmitter.call(this, options)
  }
  inherits(Stream, EventEmitter)
  function inherits(type, parent) {
    Object.setPrototypeOf(type.prototype, parent.prototype)
    Object.setPrototypeOf(type, parent)
  }
  exported.inherits = inherits
  exported.Stream = Stream

  /** Of streams that are no more than emitters of events. */
  Stream.prototype.pipe = function (target, options) {
    const onData = (chunk) => {
      if (target.writable && target.write(chunk) === false && this.pause) this.pause()
    }
    const onDrain = () => {
      if (this.readable && this.resume) this.resume()
    }
    let hasEnded = false
    const onEnd = () => {
      if (hasEnded) return
      hasEnded = true
      target.end()
    }
    const onClose = () => {
      if (hasEnded) return
      hasEnded = true
      if (typeof target.destroy === 'function') target.destroy()
    }
    function onError(error) {
      cleanUp()
      if (EventEmitter.listenerCount(this, 'error') === 0) this.emit('error', error)
    }
    const heard = [
      [this, 'data', onData],
      [target, 'drain', onDrain],
      [this, 'error', onError],
      [target, 'error', onError],
    ]
    if (!target._isStdio && options?.end !== false) {
      heard.push([this, 'end', onEnd], [this, 'close', onClose])
    }
    const cleanUp = () => {
      for (const [emitter, type, listener] of heard) emitter.removeListener(type, listener)
    }
    heard.push([this, 'end', cleanUp], [this, 'close', cleanUp], [target, 'close', cleanUp])
    for (const [emitter, type, listener] of heard) emitter.on(type, listener)
    target.emit('pipe', this)
    return target
  }

  const coded =
    (Type, code) =>
    (message = texts[code]) =>
      new internal[Type](code, message)
  const texts = {
    ERR_STREAM_PREMATURE_CLOSE: 'Premature close',
    ERR_STREAM_WRITE_AFTER_END: 'write after end',
    ERR_STREAM_NULL_VALUES: 'May not write null values to stream',
    ERR_STREAM_PUSH_AFTER_EOF: 'stream.push() after EOF',
    ERR_STREAM_UNSHIFT_AFTER_END_EVENT: 'stream.unshift() after end event',
    ERR_MULTIPLE_CALLBACK: 'Callback called multiple times',
    ERR_STREAM_CANNOT_PIPE: 'Cannot pipe, not readable',
  }
  exported.errors = {
    prematureClose: coded('NodeError', 'ERR_STREAM_PREMATURE_CLOSE'),
    writeAfterEnd: coded('NodeError', 'ERR_STREAM_WRITE_AFTER_END'),
    nullValues: coded('NodeTypeError', 'ERR_STREAM_NULL_VALUES'),
    pushAfterEnd: coded('NodeError', 'ERR_STREAM_PUSH_AFTER_EOF'),
    unshiftAfterEnd: coded('NodeError', 'ERR_STREAM_UNSHIFT_AFTER_END_EVENT'),
    multipleCallback: coded('NodeError', 'ERR_MULTIPLE_CALLBACK'),
    cannotPipe: coded('NodeError', 'ERR_STREAM_CANNOT_PIPE'),
    destroyed: (name) =>
      new internal.NodeError('ERR_STREAM_DESTROYED', 'Cannot call ' + name + ' after a stream was destroyed'),
    alreadyFinished: (name) =>
      new internal.NodeError('ERR_STREAM_ALREADY_FINISHED', 'Cannot call ' + name + ' after a stream was finished'),
    notImplemented: (name) =>
      new internal.NodeError('ERR_METHOD_NOT_IMPLEMENTED', 'The ' + name + ' method is not implemented'),
    unknownEncoding: (name) => new internal.NodeTypeError('ERR_UNKNOWN_ENCODING', 'Unknown encoding: ' + name),
    aborted(reason) {
      const error = new Error('The operation was aborted', reason === undefined ? undefined : { cause: reason })
      error.name = 'AbortError'
      error.code = 'ABORT_ERR'
      return error
    },
  }

  /** The states of a stream: of reading, of writing, or both. */
  const statesOf = (stream) => [stream._readableState, stream._writableState].filter(Boolean)
  const waitsForEnd = Symbol('kDestroy')

  exported.destroy = function destroy(error, done) {
    const states = statesOf(this)
    if (states.some((state) => state.destroyed)) {
      if (typeof done === 'function') done()
      return this
    }
    noteError(states, error)
    for (const state of states) state.destroyed = true
    const main = this._writableState || this._readableState
    if (main.constructed) end(this, error, done)
    else this.once(waitsForEnd, (later) => end(this, later || error, done))
    return this
  }
  function noteError(states, error) {
    if (error) for (const state of states) if (!state.errored) state.errored = error
  }
  function end(stream, error, done) {
    let isCalled = false
    const over = (failure) => {
      if (isCalled) return
      isCalled = true
      const states = statesOf(stream)
      noteError(states, failure)
      for (const state of states) state.closed = true
      if (typeof done === 'function') done(failure)
      internal.nextTick(() => {
        if (failure) emitError(stream, failure)
        emitClose(stream)
      })
    }
    try {
      stream._destroy(error || null, over)
    } catch (failure) {
      over(failure)
    }
  }
  function emitClose(stream) {
    const states = statesOf(stream)
    for (const state of states) state.closeEmitted = true
    if (states.some((state) => state.emitClose)) stream.emit('close')
  }
  function emitError(stream, error) {
    const states = statesOf(stream)
    if (states.some((state) => state.errorEmitted)) return
    for (const state of states) state.errorEmitted = true
    stream.emit('error', error)
  }
  exported.errorOrDestroy = function errorOrDestroy(stream, error, isLater) {
    const states = statesOf(stream)
    if (states.some((state) => state.destroyed)) return
    if (states.some((state) => state.autoDestroy)) stream.destroy(error)
    else if (error) {
      noteError(states, error)
      if (isLater) internal.nextTick(() => emitError(stream, error))
      else emitError(stream, error)
    }
  }
  /** Streams that have to be set up first do nothing until then. */
  exported.construct = function construct(stream, done) {
    if (typeof stream._construct !== 'function') return
    for (const state of statesOf(stream)) state.constructed = false
    stream.once('$construct', done)
    if (stream.listenerCount('$construct') > 1) return
    internal.nextTick(() => {
      let isCalled = false
      const over = (error) => {
        if (isCalled) return exported.errorOrDestroy(stream, error || exported.errors.multipleCallback())
        isCalled = true
        const states = statesOf(stream)
        for (const state of states) state.constructed = true
        if (states.some((state) => state.destroyed)) stream.emit(waitsForEnd, error)
        else if (error) exported.errorOrDestroy(stream, error, true)
        else internal.nextTick(() => stream.emit('$construct'))
      }
      try {
        stream._construct((error) => internal.nextTick(() => over(error)))
      } catch (error) {
        internal.nextTick(() => over(error))
      }
    })
  }
  exported.destroyBy = (stream, error) => {
    if (!stream || stream.destroyed) return
    if (typeof stream.destroy === 'function') stream.destroy(error)
    else if (typeof stream.close === 'function') stream.close()
  }

  let usualBytes = 16384
  let usualObjects = 16
  exported.usualMark = (isObject) => (isObject ? usualObjects : usualBytes)
  exported.setUsualMark = (isObject, value) => {
    if (isObject) usualObjects = value
    else usualBytes = value
  }
  exported.markOf = (options, isDuplex, name, isObject) => {
    const own = options.highWaterMark != null ? options.highWaterMark : isDuplex ? options[name] : undefined
    if (own == null) return exported.usualMark(isObject)
    if (!Number.isInteger(own) || own < 0) {
      const shown = isDuplex && options.highWaterMark == null ? 'options.' + name : 'options.highWaterMark'
      throw new internal.NodeTypeError(
        'ERR_INVALID_ARG_VALUE',
        "The property '" + shown + "' is invalid. Received " + builtin('util').inspect(own),
      )
    }
    return Math.floor(own)
  }
  exported.signalled = function signalled(signal, stream) {
    const onAbort = () => stream.destroy(exported.errors.aborted(signal.reason))
    if (signal.aborted) onAbort()
    else {
      signal.addEventListener('abort', onAbort)
      builtin('stream').finished(stream, () => signal.removeEventListener('abort', onAbort))
    }
    return stream
  }
})
