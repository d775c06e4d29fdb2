import { describe, expect, test } from 'vitest'
import { bothNodes, type NodeRun, otherVersion } from './same-as-node.js'

const head = `
const { test, it, describe, suite, before, after, beforeEach, afterEach, mock } = require('node:test')
const assert = require('node:assert')
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
`

/** Files of tests, by what they are about. */
const files: Readonly<Record<string, string>> = {
  'tests that pass, fail and wait': `
    console.log('top')
    test('one', () => console.log('in one'))
    test('two', async (t) => { await t.test('sub', () => console.log('sub')); console.log('after sub') })
    test('three', async () => { await later(5); console.log('late') })
    test('four', () => { assert.strictEqual(1, 2) })
    test('five', async () => { await later(2); throw new Error('five') })
    test('never', () => new Promise(() => {}))
    test()`,
  'suites in suites': `
    describe('outer', () => {
      it('a', () => {})
      describe('inner', () => { it('b', () => { throw new Error('b') }); it('c', async () => { await later(1) }) })
      describe.skip('left out', () => { it('d', () => {}) })
    })
    describe('empty', () => {})
    describe('broken', () => { throw new Error('while building') })
    test('after', () => {})`,
  'skip, todo and only': `
    test('skipped', { skip: true }, () => { throw new Error('never') })
    test('skipped with a reason', { skip: 'why not' }, () => {})
    test.skip('by name', () => {})
    test('todo', { todo: 'later' }, () => { throw new Error('not yet') })
    test.todo('no code')
    test('by itself', (t) => t.skip('because'))
    test('will be', (t) => { t.todo(); throw new Error('x') })
    test.only('only', () => {})
    it.skip('it', () => {})
    describe.todo('suite', () => { it('f', () => { throw new Error('f') }) })`,
  hooks: `
    before(() => console.log('before all'))
    after(() => console.log('after all'))
    beforeEach(() => console.log('before each'))
    afterEach(() => console.log('after each'))
    test('alone', () => console.log('alone'))
    describe('suite', () => {
      before(async () => { await later(1); console.log('before suite') })
      after(() => console.log('after suite'))
      beforeEach(() => console.log('before each in suite'))
      afterEach(() => console.log('after each in suite'))
      it('x', () => console.log('x'))
      it('y', () => { console.log('y'); throw new Error('y') })
    })
    test('own', async (t) => {
      t.before(() => console.log('own before'))
      t.after(() => console.log('own after'))
      t.beforeEach((t) => console.log('own before', t.name))
      t.afterEach((t) => console.log('own after', t.name))
      await t.test('s1', () => console.log('s1'))
      await t.test('s2', () => console.log('s2'))
    })`,
  'hooks that fail': `
    describe('before', () => { before(() => { throw new Error('in before') }); it('x', () => {}) })
    describe('beforeEach', () => { beforeEach(() => { throw new Error('in beforeEach') }); it('x', () => {}) })
    describe('afterEach', () => { afterEach(() => { throw new Error('in afterEach') }); it('x', () => {}) })
    describe('after', () => { after(() => { throw new Error('in after') }); it('x', () => {}) })`,
  'subtests that fail': `
    test('parent', async (t) => {
      await t.test('good', () => {})
      await t.test('bad', () => { throw new Error('bad') })
      t.diagnostic('said')
    })
    test('not awaited', (t) => { t.test('too late', async () => { await later(20) }) })
    test('nested', async (t) => { await t.test('1', async (t) => { await t.test('2', async (t) => { await t.test('3', () => {}) }) }) })`,
  'a plan': `
    test('kept', (t) => { t.plan(2); t.assert.ok(true); t.assert.equal(1, 1) })
    test('not kept', (t) => { t.plan(2); t.assert.ok(true) })
    test('with subtests', async (t) => { t.plan(1); await t.test('s', () => {}) })
    test('as an option', { plan: 1 }, (t) => { t.assert.strictEqual(1, 1) })
    test('twice', (t) => { t.plan(1); t.plan(1) })`,
  callbacks: `
    test('done', (t, done) => setTimeout(done, 1))
    test('failed', (t, done) => setTimeout(() => done(new Error('failed')), 1))
    test('both', (t, done) => { done(); return Promise.resolve() })`,
  timeouts: `
    test('too slow', { timeout: 5 }, () => later(200))
    test('fast', { timeout: 5000 }, () => later(1))
    test('none', { timeout: Infinity }, () => {})`,
  'uncaught errors': `
    test('in a timer', async () => { setTimeout(() => { throw new Error('thrown later') }); await later(10) })
    test('rejected', async () => { Promise.reject(new Error('rejected later')); await later(10) })
    test('fine', () => {})`,
  assertions: `
    test('equal', () => assert.equal(1, 2))
    test('deep', () => assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }))
    test('throws', () => assert.throws(() => {}))
    test('match', () => assert.match('abc', /x/))
    test('message', () => assert.ok(false, 'own message'))
    test('object', () => { throw { a: 1 } })
    test('text', () => { throw 'text' })
    test('nothing', () => { throw undefined })
    test('cause', () => { throw new Error('outer', { cause: new Error('inner') }) })`,
  names: `
    test('a # b \\\\ c\\nd', () => {})
    test(function named() {})
    test({ name: 'in options' }, () => {})
    test('ünïcode ✓', () => {})
    test('name', (t) => { console.log(t.name, t.fullName) })
    describe('s', () => { it('deep', (t) => { console.log(t.fullName) }) })`,
  concurrency: `
    describe('at once', { concurrency: true }, () => {
      it('slow', async () => { await later(30); console.log('slow') })
      it('fast', async () => { await later(1); console.log('fast') })
    })
    describe('in turn', () => {
      it('slow', async () => { await later(10); console.log('slow') })
      it('fast', async () => { await later(1); console.log('fast') })
    })`,
  'mocks of functions': `
    test('calls', (t) => {
      const sum = t.mock.fn((a, b) => a + b)
      assert.strictEqual(sum(3, 4), 7)
      const [call] = sum.mock.calls
      assert.deepStrictEqual([call.arguments, call.result, call.error], [[3, 4], 7, undefined])
      assert.strictEqual(sum.mock.callCount(), 1)
      sum.mock.mockImplementationOnce(() => 'once')
      assert.deepStrictEqual([sum(), sum(1, 1)], ['once', 2])
      sum.mock.resetCalls()
      assert.strictEqual(sum.mock.calls.length, 0)
    })
    test('methods', (t) => {
      const o = { value: 5, add(x) { return this.value + x }, get five() { return 5 } }
      t.mock.method(o, 'add', function (x) { return this.value * x })
      assert.strictEqual(o.add(3), 15)
      o.add.mock.restore()
      assert.strictEqual(o.add(3), 8)
      t.mock.getter(o, 'five', () => 6)
      assert.strictEqual(o.five, 6)
      t.mock.method(o, 'add', () => 0, { times: 1 })
      assert.deepStrictEqual([o.add(1), o.add(1)], [0, 6])
      t.mock.method(o, 'missing')
    })
    test('throws', () => { const f = mock.fn(() => { throw new Error('x') }); assert.throws(f); console.log(f.mock.calls[0].error.message) })
    test('classes', (t) => { const C = t.mock.fn(class A { constructor(x) { this.x = x } }); console.log(new C(2).x, C.mock.calls[0].target === undefined) })`,
  'mocks of timers': `
    test('timeouts', (t) => {
      t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1000 })
      const said = []
      setTimeout(() => said.push('a'), 50); const i = setInterval(() => said.push(Date.now()), 20)
      t.mock.timers.tick(45); said.push('tick'); t.mock.timers.tick(30); clearInterval(i); t.mock.timers.tick(100)
      console.log(said.join(), new Date().toISOString())
      t.mock.timers.setTime(5000)
      console.log(Date.now())
    })
    test('restored', () => { console.log(Date.now() > 1e12) })
    test('promises', async (t) => {
      const { setTimeout } = require('node:timers/promises')
      t.mock.timers.enable()
      const p = require('node:timers/promises').setTimeout(100, 'value')
      t.mock.timers.runAll()
      console.log(await p)
    })
    test('not enabled', (t) => t.mock.timers.tick())`,
  'an exit code': `
    test('one', () => {})
    process.exitCode = 5`,
  'an exit': `
    test('one', () => { process.exit(3) })
    test('two', () => {})`,
}

