/** The module `url`: addresses, which the host reads. */
'use strict'
$polyfs.internal.define('url', ({ exported, builtin, internal }) => {
  const { sys } = internal
  const custom = Symbol.for('nodejs.util.inspect.custom')
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
      const { url } = this.$
      if (url) url.$.parts = sys('changeUrl', url.href, 'search', this.toString())
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
  /** Lone surrogates are replaced before the host sees the text. */
  const text = (value) => String(value).toWellFormed()

  class URL {
    /** @type {any} */
    $
    constructor(input, base) {
      const parts = sys('url', text(input), base === undefined ? null : text(base))
      if (parts === null) throw invalid(text(input), base === undefined ? undefined : text(base))
      // The engine can't show private members, and code that looks at them would see those of Node.
      Object.defineProperty(this, '$', { value: { parts, params: undefined }, enumerable: false })
    }
    static canParse(input, base) {
      return sys('url', text(input), base === undefined ? null : text(base)) !== null
    }
    get searchParams() {
      if (this.$.params === undefined) {
        this.$.params = new URLSearchParams(this.$.parts.search)
        this.$.params.$.url = this
      }
      return this.$.params
    }
    toString() {
      return this.$.parts.href
    }
    toJSON() {
      return this.$.parts.href
    }
    [custom](depth, options, inspect) {
      if (this == null || !(this instanceof URL))
        throw new internal.NodeTypeError('ERR_INVALID_THIS', 'Value of "this" must be of type URL')
      if (typeof depth === 'number' && depth < 0) return this
      const shown = {}
      for (const name of shownParts) shown[name] = this[name]
      return 'URL ' + inspect(shown, options)
    }
  }
  const shownParts =
    'href origin protocol username password host hostname port pathname search searchParams hash'.split(' ')
  for (const name of shownParts) {
    if (name === 'searchParams') continue
    const get = {
      get() {
        return this.$.parts[name]
      },
    }.get
    const set = {
      set(value) {
        if (name === 'href') {
          const parts = sys('url', text(value), null)
          if (parts === null) throw invalid(String(value))
          this.$.parts = parts
        } else this.$.parts = sys('changeUrl', this.href, name, text(value))
        if (name === 'href' || name === 'search') refreshParams(this)
      },
    }.set
    Object.defineProperty(get, 'name', { value: 'get ' + name })
    Object.defineProperty(set, 'name', { value: 'set ' + name })
    Object.defineProperty(URL.prototype, name, { get, ...(name !== 'origin' && { set }), configurable: true })
  }
  for (const name of [...shownParts, 'toString', 'toJSON'])
    Object.defineProperty(URL.prototype, name, { enumerable: true })
  Object.defineProperty(URL, 'canParse', { enumerable: true })
  Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true })
  function refreshParams(url) {
    if (url.$.params) url.$.params.$.list = parsed(url.search.replace(/^\?/, ''))
  }

  const isAddress = (given) =>
    Boolean(given?.href && given.protocol && given.auth === undefined && given.path === undefined)
  function fileURLToPath(given) {
    const url = typeof given === 'string' ? new URL(given) : given
    if (!isAddress(url)) throw internal.wrongType('path', 'of type string or an instance of URL', given)
    if (url.protocol !== 'file:')
      throw new internal.NodeTypeError('ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file')
    if (url.hostname !== '')
      throw new internal.NodeTypeError(
        'ERR_INVALID_FILE_URL_HOST',
        'File URL host must be "localhost" or empty on linux',
      )
    if (/%2f/i.test(url.pathname))
      throw new internal.NodeTypeError(
        'ERR_INVALID_FILE_URL_PATH',
        'File URL path must not include encoded / characters',
      )
    return decodeURIComponent(url.pathname)
  }
  function pathToFileURL(path) {
    if (typeof path !== 'string') throw internal.wrongType('path', 'of type string', path)
    const resolved = builtin('path').resolve(path)
    const full = path.endsWith('/') && resolved !== '/' ? resolved + '/' : resolved
    // Node drops other control characters at the end, by accident.
    const isDropped = (letter) => letter < ' ' && !'\t\n\r'.includes(letter)
    let kept = text(full)
    while (isDropped(kept.slice(-1))) kept = kept.slice(0, -1)
    const escaped = encodeURI(kept).replace(/[?#~]/g, (letter) => '%' + letter.charCodeAt(0).toString(16).toUpperCase())
    return new URL('file://' + escaped)
  }
  /** The host of an address with this host; empty where it can be none. */
  function domainToASCII(domain) {
    const [one, other] = ['ws://x', 'ws://y'].map((href) => sys('changeUrl', href, 'hostname', text(domain)).hostname)
    return one === other ? one : ''
  }
  function domainToUnicode(domain) {
    const ascii = domainToASCII(domain)
    return ascii.includes('xn--') ? builtin('punycode').toUnicode(ascii) : ascii
  }
  Object.assign(exported, {
    URL,
    URLSearchParams,
    fileURLToPath,
    pathToFileURL,
    ...builtin('internal/url-legacy'),
    domainToASCII,
    domainToUnicode,
    urlToHttpOptions: (url) => ({
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname + url.search,
      href: url.href,
    }),
  })
})
