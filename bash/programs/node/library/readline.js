/** The modules `string_decoder` and `readline`. */
'use strict'
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
