/**
 * `npm run release -- [major|minor|patch|VERSION] [--dry-run]`: sets the version, closes the section of the changelog, builds, packs, checks
 * what was packed, commits and tags. It publishes nothing: it prints the command that does. `--dry-run` shows all of it and leaves the
 * checkout as it is.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverJson } from './distribution.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The largest package that is published, as it is installed. */
const maxUnpackedBytes = 12_000_000

/** Files that a package without is broken. */
const needed = [
  'package.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'dist/node/cli.js',
  'dist/node/main.js',
  'dist/node/index.js',
  'dist/node/emulated-worker.js',
  'dist/node/search-worker.js',
  'dist/index.js',
  'dist/web/index.js',
  'dist/declarations/src/index.d.ts',
  'dist/playground.zip.br',
  'dist/THIRD-PARTY-LICENSES.txt',
]

/** Files of the checkout that nobody needs who installs it. */
const unwanted = /^(src|node|web|test|build|node_modules)\/|\.map$|\.tsbuildinfo$|^dist\/(types|playground)\//

/** The next version. Fails for one that is not higher. */
export function nextVersion(version, bump) {
  const parts = version.split('.').map(Number)
  const [major = 0, minor = 0, patch = 0] = parts
  const bumped = { major: [major + 1, 0, 0], minor: [major, minor + 1, 0], patch: [major, minor, patch + 1] }[bump]
  if (bumped !== undefined) return bumped.join('.')
  if (!/^\d+\.\d+\.\d+$/.test(bump))
    throw new Error(`release: ${bump} is neither major, minor, patch nor a version such as 1.2.3`)
  const given = bump.split('.').map(Number)
  const at = given.findIndex((part, index) => part !== parts[index])
  if (at === -1 || given[at] < parts[at]) throw new Error(`release: ${bump} is not higher than ${version}`)
  return bump
}

/** The changelog with its unreleased section under a version, and a new empty one above it. */
export function closedSection(changelog, version, date) {
  const [, body = ''] = /^## Unreleased\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(changelog) ?? []
  if (body.trim() === '') throw new Error('release: the section Unreleased of CHANGELOG.md is missing or empty')
  return changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${date}\n`)
}

/** The files that a release changes, by name, with their new text. */
export function changedFiles(read, version, date) {
  const manifest = read('package.json').replace(/("version": )"[^"]+"/, `$1"${version}"`)
  const lock = JSON.parse(read('package-lock.json'))
  lock.version = version
  lock.packages[''].version = version
  return {
    'package.json': manifest,
    'package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
    'src/version.ts': read('src/version.ts').replace(/'\d+\.\d+\.\d+'/, `'${version}'`),
    'server.json': `${JSON.stringify(serverJson(JSON.parse(manifest)), null, 2)}\n`,
    'CHANGELOG.md': closedSection(read('CHANGELOG.md'), version, date),
  }
}

/** What is wrong with a packed archive, from the report of `npm pack --json`. */
export function faultsOf({ files, unpackedSize }) {
  const names = files.map(({ path }) => path)
  return [
    ...needed.filter((name) => !names.includes(name)).map((name) => `${name} is missing`),
    ...names.filter((name) => unwanted.test(name)).map((name) => `${name} should not be in it`),
    ...(unpackedSize > maxUnpackedBytes ? [`${unpackedSize} bytes are more than ${maxUnpackedBytes}`] : []),
  ]
}

function release(args) {
  const isDryRun = args.includes('--dry-run')
  const [bump = 'patch', ...more] = args.filter((arg) => arg !== '--dry-run')
  if (more.length > 0) throw new Error('usage: npm run release -- [major|minor|patch|VERSION] [--dry-run]')
  const read = (name) => readFileSync(join(root, name), 'utf8')
  const { version: current, name } = JSON.parse(read('package.json'))
  const version = nextVersion(current, bump)
  const date = new Date().toISOString().slice(0, 10)
  const changed = changedFiles(read, version, date)
  const dirty = run('git', 'status', '--porcelain')
  if (dirty !== '' && !isDryRun) throw new Error(`release: commit or remove these first:\n${dirty}`)
  if (run('git', 'tag', '--list', `v${version}`) !== '') throw new Error(`release: the tag v${version} exists already`)
  say(`${name} ${current} -> ${version}${isDryRun ? ', dry run: nothing is changed' : ''}`)
  for (const [file, text] of Object.entries(changed)) {
    const lines = text.split('\n').filter((line) => !read(file).split('\n').includes(line))
    say(`\n${file}`)
    for (const line of lines) say(`  + ${line}`)
    if (!isDryRun) writeFileSync(join(root, file), text)
  }

  const place = mkdtempSync(join(tmpdir(), 'polyfs-release-'))
  try {
    // A dry run packs what is built; a release builds first.
    const [packed] = JSON.parse(
      run('npm', 'pack', '--json', '--pack-destination', place, ...(isDryRun ? ['--ignore-scripts'] : [])),
    )
    const { unpackedSize, size, entryCount } = packed
    say(`\npacked: ${entryCount} files, ${megabytes(size)} MB, ${megabytes(unpackedSize)} MB unpacked`)
    const faults = faultsOf(packed)
    for (const fault of faults) say(`  ${fault}`)
    if (faults.length > 0) throw new Error('release: the package is not as it should be')
  } finally {
    rmSync(place, { recursive: true })
  }
  const commit = ['commit', '--quiet', '--message', `Release ${version}`, ...Object.keys(changed)]
  const tag = ['tag', '--annotate', `v${version}`, '--message', `${name} ${version}`]
  if (!isDryRun) for (const command of [commit, tag]) run('git', ...command)
  say(
    `\n${isDryRun ? 'would commit' : 'committed'} "Release ${version}" and ${isDryRun ? 'tag' : 'tagged'} v${version}`,
  )
  say(
    'next: git push --follow-tags; the workflow release.yml publishes the tag with provenance (npm publish --provenance)',
  )
}

function run(command, ...args) {
  return execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  })
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1)
}

function say(text) {
  process.stdout.write(`${text}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    release(process.argv.slice(2))
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
