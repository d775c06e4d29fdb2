/** Generates trees of packages, and scripts that ask for modules from many places in them. */
import { seededRandom } from '../../src/text/seeded-random.js'
import type { NodeTree } from './same-as-node.js'

const packageNames = ['a', 'b', '@s/c', 'self']
const fileNames = ['index.js', 'x.js', 'x.mjs', 'y.cjs', 'y.mjs', 'z.json', 'plain', 'note.txt', 'index.mjs', 'main.js']
const folders = ['', 'lib/', 'lib/deep/', 'x/']

export interface PackageTree {
  tree: NodeTree
  /** The script to run; each line that it prints begins with the number of a request. */
  script: string
}

export function packageTree(seed: number): PackageTree {
  const random = seededRandom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  const chance = (share: number) => random() < share
  const tree: Record<string, string | { link: string }> = {}

  function relative(): string {
    return pick([
      () => `./${pick(folders)}${pick(fileNames)}`,
      () => `./${pick(folders)}${pick(fileNames).replace(/\.\w+$/, '')}`,
      () =>
        `./${pick(['lib', 'lib/', 'x', 'lib/deep', '.', 'missing', '../index.js', 'lib/../x.js', '%78.js', 'lib//x.js'])}`,
      () => pick(['.', '..', './', '../', '../x', '../lib/x.js']),
    ])()
  }

  function bare(): string {
    const name = pick([...packageNames, 'missing', 'linked'])
    const subpath = [
      '',
      '',
      '/x',
      '/x.js',
      '/lib/x.js',
      '/lib',
      '/feature/x',
      '/feature/x.js',
      '/package.json',
      '/',
      '/feature/lib/x',
      '/none',
    ]
    return name + pick(subpath)
  }

  function specifier(): string {
    return pick([
      relative,
      bare,
      bare,
      () => pick(['#in', '#dep', '#map/x', '#map/lib/x', '#none', '#', '#/x', '#map/']),
      odd,
    ])()
  }

  function odd(): string {
    return pick([
      'fs',
      'node:path',
      'node:none',
      '.x',
      '@s',
      '@s/',
      'a%b',
      'a\\b',
      'https://x.y/',
      'self/../a',
      'a/./x',
      'a//x',
      'a/node_modules/b',
    ])
  }

  function target(isImport: boolean): unknown {
    return pick([
      () => `./${pick(folders)}${pick(fileNames)}`,
      () => `./${pick(folders)}${pick(fileNames)}`,
      () => `./${pick(['lib/*', '*.js', 'lib/*.js', '*/x.js', 'lib/*/../x.js', '*'])}`,
      () =>
        pick<unknown>([
          null,
          'x.js',
          './missing.js',
          '../x.js',
          './node_modules/b/index.js',
          './lib/',
          '/x.js',
          5,
          '',
          './%78.js',
          false,
        ]),
      () => (isImport ? pick(['a', 'b', 'b/x', 'a/feature/*', '@s/c', 'missing', 'a/x.js']) : './index.js'),
      () => Array.from({ length: below(3) }, () => target(isImport)),
      () => conditions(isImport),
      () => conditions(isImport),
    ])()
  }

  function conditions(isImport: boolean): unknown {
    const names = [
      'import',
      'require',
      'node',
      'module-sync',
      'browser',
      'default',
      'development',
      ...(chance(0.05) ? ['1'] : []),
    ]
    const chosen = names.filter(() => chance(0.4)).sort(() => random() - 0.5)
    return Object.fromEntries(chosen.map((name) => [name, target(isImport)]))
  }

  function exports(): unknown {
    if (chance(0.25)) return target(false)
    const keys = [
      '.',
      './x',
      './x.js',
      './lib/*',
      './feature/*',
      './feature/*.js',
      './*',
      './package.json',
      './lib/deep/*',
      './feature/lib/*',
    ]
    const chosen = keys.filter(() => chance(0.4)).sort(() => random() - 0.5)
    const map = Object.fromEntries(chosen.map((key) => [key, target(false)]))
    return chance(0.04) ? { ...map, import: './x.js' } : map
  }

  function imports(): unknown {
    const keys = ['#in', '#dep', '#map/*', '#map/*.js', '#map/lib/*', '#x']
    return Object.fromEntries(keys.filter(() => chance(0.6)).map((key) => [key, target(true)]))
  }

  function description(name: string): string {
    if (chance(0.03)) return '{ broken'
    return JSON.stringify({
      ...(chance(0.9) && { name: chance(0.9) ? name : pick(packageNames) }),
      ...(chance(0.5) && { type: pick(['module', 'module', 'commonjs', 'other']) }),
      ...(chance(0.4) && {
        main: pick<unknown>([
          './x.js',
          'lib',
          'lib/x',
          './lib/',
          'missing',
          'main',
          './x.mjs',
          'y.cjs',
          '',
          5,
          'z.json',
        ]),
      }),
      ...(chance(0.55) && { exports: exports() }),
      ...(chance(0.5) && { imports: imports() }),
    })
  }

  function source(path: string): string {
    const says = `console.log('runs ${path}')`
    if (path.endsWith('.json')) return chance(0.95) ? JSON.stringify({ path }) : '{ broken'
    const isModule = path.endsWith('.mjs') || (!path.endsWith('.cjs') && chance(0.4))
    if (isModule) {
      const first = chance(0.25) ? `import ${JSON.stringify(chance(0.7) ? relative() : bare())}; ` : ''
      const wait = chance(0.06) ? 'await 1; ' : ''
      return `${first}${says}; ${wait}${pick([`export default 'esm ${path}'`, `export const id = 'esm ${path}'`, `export default 1; export const id = '${path}'`])}\n`
    }
    const first = chance(0.25) ? `require(${JSON.stringify(chance(0.7) ? relative() : bare())}); ` : ''
    return `${first}${says}; ${pick([`module.exports = 'cjs ${path}'`, `exports.id = 'cjs ${path}'`])}\n`
  }

  function addPackage(folder: string, name: string, depth: number): void {
    if (chance(0.9)) tree[`${folder}package.json`] = description(name)
    for (const inside of folders) {
      if (inside !== '' && chance(0.3)) continue
      for (const file of fileNames) if (chance(0.45)) tree[folder + inside + file] = source(folder + inside + file)
    }
    if (chance(0.15)) tree[`${folder}lib/package.json`] = description('inside')
    tree[`${folder}ask.cjs`] =
      'module.exports = { require, resolve: require.resolve, import: (name) => import(name) }\n'
    tree[`${folder}ask.mjs`] =
      'export const load = (name) => import(name); export const resolve = (name) => import.meta.resolve(name)\n'
    if (depth === 0) return
    for (const each of packageNames) if (chance(0.6)) addPackage(`${folder}node_modules/${each}/`, each, depth - 1)
    if (chance(0.4)) tree[`${folder}node_modules/linked`] = { link: '../lib' }
  }

  addPackage('', pick(['self', 'a', 'project']), 2)
  const askers = Object.keys(tree)
    .filter((path) => path.endsWith('ask.cjs'))
    .map((path) => `./${path.slice(0, -7)}`)
  const requests = Array.from({ length: 40 }, () => [
    pick(askers),
    pick(['require', 'resolve', 'import', 'load', 'meta']),
    specifier(),
  ])
  return { tree, script: script(requests) }
}

function script(requests: readonly (readonly string[])[]): string {
  return `
const requests = ${JSON.stringify(requests)}
const top = __dirname
const shown = (value) => (typeof value === 'string' ? value : JSON.stringify(value, Object.keys(value || {}).sort())).replaceAll(top, '')
async function ask([from, kind, name]) {
  if (kind === 'load' || kind === 'meta') {
    const asker = await import(from + 'ask.mjs')
    return kind === 'load' ? asker.load(name) : asker.resolve(name)
  }
  const asker = await import(from + 'ask.cjs')
  return asker.default[kind](name)
}
void (async () => {
  for (const [index, request] of requests.entries()) {
    try {
      console.log(index, ...request, '->', shown(await ask(request)))
    } catch (error) {
      console.log(index, ...request, '->', error.code || error.name)
    }
  }
})()
`
}
