/** The site that `npm run site` makes of the documentation. */
import { accessSync, constants, existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { anchorOf, headingAnchors, sitePages } from '../../build/site/pages.mjs'
import { longTest } from '../scale.js'
import { buildSite, siteBase } from './build-site.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { pages, pictures } = sitePages(root)

test('every page of the documentation is on it, with what it links to', async () => {
  const documented = (await readdir(join(root, 'docs'), { recursive: true })).filter((path) => /\.(md|txt)$/.test(path))
  const shown = new Set([...pages.values()].map(({ source }) => source))
  expect(documented.filter((path) => !shown.has(`docs/${path}`))).toEqual([])
  expect([...pages.keys()]).toEqual(
    expect.arrayContaining([
      'index.md',
      'architecture.md',
      'api/polyfs-node.md',
      'decisions/index.md',
      'examples/index.md',
      'examples/undo-episode-ts.md',
      'examples/tasks/index.md',
      'LICENSE.md',
    ]),
  )
})

test('its links lead to pages, headings and pictures of its own', () => {
  const broken = [...pages].flatMap(([place, { text }]) =>
    [...withoutCode(text).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
      .map(([, path = '', anchor]) => ({ target: path === '' ? place : posix.join(dirname(place), path), anchor }))
      .filter(({ target, anchor }) => {
        const page = pages.get(target)
        if (page === undefined) return !pictures.has(target)
        return anchor !== undefined && !headingAnchors(page.text).includes(anchor)
      })
      .map(({ target, anchor }) => `${place}: ${target}#${anchor}`),
  )
  expect(broken).toEqual([])
})

test('its front page is README.md', () => {
  const { text = '' } = pages.get('index.md') ?? {}
  const [, front = '', body = ''] = /^---\n(.*)\n---\n\n(.*)$/s.exec(text) ?? []
  expect(JSON.parse(front).hero).toMatchObject({
    name: 'polyfs',
    text: 'File tools for AI agents that work the same on every file system',
  })
  expect(headingAnchors(body)).toContain('add-it-to-your-client')
  expect(body).toContain('](./screenshots/demo.png)')
})

test('each name of the API has a heading', () => {
  const { title, text = '' } = pages.get('api/polyfs-workers.md') ?? {}
  expect(title).toBe('polyfs/workers')
  expect(headingAnchors(text)).toEqual(expect.arrayContaining(['mcpendpoint', 'durableworkspaceclass']))
})

test.each([
  ['polyfs/operations', 'polyfsoperations'],
  ['What has been verified, and where', 'what-has-been-verified-and-where'],
  ['A – B: `c_d`', 'a--b-c_d'],
])('the anchor of "%s" is that of GitHub', (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor)
})

longTest(
  'it is built, with the playground and a search; links and anchors hold, and nothing is fetched from elsewhere',
  async ({ skip }) => {
    // It is put together beside the packages that it needs.
    if (!mayWrite(join(root, 'node_modules'))) skip('the checkout belongs to another user')
    const out = await buildSite()
    const files = new Set(
      (await readdir(out, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => posix.relative(out, posix.join(parentPath, name))),
    )
    const built = new Map<string, string>()
    for (const file of files) {
      if (/\.(html|css)$/.test(file) && !file.startsWith('playground/'))
        built.set(file, await readFile(join(out, file), 'utf8'))
    }

    expect([...pages.keys()].filter((page) => !built.has(page.replace(/\.md$/, '.html')))).toEqual([])
    expect(brokenLinks(built, files)).toEqual([])
    expect([...built].flatMap(([file, text]) => fetchedFromElsewhere(text).map((url) => `${file}: ${url}`))).toEqual([])
    expect(existsSync(join(out, 'playground/index.html'))).toBe(true)
    expect([...files].some((file) => /localSearchIndex/.test(file))).toBe(true)
  },
  { timeout: 600_000 },
)

function withoutCode(text: string): string {
  return text.replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '')
}

/** Links of the built pages that lead to no file, or to no element of one. */
function brokenLinks(built: ReadonlyMap<string, string>, files: ReadonlySet<string>): string[] {
  return [...built].flatMap(([file, html]) =>
    [...html.matchAll(/\s(?:href|src)="(?!https?:|data:|mailto:)([^"]*)"/g)]
      .map(([, link = '']) => ({ link, url: new URL(link.replaceAll('&amp;', '&'), `http://site${siteBase}${file}`) }))
      .filter(({ url }) => {
        const path = decodeURIComponent(url.pathname)
        if (!path.startsWith(siteBase)) return true
        const target = [path, `${path}index.html`, `${path}.html`]
          .map((candidate) => candidate.slice(siteBase.length))
          .find((candidate) => files.has(candidate))
        if (target === undefined) return true
        return url.hash.length > 1 && !built.get(target)?.includes(` id="${decodeURIComponent(url.hash.slice(1))}"`)
      })
      .map(({ link }) => `${file}: ${link}`),
  )
}

/** Scripts, styles, pictures and fonts of other hosts. */
function fetchedFromElsewhere(text: string): string[] {
  return [
    ...text.matchAll(/<(?:script|img|iframe|source|link)\b[^>]*?\s(?:src|href)="((?:https?:)?\/\/[^"]*)"/g),
    ...text.matchAll(/url\(["']?((?:https?:)?\/\/[^)"']*)/g),
    ...text.matchAll(/@import\s+["']((?:https?:)?\/\/[^"']*)/g),
  ].map(([, url = '']) => url)
}

function mayWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}
