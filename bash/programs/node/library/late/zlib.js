/** The module `zlib`: the host compresses; here are checks, calls of three kinds, and streams, which give their output at the end. */
'use strict'
$polyfs.internal.define('zlib', ({ exported, builtin, internal }) => {
  const { Buffer } = builtin('buffer')
  const { Transform } = builtin('stream')
  const constants = Object.create(null)
  const named =
    'Z_NO_FLUSH 0,Z_PARTIAL_FLUSH 1,Z_SYNC_FLUSH 2,Z_FULL_FLUSH 3,Z_FINISH 4,Z_BLOCK 5,Z_OK 0,Z_STREAM_END 1,' +
    'Z_NEED_DICT 2,Z_ERRNO -1,Z_STREAM_ERROR -2,Z_DATA_ERROR -3,Z_MEM_ERROR -4,Z_BUF_ERROR -5,' +
    'Z_VERSION_ERROR -6,Z_NO_COMPRESSION 0,Z_BEST_SPEED 1,Z_BEST_COMPRESSION 9,Z_DEFAULT_COMPRESSION -1,' +
    'Z_FILTERED 1,Z_HUFFMAN_ONLY 2,Z_RLE 3,Z_FIXED 4,Z_DEFAULT_STRATEGY 0,ZLIB_VERNUM 4880,DEFLATE 1,INFLATE 2,' +
    'GZIP 3,GUNZIP 4,DEFLATERAW 5,INFLATERAW 6,UNZIP 7,BROTLI_DECODE 8,BROTLI_ENCODE 9,Z_MIN_WINDOWBITS 8,' +
    'Z_MAX_WINDOWBITS 15,Z_DEFAULT_WINDOWBITS 15,Z_MIN_CHUNK 64,Z_MAX_CHUNK Infinity,Z_DEFAULT_CHUNK 16384,' +
    'Z_MIN_MEMLEVEL 1,Z_MAX_MEMLEVEL 9,Z_DEFAULT_MEMLEVEL 8,Z_MIN_LEVEL -1,Z_MAX_LEVEL 9,Z_DEFAULT_LEVEL -1,' +
    'BROTLI_OPERATION_PROCESS 0,BROTLI_OPERATION_FLUSH 1,BROTLI_OPERATION_FINISH 2,' +
    'BROTLI_OPERATION_EMIT_METADATA 3,BROTLI_PARAM_MODE 0,BROTLI_MODE_GENERIC 0,BROTLI_MODE_TEXT 1,' +
    'BROTLI_MODE_FONT 2,BROTLI_DEFAULT_MODE 0,BROTLI_PARAM_QUALITY 1,BROTLI_MIN_QUALITY 0,' +
    'BROTLI_MAX_QUALITY 11,BROTLI_DEFAULT_QUALITY 11,BROTLI_PARAM_LGWIN 2,BROTLI_MIN_WINDOW_BITS 10,' +
    'BROTLI_MAX_WINDOW_BITS 24,BROTLI_LARGE_MAX_WINDOW_BITS 30,BROTLI_DEFAULT_WINDOW 22,BROTLI_PARAM_LGBLOCK 3,' +
    'BROTLI_MIN_INPUT_BLOCK_BITS 16,BROTLI_MAX_INPUT_BLOCK_BITS 24,' +
    'BROTLI_PARAM_DISABLE_LITERAL_CONTEXT_MODELING 4,BROTLI_PARAM_SIZE_HINT 5,BROTLI_PARAM_LARGE_WINDOW 6,' +
    'BROTLI_PARAM_NPOSTFIX 7,BROTLI_PARAM_NDIRECT 8,BROTLI_DECODER_RESULT_ERROR 0,' +
    'BROTLI_DECODER_RESULT_SUCCESS 1,BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT 2,' +
    'BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT 3,BROTLI_DECODER_PARAM_DISABLE_RING_BUFFER_REALLOCATION 0,' +
    'BROTLI_DECODER_PARAM_LARGE_WINDOW 1,BROTLI_DECODER_NO_ERROR 0,BROTLI_DECODER_SUCCESS 1,' +
    'BROTLI_DECODER_NEEDS_MORE_INPUT 2,BROTLI_DECODER_NEEDS_MORE_OUTPUT 3,' +
    'BROTLI_DECODER_ERROR_FORMAT_EXUBERANT_NIBBLE -1,BROTLI_DECODER_ERROR_FORMAT_RESERVED -2,' +
    'BROTLI_DECODER_ERROR_FORMAT_EXUBERANT_META_NIBBLE -3,' +
    'BROTLI_DECODER_ERROR_FORMAT_SIMPLE_HUFFMAN_ALPHABET -4,BROTLI_DECODER_ERROR_FORMAT_SIMPLE_HUFFMAN_SAME -5,' +
    'BROTLI_DECODER_ERROR_FORMAT_CL_SPACE -6,BROTLI_DECODER_ERROR_FORMAT_HUFFMAN_SPACE -7,' +
    'BROTLI_DECODER_ERROR_FORMAT_CONTEXT_MAP_REPEAT -8,BROTLI_DECODER_ERROR_FORMAT_BLOCK_LENGTH_1 -9,' +
    'BROTLI_DECODER_ERROR_FORMAT_BLOCK_LENGTH_2 -10,BROTLI_DECODER_ERROR_FORMAT_TRANSFORM -11,' +
    'BROTLI_DECODER_ERROR_FORMAT_DICTIONARY -12,BROTLI_DECODER_ERROR_FORMAT_WINDOW_BITS -13,' +
    'BROTLI_DECODER_ERROR_FORMAT_PADDING_1 -14,BROTLI_DECODER_ERROR_FORMAT_PADDING_2 -15,' +
    'BROTLI_DECODER_ERROR_FORMAT_DISTANCE -16,BROTLI_DECODER_ERROR_DICTIONARY_NOT_SET -19,' +
    'BROTLI_DECODER_ERROR_INVALID_ARGUMENTS -20,BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES -21,' +
    'BROTLI_DECODER_ERROR_ALLOC_TREE_GROUPS -22,BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MAP -25,' +
    'BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_1 -26,BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_2 -27,' +
    'BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES -30,BROTLI_DECODER_ERROR_UNREACHABLE -31'
  for (const each of named.split(',')) {
    const [name, value] = each.split(' ')
    constants[name] = Number(value)
  }
  const numberOf = Object.freeze(constants)
  const names =
    'Z_OK,Z_STREAM_END,Z_NEED_DICT,Z_ERRNO,Z_STREAM_ERROR,Z_DATA_ERROR,Z_MEM_ERROR,Z_BUF_ERROR,Z_VERSION_ERROR'.split(
      ',',
    )
  const codes = Object.fromEntries(names.map((name) => [name, numberOf[name]]))
  for (const name of names) codes[numberOf[name]] = name

  function outOfRange(name, expected, value) {
    const shown = builtin('util').inspect(value)
    return new internal.NodeRangeError(
      'ERR_OUT_OF_RANGE',
      'The value of "' + name + '" is out of range. It must be ' + expected + '. Received ' + shown,
    )
  }
  function isGiven(value, name) {
    if (value === undefined || Number.isNaN(value)) return false
    if (Number.isFinite(value)) return true
    if (typeof value !== 'number') throw internal.wrongType(name, 'of type number', value)
    throw outOfRange(name, 'a finite number', value)
  }
  function inRange(options, name, [least, most, usual]) {
    const value = options[name]
    if (!isGiven(value, 'options.' + name)) return usual
    if (value < least || value > most) throw outOfRange('options.' + name, '>= ' + least + ' and <= ' + most, value)
    return value
  }
  const isBytes = (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer
  const plain = (value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : internal.plainBytes(value))
  function bytesOf(value) {
    if (typeof value === 'string') return internal.plainBytes(Buffer.from(value))
    if (isBytes(value)) return plain(value)
    const expected = 'of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer'
    throw internal.wrongType('buffer', expected, value)
  }

  const isBrotli = (kind) => kind.startsWith('Brotli')
  function checked(kind, options) {
    const last = isBrotli(kind) ? 3 : 5
    const end = isBrotli(kind) ? numberOf.BROTLI_OPERATION_FINISH : numberOf.Z_FINISH
    let chunkSize = options.chunkSize
    if (!isGiven(chunkSize, 'options.chunkSize')) chunkSize = 16384
    else if (chunkSize < 64) throw outOfRange('options.chunkSize', '>= 64', chunkSize)
    const common = {
      chunkSize,
      flush: inRange(options, 'flush', [0, last, 0]),
      finishFlush: inRange(options, 'finishFlush', [0, last, end]),
      maxOutputLength: inRange(options, 'maxOutputLength', [1, 4294967296, 4294967296]),
    }
    return { ...common, ...(isBrotli(kind) ? ofBrotli(options) : ofZlib(kind, options)) }
  }
  function ofBrotli({ params = {} }) {
    for (const key of Object.keys(params)) {
      const number = Number(key)
      if (!Number.isInteger(number) || number < 0 || number > 9)
        throw new internal.NodeRangeError('ERR_BROTLI_INVALID_PARAM', key + ' is not a valid Brotli parameter')
      if (typeof params[key] !== 'number' && typeof params[key] !== 'boolean')
        throw internal.wrongType('options.params[key]', 'of type number', params[key])
    }
    return { params, dictionary: null }
  }
  function ofZlib(kind, options) {
    const isAny = !options.windowBits && ['Inflate', 'Gunzip', 'Unzip'].includes(kind)
    const { dictionary = null } = options
    if (dictionary !== null && !isBytes(dictionary))
      throw internal.wrongType(
        'options.dictionary',
        'an instance of Buffer, TypedArray, DataView, or ArrayBuffer',
        dictionary,
      )
    return {
      windowBits: isAny ? 15 : inRange(options, 'windowBits', [kind === 'Gzip' ? 9 : 8, 15, 15]),
      level: inRange(options, 'level', [-1, 9, -1]),
      memLevel: inRange(options, 'memLevel', [1, 9, 8]),
      strategy: inRange(options, 'strategy', [0, 4, 0]),
      dictionary: dictionary === null ? null : plain(dictionary),
    }
  }

  /** The output as a `Buffer`. */
  function run(kind, bytes, { dictionary, ...options }, flushes = []) {
    const result = internal.sys('zlib', kind, bytes, JSON.stringify({ ...options, flushes }), dictionary)
    if (result instanceof Uint8Array) return internal.adoptBytes(result)
    if (result.missing) throw new Error('zlib.' + kind + ' is not supported by this shell here')
    if (result.tooLarge) {
      const most = Math.min(options.maxOutputLength, 64 * 2 ** 20)
      const text = 'Cannot create a Buffer larger than ' + most + ' bytes'
      throw new internal.NodeRangeError('ERR_BUFFER_TOO_LARGE', text)
    }
    throw Object.assign(new Error(result.message), { errno: result.errno, code: result.code })
  }

  class ZlibBase extends Transform {
    constructor(kind, options) {
      const given = options || {}
      const own = checked(kind, given)
      super({ ...given, objectMode: false, readableObjectMode: false, writableObjectMode: false })
      this.bytesWritten = 0
      this._chunkSize = own.chunkSize
      const state = { kind, own, parts: [], flushes: [], given: 0 }
      Object.defineProperty(this, '$zlib', { value: state, writable: true, configurable: true, enumerable: false })
    }
    get _closed() {
      return this.destroyed
    }
    _transform(chunk, _encoding, done) {
      this.$zlib.parts.push(chunk)
      this.bytesWritten += chunk.length
      done()
    }
    /** Gives what is new of the output. */
    $put(own, done) {
      const { kind, parts, flushes, given } = this.$zlib
      let output
      try {
        output = run(kind, internal.plainBytes(Buffer.concat(parts)), own, flushes)
      } catch (error) {
        return void done(error)
      }
      this.$zlib.given = output.length
      for (let at = given; at < output.length; at += this._chunkSize)
        this.push(output.subarray(at, at + this._chunkSize))
      done()
    }
    _flush(done) {
      this.$put(this.$zlib.own, done)
    }
    flush(how, done) {
      const isFull = typeof how !== 'number'
      const after = typeof how === 'function' ? how : done
      const usual = isBrotli(this.$zlib.kind) ? numberOf.BROTLI_OPERATION_FLUSH : numberOf.Z_FULL_FLUSH
      if (isBrotli(this.$zlib.kind)) throw new Error('flush of a stream of brotli is not supported by this shell')
      internal.nextTick(() => {
        const { own, flushes, kind } = this.$zlib
        const flush = isFull ? usual : how
        if (/flate$|Gzip|flateRaw$/.test(kind) && /^(?:Def|Gz)/.test(kind)) flushes.push([this.bytesWritten, flush])
        this.$put({ ...own, finishFlush: numberOf.Z_NO_FLUSH }, (error) => {
          if (error) this.destroy(error)
          else if (after) after()
        })
      })
    }
    params(_level, _strategy, _done) {
      throw new Error('params of a stream of zlib is not supported by this shell')
    }
    reset() {
      Object.assign(this.$zlib, { parts: [], flushes: [], given: 0 })
    }
    close(done) {
      if (done) this.once('close', () => done())
      this.destroy()
    }
  }

  for (const kind of [
    'Deflate',
    'Inflate',
    'Gzip',
    'Gunzip',
    'DeflateRaw',
    'InflateRaw',
    'Unzip',
    'BrotliCompress',
    'BrotliDecompress',
  ]) {
    const Made = class extends ZlibBase {
      constructor(options) {
        super(kind, options)
      }
    }
    const callable = new Proxy(Made, { apply: (_target, _self, [options]) => new Made(options) })
    Object.defineProperty(Made, 'name', { value: kind })
    Object.defineProperty(Made.prototype, 'constructor', { value: callable })
    const name = kind[0].toLowerCase() + kind.slice(1)
    exported[kind] = callable
    exported['create' + kind] = (options) => new Made(options)
    exported[name + 'Sync'] = (data, options = {}) => {
      const own = checked(kind, options || {})
      const buffer = run(kind, bytesOf(data), own)
      return options?.info ? { buffer, engine: new Made(options) } : buffer
    }
    exported[name] = (data, options, done) => {
      const [rest, after] = typeof options === 'function' ? [{}, options] : [options || {}, done]
      if (typeof after !== 'function') throw internal.wrongType('callback', 'of type function', after)
      const own = checked(kind, rest)
      const bytes = bytesOf(data)
      internal.soon(() => {
        let buffer
        try {
          buffer = run(kind, bytes, own)
        } catch (error) {
          return void after(error)
        }
        after(null, rest.info ? { buffer, engine: new Made(rest) } : buffer)
      })
    }
    for (const each of [name, name + 'Sync', 'create' + kind])
      Object.defineProperty(exported[each], 'name', { value: each })
  }
  exported.crc32 = function crc32(data, before = 0) {
    if (typeof data !== 'string' && !ArrayBuffer.isView(data))
      throw internal.wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data)
    if (typeof before !== 'number') throw internal.wrongType('value', 'of type number', before)
    return internal.sys('crc32', bytesOf(data), before)
  }
  Object.assign(exported, { constants: numberOf, codes: Object.freeze(codes) })
  for (const name of Object.keys(numberOf)) {
    if (/^(?:Z|DEFLATE|INFLATE|GUNZIP|GZIP|UNZIP)/.test(name))
      Object.defineProperty(exported, name, { value: numberOf[name], enumerable: false })
  }
})
