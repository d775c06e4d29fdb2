/**
 * Builds everything that is published into dist/. `node build/build.mjs` builds all parts, `node build/build.mjs cli` only those named.
 * `--quiet` prints one line instead of a table, and builds nothing if the parts are newer than their sources.
 * Reports on stderr, because stdout of `npm start` belongs to the protocol.
 */
import { spawn } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { basename, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import playgroundConfig from '../playground/vite.config.mjs'
import { apiReports, reportFile } from './api-report.mjs'
import { kernelModule } from './compile-kernels.mjs'
import { publishDeclarations, published } from './declarations.mjs'
import { quickjsModule, quickjsNotice } from './embed-quickjs.mjs'
import { engineFile } from './engine-files.mjs'
import { linePerStatement } from './line-per-statement.mjs'
import { buildRooms } from './room-files.mjs'
import { gitChunk, nodeShims } from './vite-plugin.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const parts = { kernels, library: nodeEntries, cli: nodeEntries, web, playground, types, api }

const names = { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' }

/** Contains `web/engine/no-eval.ts`, so that code generation is off before the first schema is made, whichever entry is loaded. */
const zodChunk = { name: 'zod', test: /[\\/]node_modules[\\/]zod[\\/]|[\\/]web[\\/]engine[\\/]no-eval\.ts$/ }

/** Without whitespace, and with the names of functions and classes. */
const readable = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { toplevel: false, keepNames: true },
  codegen: { removeWhitespace: true },
}

/** What runs anywhere. */
const portableFolders = ['src', 'agent', 'bash', 'harness', 'models']

/**
 * What every start of the command reads, in few files. The first holds what is portable and what every dialect uses, the second is of
 * Node alone, so that no portable entry loads it. Only what their modules import statically comes along.
 */
const startChunks = [
  {
    name: 'core',
    test: /rolldown[\\/]runtime|[\\/]src[\\/](version|errors|workspace|parse-input|dialects[\\/]registry|mcp[\\/]fast[\\/]|mcp[\\/]server[\\/]message-bounds|git[\\/]config|shell[\\/]session-variables|tools[\\/](call-tool|make-tool|select|structured-results|wording)\.|(change|fs|ops|search|text)[\\/](?!git[\\/]|backends[\\/]((memory|mirror|overlay|write-behind)\.|key-value[\\/])|journal[\\/]key-value))/,
    priority: 3,
  },
  {
    name: 'disk',
    test: /[\\/]node[\\/](disk[\\/]|locks[\\/]|cli[\\/]arguments|serve[\\/](stdio|token)|workspace[\\/](open|directory)-workspace)/,
    priority: 2,
  },
  { name: 'polyfs', test: /[\\/]src[\\/]dialects[\\/]polyfs[\\/]tools\.ts$/, priority: 1 },
]

/** Directories of the packages that were copied into a bundle. */
const bundledPackages = new Set()

const isQuiet = process.argv.includes('--quiet')
const named = process.argv.slice(2).filter((arg) => arg !== '--quiet')
const unknown = named.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`build: no part is called ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}
if (isQuiet && named.length > 0 && (await isUpToDate())) process.exit(0)
if (isQuiet) console.error('Building, for half a minute ...')
if (named.length > 0) {
  // A part that is known under two names is built once.
  for (const build of new Set(named.map((name) => parts[name]))) await build()
} else {
  await rm(join(root, 'dist'), { recursive: true, force: true })
  await kernels()
  await Promise.all([types(), bundles()])
  await licences()
}

/** Whether what the named parts write last is newer than everything they are made of, directories included: a file may be gone. */
async function isUpToDate() {
  const last = {
    cli: ['dist/node/cli.js', 'dist/node/emulated-worker.js'],
    playground: ['dist/playground/index.html', 'dist/playground/offline-worker.js'],
  }
  const changedMs = async (path) => (await stat(join(root, path)).catch(() => undefined))?.mtimeMs
  if (!named.every((name) => name in last)) return false
  const written = await Promise.all(named.flatMap((name) => last[name]).map(changedMs))
  if (written.includes(undefined)) return false
  const oldest = Math.min(...written)
  const folders = [
    'agent',
    'bash',
    'build',
    'contract',
    'harness',
    'models',
    'node',
    'playground',
    'src',
    'web',
    'workers',
  ]
  const inside = folders.map(async (folder) => [
    folder,
    ...(await readdir(join(root, folder), { recursive: true })).map((path) => join(folder, path)),
  ])
  const sources = [...(await Promise.all(inside)).flat(), 'package.json', 'package-lock.json']
  const changed = await Promise.all(sources.map(changedMs))
  return changed.every((ms) => ms === undefined || ms < oldest)
}

async function bundles() {
  for (const part of [nodeEntries, web, playground, packedPlayground]) await part()
}

/** Compiles the vector kernels into a module, and embeds the engine of `node` in another. */
async function kernels() {
  const folder = join(root, 'src/search/bytes/kernels')
  await writeFile(join(folder, 'code.ts'), kernelModule(await readFile(join(folder, 'kernels.simd'), 'utf8')))
  const wasm = await readFile(join(root, 'node_modules/quickjs-wasi/quickjs.wasm'))
  await writeFile(join(root, 'bash/programs/node/engine/binary.ts'), quickjsModule(wasm))
}

/**
 * What runs in Node: the command, the entries for programs, and their workers, with nothing outside. One build for all of them, so that code
 * which several use is installed once, and an error thrown by one entry is an instance of the class that another exports. Minified, because
 * every start of the command reads it; functions keep their names, for readable stack traces.
 */
async function nodeEntries() {
  for (const folder of ['chunks', 'contract', 'node'])
    await rm(join(root, 'dist', folder), { recursive: true, force: true })
  // Peers of the program that uses us: BullMQ is too large for what few use, and a server of the older SDK is made by that program.
  const outside = Object.keys(manifest.peerDependencies)
  await bundle('dist', [...builtinModules, ...outside], {
    ssr: { noExternal: true, external: outside },
    // The SDK's validator for browsers is sufficient here, and a seventh of the size of the other.
    resolve: {
      alias: {
        '@modelcontextprotocol/server/_shims': join(
          root,
          'node_modules/@modelcontextprotocol/server/dist/shimsBrowser.mjs',
        ),
      },
    },
    build: {
      ssr: true,
      target: 'node20',
      rolldownOptions: {
        // What a page loads on first use is in the chunk of the start here.
        checks: { ineffectiveDynamicImport: false },
        input: {
          index: 'src/index.ts',
          ...(await portableEntries()),
          'sdk-v1': 'src/mcp/sdk-v1.ts',
          workers: 'workers/index.ts',
          'contract/index': 'contract/fs/index.ts',
          'node/index': 'node/index.ts',
          'node/bash': 'node/bash.ts',
          'node/main': 'node/cli/cli.ts',
          'node/episode-worker': 'node/eval/threads/episode-worker.ts',
        },
        output: {
          ...names,
          minify: readable,
          plugins: [linePerStatement()],
          codeSplitting: { groups: startChunks },
        },
      },
    },
  })
  await commandStart()
  await searchWorker()
  await emulatedWorker()
}

/** One file without chunks: what it loads is compiled after it. */
async function commandStart() {
  const main = './main.js'
  await bundle('dist', [...builtinModules, main], {
    plugins: [
      { name: 'main', enforce: 'pre', resolveId: (id) => (id === './cli.js' ? { id: main, external: true } : null) },
    ],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      rolldownOptions: {
        input: { 'node/cli': 'node/cli/start.ts' },
        output: {
          ...names,
          minify: readable,
          plugins: [linePerStatement()],
          codeSplitting: false,
          postBanner: '#!/usr/bin/env node',
        },
      },
    },
  })
  await chmod(join(root, 'dist/node/cli.js'), 0o755)
}

/** One file without chunks: several threads load it at once, for the first large search. */
async function searchWorker() {
  await bundle('dist', builtinModules, {
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      rolldownOptions: {
        input: { 'node/search-worker': 'node/threads/search-worker.ts' },
        output: { ...names, minify: readable, codeSplitting: false, plugins: [linePerStatement()] },
      },
    },
  })
}

/** The worker of the emulated shell, a separate file: it is large, and loaded with the first command. The engine of `node` is another, loaded with the first `node`. */
async function emulatedWorker() {
  await rm(join(root, 'dist/node/emulated-worker'), { recursive: true, force: true })
  await bundle('dist', builtinModules, {
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      minify: true,
      rolldownOptions: {
        input: {
          'node/emulated-worker': 'node/shell/emulated-worker.ts',
          'node/python-worker': 'node/shell/python-worker.ts',
        },
        output: { ...names, chunkFileNames: 'node/emulated-worker/[name]-[hash].js' },
      },
    },
  })
}

/**
 * The entries for pages, with or without a bundler: nothing is external. One build for all entries, so that an error
 * thrown by one is an instance of the class that another exports. Minified, as the page's own build would do, because the package has
 * enough in it.
 */
async function web() {
  const scripts = await workerScripts()
  const workers = Object.keys(scripts)
  await bundle('dist/web', [], {
    plugins: [nodeShims(), workersByName(workers)],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      target: 'es2022',
      lib: {
        entry: {
          index: 'web/index.ts',
          bash: 'web/bash.ts',
          core: 'src/index.ts',
          ...(await portableEntries()),
          contract: 'contract/fs/index.ts',
          // Cloudflare's bundler takes the entries for pages: they run without Node's built-ins and generate no code.
          workers: 'workers/index.ts',
          ...scripts,
        },
        formats: ['es'],
      },
      rolldownOptions: { output: { ...names, minify: true, codeSplitting: { groups: [zodChunk, gitChunk] } } },
    },
  })
  await bundle('dist/web', [], {
    build: {
      target: 'es2022',
      lib: { entry: { 'service-worker': 'web/endpoint/service-worker.ts' }, formats: ['es'] },
      // One file, so that a site can copy it to any place.
      rolldownOptions: { output: { ...names, codeSplitting: false } },
    },
  })
  await buildRooms(join(root, 'dist/web'))
  for (const name of ['acorn', 'es-module-lexer']) bundledPackages.add(join(root, 'node_modules', name))
}

/** The entries beside `polyfs` itself that run anywhere, by name. */
async function portableEntries() {
  const files = await readdir(join(root, 'src/entries'))
  const parts = Object.fromEntries(files.map((file) => [basename(file, '.ts'), join('src/entries', file)]))
  return { ...parts, agent: 'agent/index.ts', harness: 'harness/index.ts', models: 'models/index.ts' }
}

/** The worker scripts by name. They are entries, so that code shared with the page is loaded once. */
async function workerScripts() {
  const files = (await readdir(join(root, 'web'), { recursive: true })).filter((file) => file.endsWith('-worker.ts'))
  const scripts = files.map((file) => [basename(file, '.ts'), join('web', file)])
  return Object.fromEntries(scripts.filter(([name]) => name !== 'service-worker'))
}

/** Leaves `new Worker(new URL('./name.js', import.meta.url))` unchanged, for browsers and for the bundlers of other projects. */
function workersByName(workers) {
  const mark = (name) => `__POLYFS_${name.toUpperCase().replaceAll('-', '_')}__`
  return {
    name: 'polyfs:workers-by-name',
    enforce: 'pre',
    transform(code, id) {
      if (!id.startsWith(join(root, 'web'))) return
      return workers.reduce((text, name) => text.replace(`new URL('./${name}.ts', import.meta.url)`, mark(name)), code)
    },
    renderChunk(code, { fileName }) {
      const up = fileName.includes('/') ? '../' : './'
      return workers.reduce(
        (text, name) => text.replaceAll(mark(name), `new URL('${up}${name}.js', import.meta.url)`),
        code,
      )
    },
  }
}

/** A page that can be served from any address. */
async function playground() {
  const { build: given, ...config } = playgroundConfig
  await bundle('dist/playground', [], { ...config, build: { ...given, emptyOutDir: true } })
  await rm(join(root, 'dist/playground.zip.br'), { force: true })
}

/**
 * The playground as the package has it, which the command unpacks with the first request: an archive that is compressed as a whole.
 * Its page and its workers have much code in common, so that this takes two thirds of what a compressed archive takes.
 */
async function packedPlayground() {
  const { writeArchive } = await import('../dist/archive.js')
  const folder = join(root, 'dist/playground')
  // Engines are of optional packages, where the command finds them.
  const isLeftOut = (name) => name.endsWith('.br') || name.endsWith('.gz') || name in engineFile
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && !isLeftOut(entry.name),
  )
  const paths = found
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .sort()
  const entries = paths.map(async (path) => ({ path, kind: 'file', bytes: await readFile(join(folder, path)) }))
  const archive = await writeArchive(await Promise.all(entries), { isReproducible: true })
  // The highest quality takes ten times as long for a tenth less.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }
  const packed = await promisify(brotliCompress)(archive, { params })
  await writeFile(join(root, 'dist/playground.zip.br'), packed)
  report('dist/playground.zip.br', packed)
}

/** Declarations, in the same tree as the sources, so that their relative imports hold. `npm run typecheck` reuses those in dist/types. */
async function types() {
  const projects = ['node', 'web', 'workers', 'contract', 'agent']
  await tsc(['--build', ...projects, '--checkers', '1'])
  const { files, packages } = await publishDeclarations(root, manifest.exports)
  for (const directory of packages) bundledPackages.add(directory)
  if (!isQuiet) console.error(`${`${published}/`.padEnd(34)}${String(files).padStart(9)} files`)
}

/** The reports of the public surface, from the declarations. A test compares them, so that every change of the surface is visible. */
async function api() {
  const { reports } = await apiReports(root)
  await rm(join(root, 'docs/api'), { recursive: true, force: true })
  await mkdir(join(root, 'docs/api'))
  for (const [entry, text] of reports) {
    await writeFile(join(root, reportFile(entry)), text)
    report(reportFile(entry), text)
  }
}

/** The licences of the bundled packages require their text to be included. */
async function licences() {
  const texts = []
  for (const directory of [...bundledPackages].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
    const files = (await readdir(directory)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    const content = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')))
    if (files.length === 0) content.push(`The package names this licence and comes without its text.`)
    if (name === 'quickjs-wasi') content.push(quickjsNotice)
    texts.push(`${name} ${version} (${license})\n\n${content.join('\n').trim()}\n`)
  }
  const text = `Parts of these packages are included in the bundled files.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`
  await writeFile(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), text)
  report('dist/THIRD-PARTY-LICENSES.txt', text)
}

/** Runs Vite, and fails if the output imports anything that is neither part of it nor in `outside`. */
async function bundle(outDir, outside, config) {
  const result = await build({
    root,
    configFile: false,
    logLevel: isQuiet ? 'error' : 'warn',
    ...config,
    build: {
      outDir: join(root, outDir),
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
      ...config.build,
    },
  })
  const { output } = [result].flat()[0]
  const made = new Set(output.map((file) => file.fileName))
  for (const file of output) {
    if (file.type === 'chunk') check(file)
    report(`${outDir}/${file.fileName}`, file.type === 'chunk' ? file.code : file.source)
  }

  function check(chunk) {
    const portable = chunk.moduleIds.filter((id) =>
      portableFolders.some((folder) => id.startsWith(join(root, folder, sep))),
    )
    if (chunk.name === 'disk' && portable.length > 0) {
      throw new Error(
        `build: portable entries would load code of Node, because the chunk disk has what belongs to core: ${portable.join(', ')}`,
      )
    }
    for (const name of [...chunk.imports, ...chunk.dynamicImports]) {
      if (
        made.has(name) ||
        name.startsWith('node:') ||
        outside.some((each) => name === each || name.startsWith(`${each}/`))
      )
        continue
      throw new Error(`build: ${outDir}/${chunk.fileName} imports ${name}, which is neither bundled nor a dependency`)
    }
    for (const id of chunk.moduleIds) {
      const owner = /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id)
      if (owner) bundledPackages.add(owner[1])
    }
  }
}

function tsc(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    })
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error('build: types do not fit'))))
  })
}

function report(file, content) {
  if (isQuiet) return
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`
  const bytes = Buffer.from(content)
  console.error(
    `${file.padEnd(34)}${kilobytes(bytes.length).padStart(12)}${kilobytes(gzipSync(bytes).length).padStart(11)} gz`,
  )
}
