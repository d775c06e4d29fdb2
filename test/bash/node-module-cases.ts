import type { NodeTree } from './same-as-node.js'

/** Each with code of its own: Node compiles the same text once, whoever evaluates it. */
const waysToImport = `
  let count = 0
  const code = () => 'import("./t.mjs") // ' + (count += 1) + ' ' + typeof module
  const loader = { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }
  const ways = {
    direct: () => eval(code()),
    indirect: () => (0, eval)(code()),
    property: () => globalThis.eval(code()),
    handed: () => [code()].map(eval)[0],
    nested: () => eval('eval(' + JSON.stringify(code()) + ')'),
    late: () => eval('new Promise((done) => setTimeout(() => done(import("./t.mjs"))))'),
    function: () => new Function('return ' + code())(),
    'eval in a function': () => new Function('code', 'return eval(code)')(code()),
    'a function in eval': () => eval('new Function("return import(\\'./t.mjs\\')")()'),
    script: () => new vm.Script(code()).runInThisContext(),
    'script, with the loader': () => new vm.Script(code(), loader).runInThisContext(),
    'script, with the loader and a name': () => new vm.Script(code(), { ...loader, filename: process.cwd() + '/one/x.js' }).runInThisContext(),
    'eval in a script': () => new vm.Script('eval(' + JSON.stringify(code()) + ')').runInThisContext(),
    'eval in a script with the loader': () => new vm.Script('eval(' + JSON.stringify(code()) + ')', loader).runInThisContext(),
  }`

