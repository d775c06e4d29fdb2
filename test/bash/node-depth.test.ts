import { expect, test } from 'vitest'
import { bothNodes, otherVersion } from './same-as-node.js'

/** Ways in which code can call itself without end. */
const recursions = {
  functions: 'function f() { return f() } f()',
  methods: 'class A { m(a, b) { return [1].map(() => this.m(a, b)) } } new A().m(1, 2)',
  conversions: "const o = { toString: () => '' + o }; '' + o",
  getters: 'const g = { get x() { return this.x } }; g.x',
  proxies: 'const p = new Proxy({}, { get: (target, key, to) => to[key] }); p.x',
  generators: 'function* g() { yield* g() } g().next()',
  applications: 'function a() { a.apply(null, arguments) } a(1, 2, 3)',
  constructors: 'function C() { Reflect.construct(C, []) } C()',
  replacements: "const r = () => 'aa'.replace(/a/g, r); r()",
  comparisons: 'const s = () => { [2, 1].sort(s); return 0 }; s()',
  JSON: 'const j = { toJSON: () => JSON.stringify(j) }; JSON.stringify(j)',
  eval: "function e() { eval('e()') } e()",
  brackets: "new Function('['.repeat(100000))",
}

const nodes = bothNodes()

test('calls nest thousands of levels deep, and too many are an error that can be caught', async ({ skip }) => {
  if (otherVersion !== undefined) skip(otherVersion)
  const caught = Object.entries(recursions).map(
    ([name, code]) =>
      `try { ${code}; console.log('${name} ended') } catch (error) { console.log('${name}', error instanceof RangeError, error.message) }`,
  )
  const deep = 'function depth(n) { return n === 0 ? 0 : 1 + depth(n - 1) } console.log(depth(6000))'
  const { ours, theirs } = await nodes.both({ 'main.js': [...caught, deep].join('\n') }, ['main.js'])
  expect(ours).toEqual(theirs)
}, 60_000)
