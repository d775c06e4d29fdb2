/** The module `fs`. Everything is done at once; promises and callbacks only report it later. */
'use strict'
$polyfs.internal.define('fs', ({ exported, builtin, internal }) => {
  const { call, plainBytes, adoptBytes, decodeBytes } = internal
  const { Buffer } = builtin('buffer')
  const paths = builtin('path')
  const { fileURLToPath } = builtin('url')
  const texts = {
    ENOENT: [-2, 'no such file or directory'],
    EACCES: [-13, 'permission denied'],
    EEXIST: [-17, 'file already exists'],
    EXDEV: [-18, 'cross-device link not permitted'],
    ENOTDIR: [-20, 'not a directory'],
    EISDIR: [-21, 'illegal operation on a directory'],
    EINVAL: [-22, 'invalid argument'],
    EFBIG: [-27, 'file too large'],
    ENOSPC: [-28, 'no space left on device'],
    EROFS: [-30, 'read-only file system'],
    ENOTEMPTY: [-39, 'directory not empty'],
    ELOOP: [-40, 'too many symbolic links encountered'],
    ENOTSUP: [-95, 'operation not supported on socket'],
    EBADF: [-9, 'bad file descriptor'],
    EBUSY: [-16, 'resource busy or locked'],
    ENXIO: [-6, 'no such device or address'],
    EIO: [-5, 'i/o error'],
    EPERM: [-1, 'operation not permitted'],
  }

  function failure(code, syscall, path, dest) {
    const [errno, text] = texts[code] || [-5, 'i/o error']
    const where = path === undefined ? '' : " '" + path + "'" + (dest === undefined ? '' : " -> '" + dest + "'")
    const error = new Error(code + ': ' + text + ', ' + syscall + where)
    Object.assign(error, { errno, code, syscall })
    if (path !== undefined) error.path = path
    if (dest !== undefined) error.dest = dest
    return error
  }
  internal.fileFailure = failure

  /** Runs a call of the host, and names its failure as Node does. */
  function ask(syscall, path, dest, run) {
    try {
      return run()
    } catch (error) {
      if (error.$code === undefined) throw error
      throw failure(error.$code, syscall, path, dest)
    }
  }

  function named(path, name = 'path') {
    if (typeof path === 'string') {
      if (path.includes('\0'))
        throw new internal.NodeTypeError(
          'ERR_INVALID_ARG_VALUE',
          "The argument '" +
            name +
            "' must be a string, Uint8Array, or URL without null bytes. Received " +
            builtin('util').inspect(path),
        )
      return path
    }
    if (path instanceof URL) return fileURLToPath(path)
    if (path instanceof Uint8Array) return decodeBytes(path)
    throw internal.wrongType(name, 'of type string or an instance of Buffer or URL', path)
  }
  /** The host sees absolute paths; an empty one stays. */
  function full(path) {
    if (path === '') return '/\u0000empty'
    const absolute = path.startsWith('/') ? path : process.cwd() + '/' + path
    return absolute
  }
  const encodingIn = (options) => (typeof options === 'string' ? options : options?.encoding)
  const bytesOf = (data, encoding) => {
    if (typeof data === 'string')
      return encoding && !/^utf-?8$/i.test(encoding) ? internal.encodeText(data, encoding) : data.toWellFormed()
    if (ArrayBuffer.isView(data)) return plainBytes(data)
    throw internal.wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data)
  }

  const kinds = { file: 0o100000, directory: 0o040000, symlink: 0o120000, other: 0o020000 }
  class Stats {
    constructor(given, isBig) {
      const big = (value) => (isBig ? BigInt(Math.floor(value)) : value)
      this.dev = big(1)
      this.mode = big(kinds[given.kind] | given.mode)
      this.nlink = big(given.kind === 'directory' ? 2 : 1)
      this.uid = big(1000)
      this.gid = big(1000)
      this.rdev = big(0)
      this.blksize = big(4096)
      this.ino = big(given.inode)
      this.size = big(given.size)
      this.blocks = big(Math.ceil(given.size / 512))
      this.atimeMs = big(given.modifiedMs)
      this.mtimeMs = big(given.modifiedMs)
      this.ctimeMs = big(given.modifiedMs)
      this.birthtimeMs = big(given.createdMs)
      this.atime = new Date(given.modifiedMs)
      this.mtime = new Date(given.modifiedMs)
      this.ctime = new Date(given.modifiedMs)
      this.birthtime = new Date(given.createdMs)
    }
    isFile() {
      return (Number(this.mode) & 0o170000) === kinds.file
    }
    isDirectory() {
      return (Number(this.mode) & 0o170000) === kinds.directory
    }
    isSymbolicLink() {
      return (Number(this.mode) & 0o170000) === kinds.symlink
    }
    isCharacterDevice() {
      return (Number(this.mode) & 0o170000) === kinds.other
    }
    isBlockDevice() {
      return false
    }
    isFIFO() {
      return false
    }
    isSocket() {
      return false
    }
  }
  const typeSymbol = Symbol('type')
  class Dirent {
    constructor(name, kind, parentPath) {
      this.name = name
      this.parentPath = parentPath
      this.path = parentPath
      this[typeSymbol] = { file: 1, directory: 2, symlink: 3, other: 6 }[kind]
    }
    isFile() {
      return this[typeSymbol] === 1
    }
    isDirectory() {
      return this[typeSymbol] === 2
    }
    isSymbolicLink() {
      return this[typeSymbol] === 3
    }
    isCharacterDevice() {
      return this[typeSymbol] === 6
    }
    isBlockDevice() {
      return false
    }
    isFIFO() {
      return false
    }
    isSocket() {
      return false
    }
  }

  const descriptors = new Map()
  let nextDescriptor = 3
  function opened(fd, syscall) {
    const found = descriptors.get(fd)
    if (found === undefined) throw failure('EBADF', syscall)
    return found
  }
  const modeOf = (mode) => (typeof mode === 'string' ? parseInt(mode, 8) : mode)

  function statPath(syscall, given, options, follow) {
    const path = named(given)
    try {
      return new Stats(
        ask(syscall, path, undefined, () => call('stat', full(path), follow)),
        options?.bigint,
      )
    } catch (error) {
      if (options && options.throwIfNoEntry === false && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
        return undefined
      throw error
    }
  }
  const lookup = (path, follow = true) => statPath('stat', path, { throwIfNoEntry: false }, follow)

  function writeTo(syscall, path, data, flag, mode) {
    const target = full(path)
    if (target === '/dev/stdout' || target === '/dev/stderr')
      return void internal.sys('out', target === '/dev/stderr' ? 2 : 1, data)
    const append = flag.startsWith('a')
    if (flag.startsWith('r')) lookupOrFail(path)
    ask(syscall, path, undefined, () =>
      call('write', target, data, append, flag.includes('x'), mode === undefined ? null : modeOf(mode)),
    )
  }
  function lookupOrFail(path) {
    ask('open', path, undefined, () => call('stat', full(path), true))
  }

  const sync = {
    readFileSync(given, options) {
      const encoding = encodingIn(options)
      if (typeof given === 'number') {
        const bytes = given === 0 ? internal.sys('stdin') : readAt(given)
        return encoding ? decodeBytes(bytes, encoding) : adoptBytes(new Uint8Array(bytes))
      }
      const path = named(given)
      const isText = encoding !== undefined && encoding !== null && /^utf-?8$/i.test(encoding)
      let result
      try {
        result = ask('open', path, undefined, () => call(isText ? 'readText' : 'read', full(path)))
      } catch (error) {
        // A directory can be opened, and fails only then.
        throw error.code === 'EISDIR' ? failure('EISDIR', 'read') : error
      }
      if (isText) return result
      return encoding ? decodeBytes(result, encoding) : adoptBytes(result)
    },
    writeFileSync(given, data, options) {
      const flag = options?.flag || 'w'
      if (typeof given === 'number') return void sync.writeSync(given, data)
      writeTo('open', named(given), bytesOf(data, encodingIn(options)), flag, options?.mode)
    },
    appendFileSync(given, data, options) {
      if (typeof given === 'number') return void sync.writeSync(given, data)
      writeTo('open', named(given), bytesOf(data, encodingIn(options)), options?.flag || 'a', options?.mode)
    },
    existsSync(given) {
      try {
        return lookup(named(given)) !== undefined
      } catch {
        return false
      }
    },
    accessSync(given, mode = 0) {
      const path = named(given)
      const stat = ask('access', path, undefined, () => call('stat', full(path), true))
      if (mode & 1 && stat.kind !== 'directory' && (stat.mode & 0o111) === 0) throw failure('EACCES', 'access', path)
      if (mode & 2 && (stat.mode & 0o200) === 0) throw failure('EACCES', 'access', path)
    },
    statSync: (path, options) => statPath('stat', path, options, true),
    lstatSync: (path, options) => statPath('lstat', path, options, false),
    fstatSync(fd) {
      if (fd <= 2)
        return new Stats({
          kind: fd === 0 ? 'other' : 'other',
          mode: 0o600,
          size: 0,
          inode: fd,
          modifiedMs: 0,
          createdMs: 0,
        })
      return statPath('fstat', opened(fd, 'fstat').path, undefined, true)
    },
    readdirSync(given, options) {
      const path = named(given)
      const withTypes = options?.withFileTypes
      const result = []
      const walk = (at, prefix) => {
        const entries = ask('scandir', at, undefined, () => call('list', full(at)))
        const folders = []
        for (const [name, kind] of entries) {
          result.push(withTypes ? new Dirent(name, kind, at) : prefix + name)
          if (kind === 'directory') folders.push(name)
        }
        return folders
      }
      const queue = [[path, '']]
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [at, prefix] = next
        const folders = walk(at, prefix)
        if (options?.recursive) queue.push(...folders.map((name) => [paths.join(at, name), prefix + name + '/']))
      }
      return encodingIn(options) === 'buffer' ? result.map((name) => Buffer.from(name)) : result
    },
    mkdirSync(given, options) {
      const path = named(given)
      const mode = modeOf(typeof options === 'object' && options !== null ? options.mode : options)
      if (!options?.recursive)
        return void ask('mkdir', path, undefined, () => call('makeDir', full(path), mode === undefined ? null : mode))
      let first
      const missing = []
      for (let at = paths.resolve(path); ; at = paths.dirname(at)) {
        let found
        try {
          found = lookup(at)
        } catch (error) {
          if (error.code !== 'EACCES' || at === '/') throw error
          break
        }
        if (found !== undefined) {
          if (!found.isDirectory()) throw failure(missing.length === 0 ? 'EEXIST' : 'ENOTDIR', 'mkdir', path)
          break
        }
        if (lookup(at, false) !== undefined) throw failure('EEXIST', 'mkdir', path)
        missing.unshift(at)
        if (at === '/') break
      }
      for (const at of missing) {
        ask('mkdir', path, undefined, () => call('makeDir', at, mode === undefined ? null : mode))
        if (first === undefined) first = at
      }
      return first
    },
    mkdtempSync(prefix) {
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
      const path =
        named(prefix, 'prefix') + Array.from(internal.sys('random', 6), (byte) => letters[byte % 62]).join('')
      ask('mkdtemp', prefix + 'XXXXXX', undefined, () => call('makeDir', full(path), 0o700))
      return path
    },
    unlinkSync(given) {
      const path = named(given)
      ask('unlink', path, undefined, () => call('remove', full(path), 'file'))
    },
    rmdirSync(given, options) {
      const path = named(given)
      if (options?.recursive) return sync.rmSync(path, { recursive: true })
      ask('rmdir', path, undefined, () => call('remove', full(path), 'directory'))
    },
    rmSync(given, options = {}) {
      const path = named(given)
      const found = lookup(path, false)
      if (found === undefined) {
        if (options.force) return
        throw failure('ENOENT', 'lstat', path)
      }
      if (!found.isDirectory()) return sync.unlinkSync(path)
      if (!options.recursive) {
        const error = new internal.NodeError(
          'ERR_FS_EISDIR',
          'Path is a directory: rm returned EISDIR (is a directory) ' + path,
        )
        error.name = 'SystemError'
        throw error
      }
      for (const name of sync.readdirSync(path)) sync.rmSync(paths.join(path, name), options)
      sync.rmdirSync(path)
    },
    renameSync(from, to) {
      const [source, target] = [named(from, 'oldPath'), named(to, 'newPath')]
      ask('rename', source, target, () => call('rename', full(source), full(target)))
    },
    copyFileSync(from, to, mode = 0) {
      const [source, target] = [named(from, 'src'), named(to, 'dest')]
      ask('copyfile', source, target, () => {
        const stat = call('stat', full(source), true)
        call('write', full(target), call('read', full(source)), false, (mode & 1) !== 0, stat.mode)
      })
    },
    cpSync(from, to, options = {}) {
      const [source, target] = [named(from, 'src'), named(to, 'dest')]
      if (options.filter && !options.filter(source, target)) return
      const stat = /** @type {Stats} */ (sync.lstatSync(source))
      if (stat.isSymbolicLink()) {
        if (lookup(target, false) !== undefined) sync.unlinkSync(target)
        return sync.symlinkSync(sync.readlinkSync(source), target)
      }
      if (!stat.isDirectory()) {
        if (options.errorOnExist && options.force === false && sync.existsSync(target))
          throw new internal.NodeError(
            'ERR_FS_CP_EEXIST',
            'Target already exists: cp returned EEXIST (' + target + ' already exists) ' + target,
          )
        if (options.force === false && sync.existsSync(target)) return
        sync.mkdirSync(paths.dirname(paths.resolve(target)), { recursive: true })
        return sync.copyFileSync(source, target)
      }
      if (!options.recursive)
        throw new internal.NodeError(
          'ERR_FS_EISDIR',
          'Recursive option not enabled, cannot copy a directory: cp returned EISDIR (' +
            source +
            ' is a directory (not copied)) ' +
            source,
        )
      sync.mkdirSync(target, { recursive: true })
      for (const name of sync.readdirSync(source))
        sync.cpSync(paths.join(source, name), paths.join(target, name), options)
    },
    symlinkSync(target, given) {
      const [goal, path] = [named(target, 'target'), named(given)]
      ask('symlink', goal, path, () => call('symlink', goal, full(path)))
    },
    readlinkSync(given) {
      const path = named(given)
      return ask('readlink', path, undefined, () => call('readLink', full(path)))
    },
    realpathSync(given) {
      const path = named(given)
      return ask('lstat', path, undefined, () => call('realPath', full(path)))
    },
    chmodSync(given, mode) {
      const path = named(given)
      ask('chmod', path, undefined, () => call('setMode', full(path), modeOf(mode)))
    },
    chownSync(given) {
      lookupOrFail(named(given))
    },
    utimesSync(given, _accessed, modified) {
      const path = named(given)
      const time = modified instanceof Date ? modified.getTime() : Number(modified) * 1000
      ask('utime', path, undefined, () => call('setModified', full(path), time))
    },
    truncateSync(given, length = 0) {
      const path = named(given)
      const before = ask('open', path, undefined, () => call('read', full(path)))
      const after = new Uint8Array(length)
      after.set(before.subarray(0, length))
      writeTo('open', path, after, 'w')
    },
    openSync(given, flags = 'r', mode) {
      const path = named(given)
      const flag = typeof flags === 'number' ? 'r' : flags
      const found = lookup(path)
      if (flag.startsWith('r')) lookupOrFail(path)
      else if (flag.includes('x') && found !== undefined) throw failure('EEXIST', 'open', path)
      else if (flag.startsWith('w') || found === undefined) writeTo('open', path, '', flag, mode)
      const absolute = paths.resolve(path)
      const fd = nextDescriptor
      nextDescriptor += 1
      descriptors.set(fd, { path: absolute, at: 0, append: flag.startsWith('a') })
      return fd
    },
    closeSync(fd) {
      if (fd > 2) opened(fd, 'close')
      descriptors.delete(fd)
    },
    readSync(fd, buffer, offsetOrOptions, length, position) {
      let offset = offsetOrOptions
      if (offset !== null && typeof offset === 'object') ({ offset = 0, length, position } = offset)
      const start = offset === undefined ? 0 : offset
      const size = length === undefined ? buffer.byteLength - start : length
      const file = fd === 0 ? input : opened(fd, 'read')
      const bytes = fd === 0 ? internal.sys('stdin') : ask('read', undefined, undefined, () => call('read', file.path))
      const at = typeof position === 'number' || typeof position === 'bigint' ? Number(position) : file.at
      const piece = bytes.subarray(at, at + size)
      buffer.set(piece, start)
      if (typeof position !== 'number' && typeof position !== 'bigint') file.at = at + piece.length
      return piece.length
    },
    writeSync(fd, data, offsetOrPosition, lengthOrEncoding, position) {
      let bytes = data
      let at
      if (typeof data === 'string') {
        bytes = internal.encodeText(data, typeof lengthOrEncoding === 'string' ? lengthOrEncoding : 'utf8')
        at = offsetOrPosition
      } else {
        const start = typeof offsetOrPosition === 'number' ? offsetOrPosition : 0
        bytes = data.subarray(start, typeof lengthOrEncoding === 'number' ? start + lengthOrEncoding : undefined)
        at = position
      }
      const plain = plainBytes(bytes)
      if (fd === 1 || fd === 2) {
        internal.sys('out', fd, plain)
        return plain.length
      }
      const file = opened(fd, 'write')
      if (file.append) ask('write', undefined, undefined, () => call('write', file.path, plain, true, false, null))
      else {
        const before = ask('write', undefined, undefined, () => call('read', file.path))
        const start = typeof at === 'number' ? at : file.at
        if (start === before.length)
          ask('write', undefined, undefined, () => call('write', file.path, plain, true, false, null))
        else {
          const after = new Uint8Array(Math.max(before.length, start + plain.length))
          after.set(before)
          after.set(plain, start)
          ask('write', undefined, undefined, () => call('write', file.path, after, false, false, null))
        }
        if (typeof at !== 'number') file.at = start + plain.length
      }
      return plain.length
    },
    fsyncSync() {},
    fdatasyncSync() {},
    ftruncateSync(fd, length = 0) {
      sync.truncateSync(opened(fd, 'ftruncate').path, length)
    },
    opendirSync(given) {
      const path = named(given)
      const entries = sync.readdirSync(path, { withFileTypes: true })
      return {
        path,
        readSync: () => entries.shift() || null,
        read: async () => entries.shift() || null,
        closeSync() {},
        close: async () => {},
        async *[Symbol.asyncIterator]() {
          yield* entries
        },
      }
    },
  }
  const input = { at: 0 }
  function readAt(fd) {
    const file = opened(fd, 'read')
    const bytes = call('read', file.path).subarray(file.at)
    file.at += bytes.length
    return bytes
  }
  Object.assign(sync.realpathSync, { native: sync.realpathSync })

  const later = [
    'readFile',
    'writeFile',
    'appendFile',
    'access',
    'stat',
    'lstat',
    'fstat',
    'readdir',
    'mkdir',
    'mkdtemp',
    'unlink',
    'rmdir',
    'rm',
    'rename',
    'copyFile',
    'cp',
    'symlink',
    'readlink',
    'realpath',
    'chmod',
    'chown',
    'utimes',
    'truncate',
    'open',
    'close',
    'read',
    'write',
    'fsync',
    'opendir',
  ]
  const promises = {}
  Object.assign(exported, sync)
  for (const name of later) {
    const run = sync[name + 'Sync']
    promises[name] = async (...given) => {
      await internal.turn()
      return run(...given)
    }
    exported[name] = function (...given) {
      const done = given.pop()
      if (typeof done !== 'function') throw internal.wrongType('cb', 'of type function', done)
      let result
      let error = null
      try {
        result = run(...given)
      } catch (thrown) {
        if (thrown.code === undefined || String(thrown.code).startsWith('ERR_')) throw thrown
        error = thrown
      }
      internal.soon(() => {
        if (error !== null) done(error)
        else if (result === undefined) done(null)
        else if (name === 'read' || name === 'write') done(null, result, given[1])
        else done(null, result)
      })
    }
    Object.defineProperty(exported[name], 'name', { value: name })
  }
  exported.exists = (path, done) => {
    const found = sync.existsSync(path)
    internal.soon(() => done(found))
  }
  for (const name of ['fsync', 'close', 'read', 'write', 'fstat']) delete promises[name]

  class FileHandle {
    constructor(fd) {
      this.fd = fd
    }
    async readFile(options) {
      const bytes = readAt(this.fd)
      return encodingIn(options) ? decodeBytes(bytes, encodingIn(options)) : adoptBytes(new Uint8Array(bytes))
    }
    async writeFile(data) {
      sync.writeSync(this.fd, data)
    }
    async appendFile(data) {
      sync.writeSync(this.fd, data)
    }
    async read(buffer, offset, length, position) {
      return { bytesRead: sync.readSync(this.fd, buffer, offset, length, position), buffer }
    }
    async write(data, ...rest) {
      return { bytesWritten: sync.writeSync(this.fd, data, ...rest), buffer: data }
    }
    async stat() {
      return sync.fstatSync(this.fd)
    }
    async truncate(length) {
      sync.ftruncateSync(this.fd, length)
    }
    async sync() {}
    async *readLines() {
      const text = decodeBytes(readAt(this.fd))
      yield* linesOf(text)
    }
    async close() {
      sync.closeSync(this.fd)
    }
  }
  const linesOf = (text) => {
    const lines = text.split(/\r?\n/)
    if (lines[lines.length - 1] === '') lines.pop()
    return lines
  }
  promises.open = async (...given) => new FileHandle(sync.openSync(...given))

  exported.createReadStream = (given, options) => {
    const { Readable } = builtin('stream')
    const path = named(given)
    const encoding = encodingIn(options)
    const stream = new Readable({ read() {} })
    stream.path = path
    if (encoding) stream.setEncoding(encoding)
    internal.soon(() => {
      try {
        let bytes = sync.readFileSync(path)
        if (options && (options.start !== undefined || options.end !== undefined))
          bytes = bytes.subarray(options.start || 0, options.end === undefined ? undefined : options.end + 1)
        stream.emit('open', 3)
        const size = options?.highWaterMark || 65536
        for (let at = 0; at < bytes.length; at += size) stream.push(bytes.subarray(at, at + size))
        stream.push(null)
      } catch (error) {
        stream.destroy(error)
      }
    })
    return stream
  }
  exported.createWriteStream = (given, options) => {
    const { Writable } = builtin('stream')
    const path = named(given)
    const flag = options?.flags || 'w'
    let failed
    try {
      writeTo('open', path, '', flag, options?.mode)
    } catch (error) {
      failed = error
    }
    const stream = new Writable({
      decodeStrings: false,
      write(chunk, encoding, done) {
        try {
          if (failed) throw failed
          writeTo('write', path, bytesOf(chunk, encoding === 'buffer' ? undefined : encoding), 'a')
          stream.bytesWritten += chunk.length
          done()
        } catch (error) {
          done(error)
        }
      },
    })
    stream.path = path
    stream.bytesWritten = 0
    if (failed) internal.soon(() => stream.destroy(failed))
    return stream
  }
  const constants = {
    F_OK: 0,
    X_OK: 1,
    W_OK: 2,
    R_OK: 4,
    COPYFILE_EXCL: 1,
    COPYFILE_FICLONE: 2,
    O_RDONLY: 0,
    O_WRONLY: 1,
    O_RDWR: 2,
    O_CREAT: 64,
    O_EXCL: 128,
    O_TRUNC: 512,
    O_APPEND: 1024,
    S_IFMT: 61440,
    S_IFREG: 32768,
    S_IFDIR: 16384,
    S_IFLNK: 40960,
  }
  promises.constants = constants
  Object.assign(exported, { constants, promises, Stats, Dirent, F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4 })
  exported.watch = exported.watchFile = () => {
    throw new Error('fs.watch is not supported by this shell')
  }
})
$polyfs.internal.define('fs/promises', ({ builtin }) => builtin('fs').promises)
