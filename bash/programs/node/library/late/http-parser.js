/** Reads messages of HTTP/1.1, and joins their headers as Node does. */
'use strict'
$polyfs.internal.define('internal/http-parser', ({ exported, builtin }) => {
  const { Buffer } = builtin('buffer')
  const maxHeadBytes = 16384
  const single = new Set(
    'age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server user-agent'.split(
      ' ',
    ),
  )

  function fault(code, reason) {
    const error = new Error('Parse Error: ' + reason)
    return Object.assign(error, { code, reason })
  }

  exported.joined = function joined(raw) {
    const headers = {}
    for (let at = 0; at < raw.length; at += 2) {
      const name = raw[at].toLowerCase()
      const value = raw[at + 1]
      if (name === 'set-cookie') {
        if (headers[name] === undefined) headers[name] = [value]
        else headers[name].push(value)
      } else if (headers[name] === undefined) headers[name] = value
      else if (!single.has(name)) headers[name] += (name === 'cookie' ? '; ' : ', ') + value
    }
    return headers
  }
  exported.distinct = function distinct(raw) {
    const headers = Object.create(null)
    for (let at = 0; at < raw.length; at += 2) {
      const name = raw[at].toLowerCase()
      if (headers[name] === undefined) headers[name] = []
      headers[name].push(raw[at + 1])
    }
    return headers
  }

  /**
   * Gets bytes by `feed` and the end of them by `finish`. `onHead` gets the first line and the headers, and says how long the body is: a number
   * of bytes, `chunked`, `close` or `upgrade`. The rest are told by `onBody` and `onEnd`.
   */
  exported.parser = function parser({ onHead, onBody, onEnd }) {
    let rest = Buffer.alloc(0)
    /** `head`, `body`, `size`, `chunk`, `mark`, `trailers`, `close`, `upgrade` */
    let state = 'head'
    let left = 0
    let trailers = []

    function line() {
      const end = rest.indexOf(10)
      if (end === -1) {
        if (rest.length > maxHeadBytes) throw fault('HPE_HEADER_OVERFLOW', 'Header overflow')
        return undefined
      }
      const text = rest.latin1Slice(0, end > 0 && rest[end - 1] === 13 ? end - 1 : end)
      rest = rest.subarray(end + 1)
      return text
    }
    function fields(text) {
      const raw = []
      for (const each of text.split(/\r?\n/)) {
        if (each === '') continue
        const [, name, value] = /^([!#$%&'*+\-.^_`|~\w]+):[ \t]*(.*?)[ \t]*$/s.exec(each) || []
        if (name === undefined) throw fault('HPE_INVALID_HEADER_TOKEN', 'Invalid header token')
        raw.push(name, value)
      }
      return raw
    }
    function head() {
      while (rest.length > 0 && (rest[0] === 13 || rest[0] === 10)) rest = rest.subarray(1)
      let end = rest.indexOf('\r\n\r\n')
      let gap = 4
      if (end === -1) {
        end = rest.indexOf('\n\n')
        gap = 2
      }
      if (end === -1) {
        if (rest.length > maxHeadBytes) throw fault('HPE_HEADER_OVERFLOW', 'Header overflow')
        // What can't begin a message is not waited for.
        if (rest.length > 0 && !/^[A-Z-]+(?: |$)|^HTTP/i.test(rest.latin1Slice(0, 30).split(/\r?\n/)[0]))
          throw fault('HPE_INVALID_METHOD', 'Invalid method encountered')
        return false
      }
      if (end > maxHeadBytes) throw fault('HPE_HEADER_OVERFLOW', 'Header overflow')
      const text = rest.latin1Slice(0, end)
      rest = rest.subarray(end + gap)
      const at = text.indexOf('\n')
      const first = (at === -1 ? text : text.slice(0, at)).replace(/\r$/, '')
      const length = onHead(first, at === -1 ? [] : fields(text.slice(at + 1)))
      if (length === 'upgrade' || length === 'close') state = length
      else if (length === 'chunked') state = 'size'
      else if (length > 0) {
        state = 'body'
        left = length
      } else finished()
      return true
    }
    function finished() {
      state = 'head'
      const given = trailers
      trailers = []
      onEnd(given)
    }
    function taken() {
      const part = rest.subarray(0, left)
      rest = rest.subarray(part.length)
      left -= part.length
      if (part.length > 0) onBody(part)
    }
    function step() {
      if (state === 'head') return head()
      if (rest.length === 0) return false
      if (state === 'upgrade') return false
      if (state === 'close') {
        left = rest.length
        taken()
        return false
      }
      if (state === 'body') {
        taken()
        if (left === 0) finished()
        return true
      }
      if (state === 'chunk') {
        taken()
        if (left === 0) state = 'mark'
        return true
      }
      const text = line()
      if (text === undefined) return false
      if (state === 'mark') state = 'size'
      else if (state === 'size') {
        if (!/^[0-9a-f]+\s*(?:;.*)?$/i.test(text))
          throw fault('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size')
        left = Number.parseInt(text, 16)
        state = left === 0 ? 'trailers' : 'chunk'
      } else if (text === '') finished()
      else trailers.push(...fields(text))
      return true
    }
    return {
      feed(bytes) {
        rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
        while (step());
      },
      /** The connection ended: true where that is the end of a message. */
      finish() {
        if (state === 'close') {
          finished()
          return true
        }
        return state === 'head' && rest.length === 0
      },
      /** What was sent after an upgrade. */
      rest: () => rest,
      get isIdle() {
        return state === 'head' && rest.length === 0
      },
    }
  }
  exported.fault = fault
})
