/** How the site looks: https://vitepress.dev/reference/site-config */
import { anchorOf } from './pages.mjs'

/** The pages in the order to read them. One that is named nowhere is under `More`. */
const groups = {
  Start: ['install', 'command', 'browser', 'playground', 'ui'],
  'The tools': ['dialects', 'shell', 'emulated-shell', 'git', 'archives', 'encodings'],
  'In your program': ['examples/index', 'clients', 'model-apis', 'agent', 'message-port', 'webcontainer', 'workers'],
  'Where the files are': ['sqlite', 'key-value', 'scaling'],
  Evaluations: ['harness', 'clients/python/index'],
  'What is known': [
    'verified',
    'platforms',
    'browsers',
    'runtimes',
    'comparison',
    'performance',
    'performance-arm64',
    'search-speed',
  ],
  Project: ['architecture', 'contributing', 'test/index', 'security', 'changelog', 'releasing'],
}

/** `pages` have their place and title; `isSource` are files and directories, which only links lead to. */
export function siteConfig({ base, outDir, cacheDir, pages }) {
  return {
    title: 'polyfs',
    description: 'File tools for AI agents that work the same on every file system',
    base,
    outDir,
    cacheDir,
    head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
    markdown: { anchor: { slugify: anchorOf }, html: false },
    vite: { build: { chunkSizeWarningLimit: 4_000 } },
    themeConfig: {
      logo: '/icon.svg',
      search: { provider: 'local' },
      outline: { level: [2, 3] },
      nav: [
        { text: 'Guide', link: '/install' },
        { text: 'API', link: '/api' },
        { text: 'Examples', link: '/examples/' },
        { text: 'Playground', link: '/playground/', target: '_self' },
      ],
      sidebar: sidebarOf(pages.filter(({ isSource }) => !isSource)),
    },
  }
}

function sidebarOf(pages) {
  const titles = new Map(pages.map(({ place, title }) => [place.replace(/\.md$/, ''), title]))
  const places = [...titles.keys()]
  const below = (folder) => places.filter((place) => place.startsWith(`${folder}/`))
  const folded = { API: ['api', 'entries', ...below('api')], Decisions: ['decisions/index', ...below('decisions')] }
  const named = new Set(['index', ...Object.values(groups).flat(), ...Object.values(folded).flat()])
  const folders = { ...folded, More: places.filter((place) => !named.has(place)) }
  const items = (wanted) =>
    [...new Set(wanted)]
      .filter((place) => titles.has(place))
      .map((place) => ({ text: titles.get(place), link: `/${place.replace(/(^|\/)index$/, '$1')}` }))
  return [
    ...Object.entries(groups).map(([text, wanted]) => ({ text, items: items(wanted) })),
    ...Object.entries(folders).map(([text, wanted]) => ({ text, items: items(wanted), collapsed: true })),
  ].filter((group) => group.items.length > 0)
}
