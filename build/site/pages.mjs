/**
 * The pages of the site, made from the Markdown of the repository. A page links to files as they lie in the repository; here each link
 * gets the place of its target on the site. A linked file that is not Markdown becomes a page that shows it, and a directory one that lists it, so
 * that no link leaves the site.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, posix } from 'node:path'

/** What the pages begin with; everything that they link to is added. */
export function firstPages(root) {
  const markdown = (folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return [
    ...markdown('.'),
    ...markdown('docs').map((name) => `docs/${name}`),
    ...markdown('docs/decisions').map((name) => `docs/decisions/${name}`),
  ].sort()
}

/**
 * All pages by their place on the site (`index.md`, `decisions/determinism.md`), and the pictures with the files they come from.
 * A page has its `source` in the repository, its `title` and its `text` in Markdown.
 */
export function sitePages(root) {
  const pages = new Map()
  const pictures = new Map()
  const waiting = firstPages(root)
  const seen = new Set(waiting)
  for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
    const page = pageOf(root, source)
    const place = placeOf(source, root)
    const clash = pages.get(place)
    if (clash) throw new Error(`site: ${clash.source} and ${source} have the same place, ${place}`)
    const text = withLinks(page.text, (link) => {
      const { target, anchor } = resolved(source, link)
      if (isPicture(target)) {
        pictures.set(withoutDocs(target), target)
        return relativeTo(place, withoutDocs(target))
      }
      if (!seen.has(target)) waiting.push(target)
      seen.add(target)
      return relativeTo(place, placeOf(target, root)) + anchor
    })
    pages.set(place, { ...page, source, text })
  }
  return { pages, pictures }
}

/** The anchors of a page's headings, as GitHub makes them. */
export function headingAnchors(text) {
  const counts = new Map()
  return partsOf(text)
    .filter(({ isCode }) => !isCode)
    .flatMap(({ text }) => [...text.matchAll(/^#{1,6} +(.+?) *#*$/gm)])
    .map(([, heading]) => {
      const anchor = anchorOf(heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, ''))
      const count = counts.get(anchor) ?? 0
      counts.set(anchor, count + 1)
      return count === 0 ? anchor : `${anchor}-${count}`
    })
}

/** The anchor of a heading without its markup: the links of our pages are those that GitHub makes. */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}

function pageOf(root, source) {
  const path = join(root, source)
  if (statSync(path).isDirectory()) return listing(path, source)
  const text = readFileSync(path, 'utf8')
  if (source === 'README.md') return frontPage(text)
  if (source.endsWith('.md')) return { title: titleIn(text, source), text: forSite(text) }
  if (source.startsWith('docs/api/')) return apiReport(text)
  return { title: source, text: `# ${source}\n\n${fenced(text, extname(source).slice(1))}`, isSource: true }
}

/** The title and the first paragraph of README.md are large, and the rest follows. */
function frontPage(text) {
  const [heading, paragraph, ...rest] = forSite(text).split('\n\n')
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\n', ' ')
  const [, first, more] = /^(.+?): (.+)$/.exec(plain)
  const name = heading.replace('# ', '')
  const front = {
    layout: 'home',
    title: name,
    titleTemplate: first,
    hero: {
      name,
      text: first,
      tagline: more[0].toUpperCase() + more.slice(1),
      actions: [
        { theme: 'brand', text: 'Try it in this browser', link: '/playground/', target: '_self' },
        { theme: 'alt', text: 'Add it to your client', link: '/install' },
        { theme: 'alt', text: 'Use it as a library', link: '/library' },
      ],
    },
  }
  return { title: name, text: `---\n${JSON.stringify(front)}\n---\n\n${rest.join('\n\n')}` }
}

/** One heading for each name, so that the search and the outline find it. */
function apiReport(text) {
  const [about, ...declarations] = text.trim().split('\n\n')
  const title = about.split(':')[0]
  const byName = new Map()
  for (const declaration of declarations) {
    const name = /^(?:abstract )?(?:class|const|function|interface|type) (\w+)/.exec(declaration)?.[1]
    if (name === undefined) throw new Error(`site: a declaration of ${title} has no name: ${declaration.slice(0, 80)}`)
    byName.set(name, [...(byName.get(name) ?? []), declaration])
  }
  const sections = [...byName].map(([name, parts]) => `## ${name}\n\n${fenced(parts.join('\n\n'), 'ts')}`)
  return {
    title,
    text: `# ${title}\n\n${about.slice(title.length + 2)}\n\n${sections.join('\n\n')}\n`,
  }
}

function listing(path, source) {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => posix.relative(path, posix.join(parentPath, name)))
  return { title: source, text: `# ${source}\n\n${fenced(files.sort().join('\n'), '')}`, isSource: true }
}

function titleIn(text, source) {
  const heading = /^# (.+)$/m.exec(text)?.[1]
  if (heading === undefined) throw new Error(`site: ${source} has no heading`)
  return heading.replaceAll('`', '')
}

/** Comments and what follows the language of a block are for the repository; a picture from another host would be a request to it. */
function forSite(text) {
  return outsideCode(text, (part) =>
    part.replace(/<!--[\s\S]*?-->\n?/g, '').replace(/!\[([^\]]*)\]\(https?:[^)]*\)/g, '$1'),
  ).replace(/^(```\w+) .*$/gm, '$1')
}

function fenced(text, language) {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`
}

/** The place of a page that shows the file or directory: folders stay, `docs/` is left out, README.md is the page of its folder. */
function placeOf(source, root) {
  if (!source.includes('/') && source.endsWith('.md') && source !== 'README.md') return source.toLowerCase()
  const path = withoutDocs(source)
  if (basename(path) === 'README.md') return posix.join(dirname(path), 'index.md')
  if (path.endsWith('.md')) return path
  if (statSync(join(root, source)).isDirectory()) return `${path}/index.md`
  return `${path.startsWith('api/') ? path.replace('.txt', '') : path.replaceAll('.', '-')}.md`
}

function withoutDocs(path) {
  return path.replace(/^docs\//, '')
}

function isPicture(path) {
  return /\.(png|svg|jpg|gif)$/.test(path)
}

function resolved(source, link) {
  const [path, anchor] = link.split('#')
  const target = posix.join(dirname(source), path).replace(/\/$/, '')
  return { target, anchor: anchor === undefined ? '' : `#${anchor}` }
}

function relativeTo(place, target) {
  const path = posix.relative(posix.dirname(place), target)
  return path.startsWith('.') ? path : `./${path}`
}

/** Replaces the targets of all links and pictures that are files of the repository. */
function withLinks(text, place) {
  return outsideCode(text, (part) =>
    part.replace(/\]\((?!https?:|mailto:|#)([^)\s]+)\)/g, (_, link) => `](${place(link)})`),
  )
}

function outsideCode(text, change) {
  return partsOf(text)
    .map(({ isCode, text }) => (isCode ? text : change(text)))
    .join('')
}

/** Fenced blocks, and what lies between them. */
function partsOf(text) {
  return text.split(/(^(`{3,})[^\n]*\n[\s\S]*?^\2$)/m).flatMap((part, index) => {
    if (index % 3 === 2) return []
    return [{ isCode: index % 3 === 1, text: part ?? '' }]
  })
}
