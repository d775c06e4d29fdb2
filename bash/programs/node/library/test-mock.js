/** What tests put in the place of functions and timers. */
'use strict'
$polyfs.internal.define('internal/test-mock', ({ exported, builtin, internal }) => {
  const inspect = builtin('internal/inspect').inspect
  const invalidValue = (name, value, why) =>
    new internal.NodeTypeError(
      'ERR_INVALID_ARG_VALUE',
      'The ' +
        (name.includes('.') ? 'property' : 'argument') +
        " '" +
        name +
        "' " +
        why +
        '. Received ' +
        inspect(value),
    )
  const invalidState = (why) => new internal.NodeError('ERR_INVALID_STATE', 'Invalid state: ' + why)
  function checkFunction(value, name) {
    if (typeof value !== 'function') throw internal.wrongType(name, 'of type function', value)
  }
  function checkObject(value, name) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      throw internal.wrongType(name, 'of type object', value)
  }
  function checkBoolean(value, name) {
    if (typeof value !== 'boolean') throw internal.wrongType(name, 'of type boolean', value)
  }
  function checkInteger(value, name, min) {
    if (typeof value !== 'number') throw internal.wrongType(name, 'of type number', value)
    if (!Number.isInteger(value) || value < min)
      throw new internal.NodeRangeError(
        'ERR_OUT_OF_RANGE',
        'The value of "' +
          name +
          '" is out of range. It must be ' +
          (Number.isInteger(value) ? '>= ' + min + ' && <= 9007199254740991' : 'an integer') +
          '. Received ' +
          inspect(value),
      )
  }

  /** What is known of the calls of one function, for its owner only. */
  const states = new WeakMap()
  class MockFunctionContext {
    constructor(implementation, original, times) {
      states.set(this, { calls: [], next: new Map(), implementation, original, times })
    }
    get calls() {
      return [...states.get(this).calls]
    }
    callCount() {
      return states.get(this).calls.length
    }
    mockImplementation(implementation) {
      checkFunction(implementation, 'implementation')
      states.get(this).implementation = implementation
    }
    mockImplementationOnce(implementation, onCall) {
      checkFunction(implementation, 'implementation')
      const state = states.get(this)
      const call = onCall ?? state.calls.length
      checkInteger(call, 'onCall', state.calls.length)
      state.next.set(call, implementation)
    }
    restore() {
      const state = states.get(this)
      const { descriptor, object, original, methodName } = state.original
      if (typeof methodName === 'string') Object.defineProperty(object, methodName, descriptor)
      else state.implementation = original
    }
    resetCalls() {
      states.get(this).calls = []
    }
  }
  function nextImplementation(context) {
    const state = states.get(context)
    const count = state.calls.length
    const found = state.next.get(count) ?? state.implementation
    if (count + 1 === state.times) context.restore()
    state.next.delete(count)
    return found
  }

  const asOriginal = () => {}
  exported.MockTracker = class MockTracker {
    #mocks = []
    #timers
    get timers() {
      this.#timers = this.#timers ?? new MockTimers()
      return this.#timers
    }
    fn(original = function () {}, implementation = original, options = {}) {
      let [first, second, rest] = [original, implementation, options]
      if (first !== null && typeof first === 'object') {
        rest = first
        first = function () {}
        second = first
      } else if (second !== null && typeof second === 'object') {
        rest = second
        second = first
      }
      checkFunction(first, 'original')
      checkFunction(second, 'implementation')
      checkObject(rest, 'options')
      return this.#mock(new MockFunctionContext(second, { original: first }, timesOf(rest)), first)
    }
    method(target, methodName, implementation = asOriginal, options = {}) {
      if (typeof methodName !== 'string' && typeof methodName !== 'symbol')
        throw internal.wrongType('methodName', 'one of type string or symbol', methodName)
      if (typeof target !== 'function') checkObject(target, 'object')
      let [instead, rest] = [implementation, options]
      if (instead !== null && typeof instead === 'object') [instead, rest] = [asOriginal, instead]
      checkFunction(instead, 'implementation')
      checkObject(rest, 'options')
      const { getter = false, setter = false } = rest
      checkBoolean(getter, 'options.getter')
      checkBoolean(setter, 'options.setter')
      const times = timesOf(rest)
      if (setter && getter) throw invalidValue('options.setter', setter, "cannot be used with 'options.getter'")
      /** @type {any} */
      const descriptor = descriptorOf(target, methodName)
      const original = getter ? descriptor?.get : setter ? descriptor?.set : descriptor?.value
      if (typeof original !== 'function') throw invalidValue('methodName', original, 'must be a method')
      const context = new MockFunctionContext(
        instead === asOriginal ? original : instead,
        { descriptor, object: target, methodName },
        times,
      )
      const mock = this.#mock(context, original)
      const { configurable, enumerable, writable } = descriptor
      const value = getter
        ? { get: mock, set: descriptor.set }
        : setter
          ? { get: descriptor.get, set: mock }
          : { writable, value: mock }
      Object.defineProperty(target, methodName, { configurable, enumerable, ...value })
      return mock
    }
    getter(object, methodName, implementation = asOriginal, options = {}) {
      return this.#accessor('getter', object, methodName, [implementation, options])
    }
    setter(object, methodName, implementation = asOriginal, options = {}) {
      return this.#accessor('setter', object, methodName, [implementation, options])
    }
    #accessor(kind, object, methodName, [implementation, options]) {
      let [instead, rest] = [implementation, options]
      if (instead !== null && typeof instead === 'object') [instead, rest] = [asOriginal, instead]
      else checkObject(rest, 'options')
      const { [kind]: isWanted = true } = rest
      if (isWanted === false) throw invalidValue('options.' + kind, isWanted, 'cannot be false')
      return this.method(object, methodName, instead, { ...rest, [kind]: isWanted })
    }
    reset() {
      this.restoreAll()
      this.#timers?.reset()
      this.#mocks = []
    }
    restoreAll() {
      for (const context of this.#mocks) context.restore()
    }
    #mock(context, like) {
      const track = (call) => states.get(context).calls.push(call)
      const traced = (run, about) => {
        let result
        let error
        try {
          result = run()
          return result
        } catch (thrown) {
          error = thrown
          throw thrown
        } finally {
          track({
            arguments: about.given,
            error,
            result,
            stack: new Error(),
            target: about.target,
            this: about.self(result),
          })
        }
      }
      const mock = new Proxy(like, {
        apply(_like, self, given) {
          const run = nextImplementation(context)
          return traced(() => Reflect.apply(run, self, given), { given, target: undefined, self: () => self })
        },
        construct(target, given, newTarget) {
          const Real = nextImplementation(context)
          return traced(() => Reflect.construct(Real, given, newTarget), { given, target, self: (result) => result })
        },
        get: (target, name, receiver) => (name === 'mock' ? context : Reflect.get(target, name, receiver)),
      })
      this.#mocks.push(context)
      return mock
    }
  }
  function timesOf({ times = Infinity }) {
    if (times !== Infinity) checkInteger(times, 'options.times', 1)
    return times
  }
  function descriptorOf(target, name) {
    for (let at = target; at !== null; at = Object.getPrototypeOf(at)) {
      const found = Object.getOwnPropertyDescriptor(at, name)
      if (found) return found
    }
    return undefined
  }

  const apis = ['setTimeout', 'setInterval', 'setImmediate', 'Date', 'scheduler.wait']
  class MockTimeout {
    constructor(id, { callback, runAt, interval, args }) {
      Object.assign(this, { id, callback, runAt, interval, args })
    }
    hasRef() {
      return true
    }
    ref() {
      return this
    }
    unref() {
      return this
    }
    refresh() {
      return this
    }
  }
  class MockTimers {
    #isEnabled = false
    #now = 0
    #count = 0
    #queue = []
    #undo = []
    constructor() {
      process.emitWarning(
        'The MockTimers API is an experimental feature and might change at any time',
        'ExperimentalWarning',
      )
    }
    #create(isInterval, callback, delay, ...args) {
      const wait = delay > 2147483647 ? 1 : delay
      this.#count += 1
      const timer = new MockTimeout(this.#count, {
        callback,
        runAt: this.#now + wait,
        interval: isInterval ? wait : undefined,
        args,
      })
      this.#queue.push(timer)
      return timer
    }
    #clear = (timer) => {
      this.#queue = this.#queue.filter((each) => each !== timer)
    }
    /** The next one; of those at the same time the one that was made first. */
    #first() {
      return this.#queue.reduce(
        (first, each) =>
          first === undefined || each.runAt < first.runAt || (each.runAt === first.runAt && each.id < first.id)
            ? each
            : first,
        undefined,
      )
    }
    #put(target, name, value) {
      /** @type {any} */
      const before = Object.getOwnPropertyDescriptor(target, name)
      Object.defineProperty(target, name, { ...before, value })
      this.#undo.push(() => Object.defineProperty(target, name, before))
    }
    #promised(start, result, options) {
      return new Promise((resolve, reject) => {
        const signal = options?.signal
        const aborted = () => new DOMException('The operation was aborted', 'AbortError')
        if (signal?.aborted) return void reject(aborted())
        const timer = start(() => resolve(result))
        signal?.addEventListener(
          'abort',
          () => {
            this.#clear(timer)
            reject(aborted())
          },
          { once: true },
        )
      })
    }
    #replace(api) {
      const timers = builtin('timers')
      const promises = builtin('timers/promises')
      const setTimeout = (callback, delay, ...args) => this.#create(false, callback, delay, ...args)
      const setInterval = (callback, delay, ...args) => this.#create(true, callback, delay, ...args)
      const setImmediate = (callback, ...args) => this.#create(false, callback, -1, ...args)
      const wait = (delay, result, options) =>
        this.#promised((resolve) => this.#create(false, resolve, delay), result, options)
      const both = (name, value) => {
        this.#put(globalThis, name, value)
        this.#put(timers, name, value)
      }
      if (api === 'setTimeout') {
        both('setTimeout', setTimeout)
        both('clearTimeout', this.#clear)
        this.#put(promises, 'setTimeout', wait)
      } else if (api === 'setInterval') {
        both('setInterval', setInterval)
        both('clearInterval', this.#clear)
        const { on } = builtin('events')
        const EventEmitter = builtin('events')
        const mock = this
        this.#put(promises, 'setInterval', async function* (delay, value) {
          const emitter = new EventEmitter()
          const timer = mock.#create(true, () => emitter.emit('data', value), delay)
          try {
            for await (const [each] of on(emitter, 'data')) yield each
          } finally {
            mock.#clear(timer)
          }
        })
      } else if (api === 'setImmediate') {
        both('setImmediate', setImmediate)
        both('clearImmediate', this.#clear)
        this.#put(promises, 'setImmediate', (result, options) =>
          this.#promised((resolve) => setImmediate(resolve), result, options),
        )
      } else if (api === 'scheduler.wait')
        this.#put(promises.scheduler, 'wait', (delay, options) => wait(delay, undefined, options))
      else this.#put(globalThis, 'Date', this.#date())
    }
    #date() {
      /** @type {any} */
      const Native = Date
      if (Native.isMock) throw invalidState('Date is already being mocked!')
      const now = () => this.#now
      function MockDate(...given) {
        if (!new.target) return new Native(now()).toString()
        return given.length === 0 ? new Native(now()) : Reflect.construct(Native, given)
      }
      const { prototype: _, ...own } = Object.getOwnPropertyDescriptors(Native)
      Object.defineProperties(MockDate, own)
      MockDate.now = now
      MockDate.toString = () => Function.prototype.toString.call(Native)
      Object.defineProperty(MockDate, 'isMock', { value: true, enumerable: true })
      MockDate.prototype = Native.prototype
      return MockDate
    }
    #mustBeEnabled() {
      if (!this.#isEnabled) throw invalidState('You should enable MockTimers first by calling the .enable function')
    }
    tick(time = 1) {
      this.#mustBeEnabled()
      if (time < 0) throw invalidValue('time', 'positive integer', 'is invalid')
      this.#now += time
      for (let timer = this.#first(); timer !== undefined && timer.runAt <= this.#now; timer = this.#first()) {
        Reflect.apply(timer.callback, undefined, timer.args)
        const isThere = this.#queue.includes(timer)
        this.#clear(timer)
        if (timer.interval === undefined || !isThere) continue
        timer.runAt += timer.interval
        this.#queue.push(timer)
      }
    }
    enable(options = {}) {
      if (this.#isEnabled) throw invalidState('MockTimers is already enabled!')
      const { now = 0 } = options
      const wanted = options.apis || apis
      if (!Array.isArray(wanted)) throw internal.wrongType('options.apis', 'an instance of Array', wanted)
      for (const api of wanted)
        if (!apis.includes(api)) throw invalidValue('options.apis', api, 'option ' + api + ' is not supported')
      const time = now instanceof Date ? now.getTime() : now || 0
      if (typeof time !== 'number') throw internal.wrongType('initialTime', 'of type number', time)
      if (Number.isNaN(time) || time < 0) throw invalidValue('time', 'positive integer', 'is invalid')
      this.#now = time
      for (const api of wanted) this.#replace(api)
      this.#isEnabled = true
    }
    setTime(time = 0) {
      if (typeof time !== 'number') throw internal.wrongType('time', 'of type number', time)
      if (time < 0) throw invalidValue('time', 'positive integer', 'is invalid')
      this.#mustBeEnabled()
      this.#now = time
    }
    reset() {
      if (!this.#isEnabled) return
      this.#isEnabled = false
      for (const undo of this.#undo.reverse()) undo()
      this.#undo = []
      this.#now = 0
      this.#queue = []
    }
    runAll() {
      this.#mustBeEnabled()
      if (this.#queue.length > 0) this.tick(Math.max(...this.#queue.map(({ runAt }) => runAt)) - this.#now)
    }
  }
})
