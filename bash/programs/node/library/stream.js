/** The module `stream`: small, and everything that is pushed is kept until it is read. */
'use strict'
$polyfs.internal.define('stream', ({ builtin, internal }) => {
  const EventEmitter = builtin('events')
  const { Buffer } = builtin('buffer')
  const hide = (target, name, value) =>
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })

  class Stream extends EventEmitter {
    pipe(target, options = {}) {
      this.on('data', (chunk) => target.write(chunk))
      if (options.end !== false && target !== process.stdout && target !== process.stderr)
        this.on('end', () => target.end())
      target.emit('pipe', this)
      return target
    }
    destroy(error) {
      if (this.destroyed) return this
      this.destroyed = true
      internal.nextTick(() => {
        if (error) this.emit('error', error)
        this.emit('close')
      })
      return this
    }
  }

  class Readable extends Stream {
    constructor(options = {}) {
      super()
      hide(this, '$in', {
        queue: [],
        isFlowing: false,
        hasEnded: false,
        isDone: false,
        encoding: options.encoding,
        isObject: options.objectMode === true,
        isScheduled: false,
        isPaused: false,
      })
      this.readable = true
      this.destroyed = false
      if (options.read) this._read = options.read
      if (options.destroy) this._destroy = options.destroy
    }
    /** @type {(size: number) => void} */
    _read() {}
    setEncoding(encoding) {
      this.$in.encoding = encoding
      return this
    }
    push(chunk) {
      const state = this.$in
      if (chunk === null) state.hasEnded = true
      else if (state.isObject || typeof chunk !== 'string') state.queue.push(chunk)
      else state.queue.push(Buffer.from(chunk))
      this.$flow()
      return true
    }
    $take() {
      const chunk = this.$in.queue.shift()
      return this.$in.encoding && !this.$in.isObject && typeof chunk !== 'string' ? this.$decode(chunk) : chunk
    }
    $decode(chunk) {
      const { StringDecoder } = builtin('string_decoder')
      if (!this.$in.decoder) this.$in.decoder = new StringDecoder(this.$in.encoding)
      return this.$in.decoder.write(chunk)
    }
    $listening(type) {
      if (type === 'data' && !this.$in.isPaused) this.resume()
      if (type === 'readable') {
        this.$in.isReadableMode = true
        this.$flow()
      }
      if (type === 'end') this.$flow()
    }
    $flow() {
      const state = this.$in
      if (state.isScheduled || this.destroyed) return
      state.isScheduled = true
      internal.nextTick(() => {
        state.isScheduled = false
        if (state.isReadableMode && (state.queue.length > 0 || state.hasEnded)) {
          if (state.queue.length > 0 || !state.isDone) this.emit('readable')
          this.$finish()
          return
        }
        while (state.isFlowing && state.queue.length > 0) this.emit('data', this.$take())
        if (state.isFlowing) this.$finish()
        if (!state.hasEnded && (state.isFlowing || state.isReadableMode || state.isWaiting)) this._read(65536)
        if (state.wake && (state.queue.length > 0 || state.hasEnded)) state.wake()
      })
    }
    $finish() {
      const state = this.$in
      if (!state.hasEnded || state.isDone || state.queue.length > 0) return
      state.isDone = true
      this.readable = false
      this.emit('end')
      this.emit('close')
    }
    read(size) {
      const state = this.$in
      if (state.queue.length === 0) {
        if (state.hasEnded) this.$finish()
        else this._read(65536)
        return null
      }
      if (state.isObject) return this.$take()
      const all = Buffer.concat(state.queue.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)))
      const taken = size === undefined || size >= all.length ? all : all.subarray(0, size)
      state.queue = taken.length < all.length ? [all.subarray(taken.length)] : []
      if (state.queue.length === 0 && state.hasEnded) internal.nextTick(() => this.$finish())
      return state.encoding ? this.$decode(taken) : taken
    }
    resume() {
      this.$in.isFlowing = true
      this.$in.isPaused = false
      this.$flow()
      return this
    }
    pause() {
      this.$in.isFlowing = false
      this.$in.isPaused = true
      return this
    }
    isPaused() {
      return this.$in.isPaused
    }
    get readableEnded() {
      return this.$in.isDone
    }
    async *[Symbol.asyncIterator]() {
      const state = this.$in
      let failure
      this.on('error', (error) => {
        failure = error
        if (state.wake) state.wake()
      })
      for (;;) {
        if (failure) throw failure
        if (state.queue.length > 0) {
          yield this.$take()
          continue
        }
        if (state.hasEnded || this.destroyed) break
        state.isWaiting = true
        await new Promise((resolve) => {
          state.wake = resolve
          this.$flow()
        })
        state.wake = undefined
      }
      state.isDone = true
    }
    static from(items, options) {
      const stream = new Readable({ objectMode: true, ...options })
      ;(async () => {
        try {
          if (typeof items === 'string' || items instanceof Uint8Array) stream.push(items)
          else for await (const item of items) stream.push(item)
          stream.push(null)
        } catch (error) {
          stream.destroy(error)
        }
      })()
      return stream
    }
  }

  function startWriting(target, options) {
    hide(target, '$out', {
      queue: [],
      isBusy: false,
      isEnding: false,
      isDone: false,
      isObject: options.objectMode === true || options.writableObjectMode === true,
      decodes: options.decodeStrings !== false,
    })
    target.writable = true
    if (options.write) target._write = options.write
    if (options.final) target._final = options.final
  }
  const writing = {
    write(chunk, encoding, done) {
      const state = this.$out
      const kind = typeof encoding === 'string' ? encoding : 'utf8'
      const after = typeof encoding === 'function' ? encoding : done
      if (state.isEnding) {
        const error = new internal.NodeError('ERR_STREAM_WRITE_AFTER_END', 'write after end')
        internal.nextTick(() => this.emit('error', error))
        return false
      }
      const data = typeof chunk === 'string' && !state.isObject && state.decodes ? Buffer.from(chunk, kind) : chunk
      state.queue.push([data, data === chunk ? kind : 'buffer', after])
      pump(this)
      return true
    },
    end(chunk, encoding, done) {
      if (typeof chunk === 'function') return this.end(undefined, undefined, chunk)
      if (chunk !== undefined && chunk !== null) this.write(chunk, encoding)
      const after = typeof encoding === 'function' ? encoding : done
      if (typeof after === 'function') this.once('finish', after)
      this.$out.isEnding = true
      pump(this)
      return this
    },
    cork() {},
    uncork() {},
    setDefaultEncoding() {
      return this
    },
  }
  function pump(target) {
    const state = target.$out
    if (state.isBusy || target.destroyed) return
    const next = state.queue.shift()
    if (next === undefined) {
      if (!state.isEnding || state.isDone) return
      state.isDone = true
      const finish = (error) => {
        if (error) return void target.destroy(error)
        internal.nextTick(() => {
          target.writable = false
          target.emit('finish')
          if (!target.$in) target.emit('close')
        })
      }
      if (target._flush)
        target._flush((error, value) => {
          if (value !== undefined && value !== null) target.push(value)
          target.push(null)
          finish(error)
        })
      else if (target._final) target._final(finish)
      else {
        if (target.$in && target.$transforms) target.push(null)
        finish()
      }
      return
    }
    state.isBusy = true
    const [chunk, encoding, after] = next
    target._write(chunk, encoding, (error) => {
      state.isBusy = false
      if (typeof after === 'function') internal.nextTick(() => after(error))
      if (error) return void target.destroy(error)
      if (state.queue.length === 0) internal.nextTick(() => target.emit('drain'))
      pump(target)
    })
  }

  class Writable extends Stream {
    constructor(options = {}) {
      super()
      this.destroyed = false
      startWriting(this, options)
    }
    _write(_chunk, _encoding, done) {
      done()
    }
    get writableEnded() {
      return this.$out.isEnding
    }
    get writableFinished() {
      return this.$out.isDone
    }
  }
  Object.assign(Writable.prototype, writing)
  class Duplex extends Readable {
    constructor(options = {}) {
      super(options)
      startWriting(this, options)
    }
    _write(_chunk, _encoding, done) {
      done()
    }
  }
  Object.assign(Duplex.prototype, writing)
  class Transform extends Duplex {
    constructor(options = {}) {
      super({ ...options, objectMode: options.objectMode || options.readableObjectMode })
      if (options.writableObjectMode) this.$out.isObject = true
      hide(this, '$transforms', true)
      if (options.transform) this._transform = options.transform
      if (options.flush) this._flush = options.flush
    }
    _transform(chunk, _encoding, done) {
      done(null, chunk)
    }
    _write(chunk, encoding, done) {
      this._transform(chunk, encoding, (error, value) => {
        if (value !== undefined && value !== null) this.push(value)
        done(error)
      })
    }
  }
  class PassThrough extends Transform {}

  function finished(stream, options, done) {
    const after = typeof options === 'function' ? options : done
    let isOver = false
    const over = (error) => {
      if (isOver) return
      isOver = true
      after(error)
    }
    stream.on('error', over)
    stream.on('end', () => over())
    stream.on('finish', () => over())
    stream.on('close', () => over())
  }
  function pipeline(...given) {
    const done =
      typeof given[given.length - 1] === 'function' &&
      given.length > 2 &&
      given[given.length - 1].length <= 1 &&
      !isGenerator(given[given.length - 1])
        ? given.pop()
        : () => {}
    const parts = given.flat()
    let isOver = false
    const over = (error, value) => {
      if (isOver) return
      isOver = true
      done(error, value)
    }
    let at = parts[0]
    if (typeof at === 'function') at = at()
    if (!(at instanceof Stream)) at = Readable.from(at)
    for (const part of parts.slice(1)) {
      at.on('error', over)
      if (typeof part === 'function') {
        const result = part(at)
        if (result && typeof result[Symbol.asyncIterator] === 'function') at = Readable.from(result)
        else {
          Promise.resolve(result).then((value) => over(undefined, value), over)
          return at
        }
      } else at = at.pipe(part)
    }
    at.on('error', over)
    at.on('finish', () => over())
    if (at === process.stdout || at === process.stderr)
      (parts.length > 1 ? parts[parts.length - 2] : at).on('end', () => over())
    return at
  }
  const isGenerator = (value) => /Generator/.test(Object.prototype.toString.call(value))
  const promises = {
    pipeline: (...given) =>
      new Promise((resolve, reject) => {
        pipeline(
          ...given.filter(
            (each) =>
              each instanceof Stream ||
              typeof each === 'function' ||
              typeof each[Symbol.iterator] === 'function' ||
              typeof each[Symbol.asyncIterator] === 'function',
          ),
          (error) => (error ? reject(error) : resolve(undefined)),
        )
      }),
    finished: (stream) =>
      new Promise((resolve, reject) => finished(stream, (error) => (error ? reject(error) : resolve(undefined)))),
  }
  return Object.assign(Stream, {
    Stream,
    Readable,
    Writable,
    Duplex,
    Transform,
    PassThrough,
    pipeline,
    finished,
    promises,
  })
})
$polyfs.internal.define('stream/promises', ({ builtin }) => builtin('stream').promises)
$polyfs.internal.define('string_decoder', ({ exported, internal }) => {
  /** Keeps what is not a whole character for the next piece. */
  class StringDecoder {
    constructor(encoding = 'utf8') {
      this.encoding = String(encoding).toLowerCase().replace('utf-8', 'utf8')
      this.rest = new Uint8Array()
    }
    write(chunk) {
      if (typeof chunk === 'string') return chunk
      const all = new Uint8Array(this.rest.length + chunk.length)
      all.set(this.rest)
      all.set(chunk, this.rest.length)
      const whole = all.length - this.incomplete(all)
      this.rest = all.slice(whole)
      return internal.decodeBytes(all.slice(0, whole), this.encoding)
    }
    incomplete(bytes) {
      if (this.encoding === 'base64') return bytes.length % 3
      if (this.encoding === 'utf16le') return bytes.length % 2
      if (this.encoding !== 'utf8') return 0
      for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
        const byte = bytes[bytes.length - back]
        if (byte < 0x80) return 0
        if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
      }
      return 0
    }
    end(chunk) {
      const text = chunk === undefined ? '' : this.write(chunk)
      const last = this.rest.length > 0 ? internal.decodeBytes(this.rest, this.encoding) : ''
      this.rest = new Uint8Array()
      return text + last
    }
  }
  exported.StringDecoder = StringDecoder
})
$polyfs.internal.define('readline', ({ exported, builtin, internal }) => {
  const EventEmitter = builtin('events')
  class Interface extends EventEmitter {
    constructor(options) {
      super()
      const { input, output } = options
      this.terminal = false
      this.line = ''
      Object.defineProperty(this, '$', {
        value: {
          input,
          output,
          lines: [],
          rest: '',
          isClosed: false,
          hasEnded: false,
          prompt: options.prompt === undefined ? '> ' : options.prompt,
          questions: [],
          isStarted: false,
        },
        enumerable: false,
      })
      internal.nextTick(() => this.$start())
    }
    $start() {
      const state = this.$
      if (state.isStarted || !state.input) return
      state.isStarted = true
      const { StringDecoder } = builtin('string_decoder')
      const decoder = new StringDecoder('utf8')
      state.input.on('data', (chunk) => this.$add(decoder.write(chunk)))
      state.input.on('end', () => {
        if (state.rest !== '') this.$line(state.rest)
        state.rest = ''
        state.hasEnded = true
        this.$drain()
      })
      state.input.on('error', (error) => this.emit('error', error))
    }
    $add(text) {
      const lines = (this.$.rest + text).split(/\r\n|\n|\r(?=[^\n])/)
      this.$.rest = lines.pop()
      for (const line of lines) this.$line(line)
      this.$drain()
    }
    $line(line) {
      this.$.lines.push(line)
    }
    $drain() {
      const state = this.$
      if (state.isIterated) return void state.wake?.()
      while (state.lines.length > 0 && !state.isClosed && !state.isPaused) {
        const question = state.questions.shift()
        if (question !== undefined) {
          question(state.lines.shift())
          // The next question comes a little later: its line is kept until then.
          if (state.asks && state.questions.length === 0 && this.listenerCount('line') === 0)
            return void internal.soon(() => internal.soon(() => this.$drain()))
          continue
        }
        if (this.listenerCount('line') === 0 && state.asks) return
        this.emit('line', state.lines.shift())
      }
      if (state.hasEnded && !state.isPaused) this.close()
    }
    question(text, options, done) {
      const answer = typeof options === 'function' ? options : done
      if (this.$.output) this.$.output.write(text)
      this.$.asks = true
      this.$.questions.push(answer)
      internal.soon(() => this.$drain())
    }
    setPrompt(text) {
      this.$.prompt = text
    }
    getPrompt() {
      return this.$.prompt
    }
    prompt() {
      if (this.$.output) this.$.output.write(this.$.prompt)
    }
    write() {}
    pause() {
      this.$.isPaused = true
      return this
    }
    resume() {
      this.$.isPaused = false
      this.$drain()
      return this
    }
    close() {
      if (this.$.isClosed) return
      this.$.isClosed = true
      this.emit('close')
    }
    async *[Symbol.asyncIterator]() {
      const state = this.$
      state.isIterated = true
      this.$start()
      for (;;) {
        if (state.lines.length > 0) yield state.lines.shift()
        else if (state.hasEnded || state.isClosed) break
        else {
          await new Promise((resolve) => {
            state.wake = resolve
          })
        }
      }
      this.close()
    }
  }
  exported.Interface = Interface
  exported.createInterface = (input, output) =>
    new Interface(input && typeof input.on === 'function' ? { input, output } : input)
  exported.clearLine = exported.cursorTo = exported.moveCursor = exported.clearScreenDown = () => true
  exported.promises = {
    createInterface(input, output) {
      const made = exported.createInterface(input, output)
      const ask = made.question.bind(made)
      made.question = (text) => new Promise((resolve) => ask(text, resolve))
      return made
    },
  }
})
$polyfs.internal.define('readline/promises', ({ builtin }) => builtin('readline').promises)
