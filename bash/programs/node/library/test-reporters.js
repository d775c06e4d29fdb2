/** The module `test/reporters`: how the results of tests are printed. */
'use strict'
$polyfs.internal.define('internal/test-reporters', ({ exported, builtin }) => {
  const inspect = (value) => builtin('internal/inspect').inspect(value, { colors: false, breakLength: Infinity })
  const { pack, options } = builtin('internal/test-parts')
  const unwrapped = new Set(['testCodeFailure', 'hookFailed', 'uncaughtException', 'unhandledRejection'])

  /** Each makes an object for one run: `event` gives the text of an event, and `begin` and `end` what is around them. */
  const layouts = {
    tap: () => ({ begin: 'TAP version 13\n', event: tapText, end: () => '' }),
    spec: specLayout,
    dot: dotLayout,
    junit: junitLayout,
    /** For the process that runs this one. */
    'v8-serializer': () => ({ begin: '', event: (event) => exported.marker + pack(event) + '\n', end: () => '' }),
  }
  exported.marker = '\u0000\u0001test\u0001\u0000'

  /** Sends what happens to where the command wants it. */
  exported.report = async function report(stream) {
    const { reporters, destinations } = options()
    for (const [at, name] of reporters.entries()) {
      const write = writerTo(destinations[at])
      if (Object.hasOwn(layouts, name)) writeLayout(stream, layouts[name](), write)
      else await writeCustom(stream, name, write)
    }
  }
  function writerTo(destination) {
    if (destination === 'stdout' || destination === 'stderr') return (text) => process[destination].write(text)
    const fs = builtin('fs')
    fs.writeFileSync(destination, '')
    return (text) => fs.appendFileSync(destination, text)
  }
  function writeLayout(stream, layout, write) {
    let queue = [layout.begin]
    let isPlanned = false
    const flush = () => {
      isPlanned = false
      const text = queue.map((each) => (typeof each === 'string' ? each : layout.event(each))).join('')
      queue = []
      if (text !== '') write(text)
    }
    stream.take((event) => {
      queue.push(event === undefined ? layout.end() : event)
      // What tests print themselves comes first, as long as they do not wait.
      if (!isPlanned) process.nextTick(flush)
      isPlanned = true
      // Later events change what the end says.
      if (event === undefined) {
        queue.pop()
        const last = queue
        queue = []
        for (const each of last) queue.push(typeof each === 'string' ? each : layout.event(each))
        queue.push(layout.end())
      }
    })
  }
  async function writeCustom(stream, name, write) {
    if (name === 'lcov') throw new Error("the reporter 'lcov' is not supported by this shell")
    const { pathToFileURL } = builtin('url')
    const path = builtin('path')
    const isPath = /^\.{0,2}\//.test(name)
    const found = isPath
      ? pathToFileURL(path.resolve(name)).href
      : name.startsWith('file:')
        ? name
        : pathToFileURL(
            builtin('module')
              .createRequire(process.cwd() + '/')
              .resolve(name),
          ).href
    const loaded = await import(found)
    const reporter = loaded.default ?? loaded
    stream.$.isRead = true
    const isClass = reporter.prototype && Object.getOwnPropertyDescriptor(reporter.prototype, 'constructor')
    const made = isClass ? new reporter() : reporter
    if (typeof made === 'function') {
      void (async () => {
        for await (const text of made(stream)) write(text)
      })()
    } else {
      made.on('data', (text) => write(text))
      stream.pipe(made)
    }
  }

  function tapText({ type, data }) {
    const indent = '    '.repeat(data.nesting || 0)
    switch (type) {
      case 'test:fail': {
        const location = data.file ? data.file + ':' + data.line + ':' + data.column : null
        return tapLine(data, 'not ok', indent) + tapDetails(indent, data.details, location)
      }
      case 'test:pass':
        return tapLine(data, 'ok', indent) + tapDetails(indent, data.details, null)
      case 'test:plan':
        return indent + '1..' + data.count + '\n'
      case 'test:start':
        return indent + '# Subtest: ' + tapEscape(data.name) + '\n'
      case 'test:stderr':
      case 'test:stdout':
        return data.message
          .split(/\n|\r\n/)
          .filter((line) => line !== '')
          .map((line) => '# ' + tapEscape(line) + '\n')
          .join('')
      case 'test:diagnostic':
        return indent + '# ' + tapEscape(data.message) + '\n'
      default:
        return ''
    }
  }
  function tapLine({ testNumber, name, skip, todo }, status, indent) {
    const said = (word, reason) =>
      ' # ' + word + (typeof reason === 'string' && reason !== '' ? ' ' + tapEscape(reason) : '')
    return (
      indent +
      status +
      ' ' +
      testNumber +
      (name ? ' ' + tapEscape('- ' + name) : '') +
      (skip !== undefined ? said('SKIP', skip) : todo !== undefined ? said('TODO', todo) : '') +
      '\n'
    )
  }
  const escapes = {
    '\b': '\\\\b',
    '\f': '\\\\f',
    '\t': '\\\\t',
    '\n': '\\\\n',
    '\r': '\\\\r',
    '\v': '\\\\v',
    '\\': '\\\\',
    '#': '\\#',
  }
  const tapEscape = (text) => String(text).replace(/[\b\f\t\n\r\v\\#]/g, (character) => escapes[character])
  function tapDetails(indent, { duration_ms, type, error }, location) {
    return (
      indent +
      '  ---\n' +
      yaml(indent, 'duration_ms', duration_ms) +
      yaml(indent, 'type', type) +
      (location ? yaml(indent, 'location', location) : '') +
      yaml(indent, null, error, new Set()) +
      indent +
      '  ...\n'
    )
  }
  const isLikeAssertion = (value) => value && typeof value === 'object' && 'expected' in value && 'actual' in value

  /** @param {Set<any>} [seen] */
  function yaml(indent, name, value, seen = new Set()) {
    if (value === undefined) return ''
    const prefix = indent + '  ' + name + ':'
    if (value === null) return prefix + ' ~\n'
    if (typeof value !== 'object') {
      const lines = typeof value === 'string' ? value.split(/\n|\r\n/) : []
      if (lines.length < 2) return prefix + ' ' + inspect(value) + '\n'
      return prefix + ' |-\n' + lines.map((line) => indent + '    ' + line + '\n').join('')
    }
    seen.add(value)
    const { is } = builtin('internal/inspect')
    const isError = is.error(value) || value instanceof Error
    let below = indent
    let text = ''
    if (name !== null) {
      text += prefix + (is.date(value) ? ' ' + value.toISOString() : '') + '\n'
      below += '  '
    }
    for (const [key, each] of Object.entries(value)) {
      if (isError && (key === 'cause' || key === 'code')) continue
      text += seen.has(each) ? below + '  ' + key + ': <Circular>\n' : yaml(below, key, each, seen)
    }
    return isError ? text + errorYaml(indent, value, seen) : text
  }
  function errorYaml(indent, value, seen) {
    const { cause, code, failureType } = value
    const shown = {
      message: value.message ?? '<unknown error>',
      name: value.name,
      stack: value.stack,
      code,
      expected: value.expected,
      actual: value.actual,
      operator: value.operator,
    }
    let isAssertion = isLikeAssertion(value)
    // What the test itself threw says more.
    if (code === 'ERR_TEST_FAILURE' && unwrapped.has(failureType)) {
      for (const key of ['stack', 'code', 'name', 'message']) shown[key] = cause?.[key] ?? shown[key]
      if (isLikeAssertion(cause)) {
        Object.assign(shown, {
          expected: cause.expected,
          actual: cause.actual,
          operator: cause.operator ?? shown.operator,
        })
        isAssertion = true
      }
    }
    let text = yaml(indent, 'error', shown.message, seen)
    if (shown.code) text += yaml(indent, 'code', shown.code, seen)
    if (shown.name && shown.name !== 'Error') text += yaml(indent, 'name', shown.name, seen)
    if (isAssertion) {
      text += yaml(indent, 'expected', shown.expected, new Set(seen))
      text += yaml(indent, 'actual', shown.actual, new Set(seen))
      if (shown.operator) text += yaml(indent, 'operator', shown.operator, seen)
    }
    if (typeof shown.stack !== 'string') return text
    const frames = shown.stack
      .split(/\n|\r\n/)
      .filter((line) => /^ {4}at ./.test(line))
      .map((line) => '\n' + indent + '    ' + line.slice(7))
    return frames.length === 0 ? text : text + indent + '  stack: |-' + frames.join('') + '\n'
  }

  const signs = { 'test:fail': '\u2716 ', 'test:pass': '\u2714 ', 'test:diagnostic': '\u2139 ' }
  function errorText(error, indent) {
    if (!error) return ''
    const shown = inspect(error.code === 'ERR_TEST_FAILURE' ? error.cause : error)
    return '\n' + indent + '  ' + shown.split(/\r?\n/).join('\n' + indent + '  ') + '\n'
  }
  function testReport(type, data, { prefix = '', indent = '', hasChildren = false } = {}) {
    const { skip, todo, details } = data
    const said = (reason, word) => ' # ' + (typeof reason === 'string' && reason !== '' ? reason : word)
    const title =
      data.name +
      (details?.duration_ms ? ' (' + details.duration_ms + 'ms)' : '') +
      (skip !== undefined ? said(skip, 'SKIP') : todo !== undefined ? said(todo, 'TODO') : '')
    const error = errorText(details?.error, indent)
    const shown = !hasChildren ? error : !error || details?.error?.failureType === 'subtestsFailed' ? '' : '\n' + error
    return prefix + indent + (skip !== undefined ? '\uFE63 ' : signs[type]) + title + shown
  }
  function specLayout() {
    const waiting = []
    const open = []
    const failed = []
    const cwd = process.cwd()
    const indented = (nesting) => '  '.repeat(nesting)
    function reported(type, data) {
      waiting.shift()
      let prefix = ''
      while (waiting.length > 0) {
        const parent = waiting.pop()
        open.unshift(parent)
        prefix += indented(parent.nesting) + '\u25B6 ' + parent.name + '\n'
      }
      const hasChildren = open[0] !== undefined && open[0].nesting === data.nesting && open[0].name === data.name
      if (hasChildren) open.shift()
      return testReport(type, data, { prefix, indent: indented(data.nesting), hasChildren }) + '\n'
    }
    return {
      begin: '',
      event({ type, data }) {
        if (type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed') failed.push(data)
        if (type === 'test:fail' || type === 'test:pass') return reported(type, data)
        if (type === 'test:start') waiting.unshift(data)
        if (type === 'test:stderr' || type === 'test:stdout') return data.message
        if (type === 'test:diagnostic') return indented(data.nesting) + signs[type] + data.message + '\n'
        return ''
      },
      end() {
        if (failed.length === 0) return ''
        const lines = ['\n' + signs['test:fail'] + 'failing tests:\n']
        for (const test of failed) {
          if (test.file)
            lines.push('test at ' + builtin('path').relative(cwd, test.file) + ':' + test.line + ':' + test.column)
          lines.push(testReport('test:fail', test))
        }
        return lines.join('\n')
      },
    }
  }
  function dotLayout() {
    const perLine = 20
    const failed = []
    let count = 0
    return {
      begin: '',
      event({ type, data }) {
        if (type !== 'test:pass' && type !== 'test:fail') return ''
        if (type === 'test:fail') failed.push(data)
        count += 1
        return (type === 'test:pass' ? '.' : 'X') + (count % perLine === 0 ? '\n' : '')
      },
      end: () =>
        '\n' +
        (failed.length > 0 ? '\nFailed tests:\n\n' + failed.map((data) => testReport('test:fail', data)).join('') : ''),
    }
  }
  function junitLayout() {
    const content = (text = '') => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const attribute = (text) => content(String(text).replaceAll('\n', '').replaceAll('"', '&quot;'))
    const hasFailure = (node) => node.children?.some(({ tag }) => tag === 'failure') || node.attrs?.failures
    const hasSkip = (node) => node.children?.some(({ tag }) => tag === 'skipped') || node.attrs?.skipped
    /** @type {any[]} */
    const roots = []
    /** @type {any} */
    let current = null
    function start({ name, nesting }) {
      /** @type {any} */
      const made = { attrs: { name }, nesting, parent: current, children: [] }
      if (current === null) roots.push(made)
      else current.children.push(made)
      current = made
    }
    function done(type, data) {
      if (current === null) start({ name: 'root', nesting: 0 })
      if (current.attrs.name !== data.name || current.nesting !== data.nesting) start(data)
      const test = current
      if (current.nesting === data.nesting) current = current.parent
      const { attrs, children } = test
      attrs.time = (data.details.duration_ms / 1000).toFixed(6)
      const tests = children.filter(({ comment }) => comment === undefined)
      if (tests.length > 0) {
        test.tag = 'testsuite'
        Object.assign(attrs, {
          disabled: 0,
          errors: 0,
          tests: tests.length,
          failures: children.filter(hasFailure).length,
          skipped: children.filter(hasSkip).length,
          hostname: builtin('os').hostname(),
        })
        return
      }
      test.tag = 'testcase'
      attrs.classname = data.classname ?? 'test'
      const nesting = data.nesting + 1
      const skipped = (kind, message) => children.push({ nesting, tag: 'skipped', attrs: { type: kind, message } })
      if (data.skip) skipped('skipped', data.skip)
      if (data.todo) skipped('todo', data.todo)
      if (type !== 'test:fail') return
      const { error } = data.details
      const failure = { type: error?.failureType || error?.code, message: error?.message ?? '' }
      children.push({ nesting, tag: 'failure', attrs: failure, children: [inspect(error)] })
      attrs.failure = error?.message ?? ''
    }
    function xml(node) {
      if (typeof node === 'string') return content(node) + '\n'
      const indent = '\t'.repeat(node.nesting + 1)
      if (node.comment !== undefined) return indent + '<!-- ' + node.comment.replaceAll('--', '&#45;&#45;') + ' -->\n'
      const attrs = Object.entries(node.attrs)
        .map(([key, value]) => key + '="' + attribute(value) + '"')
        .join(' ')
      const { tag, children = [] } = node
      if (children.length === 0) return indent + '<' + tag + ' ' + attrs + '/>\n'
      return indent + '<' + tag + ' ' + attrs + '>\n' + children.map(xml).join('') + indent + '</' + tag + '>\n'
    }
    return {
      begin: '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n',
      event({ type, data }) {
        if (type === 'test:start') start(data)
        else if (type === 'test:pass' || type === 'test:fail') done(type, data)
        else if (type === 'test:diagnostic')
          (current?.children ?? roots).push({ nesting: data.nesting, comment: data.message })
        return ''
      },
      end: () => roots.map(xml).join('') + '</testsuites>\n',
    }
  }

  exported.generatorOf = (name) =>
    async function* (source) {
      const layout = layouts[name]()
      if (layout.begin !== '') yield layout.begin
      for await (const event of source) {
        const text = layout.event(event)
        if (text !== '') yield text
      }
      const rest = layout.end()
      if (rest !== '') yield rest
    }
  exported.SpecReporter = class SpecReporter extends builtin('stream').Transform {
    constructor() {
      super({ writableObjectMode: true })
      Object.defineProperty(this, '$layout', { value: layouts.spec(), enumerable: false })
    }
    _transform(event, _encoding, done) {
      done(null, this.$layout.event(event))
    }
    _flush(done) {
      done(null, this.$layout.end())
    }
  }
})
$polyfs.internal.define('test/reporters', ({ exported, builtin }) => {
  const { generatorOf, SpecReporter } = builtin('internal/test-reporters')
  Object.assign(exported, {
    dot: generatorOf('dot'),
    junit: generatorOf('junit'),
    spec: function spec() {
      return new SpecReporter()
    },
    tap: generatorOf('tap'),
  })
})
