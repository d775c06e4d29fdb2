/**
 * Builds the site from the documentation, with the playground at `playground/`, for any static host:
 * `node build/site/site.mjs [--out DIR] [--base /path/]`. The address at which the site will be has to be known: `--base` is its path.
 */

import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vitepress'
import { sitePages } from './pages.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const playground = join(root, 'dist/playground')
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist/site') }, base: { type: 'string', default: '/' } },
})
if (!/^\/(.+\/)?$/.test(values.base)) throw new Error(`site: --base begins and ends with a slash, not ${values.base}`)
if (!existsSync(join(playground, 'index.html'))) throw new Error('site: dist/playground is missing: npm run build')

const outDir = resolve(values.out)
const staged = await mkdtemp(join(root, 'node_modules/.polyfs-site-'))
try {
  await rm(outDir, { recursive: true, force: true })
  await stage()
  await build(staged)
  // Hosts compress files themselves.
  await cp(playground, join(outDir, 'playground'), { recursive: true, filter: (path) => !/\.(br|gz)$/.test(path) })
} finally {
  await rm(staged, { recursive: true, force: true })
}
console.log(`The site is in ${outDir}`)

/** Writes the pages with their pictures and the configuration to where VitePress finds them. */
async function stage() {
  const { pages, pictures } = sitePages(root)
  for (const [place, { text }] of pages) await write(place, text)
  for (const [place, source] of pictures) await copy(join(root, source), place)
  await copy(join(root, 'playground/icon.svg'), 'public/icon.svg')
  await copy(join(here, 'theme/style.css'), '.vitepress/theme/style.css')
  await copy(join(here, 'theme/index.mjs'), '.vitepress/theme/index.js')
  const described = [...pages].map(([place, { title, isSource }]) => ({ place, title, isSource }))
  const config = JSON.stringify({ base: values.base, outDir, cacheDir: join(staged, '.cache'), pages: described })
  const module = JSON.stringify(pathToFileURL(join(here, 'config.mjs')))
  await write('.vitepress/config.mjs', `import { siteConfig } from ${module}\nexport default siteConfig(${config})\n`)
}

async function write(place, text) {
  const path = join(staged, place)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

async function copy(source, place) {
  const path = join(staged, place)
  await mkdir(dirname(path), { recursive: true })
  await cp(source, path)
}
