/** The runner of tests: finds files, runs each with a `node` of its own, and reports what they say. */
'use strict'
$polyfs.internal.define('internal/test-run', ({ exported, builtin, internal }) => {
  const fs = builtin('fs')
  const path = builtin('path')
  const { Failure, countTest, patternOf, unpack } = builtin('internal/test-parts')
  const { marker } = builtin('internal/test-reporters')
  const { Test, createTestTree } = builtin('internal/test')
  const isTestName = /((^test(-.+)?)|(.+[.\-_]test))\.[cm]?js$/

  function addFiles(at, found, { isGiven, isInTests }) {
    const stat = fs.statSync(at)
    if (stat.isFile()) {
      if (isGiven || (isInTests && /\.[cm]?js$/.test(at)) || isTestName.test(path.basename(at))) found.add(at)
    } else if (stat.isDirectory()) {
      const name = path.basename(at)
      if (!isGiven && name === 'node_modules') return
      for (const entry of fs.readdirSync(at))
        addFiles(path.join(at, entry), found, { isGiven: false, isInTests: isInTests || name === 'test' })
    }
  }
  function testFiles(given) {
    const found = new Set()
    try {
      for (const name of given.length > 0 ? given : ['.'])
        addFiles(path.resolve(name), found, { isGiven: true, isInTests: false })
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
      console.error("Could not find '" + error.path + "'")
      process.exit(1)
    }
    return [...found].sort()
  }

  const countedWords = new Set(['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms'])
  const cancels = new Set(['cancelledByParent', 'testAborted', 'testTimeoutFailure'])
  class FileTest extends Test {
    constructor(options) {
      super(options)
      this.loc = this.loc ?? { line: 1, column: 1, file: path.resolve(this.name) }
      this.items = []
      this.reportedChildren = 0
      this.hasFailedSubtests = false
    }
    isLeftOut() {
      return this.reportedChildren > 0 && (!this.error || this.error.failureType === 'subtestsFailed')
    }
    add(item) {
      if (item.type === 'test:pass' || item.type === 'test:fail') {
        this.reportedChildren += 1
        if (item.data.nesting === 0 && item.type === 'test:fail') this.hasFailedSubtests = true
      }
      if (!this.isClearToSend()) return void this.items.push(item)
      this.drain()
      this.tell(item)
    }
    drain() {
      const { items } = this
      this.items = []
      for (const item of items) this.tell(item)
    }
    tell({ type, data }) {
      const isTop = data.nesting === 0
      if (isTop && type === 'test:plan' && this.isLeftOut()) return
      if (isTop && type === 'test:diagnostic') {
        const words = data.message.split(' ')
        if (words.length === 2 && countedWords.has(words[0])) return
      }
      if (type === 'test:pass' || type === 'test:fail') {
        const { harness } = this.root
        if (isTop) data.testNumber = harness.counters.topLevel + 1
        countTest(
          {
            skipped: data.skip !== undefined,
            isTodo: data.todo !== undefined,
            passed: type === 'test:pass',
            cancelled: cancels.has(data.details?.error?.failureType),
            nesting: data.nesting,
            reportedType: data.details?.type,
          },
          harness,
        )
      }
      this.reporter.say(type, data)
    }
    reportStarted() {}
    report() {
      this.drain()
      if (this.isLeftOut()) return
      super.reportStarted()
      super.report()
    }
  }

  function runFile(file, { root, signal, namePatterns, only, forceExit }) {
    const subtest = root.createSubtest(FileTest, file, { signal }, async () => {
      const args = [
        ...internal.testOptions.childArgs,
        ...(forceExit ? ['--test-force-exit'] : []),
        ...namePatterns.map((pattern) => '--test-name-pattern=' + pattern),
        ...(only ? ['--test-only'] : []),
        file,
      ]
      const env = { ...process.env, NODE_TEST_CONTEXT: 'child-v8' }
      const ran = await internal.runCommand({
        argv: ['node', ...args],
        cwd: process.cwd(),
        env,
        stdout: 'pipe',
        stderr: 'pipe',
        input: new Uint8Array(),
      })
      let plain = ''
      const tellPlain = () => {
        if (plain !== '') subtest.add({ type: 'test:stdout', data: { file, message: plain } })
        plain = ''
      }
      for (const line of internal.decodeBytes(ran.stdout).split(/(?<=\n)/)) {
        const at = line.indexOf(marker)
        plain += at === -1 ? line : line.slice(0, at)
        if (at === -1) continue
        tellPlain()
        subtest.add(unpack(line.slice(at + marker.length)))
      }
      tellPlain()
      for (const line of internal.decodeBytes(ran.stderr).split(/(?<=\n)/))
        if (line !== '') subtest.add({ type: 'test:stderr', data: { file, message: line.replace(/\n?$/, '\n') } })
      if (ran.status === 0) return
      const error = new Failure('test failed', subtest.hasFailedSubtests ? 'subtestsFailed' : 'testCodeFailure')
      throw Object.assign(error, { exitCode: ran.status, signal: null, stack: undefined })
    })
    return subtest.start()
  }

  exported.run = function run(given) {
    const options = given !== null && typeof given === 'object' ? given : {}
    const { concurrency, timeout, signal, files, setup, only, shard, forceExit, watch } = options
    if (watch) throw new Error('node:test: watching is not supported by this shell')
    if (files != null && !Array.isArray(files)) throw internal.wrongType('options.files', 'an instance of Array', files)
    const patterns = options.testNamePatterns == null ? [] : [options.testNamePatterns].flat()
    const namePatterns = patterns.map((pattern, at) =>
      typeof pattern === 'string' ? patternOf(pattern, 'options.testNamePatterns[' + at + ']') : pattern,
    )
    const root = createTestTree({ concurrency, timeout, signal })
    if (process.env.NODE_TEST_CONTEXT !== undefined) {
      process.emitWarning('node:test run() is being called recursively within a test file. skipping running files.')
      root.postRun()
      return root.reporter
    }
    let chosen = files ?? testFiles(options.isCommand ? process.argv.slice(1) : [])
    if (shard) chosen = chosen.filter((_, at) => at % shard.total === shard.index - 1)
    const prepared = Promise.resolve(setup?.(root.reporter))
    void prepared
      .then(() => {
        root.harness.bootstrapComplete = true
        root.harness.allowTestsToRun = true
        return Promise.allSettled(chosen.map((file) => runFile(file, { root, signal, namePatterns, only, forceExit })))
      })
      .then(() => root.postRun())
      .then(() => root.harness.teardown())
    return root.reporter
  }

  /** `node --test`. */
  exported.runCommandLine = function runCommandLine() {
    const { namePatterns, only, concurrency, timeout, shard, forceExit } = internal.testOptions
    const stream = exported.run({
      isCommand: true,
      concurrency: concurrency || true,
      timeout,
      shard,
      only,
      forceExit,
      testNamePatterns: namePatterns,
      setup: builtin('internal/test-reporters').report,
    })
    stream.on('test:fail', ({ todo }) => {
      if (todo === undefined || todo === false) process.exitCode = 1
    })
  }
})
