/** The module `querystring`, and of `url` the functions that are older than `URL`. */
'use strict'
$polyfs.internal.define('querystring', ({ exported }) => {
  exported.escape = (text) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (letter) => (letter === "'" ? '%27' : letter))
  exported.unescape = (text) => {
    try {
      return decodeURIComponent(text)
    } catch {
      return text
    }
  }
  exported.parse = exported.decode = (text, separator = '&', equals = '=') => {
    const result = Object.create(null)
    for (const part of String(text).split(separator)) {
      if (part === '') continue
      const at = part.indexOf(equals)
      const [key, value] = (at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + equals.length)]).map((each) =>
        exported.unescape(each.replaceAll('+', ' ')),
      )
      if (key in result) result[key] = [result[key], value].flat()
      else result[key] = value
    }
    return result
  }
  const shown = (value) =>
    typeof value === 'string'
      ? value
      : typeof value === 'number' && Number.isFinite(value)
        ? String(value)
        : typeof value === 'boolean' || typeof value === 'bigint'
          ? String(value)
          : ''
  exported.stringify = exported.encode = (given, separator = '&', equals = '=') =>
    Object.entries(given || {})
      .flatMap(([key, value]) =>
        [value].flat().map((each) => exported.escape(key) + equals + exported.escape(shown(each))),
      )
      .join(separator)
})
$polyfs.internal.define('internal/url-legacy', ({ exported, builtin, internal }) => {
  /** @type {Set<string | undefined>} */
  const slashed = new Set(['http', 'https', 'ftp', 'gopher', 'file', 'ws', 'wss'].flatMap((name) => [name, name + ':']))
  const isScript = (protocol) => protocol === 'javascript' || protocol === 'javascript:'
  const escapes = new Map(
    [...'\t\n\r "\'<>\\\\^`{|}'].map((each) => [
      each,
      '%' + each.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'),
    ]),
  )

  /** The older form of addresses, whose parts can be missing. */
  function Url() {
    for (const name of 'protocol slashes auth host port hostname hash search query pathname path href'.split(' '))
      this[name] = null
  }

  Url.prototype.parse = function (text, withQuery, slashesDenoteHost) {
    if (typeof text !== 'string') throw internal.wrongType('url', 'of type string', text)
    const trimmed = text.replace(/^[\s\ufeff]+|[\s\ufeff]+$/g, '')
    const [before] = /^[^?#]*/.exec(trimmed) || ['']
    let rest = before.replaceAll('\\', '/') + trimmed.slice(before.length)
    /** @param {any} search */
    const read = (search) => (withQuery ? builtin('querystring').parse(search.slice(1)) : search.slice(1))
    const none = () => {
      if (withQuery) this.query = Object.create(null)
    }
    const simple = slashesDenoteHost || /[#@]/.test(trimmed) ? null : /^(\/\/?(?!\/)[^?\s]*)(\?\S*)?$/.exec(rest)
    if (simple !== null) {
      this.path = this.href = rest
      this.pathname = simple[1]
      if (simple[2]) {
        this.search = simple[2]
        this.query = read(simple[2])
      } else none()
      return this
    }
    const [proto] = /^[a-z0-9.+-]+:/i.exec(rest) || []
    const protocol = proto?.toLowerCase()
    if (proto !== undefined) {
      this.protocol = protocol
      rest = rest.slice(proto.length)
    }
    let hasSlashes = false
    if (slashesDenoteHost || proto || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
      hasSlashes = rest.startsWith('//')
      if (hasSlashes && !isScript(protocol)) {
        rest = rest.slice(2)
        this.slashes = true
      }
    }
    if (!isScript(protocol) && (hasSlashes || (proto && !slashed.has(proto)))) rest = readHost(this, rest, text)
    if (!isScript(protocol)) rest = rest.replace(/[\t\n\r "'<>\\^`{|}]/g, (each) => escapes.get(each) || each)
    const hashAt = rest.indexOf('#')
    const plain = hashAt === -1 ? rest : rest.slice(0, hashAt)
    if (hashAt !== -1) this.hash = rest.slice(hashAt)
    const queryAt = plain.indexOf('?')
    if (queryAt !== -1) {
      this.search = plain.slice(queryAt)
      this.query = read(this.search)
    } else none()
    const pathname = queryAt === -1 ? plain : plain.slice(0, queryAt)
    if (pathname !== '') this.pathname = pathname
    if (slashed.has(protocol) && this.hostname && !this.pathname) this.pathname = '/'
    if (this.pathname || this.search) this.path = (this.pathname || '') + (this.search || '')
    this.href = this.format()
    return this
  }

  /** Takes the host off the front, and what can't be of one goes to the path. */
  function readHost(address, given, whole) {
    let rest = given.replace(/^[^/?#]*/, (each) => each.replace(/[\t\n\r]/g, ''))
    const end = rest.search(/[/?#]/)
    const front = end === -1 ? rest : rest.slice(0, end)
    const at = front.lastIndexOf('@')
    if (at !== -1) address.auth = decodeURIComponent(front.slice(0, at))
    const start = at + 1
    const odd = rest.slice(start).search(/[\s"%';<>\\^`{|}/?#]/)
    let host = odd === -1 ? rest.slice(start) : rest.slice(start, start + odd)
    rest = odd === -1 ? '' : rest.slice(start + odd)
    const [port] = /:\d*$/.exec(host) || []
    if (port !== undefined) {
      if (port !== ':') address.port = port.slice(1)
      host = host.slice(0, -port.length)
    }
    let hostname = host
    const isSix = hostname.startsWith('[') && hostname.endsWith(']')
    if (!isSix) {
      const colon = hostname.indexOf(':')
      if (colon !== -1) {
        rest = '/' + hostname.slice(colon) + rest
        hostname = hostname.slice(0, colon)
      }
    }
    hostname = hostname.length > 255 ? '' : hostname.toLowerCase()
    const wrong = () => Object.assign(new internal.NodeTypeError('ERR_INVALID_URL', 'Invalid URL'), { input: whole })
    if (hostname !== '') {
      if (isSix ? /[\0\t\n\r #%/<>?@\\^|]/.test(hostname) : false) throw wrong()
      if (!isSix) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it finds
        if (/[^\x00-\x7f]/.test(hostname)) hostname = builtin('url').domainToASCII(hostname)
        if (hostname === '' || /[\0\t\n\r #%/:<>?@[\\\]^|]/.test(hostname)) throw wrong()
      }
    }
    address.host = hostname + (address.port ? ':' + address.port : '')
    address.hostname = hostname
    if (isSix) {
      address.hostname = hostname.slice(1, -1)
      if (rest[0] !== '/') rest = '/' + rest
    }
    return rest
  }

  Url.prototype.format = function () {
    const auth = this.auth ? encodeURIComponent(this.auth).replace(/%3A/gi, ':') + '@' : ''
    let protocol = this.protocol || ''
    let pathname = (this.pathname || '').replace(/[#?]/g, (each) => (each === '#' ? '%23' : '%3F'))
    let hash = this.hash || ''
    let host = ''
    if (this.host) host = auth + this.host
    else if (this.hostname) {
      const isSix = this.hostname.includes(':') && !/^\[.*\]$/.test(this.hostname)
      host = auth + (isSix ? '[' + this.hostname + ']' : this.hostname) + (this.port ? ':' + this.port : '')
    }
    const query =
      this.query !== null && typeof this.query === 'object' ? builtin('querystring').stringify(this.query) : ''
    let search = (this.search || (query && '?' + query) || '').replace(/#/g, '%23')
    if (protocol && !protocol.endsWith(':')) protocol += ':'
    if (this.slashes || slashed.has(protocol)) {
      if (this.slashes || host) {
        if (pathname && pathname[0] !== '/') pathname = '/' + pathname
        host = '//' + host
      } else if (protocol.startsWith('file')) host = '//'
    }
    if (hash && hash[0] !== '#') hash = '#' + hash
    if (search && search[0] !== '?') search = '?' + search
    return protocol + host + pathname + search + hash
  }

  const pathOf = (address) => (address.pathname || '') + (address.search || '')
  /** `user@host` where a path was taken for a host. */
  function splitHost(result) {
    if (!(result.host?.indexOf('@') > 0)) return
    const [auth, host] = result.host.split('@')
    result.auth = auth
    result.host = result.hostname = host
  }
  Url.prototype.resolve = function (relative) {
    return this.resolveObject(parse(relative, false, true)).format()
  }
  Url.prototype.resolveObject = function (given) {
    const relative = typeof given === 'string' ? new Url().parse(given, false, true) : given
    const result = Object.assign(new Url(), this)
    const done = () => {
      result.href = result.format()
      return result
    }
    result.hash = relative.hash
    if (relative.href === '') return done()
    if (relative.slashes && !relative.protocol) {
      Object.assign(result, { ...relative, protocol: result.protocol })
      if (slashed.has(result.protocol) && result.hostname && !result.pathname) result.path = result.pathname = '/'
      return done()
    }
    if (relative.protocol && relative.protocol !== result.protocol) {
      if (!slashed.has(relative.protocol)) {
        Object.assign(result, relative)
        return done()
      }
      takeOver(result, relative)
      return done()
    }
    const isSourceWhole = result.pathname?.startsWith('/')
    const isWhole = relative.host || relative.pathname?.startsWith('/')
    let mustStart = isWhole || isSourceWhole || (result.host && relative.pathname)
    const dropsDots = mustStart
    let path = result.pathname ? result.pathname.split('/') : []
    const more = relative.pathname ? relative.pathname.split('/') : []
    const isOpaque = result.protocol && !slashed.has(result.protocol)
    const putFirst = (list, host) => {
      if (list[0] === '') list[0] = host
      else list.unshift(host)
    }
    if (isOpaque) {
      result.hostname = ''
      result.port = null
      if (result.host) putFirst(path, result.host)
      result.host = ''
      if (relative.protocol) {
        relative.hostname = relative.port = result.auth = null
        if (relative.host) putFirst(more, relative.host)
        relative.host = null
      }
      mustStart = mustStart && (more[0] === '' || path[0] === '')
    }
    if (isWhole) {
      if (relative.host || relative.host === '') {
        if (result.host !== relative.host) result.auth = null
        result.host = relative.host
        result.port = relative.port
      }
      if (relative.hostname || relative.hostname === '') {
        if (result.hostname !== relative.hostname) result.auth = null
        result.hostname = relative.hostname
      }
      result.search = relative.search
      result.query = relative.query
      path = more
    } else if (more.length > 0) {
      path = [...path.slice(0, -1), ...more]
      result.search = relative.search
      result.query = relative.query
    } else if (relative.search !== null && relative.search !== undefined) {
      if (isOpaque) {
        result.hostname = result.host = path.shift()
        splitHost(result)
      }
      result.search = relative.search
      result.query = relative.query
      if (result.pathname !== null || result.search !== null) result.path = pathOf(result)
      return done()
    }
    if (path.length === 0) {
      result.pathname = null
      result.path = result.search ? '/' + result.search : null
      return done()
    }
    const last = path[path.length - 1]
    const endsOpen =
      ((result.host || relative.host || path.length > 1) && (last === '.' || last === '..')) || last === ''
    path = withoutDots(path, !mustStart && !dropsDots)
    if (mustStart && path[0] !== '' && !path[0]?.startsWith('/')) path.unshift('')
    if (endsOpen && !path.join('/').endsWith('/')) path.push('')
    const isAbsolute = path[0] === '' || path[0]?.startsWith('/')
    if (isOpaque) {
      result.hostname = result.host = isAbsolute ? '' : path.length > 0 ? path.shift() : ''
      splitHost(result)
    }
    mustStart = mustStart || (result.host && path.length > 0)
    if (mustStart && !isAbsolute) path.unshift('')
    if (path.length === 0) result.pathname = result.path = null
    else result.pathname = path.join('/')
    if (result.pathname !== null || result.search !== null) result.path = pathOf(result)
    result.auth = relative.auth || result.auth
    result.slashes = result.slashes || relative.slashes
    return done()
  }
  function takeOver(result, relative) {
    result.protocol = relative.protocol
    if (!relative.host && !/^file:?$/.test(relative.protocol) && !isScript(relative.protocol)) {
      const path = (relative.pathname || '').split('/')
      while (path.length > 0 && !(relative.host = path.shift()));
      if (!relative.host) relative.host = ''
      if (!relative.hostname) relative.hostname = ''
      if (path[0] !== '') path.unshift('')
      if (path.length < 2) path.unshift('')
      result.pathname = path.join('/')
    } else result.pathname = relative.pathname
    Object.assign(result, { search: relative.search, query: relative.query, host: relative.host || '' })
    Object.assign(result, { auth: relative.auth, hostname: relative.hostname || relative.host, port: relative.port })
    if (result.pathname || result.search) result.path = pathOf(result)
    result.slashes = result.slashes || relative.slashes
  }
  function withoutDots(path, keepsUp) {
    const left = []
    let up = 0
    for (const each of path.toReversed()) {
      if (each === '..') up += 1
      else if (each !== '.') {
        if (up > 0) up -= 1
        else left.unshift(each)
      }
    }
    return keepsUp ? [...Array(up).fill('..'), ...left] : left
  }

  const parse = (text, withQuery, slashesDenoteHost) =>
    text instanceof Url ? text : new Url().parse(text, withQuery, slashesDenoteHost)
  /** What `URL` has read, with less of it. */
  function formatAddress({ href, hostname }, options = {}) {
    const { fragment = true, unicode = false, search = true, auth = true } = options
    const [, authority = '', path, query = '', hash = ''] =
      /^([^:]+:\/\/[^/?#]*|[^:]+:)([^?#]*)(\?[^#]*)?(#.*)?$/.exec(href) || []
    const named = auth ? authority : authority.replace(/\/\/.*@/, '//')
    const host = unicode && hostname ? named.replace(hostname, () => builtin('url').domainToUnicode(hostname)) : named
    return host + path + (search ? query : '') + (fragment ? hash : '')
  }
  Object.assign(exported, {
    Url,
    parse,
    format(url, options) {
      if (typeof url === 'string') return parse(url).format()
      if (url === null || typeof url !== 'object')
        throw internal.wrongType('urlObject', 'one of type object or string', url)
      return url instanceof builtin('url').URL ? formatAddress(url, options) : Url.prototype.format.call(url)
    },
    resolve: (from, to) => parse(from, false, true).resolve(to),
    resolveObject: (from, to) => (from ? parse(from, false, true).resolveObject(to) : to),
  })
})