/** Scripts that print what they find, with the packages around them. The first file is the one that is run. */
export const moduleCases: Readonly<Record<string, NodeTree>> = {
  'a dependency gets the package that it names, not the project with the same name': {
    'main.js': 'console.log(require("dep"), require("inner"), require("inner/sub"))',
    'package.json': '{ "name": "inner", "exports": { ".": "./own.js", "./sub": "./sub.js" } }',
    'own.js': 'module.exports = "the project"',
    'sub.js': 'module.exports = "its sub"',
    'node_modules/dep/package.json': '{ "name": "dep" }',
    'node_modules/dep/index.js': 'module.exports = "dep with " + require("inner")',
    'node_modules/inner/index.js': 'module.exports = "the package"',
  },
  'a package without exports does not find itself': {
    'main.js':
      'try { require("own") } catch (error) { console.log(error.code) } import("own").catch((error) => console.log(error.code))',
    'package.json': '{ "name": "own", "main": "main.js" }',
  },
  'an ES module is required': {
    'main.cjs': `
      const loaded = require('./esm.mjs')
      console.log(loaded, loaded === require('./esm.mjs'), require('./named.mjs'), require('./instead.mjs'), require('./typeless'))
      import('./esm.mjs').then((imported) => console.log(imported, imported.default === loaded.default))`,
    'esm.mjs': "import './part.mjs'; console.log('runs once'); export default class One {}; export const two = 2",
    'part.mjs': "console.log('first')",
    'named.mjs': 'export const named = 1; export { named as again }',
    'instead.mjs': "const all = { whole: true }; export { all as 'module.exports' }; export default 1",
    'typeless.js': 'export const typeless = import.meta.filename !== undefined',
  },
  'an ES module that waits is not required, and is imported': {
    'main.cjs': `
      for (const name of ['./waits.mjs', './deep.mjs', './loop.mjs', './loop.mjs', './function.mjs']) {
        try { console.log(require(name)) } catch (error) { console.log(error.name, error.code, error.message) }
      }
      import('./waits.mjs').then(console.log)`,
    'waits.mjs': "console.log('waits'); export const x = await 1",
    'deep.mjs': "import './waits.mjs'; console.log('never')",
    'loop.mjs': 'for await (const x of []) {}',
    'function.mjs': 'export default async () => { await 1 }; export const é = "await 1"',
  },
  'an ES module that fails fails again': {
    'main.cjs': `
      for (const name of ['./throws.mjs', './throws.mjs', './lacks.mjs', './wrong.mjs', './missing.mjs']) {
        try { console.log(require(name)) } catch (error) { console.log(error.name, error.code, error.message.replace(/module '.*'/, 'module')) }
      }
      import('./throws.mjs').catch((error) => console.log('again', error.message))`,
    'throws.mjs': "console.log('once'); throw new Error('from inside')",
    'lacks.mjs': "import { nothing } from './part.mjs'",
    'part.mjs': '',
    'wrong.mjs': 'let x = ;',
    'missing.mjs': "import 'no-such-package'",
  },
  'an ES module in a circle is not required': {
    'main.mjs': "import './back.cjs'; import './side.mjs'; console.log('main')",
    'back.cjs':
      "for (const name of ['./main.mjs', './side.mjs', './self.mjs']) try { console.log(require(name)) } catch (error) { console.log(error.code) }",
    'side.mjs': "console.log('side'); export const side = 1",
    'self.mjs':
      "import { createRequire } from 'node:module'; try { createRequire(import.meta.url)('./self.mjs') } catch (error) { console.log(error.code) }",
  },
  'conditions are those of Node': {
    'main.cjs':
      "console.log(require('sync'), require('both')); import('sync').then(console.log); import('both').then(console.log)",
    'node_modules/sync/package.json':
      '{ "exports": { "module-sync": "./esm.js", "default": "./cjs.js" }, "type": "module" }',
    'node_modules/sync/esm.js': 'export const from = "esm"',
    'node_modules/sync/cjs.js': 'throw new Error("not this one")',
    'node_modules/both/package.json':
      '{ "exports": { "browser": "./no.js", "node": { "import": "./esm.mjs", "require": "./cjs.cjs" }, "default": "./no.js" } }',
    'node_modules/both/esm.mjs': 'export default "imported"',
    'node_modules/both/cjs.cjs': 'module.exports = "required"',
  },
  'a file is an ES module by its ending, its package, or because it is nothing else': {
    'main.cjs': `
      for (const name of ['./text.js', './typed/a.js', './typed/b.cjs', './common/a.js', './await.js', './taken.js', './none', './other.txt']) {
        try { console.log(name, require(name)) } catch (error) { console.log(name, error.name, error.code) }
      }
      void (async () => {
        for (const name of ['./text.js', './await.js', './none', './other.txt', './common/a.js'])
          await import(name).then((found) => console.log(name, found), (error) => console.log(name, error.name, error.code))
      })()`,
    'text.js':
      'exports.text = `\nexport default 1\nimport a from "b"\n`; // import.meta\nexports.regexp = /`/; /* ` */ exports.more = 1',
    'await.js': 'console.log(typeof require); export const waited = await 1',
    'taken.js': 'const require = 1; console.log(require)',
    none: 'export const none = 1',
    'other.txt': 'exports.other = 1',
    'typed/package.json': '{ "type": "module" }',
    'typed/a.js': 'export const typed = typeof module',
    'typed/b.cjs': 'module.exports = typeof module',
    'common/package.json': '{ "type": "commonjs" }',
    'common/a.js': 'export const wrong = 1',
  },
  'imports of a package begin with #': {
    'main.js': `
      for (const name of ['#own', '#dep', '#dep/sub', '#inside/b', '#array', '#nothing', '#no', '#', '#/x'])
        try { console.log(name, require(name)) } catch (error) { console.log(name, error.name, error.code, error.message) }
      void (async () => {
        for (const name of ['#own', '#dep', '#inside/b', '#nothing', '#no'])
          await import(name).then((found) => console.log(name, found.default), (error) => console.log(name, error.name, error.code, error.message))
      })()`,
    'package.json': JSON.stringify({
      imports: {
        '#own': { import: './a.mjs', require: './a.cjs' },
        '#dep': 'dep',
        '#dep/*': 'dep/*.js',
        '#inside/*': { browser: null, default: './inside/*.js' },
        '#array': [{ deno: './no.js' }, './a.cjs'],
        '#nothing': null,
      },
    }),
    'a.mjs': 'export default "imported"',
    'a.cjs': 'module.exports = "required"',
    'inside/b.js': 'module.exports = "b"',
    'node_modules/dep/index.js': 'module.exports = "dep"',
    'node_modules/dep/sub.js': 'module.exports = "dep sub"',
  },
  'functions made from text import from the file that made them': {
    'main.js': `
      const { load, make } = require('./sub/maker.js')
      const { constructor } = async function () {}
      Promise.all([load('./part.mjs'), make('return import("./part.mjs")')(), new constructor('name', 'return import(name)')('./sub/part.mjs')])
        .then((all) => console.log(all.map(({ default: found }) => found)))
      class Mine extends Function {}
      console.log(new Mine('a', 'return a + 1')(1), new Mine('return import("./x.mjs")') instanceof Mine, Function.prototype.constructor === Function)
      console.log((() => {}) instanceof Function, Function('a', 'b', 'return a * b')(6, 7), new Function('/* import */ return 5')())
      require('node:vm').runInThisContext('import("./sub/part.mjs")').catch((error) => console.log(error.code))`,
    'sub/maker.js':
      "module.exports = { load: new Function('name', 'return import(name)'), make: (code) => new Function(code) }",
    'sub/part.mjs': 'export default "the part"',
  },
  'hooks of require': {
    'main.js': `
      const Module = require('node:module')
      require.extensions['.up'] = (module, filename) => module._compile(require('fs').readFileSync(filename, 'utf8').toUpperCase().replace('EXPORTS', 'exports'), filename)
      console.log(require('./x'), require.resolve.paths('x').length > 1, require.resolve('./x', { paths: [__dirname] }) === __dirname + '/x.up')
      const load = Module._load
      Module._load = function (request, ...more) { return request === 'mocked' ? 'mock' : load.call(this, request, ...more) }
      console.log(require('mocked'), Module.createRequire(__filename)('./x'), require.main === module, module.paths[0] === __dirname + '/node_modules')
      try { require('./fails') } catch (error) { console.log(error.message) }
      try { require('./fails') } catch (error) { console.log(error.message, Object.keys(require.cache).length) }
      try { require('./nothing') } catch (error) { console.log(error.code, error.requireStack.length) }`,
    'x.up': 'exports.x = "y"',
    'fails.js': 'console.log("each time"); throw new Error("failed")',
  },
  'names that a CommonJS module exports': {
    'main.mjs': `
      import all, { a, b, c, d, deep } from './cjs.cjs'
      import * as star from './star.cjs'
      import { deep as again } from './whole.cjs'
      console.log(all, a, b, c, d, deep, Object.keys(star), again)`,
    'cjs.cjs':
      "exports.a = 1; exports['b'] = 2; Object.defineProperty(exports, 'c', { enumerable: true, value: 3 }); module.exports.d = 4; __exportStar(require('./deep.cjs'), exports); function __exportStar(m, e) { Object.assign(e, m) }",
    'deep.cjs': 'exports.deep = "deep"',
    'star.cjs': 'var y = 2; module.exports = { y, ...require("./deep.cjs") }',
    'whole.cjs': "module.exports = require('./deep.cjs')",
  },
  'code of eval and of vm imports from where it was made': {
    'main.cjs': `
      const one = require('./one/load.cjs'), two = require('./two/load.cjs')
      const all = { one: one('./t.mjs'), two: two('./t.mjs'), again: one('./t.mjs'), own: eval('import("./t.mjs")') }
      import('./sub/all.mjs').then(async ({ ways }) => {
        for (const [name, way] of Object.entries({ ...all, ...require('./sub/all.cjs'), ...ways })) {
          try { console.log(name, (await (typeof way === 'function' ? way() : way)).default) } catch (error) { console.log(name, error.code) }
        }
        const local = 'seen'
        console.log(eval('local'), (0, eval)('typeof local'), eval.name, typeof eval)
        eval = () => 'replaced'
        console.log(eval('1'))
      })`,
    't.mjs': "export default 'top'",
    ...Object.fromEntries(
      ['one', 'two'].flatMap((name) => [
        [`${name}/load.cjs`, "module.exports = eval('(name) => import(name)')"],
        [`${name}/t.mjs`, `export default '${name}'`],
      ]),
    ),
    'sub/t.mjs': "export default 'sub'",
    'sub/all.cjs': `const vm = require('vm')\n${waysToImport}\nmodule.exports = ways`,
    'sub/all.mjs': `import vm from 'vm'\n${waysToImport}\nexport { ways }`,
  },
}
