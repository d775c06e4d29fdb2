/** The modules `url` and `querystring`. */
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
$polyfs.internal.define('url', ({ exported, builtin, internal }) => {
  const custom = Symbol.for('nodejs.util.inspect.custom')
  const ports = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' }
  const escapedIn = (text, keep) =>
    encodeURI(text.toWellFormed())
      .replace(/%25(?=[0-9a-fA-F]{2})/g, '%')
      .replace(/%5B/g, '[')
      .replace(/%5D/g, ']')
      .replace(keep, (all) => decodeURI(all))
  const never = /(?!)/g

  class URLSearchParams {
    /** @type {any} */
    $
    constructor(given = '') {
      Object.defineProperty(this, '$', {
        value: { list: [], url: undefined },
        writable: true,
        configurable: false,
        enumerable: false,
      })
      if (typeof given === 'string') this.$.list = parsed(given.replace(/^\?/, ''))
      else if (given !== null && typeof given === 'object') {
        const pairs = typeof given[Symbol.iterator] === 'function' ? [...given] : Object.entries(given)
        this.$.list = pairs.map(([key, value]) => [String(key), String(value)])
      }
    }
    $changed() {
      if (this.$.url) this.$.url.$.search = this.$.list.length > 0 ? '?' + this.toString() : ''
    }
    append(key, value) {
      this.$.list.push([String(key), String(value)])
      this.$changed()
    }
    delete(key, value) {
      this.$.list = this.$.list.filter(
        ([name, each]) => name !== String(key) || (value !== undefined && each !== String(value)),
      )
      this.$changed()
    }
    get(key) {
      const found = this.$.list.find(([name]) => name === String(key))
      return found === undefined ? null : found[1]
    }
    getAll(key) {
      return this.$.list.filter(([name]) => name === String(key)).map(([, value]) => value)
    }
    has(key, value) {
      return this.$.list.some(([name, each]) => name === String(key) && (value === undefined || each === String(value)))
    }
    set(key, value) {
      const at = this.$.list.findIndex(([name]) => name === String(key))
      if (at === -1) this.$.list.push([String(key), String(value)])
      else {
        this.$.list[at] = [String(key), String(value)]
        this.$.list = this.$.list.filter(([name], index) => index <= at || name !== String(key))
      }
      this.$changed()
    }
    sort() {
      this.$.list.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
      this.$changed()
    }
    forEach(run, self) {
      for (const [key, value] of this.$.list) run.call(self, value, key, this)
    }
    keys() {
      return this.$.list.map(([key]) => key)[Symbol.iterator]()
    }
    values() {
      return this.$.list.map(([, value]) => value)[Symbol.iterator]()
    }
    entries() {
      return this.$.list.map((pair) => [...pair])[Symbol.iterator]()
    }
    [Symbol.iterator]() {
      return this.entries()
    }
    get size() {
      return this.$.list.length
    }
    toString() {
      return this.$.list.map(([key, value]) => formEncoded(key) + '=' + formEncoded(value)).join('&')
    }
    [custom](_depth, options, inspect) {
      if (this.$.list.length === 0) return 'URLSearchParams {}'
      return (
        'URLSearchParams { ' +
        this.$.list.map(([key, value]) => inspect(key, options) + ' => ' + inspect(value, options)).join(', ') +
        ' }'
      )
    }
  }
  const formEncoded = (text) =>
    encodeURIComponent(text.toWellFormed())
      .replace(/[!'()~]/g, (letter) => '%' + letter.charCodeAt(0).toString(16).toUpperCase())
      .replace(/%20/g, '+')
  function parsed(text) {
    return text
      .split('&')
      .filter((part) => part !== '')
      .map((part) => {
        const at = part.indexOf('=')
        return (at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]).map((each) =>
          decoded(each.replaceAll('+', ' ')),
        )
      })
  }
  function decoded(text) {
    try {
      return decodeURIComponent(text)
    } catch {
      return internal.decodeBytes(
        Uint8Array.from(
          text.replace(/%([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
          (letter) => letter.charCodeAt(0),
        ),
      )
    }
  }

  function invalid(input, base) {
    const error = new internal.NodeTypeError('ERR_INVALID_URL', 'Invalid URL')
    error.input = input
    if (base !== undefined) error.base = base
    return error
  }
  function withoutDots(path) {
    const parts = []
    const all = path.split('/').slice(1)
    for (const [index, part] of all.entries()) {
      const isLast = index === all.length - 1
      const plain = part.replace(/%2e/gi, '.')
      if (plain === '..') {
        parts.pop()
        if (isLast) parts.push('')
      } else if (plain === '.') {
        if (isLast) parts.push('')
      } else parts.push(part)
    }
    return '/' + parts.join('/')
  }

  class URL {
    constructor(input, base) {
      Object.defineProperty(this, '$', {
        value: parse(String(input).trim(), base === undefined ? undefined : new URL(base).$, input),
        writable: true,
        enumerable: false,
      })
      this.$.params = undefined
    }
    static canParse(input, base) {
      try {
        new URL(input, base)
        return true
      } catch {
        return false
      }
    }
    get href() {
      const { protocol, hasHost, username, password, hostname, port, pathname, search, hash } = this.$
      const user = username === '' && password === '' ? '' : username + (password === '' ? '' : ':' + password) + '@'
      return (
        protocol + (hasHost ? '//' + user + hostname + (port === '' ? '' : ':' + port) : '') + pathname + search + hash
      )
    }
    set href(value) {
      this.$ = parse(String(value), undefined, value)
    }
    get origin() {
      const { protocol } = this.$
      return protocol in ports && protocol !== 'file:' ? protocol + '//' + this.host : 'null'
    }
    get protocol() {
      return this.$.protocol
    }
    set protocol(value) {
      this.$.protocol = String(value).replace(/:?$/, ':')
    }
    get username() {
      return this.$.username
    }
    set username(value) {
      this.$.username = encodeURIComponent(value)
    }
    get password() {
      return this.$.password
    }
    set password(value) {
      this.$.password = encodeURIComponent(value)
    }
    get host() {
      return this.$.hostname + (this.$.port === '' ? '' : ':' + this.$.port)
    }
    set host(value) {
      const [name, port = ''] = String(value).split(':')
      this.$.hostname = name.toLowerCase()
      this.port = port
    }
    get hostname() {
      return this.$.hostname
    }
    set hostname(value) {
      this.$.hostname = String(value).toLowerCase()
    }
    get port() {
      return this.$.port
    }
    set port(value) {
      this.$.port = String(value) === ports[this.$.protocol] ? '' : String(value)
    }
    get pathname() {
      return this.$.pathname
    }
    set pathname(value) {
      this.$.pathname = withoutDots(
        escapedIn(String(value).replace(/^\/?/, '/'), never).replace(/[?#]/g, encodeURIComponent),
      )
    }
    get search() {
      return this.$.search
    }
    set search(value) {
      const text = String(value).replace(/^\?/, '')
      this.$.search = text === '' ? '' : '?' + escapedIn(text, never)
      if (this.$.params) this.$.params.$.list = parsed(text)
    }
    get hash() {
      return this.$.hash
    }
    set hash(value) {
      const text = String(value).replace(/^#/, '')
      this.$.hash = text === '' ? '' : '#' + escapedIn(text, never)
    }
    get searchParams() {
      if (this.$.params === undefined) {
        this.$.params = new URLSearchParams(this.$.search)
        this.$.params.$.url = this
      }
      return this.$.params
    }
    toString() {
      return this.href
    }
    toJSON() {
      return this.href
    }
    [custom](depth, options, inspect) {
      if (depth < 0) return this
      const shown = {}
      for (const name of [
        'href',
        'origin',
        'protocol',
        'username',
        'password',
        'host',
        'hostname',
        'port',
        'pathname',
        'search',
        'searchParams',
        'hash',
      ])
        shown[name] = this[name]
      return 'URL ' + inspect(shown, options)
    }
  }

  function parse(text, base, given) {
    const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)
    if (scheme === null) {
      if (base === undefined) throw invalid(given)
      return relative(text, base)
    }
    const protocol = scheme[1].toLowerCase() + ':'
    let rest = text.slice(scheme[0].length)
    const isSpecial = protocol in ports
    if (isSpecial) rest = rest.replaceAll('\\', '/')
    const [, before, search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest) || []
    const made = {
      protocol,
      hasHost: false,
      username: '',
      password: '',
      hostname: '',
      port: '',
      pathname: '',
      search: search === '?' ? '' : escapedIn(search, never).replaceAll("'", '%27'),
      hash: hash === '#' ? '' : escapedIn(hash, never),
    }
    const authority =
      isSpecial && protocol !== 'file:' ? /^\/*([^/]*)(.*)$/s.exec(before) : /^\/\/([^/]*)(.*)$/s.exec(before)
    if (authority === null) {
      made.pathname =
        protocol === 'file:' ? withoutDots(escapedIn('/' + before.replace(/^\//, ''), never)) : escapedIn(before, never)
      made.hasHost = protocol === 'file:'
      return made
    }
    made.hasHost = true
    const at = authority[1].lastIndexOf('@')
    const host = authority[1].slice(at + 1)
    if (at !== -1) {
      const [username, ...password] = authority[1].slice(0, at).split(':')
      made.username = encodeURIComponent(decoded(username))
      made.password = encodeURIComponent(decoded(password.join(':')))
    }
    const parts = /^(\[[0-9a-fA-F:.]+\]|[^:]*)(?::(\d*))?$/.exec(host)
    if (
      parts === null ||
      (isSpecial && protocol !== 'file:' && parts[1] === '') ||
      /[\s<>^|%#\\]/.test(parts[1]) ||
      Number(parts[2] || 0) > 65535
    )
      throw invalid(given)
    made.hostname = isSpecial ? parts[1].toLowerCase() : parts[1]
    if (protocol === 'file:' && made.hostname === 'localhost') made.hostname = ''
    made.port =
      parts[2] === undefined || parts[2] === ports[protocol] ? '' : parts[2] === '' ? '' : String(Number(parts[2]))
    made.pathname = authority[2] === '' ? (isSpecial ? '/' : '') : withoutDots(escapedIn(authority[2], never))
    return made
  }
  function relative(text, base) {
    const { params, ...made } = base
    if (text.startsWith('//')) return parse(base.protocol + text, undefined, text)
    const [, before, search, hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text) || []
    made.hash = escapedIn(hash, never)
    if (before === '' && search === undefined) return { ...made, search: base.search }
    made.search = search === undefined || search === '?' ? '' : escapedIn(search, never)
    if (before === '') return made
    const path = before.replaceAll('\\', '/')
    made.pathname = withoutDots(
      escapedIn(path.startsWith('/') ? path : base.pathname.replace(/[^/]*$/, '') + path, never),
    )
    return made
  }

  function fileURLToPath(given) {
    const url = typeof given === 'string' ? new URL(given) : given
    if (!(url instanceof URL)) throw internal.wrongType('path', 'of type string or an instance of URL', given)
    if (url.protocol !== 'file:')
      throw new internal.NodeTypeError('ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file')
    return decodeURIComponent(url.pathname)
  }
  function pathToFileURL(path) {
    const full = builtin('path').resolve(path) + (path.endsWith('/') && path !== '/' ? '/' : '')
    const url = new URL('file:///')
    url.$.pathname = encodeURI(full).replace(/[?#]/g, encodeURIComponent)
    return url
  }
  /** The older form of addresses. */
  function legacyParse(text, withQuery) {
    const [
      ,
      protocol = null,
      slashes,
      auth = null,
      hostname = null,
      port = null,
      pathname = null,
      search = null,
      hash = null,
    ] =
      /^(?:([a-zA-Z][\w+.-]*:))?(\/\/)?(?:([^@/?#]*)@)?([^:/?#]*)?(?::(\d+))?([^?#]*)?(\?[^#]*)?(#.*)?$/s.exec(
        slashesFirst(text),
      ) || []
    const query =
      search === null
        ? withQuery
          ? Object.create(null)
          : null
        : withQuery
          ? builtin('querystring').parse(search.slice(1))
          : search.slice(1)
    const host = slashes ? (hostname || '') + (port ? ':' + port : '') : null
    return {
      protocol,
      slashes: slashes ? true : null,
      auth,
      host,
      port,
      hostname: slashes ? hostname : null,
      hash,
      search,
      query,
      pathname: pathname || null,
      path: (pathname || '') + (search || '') || null,
      href: text,
    }
  }
  const slashesFirst = (text) => (/^[a-zA-Z][\w+.-]*:\/\/|^\/\//.test(text) ? text : text.replace(/^/, ''))
  Object.assign(exported, {
    URL,
    URLSearchParams,
    fileURLToPath,
    pathToFileURL,
    parse: legacyParse,
    format: (url) =>
      typeof url === 'string'
        ? url
        : url instanceof URL
          ? url.href
          : (url.protocol ? url.protocol.replace(/:?$/, ':') : '') +
            (url.slashes || url.host || url.hostname ? '//' : '') +
            (url.auth ? url.auth + '@' : '') +
            (url.host || (url.hostname || '') + (url.port ? ':' + url.port : '')) +
            (url.pathname || '') +
            (url.search ||
              (url.query && typeof url.query === 'object' ? '?' + builtin('querystring').stringify(url.query) : '')) +
            (url.hash || ''),
    resolve: (from, to) => {
      const isFull = /^[a-zA-Z][\w+.-]*:/.test(from)
      const url = new URL(to, isFull ? from : new URL(from, 'resolve://'))
      return url.protocol === 'resolve:' ? url.pathname + url.search + url.hash : url.href
    },
    domainToASCII: (name) => name.toLowerCase(),
    urlToHttpOptions: (url) => ({
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname + url.search,
      href: url.href,
    }),
  })
})
