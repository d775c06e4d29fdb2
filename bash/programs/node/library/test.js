/** The module `test`: tests and suites with their hooks, and the order in which they run and are reported. */
'use strict'
$polyfs.internal.define('internal/test', ({ exported, builtin, internal }) => {
  const { Failure, countTest, isTestFailure, options: optionsOfRun, inspectOnce } = builtin('internal/test-parts')
  const cancelledByParent = 'cancelledByParent'

  /** What a test of Node's has, run in Node's order. */
  class Test {
    /** @type {string | undefined} `suite`, for those. */
    reportedType
    /** @type {string | undefined} Which hook it is, if it is one. */
    hookType
    /** @type {any[]} */
    subtests
    /** @type {boolean | undefined} A suite has all its tests. */
    isBuilt
    /** @param {any} options */
    constructor({ fn, name, parent, skip, concurrency, loc, only, timeout, todo, signal, plan }) {
      const { testOnly, namePatterns } = optionsOfRun()
      let run = typeof fn === 'function' ? fn : () => {}
      this.name = typeof name === 'string' && name !== '' ? name : run.name || '<anonymous>'
      this.parent = parent instanceof Test ? parent : null
      const from = this.parent
      if (from === null) {
        this.concurrency = 1
        this.nesting = 0
        this.only = testOnly
        this.reporter = new (builtin('internal/test-parts').TestsStream)()
        this.runOnlySubtests = this.only
        this.testNumber = 0
        this.timeout = null
        this.root = this
        this.hooks = { before: [], after: [], beforeEach: [], afterEach: [], ownAfterEachCount: 0 }
      } else {
        this.concurrency = from.concurrency
        this.nesting = from.parent === null ? from.nesting : from.nesting + 1
        this.only = only ?? !from.runOnlySubtests
        this.reporter = from.reporter
        this.runOnlySubtests = !this.only
        this.testNumber = from.subtests.length + 1
        this.timeout = from.timeout
        this.root = from.root
        this.hooks = {
          before: [],
          after: [],
          beforeEach: [...from.hooks.beforeEach],
          afterEach: [...from.hooks.afterEach],
          ownAfterEachCount: 0,
        }
      }
      if (typeof concurrency === 'number') {
        checkNumber(concurrency, 'options.concurrency', 1, 4294967295)
        this.concurrency = concurrency
      } else if (typeof concurrency === 'boolean') {
        this.concurrency = concurrency ? (from === null ? 1 : Infinity) : 1
      } else if (concurrency != null) {
        throw internal.wrongType('options.concurrency', 'of type boolean or number', concurrency)
      }
      if (timeout != null && timeout !== Infinity) {
        checkNumber(timeout, 'options.timeout', 0, 2147483647)
        this.timeout = timeout
      }
      let skipped = skip
      if (namePatterns !== null && !this.matchesNamePatterns()) skipped = 'test name does not match pattern'
      if (testOnly && !this.only) skipped = "'only' option not set"
      if (skipped) run = () => {}
      if (signal !== undefined && !(signal && typeof signal === 'object' && 'aborted' in signal))
        throw internal.wrongType('options.signal', 'an instance of AbortSignal', signal)
      this.abortController = new internal.events.AbortController()
      this.signal = this.abortController.signal
      this.outerSignal = signal
      this.onAbort = () => {
        const error = this.outerSignal?.reason || new DOMException('The test was aborted', 'AbortError')
        error.failureType = 'testAborted'
        this.cancel(error)
      }
      if (signal) signal.addEventListener('abort', this.onAbort)
      this.fn = run
      this.harness = null
      this.mock = null
      this.plan = null
      this.expectedAssertions = plan
      this.cancelled = false
      this.skipped = skipped !== undefined && skipped !== false
      this.isTodo = todo !== undefined && todo !== false
      this.startTime = null
      this.endTime = null
      this.passed = false
      this.error = null
      this.diagnostics = []
      this.message = typeof skipped === 'string' ? skipped : typeof todo === 'string' ? todo : null
      this.activeSubtests = 0
      this.pendingSubtests = []
      this.readySubtests = new Map()
      this.subtests = []
      this.waitingOn = 0
      this.finished = false
      this.isReportStarted = false
      if (!testOnly && (only || this.runOnlySubtests))
        this.diagnostic("'only' and 'runOnly' require the --test-only command-line option.")
      this.loc = process.argv[1] === undefined ? undefined : loc
    }

    matchesNamePatterns() {
      return (
        optionsOfRun().namePatterns.some((pattern) => pattern.test(this.name)) || this.parent?.matchesNamePatterns()
      )
    }
    hasConcurrency() {
      return this.concurrency > this.activeSubtests
    }

    async processPendingSubtests() {
      while (this.pendingSubtests.length > 0 && this.hasConcurrency()) {
        const { test, resolve } = this.pendingSubtests.shift()
        this.reporter.say('test:dequeue', { nesting: test.nesting, name: test.name, ...test.loc })
        await test.run()
        resolve()
      }
    }
    processReadySubtests(isClear) {
      const start = this.waitingOn
      const end = start + this.readySubtests.size
      let canSend = isClear
      for (let at = start; at < end; at += 1) {
        const subtest = this.readySubtests.get(at)
        if (subtest === undefined) return
        canSend = canSend || this.isClearToSend()
        if (!canSend) return
        subtest.finalize()
        this.readySubtests.delete(at)
      }
    }

    createSubtest(Factory, name, options, fn, overrides) {
      let [title, settings, run] = [name, options, fn]
      if (typeof title === 'function') run = title
      else if (title !== null && typeof title === 'object') [settings, run] = [title, options]
      else if (typeof settings === 'function') run = settings
      if (settings === null || typeof settings !== 'object') settings = {}
      // What is added after the end of a test belongs to the root, and fails there.
      const isTooLate = this.finished || this.isBuilt
      const parent = isTooLate ? this.root : this
      const test = new Factory({ fn: run, name: title, parent, ...settings, ...overrides })
      if (parent.waitingOn === 0) parent.waitingOn = test.testNumber
      if (isTooLate)
        test.fail(new Failure('test could not be started because its parent finished', 'parentAlreadyFinished'))
      parent.subtests.push(test)
      return test
    }

    cancel(error) {
      if (this.endTime !== null || this.error !== null) return
      this.fail(error || new Failure('test did not finish before its parent and was cancelled', cancelledByParent))
      this.cancelled = true
      this.abortController.abort()
    }

    createHook(name, fn, options) {
      const hook = new TestHook(fn, options)
      if (name === 'before' || name === 'after') hook.run = once(hook.run.bind(hook))
      if (name === 'before' && this.startTime !== null) {
        // It runs at once, where the test runs already.
        hook.run(this.getRunArgs()).then(() => {
          if (hook.error !== null) this.fail(hook.error)
        })
      }
      if (name === 'afterEach') {
        // Those of the test itself run before those of what is around it.
        this.hooks.afterEach.splice(this.hooks.ownAfterEachCount, 0, hook)
        this.hooks.ownAfterEachCount += 1
      } else this.hooks[name].push(hook)
      return hook
    }

    fail(error) {
      if (this.error !== null) return
      this.passed = false
      this.error = error
    }
    pass() {
      if (this.error === null) this.passed = true
    }
    skip(message) {
      this.skipped = true
      this.message = message
    }
    todo(message) {
      this.isTodo = true
      this.message = message
    }
    diagnostic(message) {
      this.diagnostics.push(message)
    }

    start() {
      this.reporter.say('test:enqueue', { nesting: this.nesting, name: this.name, ...this.loc })
      if (!this.root.harness.allowTestsToRun || !this.parent.hasConcurrency())
        return new Promise((resolve) => this.parent.pendingSubtests.push({ test: this, resolve }))
      this.reporter.say('test:dequeue', { nesting: this.nesting, name: this.name, ...this.loc })
      return this.run()
    }
    shouldAbort() {
      if (!this.signal.aborted && !this.outerSignal?.aborted) return false
      this.onAbort()
      return true
    }
    /** @returns {{ ctx: any, args: any[] }} */
    getRunArgs() {
      const ctx = new TestContext(this)
      return { ctx, args: [ctx] }
    }
    async runHook(name, args) {
      try {
        for (const hook of this.hooks[name]) {
          await hook.run(args)
          if (hook.error) throw hook.error
        }
      } catch (error) {
        const failure = new Failure('failed running ' + name + ' hook', 'hookFailed')
        failure.cause = isTestFailure(error) ? error.cause : error
        throw failure
      }
    }

    async run() {
      if (this.parent !== null) this.parent.activeSubtests += 1
      this.startTime = this.startTime ?? internal.elapsed()
      if (this.shouldAbort()) return void this.postRun()
      const hookArgs = this.getRunArgs()
      const { args, ctx } = hookArgs
      if (this.plan === null && this.expectedAssertions) ctx.plan(this.expectedAssertions)
      const after = async () => {
        if (this.hooks.after.length > 0) await this.runHook('after', hookArgs)
      }
      const afterEach = once(async () => {
        if (this.parent?.hooks.afterEach.length > 0 && !this.skipped) await this.parent.runHook('afterEach', hookArgs)
      })
      let stop
      try {
        if (this.parent?.hooks.before.length > 0) await this.parent.runHook('before', this.parent.getRunArgs())
        if (this.parent?.hooks.beforeEach.length > 0 && !this.skipped) await this.parent.runHook('beforeEach', hookArgs)
        stop = stopOf(this.timeout, this.signal)
        if (this.fn.length === args.length + 1) {
          // A callback of the old kind is its last argument.
          const { promise, done } = callback()
          const returned = inTest(this, () => Reflect.apply(this.fn, ctx, [...args, done]))
          if (internal.builtin('util').types.isPromise(returned)) {
            this.fail(new Failure('passed a callback but also returned a Promise', 'callbackAndPromisePresent'))
            await Promise.race([returned, stop.promise])
          } else await Promise.race([promise, stop.promise])
        } else {
          const returned = inTest(this, () => Reflect.apply(this.fn, ctx, args))
          await Promise.race([Promise.resolve(returned), stop.promise])
        }
        this.shouldAbort()
        if (this.plan !== null) this.plan.check()
        this.pass()
        await afterEach()
        await after()
      } catch (error) {
        if (!isTestFailure(error)) this.fail(new Failure(error, 'testCodeFailure'))
        else if (error.failureType === 'testTimeoutFailure') this.cancel(error)
        else this.fail(error)
        // The test has failed already.
        await afterEach().catch(() => {})
        await after().catch(() => {})
      } finally {
        stop?.dispose()
        if (this.parent !== null) this.abortController.abort()
      }
      leaveTest(this)
      if (this.parent !== null || typeof this.hookType === 'string') this.postRun()
      else if (optionsOfRun().forceExit) {
        this.harness.teardown()
        this.reporter.finished(() => process.exit())
      }
    }

    postRun(pendingError) {
      this.endTime = this.endTime ?? internal.elapsed()
      this.startTime = this.startTime ?? this.endTime
      this.pendingSubtests = []
      let failed = 0
      for (const subtest of this.subtests) {
        if (!subtest.finished) {
          subtest.cancel(pendingError)
          subtest.postRun(pendingError)
        }
        if (!subtest.passed && !subtest.isTodo) failed += 1
      }
      if ((this.passed || this.parent === null) && failed > 0)
        this.fail(new Failure(failed + ' subtest' + (failed > 1 ? 's' : '') + ' failed', 'subtestsFailed'))
      this.outerSignal?.removeEventListener('abort', this.onAbort)
      this.mock?.reset()
      if (this.parent !== null) {
        const { details, directive } = this.details()
        details.passed = this.passed
        this.reporter.say('test:complete', this.entry(details, directive))
        this.parent.activeSubtests -= 1
        this.parent.readySubtests.set(this.testNumber, this)
        this.parent.processReadySubtests(false)
        this.parent.processPendingSubtests()
        const { root } = this
        // Nothing is left to run: what is to be done after all of it can be done.
        if (
          this.parent === root &&
          root.activeSubtests === 0 &&
          root.pendingSubtests.length === 0 &&
          root.readySubtests.size === 0
        )
          root.run()
      } else if (!this.reported) {
        this.reported = true
        const { counters } = this.harness
        const { nesting, loc } = this
        this.reporter.say('test:plan', { nesting, count: counters.topLevel, ...loc })
        const messages = [
          ...this.diagnostics,
          'tests ' + counters.all,
          'suites ' + counters.suites,
          'pass ' + counters.passed,
          'fail ' + counters.failed,
          'cancelled ' + counters.cancelled,
          'skipped ' + counters.skipped,
          'todo ' + counters.todo,
          'duration_ms ' + this.duration(),
        ]
        for (const message of messages) this.reporter.say('test:diagnostic', { nesting, message, ...loc })
        this.reporter.end()
      }
    }
    isClearToSend() {
      return this.parent === null || (this.parent.waitingOn === this.testNumber && this.parent.isClearToSend())
    }
    finalize() {
      this.processReadySubtests(true)
      this.report()
      this.parent.waitingOn += 1
      this.finished = true
    }
    duration() {
      return internal.milliseconds(this.endTime - this.startTime)
    }
    details() {
      const details = { duration_ms: this.duration() }
      const directive = this.skipped
        ? { skip: this.message ?? true }
        : this.isTodo
          ? { todo: this.message ?? true }
          : undefined
      if (this.reportedType) details.type = this.reportedType
      if (!this.passed) details.error = this.error
      return { details, directive }
    }
    entry(details, directive) {
      return { name: this.name, nesting: this.nesting, testNumber: this.testNumber, details, ...this.loc, ...directive }
    }
    report() {
      countTest(this, this.root.harness)
      if (this.subtests.length > 0)
        this.reporter.say('test:plan', { nesting: this.subtests[0].nesting, count: this.subtests.length, ...this.loc })
      else this.reportStarted()
      const { details, directive } = this.details()
      this.reporter.say(this.passed ? 'test:pass' : 'test:fail', this.entry(details, directive))
      for (const message of this.diagnostics)
        this.reporter.say('test:diagnostic', { nesting: this.nesting, message, ...this.loc })
    }
    reportStarted() {
      if (this.isReportStarted || this.parent === null) return
      this.isReportStarted = true
      this.parent.reportStarted()
      this.reporter.say('test:start', { nesting: this.nesting, name: this.name, ...this.loc })
    }
  }

  class TestHook extends Test {
    constructor(fn, { loc, timeout, signal, parent, hookType }) {
      super({ fn, loc, timeout, signal })
      this.parentTest = parent ?? null
      this.hookType = hookType
    }
    run(args) {
      if (this.error && !this.outerSignal?.aborted) {
        this.passed = false
        this.error = null
        this.abortController.abort()
        this.abortController = new internal.events.AbortController()
        this.signal = this.abortController.signal
      }
      this.args = args
      return super.run()
    }
    getRunArgs() {
      return this.args
    }
    matchesNamePatterns() {
      return true
    }
    postRun() {
      const { error, loc, parentTest: parent } = this
      // Failures of the last hook of all are told, those of others by their tests.
      if (!error || parent === null || parent !== parent.root || this.hookType !== 'after') return
      if (isTestFailure(error)) error.failureType = 'hookFailed'
      this.endTime = this.endTime ?? internal.elapsed()
      parent.reporter.say('test:fail', {
        name: loc?.file,
        nesting: 0,
        testNumber: parent.subtests.length + 1,
        details: { duration_ms: this.duration(), error },
        ...loc,
      })
    }
  }

  class Suite extends Test {
    constructor(options) {
      super(options)
      this.reportedType = 'suite'
      const { testOnly, namePatterns } = optionsOfRun()
      if (namePatterns !== null && !options.skip) {
        this.fn = options.fn || this.fn
        this.skipped = false
      }
      this.runOnlySubtests = testOnly
      try {
        const { ctx, args } = this.getRunArgs()
        const built = whileBuilding(this, () => Reflect.apply(this.fn, ctx, args))
        this.buildSuite = Promise.resolve(built)
          .then(undefined, (error) => this.fail(new Failure(error, 'testCodeFailure')))
          .finally(() => {
            this.isBuilt = true
          })
      } catch (error) {
        this.fail(new Failure(error, 'testCodeFailure'))
        this.isBuilt = true
      }
      this.fn = () => {}
    }
    getRunArgs() {
      const ctx = new SuiteContext(this)
      return { ctx, args: [ctx] }
    }
    async run() {
      const hookArgs = this.getRunArgs()
      let stop
      const after = once(() => this.runHook('after', hookArgs))
      try {
        this.parent.activeSubtests += 1
        await this.buildSuite
        this.startTime = internal.elapsed()
        if (this.shouldAbort()) {
          this.subtests.length = 0
          return void this.postRun()
        }
        if (this.parent.hooks.before.length > 0) await this.parent.runHook('before', this.parent.getRunArgs())
        await this.runHook('before', hookArgs)
        stop = stopOf(this.timeout, this.signal)
        const subtests = this.skipped || this.error ? [] : this.subtests
        await Promise.race([Promise.all(subtests.map((subtest) => subtest.start())), stop.promise])
        await after()
        this.pass()
      } catch (error) {
        // The suite has failed already.
        await after().catch(() => {})
        this.fail(isTestFailure(error) ? error : new Failure(error, 'testCodeFailure'))
      } finally {
        stop?.dispose()
      }
      this.postRun()
    }
  }

  class TestPlan {
    constructor(count) {
      checkNumber(count, 'count', 0, 4294967295)
      this.expected = count
      this.actual = 0
    }
    check() {
      if (this.actual !== this.expected)
        throw new Failure(
          'plan expected ' + this.expected + ' assertions but received ' + this.actual,
          'testCodeFailure',
        )
    }
  }

  const copiedAssertions =
    'deepEqual deepStrictEqual doesNotMatch doesNotReject doesNotThrow equal fail ifError match notDeepEqual notDeepStrictEqual notEqual notStrictEqual rejects strictEqual throws'.split(
      ' ',
    )
  class TestContext {
    #assert
    #test
    constructor(test) {
      this.#test = test
    }
    get signal() {
      return this.#test.signal
    }
    get name() {
      return this.#test.name
    }
    get fullName() {
      return fullName(this.#test)
    }
    get error() {
      return this.#test.error
    }
    get passed() {
      return this.#test.passed
    }
    diagnostic(message) {
      this.#test.diagnostic(message)
    }
    plan(count) {
      if (this.#test.plan !== null) throw new Failure('cannot set plan more than once', 'testCodeFailure')
      this.#test.plan = new TestPlan(count)
    }
    get assert() {
      if (this.#assert === undefined) {
        const test = this.#test
        const original = builtin('assert')
        const made = Object.create(null)
        for (const name of [...copiedAssertions, 'ok']) {
          made[name] = (...given) => {
            if (test.plan !== null) test.plan.actual += 1
            return original[name](...given)
          }
        }
        this.#assert = made
      }
      return this.#assert
    }
    get mock() {
      this.#test.mock = this.#test.mock ?? new (builtin('internal/test-mock').MockTracker)()
      return this.#test.mock
    }
    runOnly(value) {
      this.#test.runOnlySubtests = Boolean(value)
    }
    skip(message) {
      this.#test.skip(message)
    }
    todo(message) {
      this.#test.todo(message)
    }
    test(name, options, fn) {
      const { plan } = this.#test
      if (plan !== null) plan.actual += 1
      return this.#test.createSubtest(Test, name, options, fn, { loc: callerPlace() }).start()
    }
    before(fn, options) {
      this.#test.createHook('before', fn, { ...options, hookType: 'before', loc: callerPlace() })
    }
    after(fn, options) {
      this.#test.createHook('after', fn, { ...options, hookType: 'after', loc: callerPlace() })
    }
    beforeEach(fn, options) {
      this.#test.createHook('beforeEach', fn, { ...options, hookType: 'beforeEach', loc: callerPlace() })
    }
    afterEach(fn, options) {
      this.#test.createHook('afterEach', fn, { ...options, hookType: 'afterEach', loc: callerPlace() })
    }
  }
  class SuiteContext {
    #suite
    constructor(suite) {
      this.#suite = suite
    }
    get signal() {
      return this.#suite.signal
    }
    get name() {
      return this.#suite.name
    }
    get fullName() {
      return fullName(this.#suite)
    }
  }
  function fullName(test) {
    const names = [test.name]
    for (let at = test.parent; at !== null && at !== at.root; at = at.parent) names.unshift(at.name)
    return names.join(' > ')
  }

  function checkNumber(value, name, min, max) {
    if (typeof value !== 'number') throw internal.wrongType(name, 'of type number', value)
    if (!(value >= min && value <= max))
      throw new internal.NodeRangeError(
        'ERR_OUT_OF_RANGE',
        'The value of "' +
          name +
          '" is out of range. It must be >= ' +
          min +
          ' && <= ' +
          max +
          '. Received ' +
          inspectOnce(value),
      )
  }
  function once(run) {
    let result
    return (...given) => (result = result ?? run(...given))
  }
  /** The old way to say that a test is done. */
  function callback() {
    let count = 0
    let settle
    const promise = new Promise((resolve, reject) => {
      settle = (error) => (error ? reject(error) : resolve(undefined))
    })
    const done = (error) => {
      count += 1
      if (count === 2) throw new Failure('callback invoked multiple times', 'multipleCallbackInvocations')
      if (count === 1) settle(error)
    }
    return { promise, done }
  }
  /** What ends a test before it has settled. */
  function stopOf(timeout, signal) {
    let timer
    let end
    const promise = new Promise((resolve, reject) => {
      end = () => resolve(undefined)
      signal.addEventListener('abort', end)
      if (timeout === null) return
      timer = timers.setTimeout(
        () => reject(new Failure('test timed out after ' + timeout + 'ms', 'testTimeoutFailure')),
        timeout,
      )
      timer.unref()
    })
    promise.catch(() => {})
    return {
      promise,
      dispose() {
        signal.removeEventListener('abort', end)
        if (timer !== undefined) timers.clearTimeout(timer)
      },
    }
  }
  // Those that a script may mock are others.
  const timers = { ...builtin('internal/timers') }

  /** Where the function of the library was called that called this. */
  function callerPlace() {
    const site = internal.callSites().find((each) => !internal.isHidden(each) && !each.isNative())
    return site === undefined ? undefined : internal.placeOf(site)
  }

  // The engine does not say on whose behalf code goes on after it waited, so what calls says it: the suite that is being made, or else the
  // test that runs. The top level of a module that goes on beside a test is none of it.
  let building
  let running = []
  function whileBuilding(suite, run) {
    const before = building
    building = suite
    try {
      const result = run()
      if (typeof result?.then === 'function') {
        waiting.push(suite)
        const settled = () => {
          waiting = waiting.filter((each) => each !== suite)
        }
        result.then(settled, settled)
      }
      return result
    } finally {
      building = before
    }
  }
  let waiting = []
  function inTest(test, run) {
    running.push(test)
    return run()
  }
  function leaveTest(test) {
    running = running.filter((each) => each !== test)
  }
  function currentTest() {
    if (building !== undefined) return building
    const isTopLevel = internal
      .callSites()
      .some((site) => site.getFunctionName() === '<module>' || site.getFunctionName() === '$main')
    if (isTopLevel) return globalRoot()
    return running[running.length - 1] ?? waiting[waiting.length - 1] ?? globalRoot()
  }

  function handlerOf(event, root) {
    return (error) => {
      if (!root.harness.bootstrapComplete) throw error
      const test = running[running.length - 1]
      if (test === undefined || test.finished || test.hookType) {
        const what = test?.hookType ? 'Test hook "' + test.hookType + '"' : undefined
        const place = test?.loc
          ? ' at ' +
            builtin('path').relative(process.cwd(), test.loc.file) +
            ':' +
            test.loc.line +
            ':' +
            test.loc.column
          : ''
        root.diagnostic(
          what === undefined
            ? 'Error: A resource generated asynchronous activity after the test ended. This activity created the error "' +
                error +
                '" which triggered an ' +
                event +
                ' event, caught by the test runner.'
            : 'Error: ' +
                what +
                place +
                ' generated asynchronous activity after the test ended. This activity created the error "' +
                error +
                '" and would have caused the test to fail, but instead triggered an ' +
                event +
                ' event.',
        )
        process.exitCode = 1
        return
      }
      test.fail(new Failure(error, event))
      test.abortController.abort()
    }
  }

  exported.createTestTree = function createTestTree(options = {}) {
    const root = new Test({ ...options, name: '<root>' })
    const onError = handlerOf('uncaughtException', root)
    const onRejection = handlerOf('unhandledRejection', root)
    const onEnd = async () => {
      if (root.subtests.length === 0 && (root.hooks.before.length > 0 || root.hooks.after.length > 0)) await root.run()
      root.postRun(
        new Failure('Promise resolution is still pending but the event loop has already resolved', cancelledByParent),
      )
      process.removeListener('uncaughtException', onError)
      process.removeListener('unhandledRejection', onRejection)
      process.removeListener('beforeExit', onEnd)
    }
    process.on('uncaughtException', onError)
    process.on('unhandledRejection', onRejection)
    process.on('beforeExit', onEnd)
    root.harness = {
      allowTestsToRun: false,
      bootstrapComplete: false,
      counters: { all: 0, failed: 0, passed: 0, cancelled: 0, skipped: 0, todo: 0, topLevel: 0, suites: 0 },
      teardown: onEnd,
    }
    root.startTime = internal.elapsed()
    return root
  }

  let theRoot
  /** @type {Promise<void> | undefined} Reporters are being made. */
  let reporting
  function globalRoot() {
    if (theRoot === undefined) {
      theRoot = exported.createTestTree()
      reporting = builtin('internal/test-reporters').report(theRoot.reporter)
      theRoot.reporter.on('test:fail', ({ todo }) => {
        if (todo === undefined || todo === false) process.exitCode = 1
      })
    }
    return theRoot
  }
  async function startSubtest(subtest) {
    const root = globalRoot()
    // Waiting costs a turn, which later tests need not take.
    if (reporting !== undefined) {
      await reporting
      reporting = undefined
    }
    if (!root.harness.bootstrapComplete) {
      root.harness.bootstrapComplete = true
      Promise.resolve().then(() => {
        root.harness.allowTestsToRun = true
        root.processPendingSubtests()
      })
    }
    await subtest.start()
  }

  function runnerOf(Factory) {
    const run = (name, options, fn, overrides) => {
      const parent = currentTest()
      const subtest = parent.createSubtest(Factory, name, options, fn, overrides)
      return parent instanceof Suite ? Promise.resolve() : startSubtest(subtest)
    }
    const test = (name, options, fn) => run(name, options, fn, { loc: callerPlace() })
    for (const word of ['skip', 'todo', 'only'])
      test[word] = (name, options, fn) => run(name, options, fn, { [word]: true, loc: callerPlace() })
    return test
  }
  const hook = (hookType) => (fn, options) => {
    const parent = currentTest()
    parent.createHook(hookType, fn, { ...options, parent, hookType, loc: callerPlace() })
  }
  Object.assign(exported, {
    Test,
    test: runnerOf(Test),
    suite: runnerOf(Suite),
    before: hook('before'),
    after: hook('after'),
    beforeEach: hook('beforeEach'),
    afterEach: hook('afterEach'),
  })
})
$polyfs.internal.define('test', ({ builtin }) => {
  const { test, suite, before, after, beforeEach, afterEach } = builtin('internal/test')
  Object.assign(test, { after, afterEach, before, beforeEach, describe: suite, it: test, suite, test })
  test.run = (options) => builtin('internal/test-run').run(options)
  let mock
  Object.defineProperty(test, 'mock', {
    configurable: true,
    enumerable: true,
    get: () => (mock = mock || new (builtin('internal/test-mock').MockTracker)()),
  })
  return test
})
