/**
 * The files that benchmarks search: trees of pinned npm packages, a tree with nested ignore files, a text of a gigabyte. Created once
 * and cached in node_modules/.cache/polyfs-bench.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const cache = fileURLToPath(new URL('../../node_modules/.cache/polyfs-bench', import.meta.url))

const medium = ['typescript@5.9.3', 'rxjs@7.8.1', 'lodash@4.17.21', 'three@0.170.0', 'webpack@5.97.1']
const large = [
  ...medium,
  'aws-sdk@2.1692.0',
  'react-native@0.76.5',
  'date-fns@4.1.0',
  '@types/node@22.10.0',
  'core-js@3.39.0',
  'next@15.1.0',
  'googleapis@144.0.0',
  'eslint@9.17.0',
  'vue@3.5.13',
  'svelte@5.16.0',
  'firebase@11.1.0',
  'antd@5.22.5',
  '@aws-sdk/client-ec2@3.716.0',
  '@fluentui/react@8.122.5',
  '@babel/standalone@7.26.4',
  'prettier@3.4.2',
  'highlight.js@11.11.1',
]

/** Trees of packages: about 5,000 files and 60 MB, or 47,000 and 650 MB. A git repository without ignore files. */
export function packageTree(size) {
  return once(size, (root) => {
    for (const spec of size === 'large' ? large : medium) unpack(spec, path.join(root, 'packages'))
    for (const entry of fs.readdirSync(root, { recursive: true, withFileTypes: true })) {
      const isIgnoreFile = ['.gitignore', '.gitattributes', '.ignore'].includes(entry.name)
      if (entry.isSymbolicLink() || isIgnoreFile) fs.rmSync(path.join(entry.parentPath ?? entry.path, entry.name))
    }
    execFileSync('git', ['init', '-q', root])
  })
}

/** The same files with an ignore file at the top, in every package, and in the first 400 directories inside of packages. */
export function treeWithIgnoreFiles(size) {
  const source = packageTree(size)
  return once(`${size}-ignore`, (root) => {
    execFileSync('cp', ['-al', path.join(source, 'packages'), root])
    execFileSync('git', ['init', '-q', root])
    fs.writeFileSync(path.join(root, '.gitignore'), rootRules)
    const packages = directoriesIn(path.join(root, 'packages')).flatMap((directory) =>
      path.basename(directory).startsWith('@') ? directoriesIn(directory) : [directory],
    )
    for (const directory of packages) fs.writeFileSync(path.join(directory, '.gitignore'), packageRules)
    const inner = packages.flatMap(directoriesIn).flatMap(directoriesIn)
    for (const directory of inner.slice(0, 400)) fs.writeFileSync(path.join(directory, '.gitignore'), innerRules)
  })
}

/** A text of a little more than a gigabyte, some 14 million lines that start with their number. */
export function hugeText() {
  const directory = once('huge', (root) => {
    const words =
      'const function return import export await async value index buffer stream token parse error result cache key'.split(
        ' ',
      )
    let seed = 1
    const random = () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      return seed / 0x80000000
    }
    const descriptor = fs.openSync(path.join(root, 'huge.txt'), 'w')
    for (let written = 0, line = 0; written < 2 ** 30; ) {
      let text = ''
      for (let i = 0; i < 20_000; i += 1) {
        line += 1
        text += `${line}:`
        for (let count = 4 + Math.floor(random() * 16); count > 0; count -= 1)
          text += ` ${words[Math.floor(random() * words.length)]}`
        text += '\n'
      }
      written += fs.writeSync(descriptor, text)
    }
    fs.closeSync(descriptor)
  })
  return path.join(directory, 'huge.txt')
}

/** Installs packages to compare with, away from the project's own; returns the directory that has `node_modules`. */
export function peers(...specs) {
  return once(path.basename(peersDirectory(...specs)), (root) => {
    fs.writeFileSync(path.join(root, 'package.json'), '{ "private": true, "type": "module" }')
    execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', ...specs], { cwd: root, stdio: 'inherit' })
  })
}

/** Where `peers` installs packages; a directory that exists is complete. */
export function peersDirectory(...specs) {
  return path.join(cache, `peers-${specs.join('-').replaceAll(/[^\w.-]/g, '_')}`)
}

/** Creates a directory unless a complete one exists. */
function once(name, make) {
  const root = path.join(cache, name)
  if (fs.existsSync(root)) return root
  console.log(`making ${path.relative(process.cwd(), root)} …`)
  const unfinished = `${root}.unfinished`
  fs.rmSync(unfinished, { recursive: true, force: true })
  fs.mkdirSync(unfinished, { recursive: true })
  make(unfinished)
  fs.renameSync(unfinished, root)
  return root
}

function unpack(spec, into) {
  const packs = path.join(cache, 'packs')
  fs.mkdirSync(packs, { recursive: true })
  const [, name, version] = /^(@?[^@]+)@(.+)$/.exec(spec)
  const pack = path.join(packs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  if (!fs.existsSync(pack)) execFileSync('npm', ['pack', '--silent', spec], { cwd: packs, stdio: 'ignore' })
  const directory = path.join(into, name)
  fs.mkdirSync(directory, { recursive: true })
  execFileSync('tar', ['xzf', pack, '-C', directory, '--strip-components=1', '--no-same-owner'])
  execFileSync('chmod', ['-R', 'u+rwX,go+rX', directory])
}

function directoriesIn(directory) {
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(directory, entry.name))
    .sort()
}

const rootRules = `node_modules/
*.log
npm-debug.log*
yarn-error.log
.DS_Store
Thumbs.db
coverage/
.nyc_output
*.tsbuildinfo
.env
.env.*
!.env.example
/build/
/out
tmp/
*.swp
*~
.vscode/*
!.vscode/settings.json
*.map
*.min.js
**/__snapshots__/**
/packages/*/dist/cdn/
*.pid
[Dd]ebug/
`
const packageRules = 'locale/zh*\n!locale/zh-CN*\n/dist/**/*.cjs\n*.flow\nfixtures/\n'
const innerRules = '*.tmp\n/cache\n!keep.tmp\n*.spec.js\n'
