/** The writer of docs/performance.md and docs/performance-arm64.md: it depends on recorded results alone, so nothing is timed here. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { reportOf } from '../bench/report.mjs'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))

const measured = {
  cores: 2,
  cpu: 'Some CPU',
  node: 'v20.1.0',
  platform: 'linux',
  load: 1.25,
  rounds: 9,
  large: false,
  date: '2026-01-02',
}
const results = {
  memory: {
    measured,
    rows: [
      { title: 'make a tree', against: 'at most 60 ms', unit: 'ms', ours: 90, ratio: 1.5, target: 1 },
      { title: 'size of it', against: 'nothing', unit: 'MB', ours: 3 },
    ],
    notes: [],
  },
  search: {
    measured,
    rows: [
      {
        title: 'a | b <c> & "d"',
        against: 'ripgrep 15',
        unit: 'ms',
        ours: 8.254,
        theirs: 1234.5,
        ratio: 0.006686,
        cpu: 0.5,
        target: 1,
      },
      { title: 'without a target', against: 'tail | head', unit: 'ms', ours: 20.04, theirs: 10.02, ratio: 2 },
    ],
    notes: ['we find 1, ripgrep 2'],
  },
}

describe('the report of recorded results', () => {
  const report: Record<string, string> = reportOf(results)

  test('has a page, and a plot for each group', () => {
    expect(Object.keys(report)).toEqual(['performance.md', 'performance/search.svg', 'performance/memory.svg'])
  })

  test('has a table for each group, in the order of the page, with times, ratio and target', () => {
    const page = report['performance.md'] ?? ''
    expect(page.match(/^## .+$/gm)).toEqual(['## How it is measured', '## Searching and listing', '## Trees in memory'])
    expect(page.match(/^\|.+\|$/gm)).toEqual([
      '| what | compared with | ours | theirs | ratio | CPU | target |',
      '|---|---|---|---|---|---|---|',
      '| a \\| b <c> & "d" | ripgrep 15 | 8.25 ms | 1,235 ms | 0.0067 | 0.50 | 1.00 met |',
      '| without a target | tail \\| head | 20.0 ms | 10.0 ms | 2.00 |  |  |',
      '| what | compared with | ours | theirs | ratio | CPU | target |',
      '|---|---|---|---|---|---|---|',
      '| make a tree | at most 60 ms | 90.0 ms |  | 1.50 |  | 1.00 **missed** |',
      '| size of it | nothing | 3.00 MB |  |  |  |  |',
    ])
  })

  test('counts the targets that are met, and names those that are missed', () => {
    const page = report['performance.md'] ?? ''
    expect(page).toContain(
      '**1 of 2 targets are met.** Missed:\n\n- make a tree, compared with at most 60 ms: 1.50, target 1.00\n\n##',
    )
  })

  test('says on what machine and with what command each group was measured', () => {
    expect(report['performance.md']).toContain(
      '`npm run bench -- search --rounds 9 --report`, on 2026-01-02: 2 cores, Some CPU, Node 20.1.0 on linux, load 1.3.\n',
    )
    expect(report['performance.md']).toContain('\n- we find 1, ripgrep 2\n')
  })

  test('plots a bar for each ratio, in the colour of its outcome, with a tick for its target', () => {
    const [search, memory] = [report['performance/search.svg'] ?? '', report['performance/memory.svg'] ?? '']
    expect(bars(search).map(({ kind }) => kind)).toEqual(['met', 'free'])
    expect(bars(memory).map(({ kind }) => kind)).toEqual(['missed'])
    expect(search.match(/class="target"/g)).toHaveLength(1)
    const one = Number(/class="one" x1="([\d.]+)"/.exec(search)?.[1])
    const [faster, slower] = bars(search)
    expect(faster?.end).toBeCloseTo(one, 0)
    expect(slower?.start).toBeCloseTo(one, 0)
  })

  test('is well-formed and has the texts of the rows', () => {
    for (const [name, content] of Object.entries(report)) if (name.endsWith('.svg')) expectWellFormed(content)
    expect(report['performance/search.svg']).toContain('>a | b &lt;c&gt; &amp; &quot;d&quot;</text>')
  })

  test('has colours for light and dark pages, on a background of its own', () => {
    const svg = report['performance/search.svg'] ?? ''
    const [light = '', dark = ''] = svg
      .slice(svg.indexOf('<style>'), svg.indexOf('</style>'))
      .split('@media (prefers-color-scheme: dark)')
    const coloured = (part: string) =>
      [...part.matchAll(/^(\S+) \{.*(?:fill|stroke): #/gm)].map(([, name]) => name).sort()
    expect(coloured(dark)).toEqual(coloured(light).filter((name) => name !== '.heading'))
    expect(coloured(light)).toContain('.paper')
  })
})

test.each([
  ['x64', 'performance'],
  ['arm64', 'performance-arm64'],
] as const)(
  'the page of %s and its plots are what the writer makes of the recorded results',
  async (architecture, page) => {
    const recorded = JSON.parse(await readFile(join(docs, page, 'results.json'), 'utf8'))
    const report: Record<string, string> = reportOf(recorded, architecture)
    const plots = (await readdir(join(docs, page))).filter((name) => name.endsWith('.svg'))
    expect([`${page}.md`, ...plots.map((name) => `${page}/${name}`)].sort()).toEqual(Object.keys(report).sort())
    for (const [name, content] of Object.entries(report)) expect(await readFile(join(docs, name), 'utf8')).toBe(content)
  },
)

function bars(svg: string) {
  const found = svg.matchAll(/<rect class="(met|missed|free)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="20"/g)
  return [...found].map(([, kind, x, width]) => ({ kind, start: Number(x), end: Number(x) + Number(width) }))
}

/** Every element is closed in order, and no text or attribute has a stray `<` or `&`. */
function expectWellFormed(svg: string): void {
  const open: string[] = []
  const rest = svg.replaceAll(
    /<(\/?)([a-z]+)((?: [\w-]+="[^"<]*")*)(\/?)>/gi,
    (_, closing, name, _attributes, empty) => {
      if (closing) expect(open.pop()).toBe(name)
      else if (!empty) open.push(name)
      return ''
    },
  )
  expect(open).toEqual([])
  expect(rest.replaceAll(/&(?:amp|lt|gt|quot);/g, '')).not.toMatch(/[<&]/)
}
