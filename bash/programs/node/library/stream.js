/** The module `stream`: what is done with several streams, or with all of one. */
'use strict'
$polyfs.internal.define('stream', ({ builtin, internal }) => {
  const base = builtin('internal/stream-base')
  const { Readable } = builtin('internal/stream-readable')
  const { Writable, Duplex, Transform, PassThrough } = builtin('internal/stream-writable')
  const { Stream, errors } = base
  builtin('internal/stream-pipe')

  const isNodeStream = (value) =>
    Boolean(
      value &&
        (value._readableState ||
          value._writableState ||
          (typeof value.write === 'function' && typeof value.on === 'function') ||
          (typeof value.pipe === 'function' && typeof value.on === 'function')),
    )
  const isReadableStream = (value, isStrict = false) =>
    Boolean(
      value &&
        typeof value.pipe === 'function' &&
        typeof value.on === 'function' &&
        (!isStrict || (typeof value.pause === 'function' && typeof value.resume === 'function')) &&
        (!value._writableState || value._readableState?.readable !== false) &&
        (!value._writableState || value._readableState),
    )
  const isWritableStream = (value) =>
    Boolean(
      value &&
        typeof value.write === 'function' &&
        typeof value.on === 'function' &&
        (!value._readableState || value._writableState?.writable !== false),
    )
  const isIterable = (value) =>
    value != null && (typeof value[Symbol.asyncIterator] === 'function' || typeof value[Symbol.iterator] === 'function')
  const isReadable = (stream) =>
    typeof stream?.readable !== 'boolean' ? null : isReadableStream(stream) && stream.readable && !isReadDone(stream)
  const isWritable = (stream) =>
    typeof stream?.writable !== 'boolean' ? null : isWritableStream(stream) && stream.writable && !stream.destroyed
  function isReadDone(stream, isStrict = true) {
    const state = stream._readableState
    if (!state || state.errored) return false
    return Boolean(state.endEmitted || (!isStrict && state.ended && state.length === 0))
  }
  function isWriteDone(stream, isStrict = true) {
    const state = stream._writableState
    if (stream.writableFinished === true) return true
    if (!state || state.errored) return state ? false : null
    return Boolean(state.finished || (!isStrict && state.ended && state.length === 0))
  }
  function willClose(stream) {
    const state = stream._writableState || stream._readableState
    return Boolean(state?.autoDestroy && state.emitClose && state.closed === false)
  }

  function finished(stream, given, callback) {
    const [options, done] = typeof given === 'function' ? [{}, given] : [given || {}, callback]
    if (typeof done !== 'function') throw internal.wrongType('callback', 'of type function', done)
    if (!isNodeStream(stream))
      throw internal.wrongType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream)
    let isOver = false
    const over = (...arguments_) => {
      if (isOver) return
      isOver = true
      done.apply(stream, arguments_)
    }
    const readable = options.readable ?? isReadableStream(stream)
    const writable = options.writable ?? isWritableStream(stream)
    const writing = stream._writableState
    const reading = stream._readableState
    let closes = willClose(stream) && isReadableStream(stream) === readable && isWritableStream(stream) === writable
    let isWritten = isWriteDone(stream, false)
    let isRead = isReadDone(stream, false)
    const onFinish = () => {
      isWritten = true
      if (stream.destroyed) closes = false
      if (closes && (!stream.writable || readable)) return
      if (!readable || isRead) over()
    }
    const onEnd = () => {
      isRead = true
      if (stream.destroyed) closes = false
      if (closes && (!stream.readable || writable)) return
      if (!writable || isWritten) over()
    }
    const onError = (error) => over(error)
    const onClose = () => {
      const errored = writing?.errored || reading?.errored
      if (errored && typeof errored !== 'boolean') return over(errored)
      if (readable && !isRead && isReadableStream(stream, true) && !isReadDone(stream, false))
        return over(errors.prematureClose())
      if (writable && !isWritten && !isWriteDone(stream, false)) return over(errors.prematureClose())
      over()
    }
    const onClosed = () => {
      const errored = writing?.errored || reading?.errored
      if (errored && typeof errored !== 'boolean') over(errored)
      else over()
    }
    stream.on('end', onEnd)
    stream.on('finish', onFinish)
    if (options.error !== false) stream.on('error', onError)
    stream.on('close', onClose)
    if (writing?.closed || reading?.closed) internal.nextTick(onClose)
    else if (writing?.errorEmitted || reading?.errorEmitted) {
      if (!closes) internal.nextTick(onClosed)
    } else if (!readable && (!closes || isReadable(stream)) && (isWritten || isWritable(stream) === false))
      internal.nextTick(onClosed)
    else if (!writable && (!closes || isWritable(stream)) && (isRead || isReadable(stream) === false))
      internal.nextTick(onClosed)
    const cleanUp = () => {
      isOver = true
      stream.removeListener('end', onEnd)
      stream.removeListener('finish', onFinish)
      stream.removeListener('error', onError)
      stream.removeListener('close', onClose)
    }
    if (options.signal && !(writing?.closed || reading?.closed)) {
      const onAbort = () => {
        cleanUp()
        done.call(stream, errors.aborted(options.signal.reason))
      }
      if (options.signal.aborted) internal.nextTick(onAbort)
      else options.signal.addEventListener('abort', onAbort)
    }
    return cleanUp
  }

  const pipelineCallback = (given) => {
    const done = given.pop()
    if (typeof done !== 'function') throw internal.wrongType('streams[stream.length - 1]', 'of type function', done)
    let isCalled = false
    return (...results) => {
      if (isCalled) return
      isCalled = true
      done.apply(undefined, results)
    }
  }
  const pipeline = (...given) => {
    const done = pipelineCallback(given)
    return connect(given.length === 1 && Array.isArray(given[0]) ? given[0] : given, done)
  }
  const missingStreams = () =>
    new internal.NodeTypeError('ERR_MISSING_ARGS', 'The "streams" argument must be specified')
  const wrongReturn = (expected, name, value) =>
    new internal.NodeTypeError(
      'ERR_INVALID_RETURN_VALUE',
      'Expected ' + expected + ' to be returned from the "' + name + '" function but got ' + typeNameOf(value) + '.',
    )
  const typeNameOf = (value) =>
    value?.constructor?.name ? 'an instance of ' + value.constructor.name : 'type ' + typeof value

  function connect(streams, done, options = {}) {
    if (streams.length < 2) throw missingStreams()
    const controller = new internal.events.AbortController()
    const lasting = []
    const destroyers = []
    let failure
    let value
    let left = 0
    const over = (error, isLast) => {
      if (error && (!failure || failure.code === 'ERR_STREAM_PREMATURE_CLOSE')) failure = error
      if (!failure && !isLast) return
      while (destroyers.length > 0) destroyers.shift()(failure)
      if (options.signal) options.signal.removeEventListener('abort', onAbort)
      controller.abort()
      if (!isLast) return
      if (!failure) for (const cleanUp of lasting) cleanUp()
      internal.nextTick(done, failure, value)
    }
    const finish = (error) => {
      left -= 1
      over(error, left === 0)
    }
    const onAbort = () => over(errors.aborted(options.signal.reason))
    if (options.signal?.aborted) onAbort()
    else if (options.signal) options.signal.addEventListener('abort', onAbort)

    let at
    for (const [index, stream] of streams.entries()) {
      const isRead = index < streams.length - 1
      const ends = isRead || options.end !== false
      const isLast = index === streams.length - 1
      if (isNodeStream(stream)) {
        if (ends) destroyers.push(destroyer(stream))
        const onError = (error) => {
          if (error && error.name !== 'AbortError' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
            internal.nextTick(() => over(error, false))
        }
        stream.on('error', onError)
        if (isRead && isLast) lasting.push(() => stream.removeListener('error', onError))
        else if (isLast) lasting.push(() => stream.removeListener('error', onError))
      }
      if (index === 0) {
        if (typeof stream === 'function') {
          at = stream({ signal: controller.signal })
          if (!isIterable(at)) throw wrongReturn('Iterable, AsyncIterable or Stream', 'source', at)
        } else if (isIterable(stream) || isReadableStream(stream)) at = stream
        else at = Duplex.from(stream)
      } else if (typeof stream === 'function') {
        const result = stream(asIterable(at), { signal: controller.signal })
        if (isRead) {
          if (typeof result?.[Symbol.asyncIterator] !== 'function')
            throw wrongReturn('AsyncIterable', 'transform[' + (index - 1) + ']', result)
          at = result
          continue
        }
        const through = new PassThrough({ objectMode: true })
        if (typeof result?.then === 'function') {
          left += 1
          result.then(
            (found) => {
              value = found
              if (found != null) through.write(found)
              if (ends) through.end()
              internal.nextTick(finish)
            },
            (error) => {
              through.destroy(error)
              internal.nextTick(finish, error)
            },
          )
        } else if (isIterable(result)) {
          left += 1
          pump(result, through, finish, ends)
        } else throw wrongReturn('AsyncIterable or Promise', 'destination', result)
        at = through
        destroyers.push(destroyer(at))
      } else if (isNodeStream(stream)) {
        if (isReadableStream(at)) {
          left += 2
          const cleanUp = join(at, stream, finish, ends)
          if (isReadableStream(stream) && isLast) lasting.push(cleanUp)
        } else {
          left += 1
          pump(at, stream, finish, ends)
        }
        at = stream
      } else at = Duplex.from(stream)
    }
    return at
  }
  function destroyer(stream) {
    let isDone = false
    stream.on('close', () => {
      isDone = true
    })
    finished(stream, { readable: isReadableStream(stream), writable: isWritableStream(stream) }, (error) => {
      isDone = !error
    })
    return (error) => {
      if (isDone) return
      isDone = true
      base.destroyBy(stream, error || errors.destroyed('pipe'))
    }
  }
  const asIterable = (value) =>
    isIterable(value) ? value : isReadableStream(value) ? new Readable().wrap(value) : value
  function join(source, target, finish, ends) {
    let hasEnded = false
    target.on('close', () => {
      if (!hasEnded) finish(errors.prematureClose())
    })
    source.pipe(target, { end: false })
    if (ends) {
      const end = () => {
        hasEnded = true
        target.end()
      }
      if (isReadDone(source)) internal.nextTick(end)
      else source.once('end', end)
    } else finish()
    finished(source, { readable: true, writable: false }, (error) => {
      const state = source._readableState
      if (error?.code === 'ERR_STREAM_PREMATURE_CLOSE' && state?.ended && !state.errored && !state.errorEmitted)
        source.once('end', finish).once('error', finish)
      else finish(error)
    })
    return finished(target, { readable: false, writable: true }, finish)
  }
  async function pump(source, target, finish, ends) {
    let failure
    /** @type {any} */
    let wake = null
    const resume = (error) => {
      if (error) failure = error
      if (wake) wake()
      wake = null
    }
    const wait = () =>
      new Promise((resolve, reject) => {
        if (failure) reject(failure)
        else
          wake = () => {
            if (failure) reject(failure)
            else resolve(undefined)
          }
      })
    target.on('drain', resume)
    const cleanUp = finished(target, { readable: false }, resume)
    try {
      if (target.writableNeedDrain) await wait()
      for await (const chunk of source) if (!target.write(chunk)) await wait()
      if (ends) {
        target.end()
        await wait()
      }
      finish()
    } catch (error) {
      finish(failure !== error ? Object.assign(error, {}) : error)
    } finally {
      cleanUp()
      target.off('drain', resume)
    }
  }

  Readable.from = (items, options) => {
    if (typeof items === 'string' || items instanceof builtin('buffer').Buffer) {
      return new Readable({
        objectMode: true,
        ...options,
        read() {
          this.push(items)
          this.push(null)
        },
      })
    }
    const isAsync = typeof items?.[Symbol.asyncIterator] === 'function'
    if (!isAsync && typeof items?.[Symbol.iterator] !== 'function')
      throw internal.wrongType('iterable', 'an instance of Iterable', items)
    const iterator = isAsync ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
    const stream = new Readable({ objectMode: true, highWaterMark: 1, ...options })
    let isReading = false
    stream._read = () => {
      if (isReading) return
      isReading = true
      next()
    }
    async function close(error) {
      if (error != null && typeof iterator.throw === 'function') {
        const { value, done } = await iterator.throw(error)
        await value
        if (done) return
      }
      if (typeof iterator.return === 'function') {
        const { value } = await iterator.return()
        await value
      }
    }
    stream._destroy = (error, done) => {
      close(error).then(
        () => internal.nextTick(done, error),
        (failure) => internal.nextTick(done, failure || error),
      )
    }
    async function next() {
      for (;;) {
        try {
          const { value, done } = isAsync ? await iterator.next() : iterator.next()
          if (done) stream.push(null)
          else {
            const chunk = value && typeof value.then === 'function' ? await value : value
            if (chunk === null) {
              isReading = false
              throw errors.nullValues()
            }
            if (stream.push(chunk)) continue
            isReading = false
          }
        } catch (error) {
          stream.destroy(error)
        }
        break
      }
    }
    return stream
  }
  Readable.wrap = (source, options) =>
    new Readable({
      objectMode: source.readableObjectMode ?? source.objectMode ?? true,
      ...options,
      destroy(error, done) {
        base.destroyBy(source, error)
        done(error)
      },
    }).wrap(source)
  Duplex.from = (body) => {
    if (body instanceof Duplex) return body
    if (isReadableStream(body) && isWritableStream(body)) return body
    if (isReadableStream(body)) return new Duplex({ objectMode: true, writable: false, ...reading(body) })
    if (isIterable(body)) return Object.assign(Readable.from(body), { allowHalfOpen: true })
    throw new Error('Duplex.from of ' + typeNameOf(body) + ' is not supported by this shell')
  }
  const reading = (source) => ({
    read() {
      if (this.$isRead) return
      this.$isRead = true
      source.on('data', (chunk) => this.push(chunk))
      source.on('end', () => this.push(null))
      source.on('error', (error) => this.destroy(error))
    },
  })

  /** Those that make a stream of a stream. */
  const checkFunction = (run) => {
    if (typeof run !== 'function') throw internal.wrongType('fn', 'of type function', run)
  }
  const counted = (value) => {
    const number = Number(value)
    if (Number.isNaN(number) || number < 0)
      throw new internal.NodeRangeError(
        'ERR_OUT_OF_RANGE',
        'The value of "number" is out of range. It must be >= 0. Received ' + builtin('util').inspect(number),
      )
    return number
  }
  /** @type {{ [name: string]: (this: any, given: any) => any }} */
  const operators = {
    async *map(run) {
      for await (const each of this) yield await run(each, {})
    },
    async *filter(run) {
      for await (const each of this) if (await run(each, {})) yield each
    },
    async *flatMap(run) {
      for await (const each of this) yield* await run(each, {})
    },
    async *take(count) {
      let left = count
      if (left <= 0) return
      for await (const each of this) {
        if (left > 0) yield each
        left -= 1
        if (left <= 0) return
      }
    },
    async *drop(count) {
      let left = count
      for await (const each of this) {
        if (left <= 0) yield each
        left -= 1
      }
    },
  }
  for (const [name, run] of Object.entries(operators)) {
    Readable.prototype[name] = function (given) {
      const isCount = name === 'take' || name === 'drop'
      if (!isCount) checkFunction(given)
      return Readable.from(run.call(this, isCount ? counted(given) : given))
    }
  }
  /** @type {{ [name: string]: (this: any, ...given: any[]) => any }} */
  const results = {
    async toArray() {
      const all = []
      for await (const each of this) all.push(each)
      return all
    },
    async forEach(run) {
      checkFunction(run)
      for await (const each of this) await run(each, {})
    },
    async some(run) {
      checkFunction(run)
      for await (const each of this) if (await run(each, {})) return true
      return false
    },
    async every(run) {
      checkFunction(run)
      for await (const each of this) if (!(await run(each, {}))) return false
      return true
    },
    async find(run) {
      checkFunction(run)
      for await (const each of this) if (await run(each, {})) return each
      return undefined
    },
    async reduce(run, ...first) {
      checkFunction(run)
      let result = first[0]
      let hasResult = first.length > 0
      for await (const each of this) {
        result = hasResult ? await run(result, each, {}) : each
        hasResult = true
      }
      if (!hasResult) throw new TypeError('Reduce of an empty stream requires an initial value')
      return result
    },
  }
  Object.assign(Readable.prototype, results)

  const promises = {
    pipeline: (...given) =>
      new Promise((resolve, reject) => {
        const last = given[given.length - 1]
        const options =
          last && typeof last === 'object' && !isNodeStream(last) && !isIterable(last) ? given.pop() : undefined
        const streams = given.length === 1 && Array.isArray(given[0]) ? given[0] : given
        connect(streams, (error, value) => (error ? reject(error) : resolve(value)), options)
      }),
    finished: (stream, options) =>
      new Promise((resolve, reject) => {
        const cleanUp = finished(stream, options || {}, (error) => {
          if (options?.cleanup) cleanUp()
          if (error) reject(error)
          else resolve(undefined)
        })
      }),
  }
  for (const [run, custom] of [
    [pipeline, promises.pipeline],
    [finished, promises.finished],
  ])
    Object.defineProperty(run, Symbol.for('nodejs.util.promisify.custom'), { value: custom, enumerable: false })

  return Object.assign(Stream, {
    isDestroyed: (stream) => Boolean(stream?.destroyed),
    isDisturbed: (stream) => Boolean(stream && (stream.readableDidRead || stream.readableAborted)),
    isErrored: (stream) => Boolean(stream && (stream.errored || stream._readableState?.errored)),
    isReadable,
    isWritable,
    Readable,
    Writable,
    Duplex,
    Transform,
    PassThrough,
    duplexPair() {
      throw new Error('stream.duplexPair is not supported by this shell')
    },
    pipeline,
    addAbortSignal(signal, stream) {
      if (!isNodeStream(stream)) throw internal.wrongType('stream', 'an instance of Stream', stream)
      return base.signalled(signal, stream)
    },
    finished,
    destroy: (stream, error) => {
      base.destroyBy(stream, error)
      return stream
    },
    compose() {
      throw new Error('stream.compose is not supported by this shell')
    },
    setDefaultHighWaterMark: base.setUsualMark,
    getDefaultHighWaterMark: base.usualMark,
    promises,
    Stream,
    _isArrayBufferView: ArrayBuffer.isView,
    _isUint8Array: (value) => value instanceof Uint8Array,
    _uint8ArrayToBuffer: (chunk) => internal.adoptBytes(chunk),
  })
})
$polyfs.internal.define('stream/promises', ({ builtin }) => builtin('stream').promises)
$polyfs.internal.define('stream/consumers', ({ exported, builtin }) => {
  const { Buffer } = builtin('buffer')
  const all = async (stream) => {
    const parts = []
    for await (const part of stream) parts.push(typeof part === 'string' ? Buffer.from(part) : part)
    return Buffer.concat(parts)
  }
  const text = async (stream) => (await all(stream)).toString()
  Object.assign(exported, {
    async arrayBuffer(stream) {
      const bytes = await all(stream)
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    },
    buffer: all,
    text,
    json: async (stream) => JSON.parse(await text(stream)),
  })
})
