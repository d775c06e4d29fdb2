/** The modules `os`, `crypto`, `child_process` and some small ones. */
'use strict'
$polyfs.internal.define('os', ({ exported, internal }) => {
  Object.assign(exported, {
    EOL: '\n',
    devNull: '/dev/null',
    arch: () => 'x64',
    platform: () => 'linux',
    type: () => 'Linux',
    release: () => '6.1.0',
    version: () => '#1 SMP',
    machine: () => 'x86_64',
    hostname: () => 'localhost',
    homedir: () => process.env.HOME || '/',
    tmpdir: () => (process.env.TMPDIR || '/tmp').replace(/(.)\/$/, '$1'),
    endianness: () => 'LE',
    cpus: () => [{ model: 'cpu', speed: 1000, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
    availableParallelism: () => 1,
    totalmem: () => 536870912,
    freemem: () => 268435456,
    uptime: () => internal.elapsed() / 1000,
    loadavg: () => [0, 0, 0],
    networkInterfaces: () => ({}),
    userInfo: () => ({
      uid: 1000,
      gid: 1000,
      username: process.env.USER || 'user',
      homedir: process.env.HOME || '/',
      shell: process.env.SHELL || '/bin/bash',
    }),
    constants: {
      signals: { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 },
      errno: { ENOENT: 2, EACCES: 13, EEXIST: 17 },
    },
  })
})
$polyfs.internal.define('crypto', ({ exported, builtin, internal }) => {
  const { Buffer } = builtin('buffer')
  const names = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
  const blockBytes = { sha384: 128, sha512: 128 }
  const bytesOf = (data, encoding) => {
    if (typeof data === 'string') return Buffer.from(data, encoding)
    if (ArrayBuffer.isView(data)) return internal.plainBytes(data)
    throw internal.wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data)
  }
  const digestOf = (name, bytes) => internal.sys('digest', name, internal.plainBytes(bytes))
  function algorithm(name) {
    const found = String(name).toLowerCase().replace('-', '')
    if (!names.includes(found)) {
      const error = new Error('Digest method not supported')
      error.code = 'ERR_CRYPTO_INVALID_DIGEST'
      throw error
    }
    return found
  }
  class Hash {
    /** @type {any} */
    $
    constructor(name) {
      Object.defineProperty(this, '$', {
        value: { name: algorithm(name), pieces: [], isDone: false },
        writable: false,
        configurable: false,
        enumerable: false,
      })
    }
    update(data, encoding) {
      if (this.$.isDone) throw new internal.NodeError('ERR_CRYPTO_HASH_FINALIZED', 'Digest already called')
      this.$.pieces.push(bytesOf(data, encoding))
      return this
    }
    digest(encoding) {
      if (this.$.isDone) throw new internal.NodeError('ERR_CRYPTO_HASH_FINALIZED', 'Digest already called')
      this.$.isDone = true
      const result = internal.adoptBytes(this.$result())
      return encoding === undefined || encoding === 'buffer' ? result : result.toString(encoding)
    }
    $result() {
      return digestOf(this.$.name, Buffer.concat(this.$.pieces))
    }
    copy() {
      const made = new Hash(this.$.name)
      made.$.pieces.push(...this.$.pieces)
      return made
    }
    write(data) {
      this.update(data)
      return true
    }
    end(data) {
      if (data !== undefined) this.update(data)
      return this
    }
    on() {
      return this
    }
    once() {
      return this
    }
    emit() {}
  }
  class Hmac extends Hash {
    constructor(name, key) {
      super(name)
      const size = blockBytes[this.$.name] || 64
      const given = bytesOf(key)
      const block = Buffer.alloc(size)
      block.set(given.length > size ? digestOf(this.$.name, given) : given)
      this.$.outer = block.map((byte) => byte ^ 0x5c)
      this.$.pieces.push(block.map((byte) => byte ^ 0x36))
    }
    $result() {
      return digestOf(this.$.name, Buffer.concat([this.$.outer, super.$result()]))
    }
  }
  /** After the first calls a part of what was asked for in one piece: each call to the host costs more than many bytes. */
  const [pooledAfter, poolBytes] = [16, 4096]
  let calls = 0
  let pool = new Uint8Array(0)
  function randomOf(size) {
    calls += 1
    if (calls <= pooledAfter || size > poolBytes / 4) return internal.sys('random', size)
    if (pool.length < size) pool = internal.sys('random', poolBytes)
    const taken = pool.slice(0, size)
    pool = pool.subarray(size)
    return taken
  }
  const randomBytes = (size, done) => {
    const bytes = internal.adoptBytes(randomOf(size))
    if (typeof done !== 'function') return bytes
    internal.soon(() => done(null, bytes))
  }
  const randomUUID = () => {
    const bytes = randomBytes(16)
    bytes[6] = (bytes[6] & 0x0f) | 0x40
    bytes[8] = (bytes[8] & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
  const getRandomValues = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    bytes.set(randomOf(bytes.length))
    return array
  }
  Object.assign(exported, {
    createHash: (name) => new Hash(name),
    createHmac: (name, key) => new Hmac(name, key),
    hash: (name, data, encoding = 'hex') => new Hash(name).update(data).digest(encoding),
    getHashes: () => [...names],
    randomBytes,
    randomUUID,
    randomInt(low, high, done) {
      const [from, to] = high === undefined || typeof high === 'function' ? [0, low] : [low, high]
      const value = from + Math.floor((randomBytes(6).readUIntBE48() / 2 ** 48) * (to - from))
      const after = typeof high === 'function' ? high : done
      if (typeof after !== 'function') return value
      internal.soon(() => after(null, value))
    },
    randomFillSync: (array) => getRandomValues(array),
    getRandomValues,
    timingSafeEqual(one, other) {
      if (one.byteLength !== other.byteLength)
        throw new internal.NodeRangeError(
          'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH',
          'Input buffers must have the same byte length',
        )
      return Buffer.compare(one, other) === 0
    },
    webcrypto: { getRandomValues, randomUUID },
  })
  Object.defineProperty(Buffer.prototype, 'readUIntBE48', {
    value() {
      return this.readUInt16BE(0) * 2 ** 32 + this.readUInt32BE(2)
    },
  })
})
$polyfs.internal.define('child_process', ({ exported, builtin, internal }) => {
  const EventEmitter = builtin('events')
  const { Buffer } = builtin('buffer')
  function commandOf(argv, options, piped) {
    const stdio =
      typeof options.stdio === 'string' ? [options.stdio, options.stdio, options.stdio] : options.stdio || piped
    const kind = (value) =>
      value === 'inherit' || value === 1 || value === 2 || value === process.stdout || value === process.stderr
        ? 'inherit'
        : value === 'ignore'
          ? 'ignore'
          : 'pipe'
    const input =
      options.input === undefined || options.input === null
        ? kind(stdio[0]) === 'inherit'
          ? null
          : new Uint8Array()
        : internal.plainBytes(Buffer.from(options.input))
    const env = {}
    for (const [name, value] of Object.entries(options.env || process.env))
      if (value !== undefined) env[name] = String(value)
    const cwd =
      options.cwd === undefined
        ? process.cwd()
        : builtin('path').resolve(
            String(options.cwd instanceof URL ? builtin('url').fileURLToPath(options.cwd) : options.cwd),
          )
    return { argv, cwd, env, stdout: kind(stdio[1]), stderr: kind(stdio[2]), input }
  }
  function runNow(argv, options, piped) {
    const { input, ...given } = commandOf(argv, options, piped)
    return internal.call('run', JSON.stringify(given), input)
  }
  /** Commands that nobody waits for; each runs when there is nothing else to do. */
  const queued = []
  internal.runCommand = (given) => new Promise((resolve) => queued.push({ given, resolve }))
  internal.nextCommand = () => {
    const [first] = queued
    if (first === undefined) return undefined
    const { input: _, ...given } = first.given
    return JSON.stringify(given)
  }
  $polyfs.commandInput = () => queued[0].given.input
  $polyfs.ran = (result) => {
    queued.shift().resolve(result)
    return true
  }
  const shown = (bytes, encoding) =>
    encoding && encoding !== 'buffer'
      ? internal.decodeBytes(bytes, encoding)
      : internal.adoptBytes(new Uint8Array(bytes))
  const argvOf = (file, args, options) =>
    options.shell ? ['bash', '-c', [file, ...args].join(' ')] : [file, ...args].map(String)

  function result(argv, ran, { encoding }) {
    if (ran.missing) {
      const error = new Error('spawnSync ' + argv[0] + ' ENOENT')
      Object.assign(error, {
        errno: -2,
        code: 'ENOENT',
        syscall: 'spawnSync ' + argv[0],
        path: argv[0],
        spawnargs: argv.slice(1),
      })
      return { error, status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null }
    }
    const stdout = shown(ran.stdout, encoding)
    const stderr = shown(ran.stderr, encoding)
    return { pid: 4300, output: [null, stdout, stderr], stdout, stderr, status: ran.status, signal: null }
  }
  function orThrow(ran, command, tellsErrors) {
    if (ran.error) throw ran.error
    if (tellsErrors && ran.stderr && ran.stderr.length > 0) process.stderr.write(ran.stderr)
    if (ran.status !== 0) {
      const error = new Error(
        'Command failed: ' + command + (ran.stderr && ran.stderr.length > 0 ? '\n' + ran.stderr.toString() : ''),
      )
      throw Object.assign(error, ran)
    }
    return ran.stdout
  }
  const pipes = ['pipe', 'pipe', 'pipe']
  const resultNow = (argv, options) => result(argv, runNow(argv, options, pipes), options)
  exported.spawnSync = (file, args, options) => {
    const [list, rest] = Array.isArray(args) ? [args, options || {}] : [[], args || options || {}]
    return resultNow(argvOf(file, list, rest), rest)
  }
  exported.execSync = (command, options = {}) =>
    orThrow(resultNow(['bash', '-c', command], options), command, !options.stdio)
  exported.execFileSync = (file, args, options) => {
    const [list, rest] = Array.isArray(args) ? [args, options || {}] : [[], args || options || {}]
    return orThrow(resultNow(argvOf(file, list, rest), rest), [file, ...list].join(' '), !rest.stdio)
  }

  function child(argv, options, done) {
    const { Readable, Writable } = builtin('stream')
    const made = new EventEmitter()
    const stdio =
      typeof options.stdio === 'string' ? [options.stdio, options.stdio, options.stdio] : options.stdio || pipes
    const isPiped = (value) => value === undefined || value === null || value === 'pipe'
    const written = []
    let isStarted = false
    made.pid = 4300
    made.exitCode = null
    made.killed = false
    made.spawnargs = argv
    made.stdout = isPiped(stdio[1]) ? new Readable({ read() {} }) : null
    made.stderr = isPiped(stdio[2]) ? new Readable({ read() {} }) : null
    made.kill = () => false
    made.ref = made.unref = () => made
    const start = async () => {
      if (isStarted) return
      isStarted = true
      const input = written.length > 0 ? Buffer.concat(written) : options.input
      const command = commandOf(argv, { ...options, input }, pipes)
      const ran = result(argv, await internal.runCommand(command), { encoding: 'buffer' })
      if (ran.error) {
        ran.error.message = 'spawn ' + argv[0] + ' ENOENT'
        Object.assign(ran.error, { syscall: 'spawn ' + argv[0] })
        if (done) done(ran.error, '', '')
        else made.emit('error', ran.error)
        return
      }
      made.exitCode = ran.status
      for (const name of ['stdout', 'stderr']) {
        if (made[name] === null) continue
        if (ran[name].length > 0) made[name].push(ran[name])
        made[name].push(null)
      }
      made.emit('spawn')
      if (done) done(null, ran)
      internal.soon(() => {
        made.emit('exit', ran.status, null)
        internal.soon(() => made.emit('close', ran.status, null))
      })
    }
    made.stdin = isPiped(stdio[0])
      ? new Writable({
          write(chunk, _encoding, after) {
            written.push(Buffer.from(chunk))
            after()
          },
          final(after) {
            after()
            start()
          },
        })
      : null
    // A child whose input is written to starts when that ends.
    internal.soon(() => {
      if (made.stdin === null || (written.length === 0 && made.stdin.writableLength === 0)) start()
    })
    return made
  }
  exported.spawn = (file, args, options) => {
    const [list, rest] = Array.isArray(args) ? [args, options || {}] : [[], args || options || {}]
    return child(argvOf(file, list, rest), rest)
  }
  function later(argv, command, options, done) {
    return child(argv, options, (failure, ran) => {
      if (typeof done !== 'function') return
      if (failure) return void done(failure, '', '')
      const encoding = options.encoding === undefined ? 'utf8' : options.encoding
      const stdout = shown(ran.stdout, encoding)
      const stderr = shown(ran.stderr, encoding)
      if (ran.status === 0) return void done(null, stdout, stderr)
      const error = new Error('Command failed: ' + command + (stderr.length > 0 ? '\n' + stderr : ''))
      Object.assign(error, { code: ran.status, killed: false, signal: null, cmd: command, stdout, stderr })
      done(error, stdout, stderr)
    })
  }
  exported.exec = (command, options, done) => {
    const [rest, after] = typeof options === 'function' ? [{}, options] : [options || {}, done]
    return later(['bash', '-c', command], command, rest, after)
  }
  exported.execFile = (file, ...given) => {
    const after = typeof given[given.length - 1] === 'function' ? given.pop() : undefined
    const args = Array.isArray(given[0]) ? given.shift() : []
    const options = given[0] || {}
    return later(argvOf(file, args, options), [file, ...args].join(' '), options, after)
  }
  for (const name of ['exec', 'execFile']) {
    exported[name][Symbol.for('nodejs.util.promisify.custom')] = (...given) =>
      new Promise((resolve, reject) =>
        exported[name](...given, (error, stdout, stderr) => (error ? reject(error) : resolve({ stdout, stderr }))),
      )
  }
  exported.fork = () => {
    throw new Error('child_process.fork is not supported by this shell')
  }
})
$polyfs.internal.define('perf_hooks', ({ exported, internal }) => {
  exported.performance = internal.performance
  exported.PerformanceObserver = class PerformanceObserver {
    observe() {}
    disconnect() {}
  }
})
$polyfs.internal.define('module', ({ internal }) => {
  const onlyWithScheme = new Set(['test', 'test/reporters'])
  const Module = internal.Module
  Module.builtinModules = internal.builtinNames().filter((name) => !onlyWithScheme.has(name))
  Module.isBuiltin = (name) =>
    internal.hasBuiltin(name.replace(/^node:/, '')) && (name.startsWith('node:') || !onlyWithScheme.has(name))
  Module.Module = Module
  return Module
})
$polyfs.internal.define('constants', ({ exported, builtin }) => {
  Object.assign(exported, builtin('fs').constants, builtin('os').constants.signals)
})
$polyfs.internal.define('tty', ({ exported }) => {
  exported.isatty = () => false
})
$polyfs.internal.define('async_hooks', ({ exported, internal }) => {
  /** It runs what follows on its own behalf, which nothing here asks about. */
  exported.AsyncResource = class AsyncResource {
    constructor(type) {
      if (typeof type !== 'string') throw internal.wrongType('type', 'of type string', type)
    }
    runInAsyncScope(run, self, ...given) {
      return Reflect.apply(run, self, given)
    }
    bind(run, self) {
      if (typeof run !== 'function') throw internal.wrongType('fn', 'of type function', run)
      return self === undefined ? (...given) => run(...given) : run.bind(self)
    }
    static bind(run, type, self) {
      return new AsyncResource(type || run.name || 'bound-anonymous-fn').bind(run, self)
    }
    emitDestroy() {
      return this
    }
  }
  exported.createHook = () => {
    throw new Error('async_hooks.createHook is not supported by this shell')
  }
  exported.AsyncLocalStorage = class AsyncLocalStorage {
    constructor() {
      throw new Error('AsyncLocalStorage is not supported by this shell')
    }
  }
})
$polyfs.internal.define('v8', ({ exported }) => {
  exported.getHeapStatistics = () => ({ heap_size_limit: 134217728, total_heap_size: 6000000, used_heap_size: 5000000 })
})
