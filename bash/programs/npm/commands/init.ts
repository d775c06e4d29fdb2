/** `npm init -y`: a package.json made of what is there. */
import { isFsError } from '../../../../src/errors.js'
import { basename, join } from '../../../../src/fs/path.js'
import { ProgramError } from '../../program-error.js'
import type { Call, Command } from '../command.js'
import { isObject, type Json, type JsonObject, packageIfAny, textIfAny, writePackage } from '../package-json.js'
import { parseVersion } from '../version-numbers.js'

export const init: Command = {
  async run(call) {
    const { settings, args } = call
    if (args.length > 0)
      throw new ProgramError(`\`npm init ${args[0]}\` gets a package, and this shell has no network`, 2)
    if (!settings.is('yes') && !settings.is('force')) {
      throw new ProgramError('`npm init` asks questions; in this shell there is only `npm init -y`', 2)
    }
    await make(call)
    return 0
  },
}

async function make(call: Call): Promise<void> {
  const { io } = call
  const directory = io.cwd
  const path = join(directory, 'package.json')
  const known = await packageIfAny(io, directory)
  const content = await completed(call, known?.content ?? {})
  await writePackage(io, { directory, path, content, text: known?.text ?? '' }, content)
  if (call.settings.text('loglevel') === 'silent') return
  await io.stdout.write(`Wrote to ${path}:\n\n${JSON.stringify(content, null, 2)}\n\n\n`)
}

const noTest = 'echo "Error: no test specified" && exit 1'

/** What is known already keeps its place. */
async function completed(call: Call, known: JsonObject): Promise<JsonObject> {
  const { io, settings } = call
  const names = await entriesOf(call, io.cwd)
  const content: JsonObject = { ...known }
  const isVersion = typeof known.version === 'string' && parseVersion(known.version) !== undefined
  content.name = nameOf(call, known)
  content.version = isVersion ? (known.version as string) : (settings.text('init-version') ?? '1.0.0')
  content.description = known.description || ''
  content.main = known.main || mainOf(names, basename(io.cwd))
  const bin = known.bin ?? (await binOf(call))
  if (bin !== undefined) content.bin = bin
  const directories = directoriesOf(names)
  if (directories !== undefined) content.directories = directories
  await addDependencies(call, content)
  content.scripts = known.scripts ?? { test: await testCommand(call) }
  if (!isObject(known.scripts) && names.includes('server.js')) {
    content.scripts = { ...(content.scripts as JsonObject), start: 'node server.js' }
  }
  const repository = known.repository ?? (await repositoryOf(call))
  if (repository !== undefined) content.repository = repository
  content.keywords = known.keywords || []
  content.author = known.author || authorOf(call)
  content.license = known.license || (settings.text('init-license') ?? 'ISC')
  content.type = known.type || (settings.text('init-type') ?? 'commonjs')
  addAddresses(content)
  return content
}

function nameOf({ io, settings }: Call, known: JsonObject): string {
  const written = typeof known.name === 'string' && known.name !== '' ? known.name : basename(io.cwd)
  const name = written
    .replace(/^node-|[.-]js$/g, '')
    .replace(/\s+/g, '-')
    .toLowerCase()
  const scope = settings.text('scope')
  if (scope === undefined) return name
  return `${scope.startsWith('@') ? scope : `@${scope}`}/${name.replace(/^@[^/]*\//, '')}`
}

async function entriesOf({ io }: Call, directory: string): Promise<string[]> {
  try {
    return (await io.fs.readDir(directory)).map(({ name }) => name).sort()
  } catch (error) {
    if (isFsError(error)) return []
    throw error
  }
}

function mainOf(names: readonly string[], base: string): string {
  const scripts = names.filter((name) => name.endsWith('.js'))
  return ['index.js', 'main.js', `${base}.js`].find((name) => scripts.includes(name)) ?? scripts[0] ?? 'index.js'
}

async function binOf(call: Call): Promise<JsonObject | undefined> {
  const script = (await entriesOf(call, join(call.io.cwd, 'bin'))).find((name) => name.endsWith('.js'))
  return script === undefined ? undefined : { [nameOf(call, {})]: `bin/${script}` }
}

function directoriesOf(names: readonly string[]): JsonObject | undefined {
  const found: JsonObject = {}
  for (const name of names) {
    const kind = /^(example|test|doc)s?$/.exec(name)?.[1] ?? (name === 'man' || name === 'lib' ? name : undefined)
    if (kind !== undefined) found[kind] = name
  }
  return Object.keys(found).length > 0 ? found : undefined
}

const testPackages = ['coco', 'coffee-script', 'expresso', 'jasmine', 'jest', 'mocha', 'streamline', 'tap']

/** Packages that lie in node_modules are taken for wanted. */
async function addDependencies(call: Call, content: JsonObject): Promise<void> {
  const { io } = call
  const prod: JsonObject = {}
  const dev: JsonObject = {}
  for (const name of await entriesOf(call, join(io.cwd, 'node_modules'))) {
    const version = (await packageIfAny(io, join(io.cwd, `node_modules/${name}`)))?.content.version
    if (name.startsWith('.') || typeof version !== 'string') continue
    const isTest = testPackages.includes(name)
    const other = isTest ? content.dependencies : content.devDependencies
    if (!isObject(other) || !Object.hasOwn(other, name)) (isTest ? dev : prod)[name] = `^${version}`
  }
  if (content.dependencies === undefined && Object.keys(prod).length > 0) content.dependencies = prod
  if (content.devDependencies === undefined && Object.keys(dev).length > 0) content.devDependencies = dev
}

async function testCommand(call: Call): Promise<string> {
  const installed = await entriesOf(call, join(call.io.cwd, 'node_modules'))
  if (installed.includes('mocha')) return 'mocha'
  if (installed.includes('expresso')) return 'expresso test'
  return installed.includes('tap') ? 'tap test/*.js' : noTest
}

async function repositoryOf({ io }: Call): Promise<Json | undefined> {
  const text = (await textIfAny(io, join(io.cwd, '.git/config'))) ?? ''
  const lines = text.split(/\r?\n/)
  const at = lines.indexOf('[remote "origin"]')
  const written = at < 0 ? undefined : [lines[at + 1], lines[at + 2]].find((line) => /^\s*url =/.test(line ?? ''))
  const url = written?.replace(/^\s*url = /, '').replace(/^git@github.com:/, 'https://github.com/')
  if (url === undefined || url === '') return undefined
  return { type: 'git', url: /^https?:/.test(url) ? `git+${url.replace(/(\.git)?$/, '.git')}` : url }
}

function authorOf({ settings }: Call): string {
  const [name, email, url] = ['name', 'email', 'url'].map((part) => settings.text(`init-author-${part}`))
  if (name === undefined) return ''
  return `${name}${email ? ` <${email}>` : ''}${url ? ` (${url})` : ''}`
}

/** Where bugs go, and the page: of a repository whose host has both. */
function addAddresses(content: JsonObject): void {
  const { repository } = content
  const url = isObject(repository) && typeof repository.url === 'string' ? repository.url : ''
  const [, page] = /^git\+(https:\/\/(?:github|gitlab)\.com\/[^/]+\/[^/]+?)\.git$/.exec(url) ?? []
  if (page === undefined) return
  content.bugs ??= { url: `${page}/issues` }
  content.homepage ??= `${page}#readme`
}