describe.skipIf(otherVersion !== undefined)('tests run as in Node', () => {
  const { both } = bothNodes()
  const ways = [[], ['--test'], ['--test-reporter=spec'], ['--test', '--test-reporter=dot'], ['--test-only']]
  for (const [about, code] of Object.entries(files)) {
    test(about, async () => {
      for (const way of ways) {
        const { ours, theirs } = await both({ 'a.test.js': head + code }, [...way, 'a.test.js'])
        expect({ way, ...compared(ours) }).toEqual({ way, ...compared(theirs) })
      }
    })
  }

  test('modules, names of files, and options', async () => {
    const tree = {
      'package.json': '{ "type": "module" }',
      'test/a.js': "import test from 'node:test'\ntest('in test', () => {})\nconsole.log('said')\n",
      'test/helper/b.mjs':
        "import { test } from 'node:test'\ntest('deeper', () => {})\nawait test('awaited', async () => {})\n",
      'src/c.test.js':
        "import { test } from 'node:test'\nconst later = (ms) => new Promise((resolve) => setTimeout(resolve, ms))\ntest('slow', () => later(20))\ntest('beside', () => {})\nawait later(1)\n",
      'src/d-test.cjs': "const test = require('node:test')\ntest('d', () => { throw new Error('d') })\n",
      'src/none.js': 'never run(',
      'src/test-e.js': "console.log('no tests')\n",
      'src/f_test.js': 'process.exit(4)\n',
      'node_modules/x/x.test.js': 'never run(',
    }
    for (const args of [
      ['--test'],
      ['--test', 'src'],
      ['--test', '--test-reporter', 'spec', 'test/a.js', 'src/d-test.cjs'],
      ['--test', '--test-name-pattern=deep', '--test-name-pattern', '/^IN/i'],
      ['--test', 'missing.js'],
      ['--test', '--test-shard=1/2'],
      [
        '--test',
        '--test-reporter=tap',
        '--test-reporter=dot',
        '--test-reporter-destination=stdout',
        '--test-reporter-destination=stderr',
        'test',
      ],
    ]) {
      const { ours, theirs } = await both(tree, args)
      expect({ args, ...compared(ours) }).toEqual({ args, ...compared(theirs) })
    }
  })
})

/** Without times, and without the frames of Node's own code, which is another. */
function compared({ stdout, stderr, exitCode }: NodeRun): NodeRun {
  return { stdout: plain(stdout), stderr: plain(stderr).replace(/^.*\n\n?(?=.*Error)/s, ''), exitCode }
}

function plain(text: string): string {
  return text
    .replace(/duration_ms:? [\d.e-]+/g, 'duration_ms N')
    .replace(/ \([\d.e-]+ms\)/g, '')
    .split('\n')
    .filter(
      (line) =>
        !/^\s*(?:stack: \|-|at |# \(|\.\.\. \d+ lines matching|.*\(?node:|new Promise|.*\(<anonymous>\)|async Promise|(?:async |[\w.]+ |[\w.]+\.<anonymous> )*\(?\/.*\.[cm]?js:\d+:\d+\)?(?: \{)?)/.test(
          line,
        ),
    )
    .join('\n')
    .replaceAll(/\/[\w/.-]*\/(?=\d+\/)/g, '/')
    .replaceAll(/\[(\w*Error: [^\]]*)\]/g, '$1')
}
