/** Globals: `process`, `console`, timers. */
'use strict'
$polyfs.internal.define('internal/timers', ({ exported, internal }) => {
  let timers = []
  let immediates = []
  let count = 0
  const ticks = []
  class Timeout {
    /** @type {any} */
    $
    constructor(run, delay, given, repeat) {
      const wait = Number(delay)
      this._idleTimeout = wait >= 1 && wait <= 2147483647 ? Math.trunc(wait) : 1
      this._repeat = repeat ? this._idleTimeout : null
      hide(this, {
        run,
        given,
        id: ++count,
        due: internal.elapsed() + this._idleTimeout,
        isReferenced: true,
        isActive: true,
      })
    }
    ref() {
      this.$.isReferenced = true
      return this
    }
    unref() {
      this.$.isReferenced = false
      return this
    }
    hasRef() {
      return this.$.isReferenced
    }
    refresh() {
      this.$.due = internal.elapsed() + this._idleTimeout
      return this
    }
    close() {
      clear(this)
      return this
    }
    [Symbol.toPrimitive]() {
      return this.$.id
    }
  }
  class Immediate {}
  function hide(target, value) {
    Object.defineProperty(target, '$', { value, writable: true, configurable: true, enumerable: false })
  }
  function check(run) {
    if (typeof run !== 'function') throw internal.wrongType('callback', 'of type function', run)
  }
  function clear(timer) {
    if (timer === undefined || timer === null) return
    const id = typeof timer === 'object' ? timer.$?.id : Number(timer)
    timers = timers.filter((each) => {
      if (each.$.id !== id) return true
      each.$.isActive = false
      return false
    })
    immediates = immediates.filter((each) => each !== timer)
  }
  exported.setTimeout = function setTimeout(run, delay, ...given) {
    check(run)
    const timer = new Timeout(run, delay, given, false)
    timers.push(timer)
    return timer
  }
  exported.setInterval = function setInterval(run, delay, ...given) {
    check(run)
    const timer = new Timeout(run, delay, given, true)
    timers.push(timer)
    return timer
  }
  exported.setImmediate = function setImmediate(run, ...given) {
    check(run)
    const immediate = new Immediate()
    hide(immediate, { run, given })
    immediates.push(immediate)
    return immediate
  }
  exported.clearTimeout = clear
  exported.clearInterval = clear
  exported.clearImmediate = clear

  /** Runs after the current task, before timers. */
  const soon = []
  internal.soon = (run) => soon.push(run)
  internal.turn = () => new Promise((resolve) => soon.push(resolve))
  internal.nextTick = (run, ...given) => {
    check(run)
    ticks.push([run, given])
  }
  internal.runTicks = () => {
    const [run, given] = ticks.shift()
    run(...given)
  }
  internal.hasTicks = () => ticks.length > 0

  /** Runs one task. Returns true when there was one, the milliseconds to wait for one, or undefined when there is none. */
  internal.runTask = () => {
    const now = internal.elapsed()
    const due = timers
      .filter((timer) => timer.$.due <= now)
      .sort((one, other) => one.$.due - other.$.due || one.$.id - other.$.id)[0]
    if (due !== undefined && !internal.afterTimers) {
      if (due._repeat !== null) due.$.due = Math.max(now, due.$.due) + due._repeat
      else timers = timers.filter((timer) => timer !== due)
      due.$.run.apply(due, due.$.given)
      return true
    }
    internal.afterTimers = false
    if (soon.length > 0) {
      soon.shift()()
      return true
    }
    if (immediates.length > 0) {
      const next = immediates.shift()
      next.$.run.apply(next, next.$.given)
      return true
    }
    const waiting = timers.filter((timer) => timer.$.isReferenced)
    if (waiting.length === 0) return undefined
    return Math.max(1, Math.min(...timers.map((timer) => timer.$.due)) - now)
  }
})
$polyfs.internal.define('timers', ({ exported, builtin }) => {
  Object.assign(exported, builtin('internal/timers'), { promises: builtin('timers/promises') })
})
$polyfs.internal.define('timers/promises', ({ exported, builtin }) => {
  const timers = builtin('internal/timers')
  exported.setTimeout = (delay, value) => new Promise((resolve) => timers.setTimeout(resolve, delay, value))
  exported.setImmediate = (value) => new Promise((resolve) => timers.setImmediate(resolve, value))
  exported.setInterval = async function* (delay, value) {
    for (;;) {
      await exported.setTimeout(delay)
      yield value
    }
  }
  exported.scheduler = { wait: (delay) => exported.setTimeout(delay), yield: () => exported.setImmediate() }
})
$polyfs.internal.define('console', ({ builtin, internal }) => {
  const { formatWithOptions, inspect, is } = builtin('internal/inspect')
  class Console {
    constructor(options, errors) {
      const isStream = options && typeof options.write === 'function'
      const stdout = isStream ? options : options.stdout
      const stderr = isStream ? errors || options : options.stderr || stdout
      const state = { indent: '', counts: new Map(), times: new Map(), stdout, stderr }
      Object.defineProperty(this, '$', { value: state, writable: true, configurable: true, enumerable: false })
      for (const name of Object.keys(methods)) this[name] = methods[name].bind(this)
    }
  }
  function write(self, stream, text) {
    const { indent } = self.$
    const shown = indent === '' ? text : indent + text.replaceAll('\n', '\n' + indent)
    self.$[stream].write(shown + '\n')
  }
  const out = (stream) =>
    function (...given) {
      write(this, stream, formatWithOptions({}, ...given))
    }
  const duration = (ms) => {
    if (ms >= 3600000) return (ms / 3600000).toFixed(3) + 'h'
    if (ms >= 60000) return (ms / 60000).toFixed(3) + 'm'
    if (ms >= 1000) return (ms / 1000).toFixed(3) + 's'
    return Number(ms.toFixed(3)) + 'ms'
  }
  const methods = {
    log: out('stdout'),
    info: out('stdout'),
    debug: out('stdout'),
    warn: out('stderr'),
    error: out('stderr'),
    trace(...given) {
      const error = new Error(formatWithOptions({}, ...given))
      error.name = 'Trace'
      write(this, 'stderr', String(error.stack).replace(/^Error/, 'Trace'))
    },
    dir(value, options) {
      write(this, 'stdout', inspect(value, { customInspect: false, ...options }))
    },
    dirxml(...given) {
      this.log(...given)
    },
    assert(condition, ...given) {
      if (condition) return
      if (typeof given[0] === 'string') given[0] = 'Assertion failed: ' + given[0]
      else given.unshift('Assertion failed')
      this.warn(...given)
    },
    count(label = 'default') {
      const next = (this.$.counts.get(String(label)) || 0) + 1
      this.$.counts.set(String(label), next)
      this.log(label + ': ' + next)
    },
    countReset(label = 'default') {
      this.$.counts.delete(String(label))
    },
    group(...given) {
      if (given.length > 0) this.log(...given)
      this.$.indent += '  '
    },
    groupCollapsed(...given) {
      this.group(...given)
    },
    groupEnd() {
      this.$.indent = this.$.indent.slice(0, -2)
    },
    time(label = 'default') {
      this.$.times.set(String(label), internal.elapsed())
    },
    timeEnd(label = 'default') {
      this.timeLog(label)
      this.$.times.delete(String(label))
    },
    timeLog(label = 'default', ...given) {
      const start = this.$.times.get(String(label))
      if (start === undefined)
        return void process.emitWarning("No such label '" + label + "' for console.time" + 'End()')
      this.log(formatWithOptions({}, label + ': ' + duration(internal.elapsed() - start), ...given))
    },
    table(data, properties) {
      if (data === null || typeof data !== 'object') return void this.log(data)
      this.log(tableText(data, properties))
    },
  }
  const cell = (value) =>
    inspect(value, {
      maxArrayLength: 3,
      breakLength: Infinity,
      depth:
        value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0,
    })

  function tableText(data, properties) {
    const isMap = is.map(data)
    const isSet = is.set(data)
    const first = isMap || isSet ? '(iteration index)' : '(index)'
    const rows = []
    if (isMap) for (const [key, value] of data) rows.push([String(rows.length), value, cell(key)])
    else if (isSet) for (const value of data) rows.push([String(rows.length), value])
    else for (const key of Object.keys(data)) rows.push([key, data[key]])
    const columns = new Map()
    const values = new Map()
    for (const [index, [, value]] of rows.entries()) {
      const isPrimitive = value === null || (typeof value !== 'object' && typeof value !== 'function')
      if (isPrimitive || isMap) values.set(index, cell(value))
      else {
        for (const key of properties || Object.keys(value)) {
          if (!columns.has(key)) columns.set(key, new Map())
          if (Object.hasOwn(value, key)) columns.get(key).set(index, cell(value[key]))
        }
      }
    }
    const head = [first, ...(isMap ? ['Key'] : []), ...columns.keys()]
    if (values.size > 0 || isMap) head.push('Values')
    const body = rows.map(([name, , key], index) => {
      const line = [name, ...(isMap ? [key] : []), ...[...columns.values()].map((column) => column.get(index) || '')]
      if (values.size > 0 || isMap) line.push(values.get(index) || '')
      return line
    })
    const widths = head.map((title, at) => Math.max(width(title), ...body.map((line) => width(line[at]))) + 2)
    const bar = (left, middle, right) => left + widths.map((size) => '─'.repeat(size)).join(middle) + right
    const row = (line) =>
      '│' + line.map((text, at) => ' ' + text + ' '.repeat(widths[at] - width(text) - 1)).join('│') + '│'
    return [bar('┌', '┬', '┐'), row(head), bar('├', '┼', '┤'), ...body.map(row), bar('└', '┴', '┘')].join('\n')
  }
  const width = (text) => [...text].length
  const console = new Console({
    stdout: { write: (text) => process.stdout.write(text) },
    stderr: { write: (text) => process.stderr.write(text) },
  })
  Object.defineProperty(console, 'Console', { value: Console, writable: true, configurable: true })
  Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true })
  return console
})
$polyfs.internal.define('process', ({ builtin, internal }) => {
  const EventEmitter = builtin('events')
  class Process extends EventEmitter {}
  Object.defineProperty(Process, 'name', { value: 'process' })
  Object.defineProperty(Process.prototype, Symbol.toStringTag, { value: 'process', configurable: true })
  const process = new Process()
  let cwd = '/'
  internal.setDirectory = (path) => {
    cwd = path
  }
  const output = (descriptor) => {
    const { Writable } = builtin('stream')
    const stream = new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        put(chunk)
        done()
      },
    })
    const put = (chunk, encoding) => {
      if (typeof chunk === 'string') {
        if (encoding && encoding !== 'utf8' && encoding !== 'utf-8')
          internal.sys('out', descriptor, internal.encodeText(chunk, encoding))
        else internal.print(descriptor, chunk.toWellFormed())
      } else if (chunk instanceof Uint8Array) internal.sys('out', descriptor, internal.plainBytes(chunk))
      else throw internal.wrongType('chunk', 'of type string or an instance of Buffer or Uint8Array', chunk)
    }
    stream.write = (chunk, encoding, done) => {
      put(chunk, typeof encoding === 'string' ? encoding : undefined)
      const after = typeof encoding === 'function' ? encoding : done
      if (typeof after === 'function') internal.nextTick(after)
      return true
    }
    stream.fd = descriptor
    stream._type = 'pipe'
    stream.hasColors = () => false
    stream.getColorDepth = () => 1
    return stream
  }
  let hasHint = false
  function printWarning(warning) {
    if (process.env.NODE_NO_WARNINGS === '1' || process.execArgv.includes('--no-warnings')) return
    const isDeprecation = warning.name === 'DeprecationWarning'
    if (isDeprecation && (process.noDeprecation || process.execArgv.includes('--no-deprecation'))) return
    const about = '(node:' + process.pid + ') ' + (warning.code ? '[' + warning.code + '] ' : '')
    const detail = typeof warning.detail === 'string' ? '\n' + warning.detail : ''
    const flag = isDeprecation ? '--trace-deprecation' : '--trace-warnings'
    const isTraced = process.execArgv.includes(flag) || process.execArgv.includes('--trace-warnings')
    const text = isTraced && warning.stack ? warning.stack : warning.name + ': ' + warning.message
    const hint = hasHint || isTraced ? '' : '\n(Use `node ' + flag + ' ...` to show where the warning was created)'
    hasHint = true
    process.stderr.write(about + text + detail + hint + '\n')
  }
  const lazy = (name, make) => {
    let made
    Object.defineProperty(process, name, {
      configurable: true,
      enumerable: true,
      get: () => (made = made || make()),
      set: (value) => {
        made = value
      },
    })
  }
  Object.assign(process, {
    title: 'node',
    version: 'v20.20.2',
    versions: { node: '20.20.2', v8: '11.3.244.8-node.33', uv: '1.46.0', modules: '115' },
    arch: 'x64',
    platform: 'linux',
    release: { name: 'node', lts: 'Iron' },
    features: { inspector: false, tls: false, typescript: 'strip' },
    config: { target_defaults: {}, variables: {} },
    argv: [],
    argv0: 'node',
    execArgv: [],
    execPath: '/usr/bin/node',
    env: {},
    pid: 4242,
    ppid: 4241,
    exitCode: undefined,
    cwd: () => cwd,
    chdir(path) {
      const target = builtin('path').resolve(path)
      let stat
      try {
        stat = internal.call('stat', target, true)
      } catch (error) {
        throw internal.fileFailure(error.$code || 'EIO', 'chdir', cwd, path)
      }
      if (stat.kind !== 'directory') throw internal.fileFailure('ENOTDIR', 'chdir', cwd, path)
      cwd = target
    },
    exit(code) {
      if (code !== undefined) process.exitCode = code
      internal.leave()
    },
    reallyExit(code) {
      internal.sys('exit', Number(code || 0))
    },
    abort() {
      internal.sys('exit', 134)
    },
    kill(_pid, signal) {
      if (signal === 0) return true
      throw new Error('process.kill is not supported by this shell')
    },
    nextTick: internal.nextTick,
    uptime: () => internal.elapsed() / 1000,
    umask: () => internal.umask,
    getuid: () => 1000,
    geteuid: () => 1000,
    getgid: () => 1000,
    getegid: () => 1000,
    getgroups: () => [1000],
    memoryUsage: Object.assign(
      () => ({ rss: 45000000, heapTotal: 6000000, heapUsed: 5000000, external: 1000000, arrayBuffers: 10000 }),
      { rss: () => 45000000 },
    ),
    cpuUsage: () => ({ user: Math.round(internal.elapsed() * 1000), system: 0 }),
    resourceUsage: () => ({ userCPUTime: Math.round(internal.elapsed() * 1000), systemCPUTime: 0, maxRSS: 45000 }),
    hrtime: Object.assign(
      (before) => {
        const now = internal.elapsed()
        let seconds = Math.floor(now / 1000)
        let nanoseconds = Math.floor((now % 1000) * 1e6)
        if (before) {
          seconds -= before[0]
          nanoseconds -= before[1]
          if (nanoseconds < 0) {
            seconds -= 1
            nanoseconds += 1e9
          }
        }
        return [seconds, nanoseconds]
      },
      { bigint: () => BigInt(Math.floor(internal.elapsed() * 1e6)) },
    ),
    emitWarning(warning, type, code) {
      const options = typeof type === 'object' && type !== null ? type : { type, code }
      if (options.type === 'DeprecationWarning' && process.noDeprecation) return
      let shown = warning
      if (!(warning instanceof Error)) {
        shown = new Error(warning)
        shown.name = String(options.type || 'Warning')
        if (options.code !== undefined) shown.code = options.code
        if (options.detail !== undefined) shown.detail = options.detail
      }
      internal.nextTick(() => {
        printWarning(shown)
        process.emit('warning', shown)
      })
    },
    binding() {
      throw new Error('process.binding is not supported by this shell')
    },
    allowedNodeEnvironmentFlags: new Set(),
  })
  lazy('stdout', () => output(1))
  lazy('stderr', () => output(2))
  lazy('stdin', () => {
    const { Readable } = builtin('stream')
    let isAsked = false
    const stream = new Readable({
      emitClose: false,
      read() {
        if (isAsked) return
        isAsked = true
        internal.soon(() => {
          const bytes = internal.sys('stdin')
          for (let at = 0; at < bytes.length; at += 65536) stream.push(internal.adoptBytes(bytes.slice(at, at + 65536)))
          stream.push(null)
        })
      },
    })
    stream.fd = 0
    stream.setRawMode = () => stream
    stream.ref = () => stream
    stream.unref = () => stream
    return stream
  })
  return process
})
