import fs from 'node:fs'
import { expect, test } from 'vitest'
import { scaled, seeded } from '../scale.js'
import { bothNodes, otherVersion } from './same-as-node.js'

const nodes = bothNodes()

test('globals of contexts are those of their objects, whatever scripts declare and assign', async ({ skip }) => {
  if (otherVersion !== undefined) skip(otherVersion)
  const script = fs.readFileSync(new URL('generated/node-contexts.cjs', import.meta.url), 'utf8')
  const { ours, theirs } = await nodes.both({ 'main.cjs': script }, ['main.cjs', `${seeded(1)}`, `${scaled(60)}`])
  expect(ours).toEqual(theirs)
}, 60_000)

const scripts: Readonly<Record<string, string>> = {
  'a context has classes of its own': `const context = vm.createContext({ x: 2, log: console.log })
    const list = vm.runInContext('[1, 2, 3]', context)
    console.log(list instanceof Array, Array.isArray(list), list, vm.runInContext('Array', context) === Array)
    console.log(vm.runInContext('({ m: new Map([[1, 2]]), e: new RangeError("x").message, d: new Date(0), p: Promise.resolve(3), s: new Set([1]) })', context))
    console.log(util.types.isPromise(vm.runInContext('Promise.resolve()', context)), util.types.isNativeError(vm.runInContext('new Error()', context)))
    console.log(vm.runInNewContext('typeof process + typeof console + typeof Intl + typeof setTimeout + typeof queueMicrotask + this.foo', { foo: 1 }))
    console.log(vm.runInNewContext('(1234.5).toLocaleString()'))
    try { vm.runInContext('nope()', context) } catch (error) { console.log(error instanceof Error, error.name, error.message) }
    vm.runInContext('(async () => { await 1; log(x) })()', context)
    context.x = 3`,
  'deletes and later globals of the object': `const context = vm.createContext({ a: 1, escape: 2 })
    console.log(vm.runInContext('a + escape', context))
    delete context.a
    delete context.escape
    context.later = 3
    console.log(vm.runInContext('[typeof a, typeof escape, later]', context), context)`,
  'constants of scripts stay in their context': `const context = vm.createContext({})
    vm.runInContext('const kept = 1; let counted = 1; class Made {}', context)
    console.log(vm.runInContext('counted += kept; [counted, typeof Made]', context), Object.keys(context))
    try { vm.runInNewContext('kept') } catch (error) { console.log(error.message) }`,
  'one script runs in several contexts': `const script = new vm.Script('n += 1; var last = n')
    const [one, other] = [{ n: 0 }, { n: 10 }].map((each) => vm.createContext(each))
    for (let at = 0; at < 3; at += 1) for (const each of [one, other]) script.runInContext(each)
    console.log(one, other, vm.isContext(one), vm.isContext({}))`,
  'functions of a context': `const context = vm.createContext({ q: 100 })
    const sum = vm.compileFunction('return a + b + q', ['a', 'b'], { parsingContext: context })
    console.log(sum(1, 2), sum.length, vm.compileFunction('return typeof q')())`,
  'a context without an object': `const all = vm.runInContext('this', vm.createContext())
    all.hello = 1
    console.log(typeof all.Array, all === all.globalThis, typeof hello)`,
  'wrong objects and wrong code': `for (const run of [() => vm.runInContext('1', {}), () => vm.createContext(1), () => new vm.Script('let q = ;'), () => vm.isContext(null), () => vm.compileFunction(1)])
      try { run() } catch (error) { console.log(error.name, error.code, error.message) }`,
}
for (const [name, script] of Object.entries(scripts)) {
  test(`${name}, as in Node`, async ({ skip }) => {
    if (otherVersion !== undefined) skip(otherVersion)
    const main = `const vm = require('vm')\nconst util = require('util')\n${script}`
    const { ours, theirs } = await nodes.both({ 'main.cjs': main }, ['main.cjs'])
    expect(ours).toEqual(theirs)
  })
}

test('handlers of stacks get frames as in Node', async ({ skip }) => {
  if (otherVersion !== undefined) skip(otherVersion)
  const main = `console.log(Error.prepareStackTrace)
Error.prepareStackTrace = (_error, sites) => sites
class A { constructor() { this.sites = new Error().stack } }
function f() { return new Error().stack }
const show = (site) => [site.getFunctionName(), site.isNative(), site.isConstructor(), site.isEval(), String(site.getFileName()).split('/').pop(), site.getLineNumber(), site.getColumnNumber()]
for (const sites of [f(), new A().sites, [1].map(f)[0], (() => f())()]) console.log(sites.slice(0, 2).map(show))
console.log(String(f()[0]).replace(/\\(.*\\//, '('))
Error.prepareStackTrace = undefined
console.log(typeof new Error('x').stack)`
  const { ours, theirs } = await nodes.both({ 'main.cjs': main }, ['main.cjs'])
  expect(ours).toEqual(theirs)
})
