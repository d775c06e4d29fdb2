/** The module `buffer`, and text encoders. */
'use strict'
$polyfs.internal.define('buffer', ({ exported, internal }) => {
  const { sys } = internal
  const custom = Symbol.for('nodejs.util.inspect.custom')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const encodings = [
    'utf8',
    'utf-8',
    'hex',
    'base64',
    'base64url',
    'latin1',
    'binary',
    'ascii',
    'utf16le',
    'utf-16le',
    'ucs2',
    'ucs-2',
  ]

  function encodingOf(name) {
    if (name === undefined || name === null || name === '') return 'utf8'
    const lower = String(name).toLowerCase()
    if (!encodings.includes(lower))
      throw new internal.NodeTypeError('ERR_UNKNOWN_ENCODING', 'Unknown encoding: ' + name)
    if (lower === 'utf-8') return 'utf8'
    if (lower === 'binary') return 'latin1'
    if (lower === 'ucs2' || lower === 'ucs-2' || lower === 'utf-16le') return 'utf16le'
    return lower
  }

  const values = new Map([...alphabet].map((letter, index) => [letter, index]))
  values.set('-', 62)
  values.set('_', 63)

  function fromBase64(text) {
    const bytes = []
    let bits = 0
    let count = 0
    for (const letter of text) {
      if (letter === '=') break
      const value = values.get(letter)
      if (value === undefined) continue
      bits = ((bits << 6) | value) & 0xffffff
      count += 6
      if (count >= 8) {
        count -= 8
        bytes.push((bits >> count) & 0xff)
      }
    }
    return Uint8Array.from(bytes)
  }

  function toBase64(bytes, isUrl) {
    const pieces = []
    for (let at = 0; at < bytes.length; at += 3) {
      const left = bytes.length - at
      const word = (bytes[at] << 16) | ((left > 1 ? bytes[at + 1] : 0) << 8) | (left > 2 ? bytes[at + 2] : 0)
      pieces.push(
        alphabet[word >> 18] +
          alphabet[(word >> 12) & 63] +
          (left > 1 ? alphabet[(word >> 6) & 63] : isUrl ? '' : '=') +
          (left > 2 ? alphabet[word & 63] : isUrl ? '' : '='),
      )
    }
    const text = pieces.join('')
    return isUrl ? text.replaceAll('+', '-').replaceAll('/', '_') : text
  }

  function fromHex(text) {
    const bytes = []
    for (let at = 0; at + 1 < text.length; at += 2) {
      const pair = text.slice(at, at + 2)
      if (!/^[0-9a-fA-F]{2}$/.test(pair)) break
      bytes.push(parseInt(pair, 16))
    }
    return Uint8Array.from(bytes)
  }

  function codes(text) {
    const pieces = []
    for (let at = 0; at < text.length; at += 8192)
      pieces.push(String.fromCharCode.apply(null, text.subarray(at, at + 8192)))
    return pieces.join('')
  }

  function encode(text, encoding) {
    const kind = encodingOf(encoding)
    if (kind === 'utf8') return sys('encode', text.toWellFormed())
    if (kind === 'hex') return fromHex(text)
    if (kind === 'base64' || kind === 'base64url') return fromBase64(text)
    if (kind === 'utf16le') {
      const bytes = new Uint8Array(text.length * 2)
      for (let at = 0; at < text.length; at += 1) {
        bytes[2 * at] = text.charCodeAt(at) & 0xff
        bytes[2 * at + 1] = text.charCodeAt(at) >> 8
      }
      return bytes
    }
    const bytes = new Uint8Array(text.length)
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
    return bytes
  }

  function decode(bytes, encoding) {
    const kind = encodingOf(encoding)
    if (kind === 'utf8') return sys('decode', plainBytes(bytes))
    if (kind === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    if (kind === 'base64') return toBase64(bytes, false)
    if (kind === 'base64url') return toBase64(bytes, true)
    if (kind === 'utf16le') {
      const units = new Uint16Array(bytes.length >> 1)
      for (let at = 0; at < units.length; at += 1) units[at] = bytes[2 * at] | (bytes[2 * at + 1] << 8)
      return codes(units)
    }
    if (kind === 'ascii') return codes(Uint8Array.from(bytes, (byte) => byte & 0x7f))
    return codes(bytes)
  }

  /** A plain array of the same bytes, for the host. */
  function plainBytes(view) {
    if (view instanceof ArrayBuffer) return new Uint8Array(view)
    if (Object.getPrototypeOf(view) === Uint8Array.prototype && view.byteLength === view.buffer.byteLength) return view
    return new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength))
  }

  /** @extends {Uint8Array<ArrayBufferLike>} */
  class FastBuffer extends Uint8Array {}

  function Buffer(value, encodingOrOffset, length) {
    if (typeof value === 'number') return Buffer.alloc(value)
    return Buffer.from(value, encodingOrOffset, length)
  }
  Object.setPrototypeOf(Buffer, Uint8Array)
  Buffer.prototype = FastBuffer.prototype
  Object.defineProperty(FastBuffer.prototype, 'constructor', { value: Buffer, writable: true, configurable: true })

  const adopt = (bytes) => new FastBuffer(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  internal.adoptBytes = adopt
  internal.plainBytes = plainBytes
  internal.decodeBytes = decode
  internal.encodeText = encode

  Buffer.from = function from(value, encodingOrOffset, length) {
    if (typeof value === 'string') return adopt(encode(value, encodingOrOffset))
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer)
      return new FastBuffer(value, encodingOrOffset, length)
    if (ArrayBuffer.isView(value))
      return adopt(value instanceof Uint8Array ? new Uint8Array(value) : Uint8Array.from(/** @type {any} */ (value)))
    if (Array.isArray(value)) return adopt(Uint8Array.from(value, (item) => Number(item)))
    if (value !== null && typeof value === 'object') {
      if (value.type === 'Buffer' && Array.isArray(value.data)) return adopt(Uint8Array.from(value.data))
      const primitive = value.valueOf?.()
      if (primitive != null && primitive !== value && (typeof primitive === 'string' || typeof primitive === 'object'))
        return Buffer.from(primitive, encodingOrOffset, length)
      if (typeof value.length === 'number') return adopt(Uint8Array.from(value))
    }
    throw new internal.NodeTypeError(
      'ERR_INVALID_ARG_TYPE',
      'The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.' +
        internal.describe(value),
    )
  }
  Buffer.alloc = function alloc(size, fill, encoding) {
    if (typeof size !== 'number') throw internal.wrongType('size', 'of type number', size)
    const made = new FastBuffer(size)
    return fill === undefined || fill === 0 ? made : made.fill(fill, encoding)
  }
  Buffer.allocUnsafe = (size) => Buffer.alloc(size)
  Buffer.allocUnsafeSlow = Buffer.allocUnsafe
  Buffer.isBuffer = (value) => value instanceof FastBuffer
  Buffer.isEncoding = (name) => typeof name === 'string' && encodings.includes(name.toLowerCase())
  Buffer.byteLength = function byteLength(value, encoding) {
    if (typeof value === 'string') return encode(value, encoding).length
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength
    throw internal.wrongType('string', 'of type string or an instance of Buffer or ArrayBuffer', value)
  }
  Buffer.concat = function concat(list, total) {
    if (!Array.isArray(list)) throw internal.wrongType('list', 'an instance of Array', list)
    const size = total === undefined ? list.reduce((sum, each) => sum + each.length, 0) : total
    const all = Buffer.alloc(size)
    let at = 0
    for (const each of list) {
      const piece = at + each.length > size ? each.subarray(0, size - at) : each
      all.set(piece, at)
      at += piece.length
      if (at >= size) break
    }
    return all
  }
  Buffer.compare = function compare(one, other) {
    const length = Math.min(one.length, other.length)
    for (let at = 0; at < length; at += 1) if (one[at] !== other[at]) return one[at] < other[at] ? -1 : 1
    return Math.sign(one.length - other.length)
  }
  Buffer.poolSize = 8192

  const needle = (value, encoding) =>
    typeof value === 'number'
      ? Uint8Array.of(value & 0xff)
      : typeof value === 'string'
        ? encode(value, encoding)
        : value

  /** @type {{ [name: string | symbol]: (this: any, ...given: any[]) => any }} */
  const methods = {
    toString(encoding, start = 0, end = this.length) {
      if (start === 0 && end >= this.length) return decode(this, encoding)
      return decode(this.subarray(Math.max(0, start), Math.max(0, end)), encoding)
    },
    /** @this {any} */
    toLocaleString(encoding, start, end) {
      return this.toString(encoding, start, end)
    },
    toJSON() {
      return { type: 'Buffer', data: Array.from(this) }
    },
    equals(other) {
      if (!(other instanceof Uint8Array))
        throw internal.wrongType('otherBuffer', 'an instance of Buffer or Uint8Array', other)
      return Buffer.compare(this, other) === 0
    },
    compare(other) {
      return Buffer.compare(this, other)
    },
    slice(start, end) {
      return this.subarray(start, end)
    },
    subarray(start, end) {
      const view = Uint8Array.prototype.subarray.call(
        new Uint8Array(this.buffer, this.byteOffset, this.byteLength),
        start,
        end,
      )
      return adopt(view)
    },
    copy(target, targetStart = 0, start = 0, end = this.length) {
      const piece = new Uint8Array(this.buffer, this.byteOffset, this.byteLength).subarray(
        start,
        Math.min(end, start + target.length - targetStart),
      )
      target.set(piece, targetStart)
      return piece.length
    },
    write(text, offset, length, encoding) {
      let at = offset
      let kind = encoding
      let size = length
      if (typeof at === 'string') {
        kind = at
        at = 0
        size = undefined
      } else if (typeof size === 'string') {
        kind = size
        size = undefined
      }
      const start = at === undefined ? 0 : at
      const bytes = encode(text, kind).subarray(0, Math.min(size === undefined ? Infinity : size, this.length - start))
      this.set(bytes, start)
      return bytes.length
    },
    fill(value, start, end, encoding) {
      const isText = typeof start === 'string'
      const bytes = needle(value, isText ? start : encoding)
      const from = isText || start === undefined ? 0 : start
      const to = end === undefined ? this.length : end
      if (bytes.length === 0) return Uint8Array.prototype.fill.call(this, 0, from, to)
      for (let at = from; at < to; at += 1) this[at] = bytes[(at - from) % bytes.length]
      return this
    },
    indexOf(value, start = 0, encoding) {
      const searched = needle(value, typeof start === 'string' ? start : encoding)
      const from = typeof start === 'number' ? (start < 0 ? Math.max(0, this.length + start) : start) : 0
      for (let at = from; at + searched.length <= this.length; at += 1) {
        let same = 0
        while (same < searched.length && this[at + same] === searched[same]) same += 1
        if (same === searched.length) return at
      }
      return -1
    },
    lastIndexOf(value, start, encoding) {
      const searched = needle(value, encoding)
      for (let at = Math.min(start === undefined ? Infinity : start, this.length - searched.length); at >= 0; at -= 1) {
        let same = 0
        while (same < searched.length && this[at + same] === searched[same]) same += 1
        if (same === searched.length) return at
      }
      return -1
    },
    includes(value, start, encoding) {
      return this.indexOf(value, start, encoding) !== -1
    },
    swap16() {
      for (let at = 0; at + 1 < this.length; at += 2) [this[at], this[at + 1]] = [this[at + 1], this[at]]
      return this
    },
    [custom](_depth, _options) {
      const shown = Array.from(this.subarray(0, 50), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
      const left = this.length - 50
      return (
        '<Buffer' +
        (shown === '' ? '' : ' ' + shown) +
        (left > 0 ? ' ... ' + left + ' more byte' + (left > 1 ? 's' : '') : '') +
        '>'
      )
    },
  }
  for (const key of Reflect.ownKeys(methods)) {
    Object.defineProperty(FastBuffer.prototype, key, { value: methods[key], writable: true, configurable: true })
  }

  const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  function numbers(name, bytes, method) {
    for (const [suffix, isLittle] of bytes === 1
      ? [['', true]]
      : [
          ['LE', true],
          ['BE', false],
        ]) {
      const read = function (offset = 0) {
        checkOffset(this, offset, bytes)
        return view(this)['get' + method](offset, isLittle)
      }
      const write = function (value, offset = 0) {
        checkOffset(this, offset, bytes)
        view(this)['set' + method](offset, value, isLittle)
        return offset + bytes
      }
      for (const each of [name, name.replace('UInt', 'Uint')]) {
        Object.defineProperty(FastBuffer.prototype, 'read' + each + suffix, {
          value: read,
          writable: true,
          configurable: true,
        })
        Object.defineProperty(FastBuffer.prototype, 'write' + each + suffix, {
          value: write,
          writable: true,
          configurable: true,
        })
      }
    }
  }
  function checkOffset(buffer, offset, bytes) {
    if (offset < 0 || offset + bytes > buffer.length) {
      throw new internal.NodeRangeError(
        'ERR_OUT_OF_RANGE',
        'The value of "offset" is out of range. It must be >= 0 and <= ' +
          (buffer.length - bytes) +
          '. Received ' +
          offset,
      )
    }
  }
  numbers('UInt8', 1, 'Uint8')
  numbers('Int8', 1, 'Int8')
  numbers('UInt16', 2, 'Uint16')
  numbers('Int16', 2, 'Int16')
  numbers('UInt32', 4, 'Uint32')
  numbers('Int32', 4, 'Int32')
  numbers('Float', 4, 'Float32')
  numbers('Double', 8, 'Float64')
  numbers('BigInt64', 8, 'BigInt64')
  numbers('BigUInt64', 8, 'BigUint64')

  class TextEncoder {
    get encoding() {
      return 'utf-8'
    }
    encode(text = '') {
      return encode(String(text), 'utf8')
    }
    encodeInto(text, into) {
      const bytes = this.encode(text).subarray(0, into.length)
      into.set(bytes)
      return { read: text.length, written: bytes.length }
    }
  }
  class TextDecoder {
    constructor(label = 'utf-8', options = {}) {
      const lower = String(label).toLowerCase()
      const known = {
        utf8: 'utf-8',
        'utf-8': 'utf-8',
        latin1: 'windows-1252',
        'iso-8859-1': 'windows-1252',
        ascii: 'windows-1252',
        'utf-16le': 'utf-16le',
      }
      if (!Object.hasOwn(known, lower))
        throw new internal.NodeRangeError('ERR_ENCODING_NOT_SUPPORTED', 'The "' + label + '" encoding is not supported')
      this.encoding = known[lower]
      this.fatal = options.fatal === true
      this.ignoreBOM = options.ignoreBOM === true
    }
    decode(bytes = new Uint8Array(), options = {}) {
      if (options.stream) throw new Error('TextDecoder: the option stream is not supported by this shell')
      const plain = plainBytes(bytes)
      if (this.encoding === 'utf-16le') return decode(plain, 'utf16le')
      if (this.encoding !== 'utf-8') return decode(plain, 'latin1')
      const text = decode(plain, 'utf8')
      if (this.fatal && text.includes('\ufffd') && decode(encode(text), 'latin1') !== decode(plain, 'latin1')) {
        throw new internal.NodeTypeError(
          'ERR_ENCODING_INVALID_ENCODED_DATA',
          'The encoded data was not valid for encoding utf-8',
        )
      }
      return !this.ignoreBOM && text.startsWith('\ufeff') ? text.slice(1) : text
    }
  }
  for (const kind of ['ascii', 'base64', 'base64url', 'hex', 'latin1', 'ucs2', 'utf8']) {
    const both = {
      Slice(from = 0, to = this.length) {
        return Reflect.apply(methods.toString, this, [kind, from, to])
      },
      Write(text, offset = 0, length = this.length - offset) {
        return this.write(text, offset, length, kind)
      },
    }
    for (const [what, value] of Object.entries(both))
      Object.defineProperty(FastBuffer.prototype, kind + what, { value, writable: true, configurable: true })
  }
  exported.Buffer = Buffer
  exported.kMaxLength = 4294967296
  exported.constants = { MAX_LENGTH: 4294967296, MAX_STRING_LENGTH: 536870888 }
  exported.isUtf8 = (bytes) => decode(encode(decode(bytes, 'utf8')), 'latin1') === decode(bytes, 'latin1')
  exported.atob = globalThis.atob
  exported.btoa = globalThis.btoa
  internal.TextEncoder = TextEncoder
  internal.TextDecoder = TextDecoder
})
