/** The module `path`. */
'use strict'
$polyfs.internal.define('path', ({ internal }) => {
  function check(value, name) {
    if (typeof value !== 'string') throw internal.wrongType(name, 'of type string', value)
  }
  function normalized(path, isAbsolute) {
    const parts = []
    for (const part of path.split('/')) {
      if (part === '' || part === '.') continue
      if (part !== '..') parts.push(part)
      else if (parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop()
      else if (!isAbsolute) parts.push('..')
    }
    return parts.join('/')
  }
  const posix = {
    sep: '/',
    delimiter: ':',
    resolve(...given) {
      let path = ''
      for (let index = given.length - 1; index >= -1 && !path.startsWith('/'); index -= 1) {
        const part = index >= 0 ? given[index] : process.cwd()
        check(part, index >= 0 ? 'paths[' + index + ']' : 'path')
        if (part !== '') path = path === '' ? part : part + '/' + path
      }
      return '/' + normalized(path, true)
    },
    normalize(path) {
      check(path, 'path')
      if (path === '') return '.'
      const isAbsolute = path.startsWith('/')
      let result = normalized(path, isAbsolute)
      if (result === '' && !isAbsolute) result = '.'
      if (result !== '' && path.endsWith('/')) result += '/'
      return isAbsolute ? '/' + result : result
    },
    isAbsolute(path) {
      check(path, 'path')
      return path.startsWith('/')
    },
    join(...given) {
      for (const part of given) check(part, 'path')
      const parts = given.filter((part) => part !== '')
      return parts.length === 0 ? '.' : posix.normalize(parts.join('/'))
    },
    relative(from, to) {
      check(from, 'from')
      check(to, 'to')
      const start = posix.resolve(from).split('/').filter(Boolean)
      const end = posix.resolve(to).split('/').filter(Boolean)
      let same = 0
      while (same < start.length && same < end.length && start[same] === end[same]) same += 1
      return [...start.slice(same).map(() => '..'), ...end.slice(same)].join('/')
    },
    toNamespacedPath: (path) => path,
    dirname(path) {
      check(path, 'path')
      if (path === '') return '.'
      const trimmed = path.replace(/\/+$/, '')
      if (trimmed === '') return '/'
      const at = trimmed.lastIndexOf('/')
      if (at === -1) return '.'
      return trimmed.slice(0, at).replace(/\/+$/, '') || (path.startsWith('//') && at === 1 ? '//' : '/')
    },
    basename(path, suffix) {
      check(path, 'path')
      if (suffix !== undefined) check(suffix, 'suffix')
      const name = path.replace(/\/+$/, '').split('/').pop()
      if (suffix !== undefined && suffix !== name && name.endsWith(suffix))
        return name.slice(0, name.length - suffix.length)
      return name
    },
    extname(path) {
      check(path, 'path')
      const name = posix.basename(path)
      const at = name.lastIndexOf('.')
      return at <= 0 || name === '..' ? '' : name.slice(at)
    },
    format(given) {
      if (given === null || typeof given !== 'object') throw internal.wrongType('pathObject', 'of type object', given)
      const dir = given.dir || given.root
      const ext = given.ext ? (given.ext.startsWith('.') ? '' : '.') + given.ext : ''
      const base = given.base || (given.name || '') + ext
      if (!dir) return base
      return dir === given.root ? dir + base : dir + '/' + base
    },
    parse(path) {
      check(path, 'path')
      const root = path.startsWith('/') ? '/' : ''
      const base = posix.basename(path)
      const ext = posix.extname(path)
      const trimmed = path.replace(/\/+$/, '')
      const at = trimmed.lastIndexOf('/')
      const dir = at === -1 ? root : at === 0 ? '/' : trimmed.slice(0, at)
      return { root, dir, base, ext, name: ext === '' ? base : base.slice(0, -ext.length) }
    },
  }
  posix.posix = posix
  return posix
})
$polyfs.internal.define('path/posix', ({ builtin }) => builtin('path'))
