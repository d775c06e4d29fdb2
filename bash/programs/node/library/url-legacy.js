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
$polyfs.internal.define('internal/url-legacy', ({ exported, builtin }) => {
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
    parse: legacyParse,
    format: (url, options) =>
      typeof url === 'string'
        ? url
        : url instanceof builtin('url').URL
          ? formatAddress(url, options)
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
      const { URL } = builtin('url')
      const url = new URL(to, isFull ? from : new URL(from, 'resolve://'))
      return url.protocol === 'resolve:' ? url.pathname + url.search + url.hash : url.href
    },
  })
})
