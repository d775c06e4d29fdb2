/** Configurations at random: whatever they look like, only our entry is added, and removing it gives back the same bytes. */
import fc from 'fast-check'
import { parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { expect, test } from 'vitest'
import { jsonEntry, withJsonEntry, withoutJsonEntry } from '../../../node/init/json-entry.js'
import { tomlEntry, withoutTomlEntry, withTomlEntry } from '../../../node/init/toml-entry.js'
import { scaled } from '../../scale.js'

const place = { section: 'mcpServers', name: 'files' }
const value = { command: 'node', args: ['/a b/"polyfs"/cli.js', 'C:\\x'] }

const gap = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\r\n',
  '\n  ',
  '\n\t',
  '  ',
  '/* c */',
  ' // l, "x": {\n',
  '\n\n    /* } */ ',
)
const key = fc.constantFrom('a', 'b c', 'mcpServer', 'files', 'x"y', '//', 'mcpServers ')
const scalar = fc.constantFrom('1', 'null', '"s // no comment"', '"}"', '-2.5e3', 'true', '[ 1, /* in */ 2, ]', '[]')

/** An object as text, with gaps of whitespace and comments between all tokens. */
function objectText(properties: fc.Arbitrary<[string, string][]>): fc.Arbitrary<string> {
  return fc
    .tuple(properties, fc.array(gap, { minLength: 40, maxLength: 40 }), fc.boolean())
    .map(([list, gaps, trailing]) => {
      let next = 0
      const some = () => gaps[next++ % gaps.length] ?? ''
      const inside = list.map(([name, text]) => `${some()}${JSON.stringify(name)}${some()}:${some()}${text}${some()}`)
      const comma = trailing && list.length > 0 ? ',' : ''
      return `{${inside.join(',')}${comma}${some()}}`
    })
}

function distinct(list: [string, string][]): [string, string][] {
  return [...new Map(list)]
}

const others = fc.array(fc.tuple(key, scalar), { maxLength: 3 }).map(distinct)
const servers = objectText(others.map((list) => list.filter(([name]) => name !== 'files')))
const roots = objectText(
  fc.tuple(others, fc.option(servers), fc.nat(3)).map(([list, section, at]) => {
    if (section === null) return list
    return [...list.slice(0, at), ['mcpServers', section], ...list.slice(at)] as [string, string][]
  }),
)
const texts = fc
  .tuple(fc.constantFrom('', '\uFEFF'), gap, roots, gap)
  .map(([mark, a, root, b]) => mark + a + root + b.trimEnd())

test('a JSON file has the entry more, and every other byte', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const after = withJsonEntry(text, place, value)
      expect(jsonEntry(after, place)).toEqual(value)
      const before = parsed(text)
      expect(parsed(after)).toEqual({ ...before, mcpServers: { ...(before.mcpServers as object), files: value } })
      expect(isInsertion(text, after)).toBe(true)
      expect(withJsonEntry(after, place, value)).toBe(after)
    }),
    { numRuns: scaled(4000) },
  )
})

test('removing the entry gives back the bytes of a JSON file', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const back = withoutJsonEntry(withJsonEntry(text, place, value), place)
      expect(jsonEntry(back, place)).toBe(undefined)
      const { mcpServers, ...rest } = parsed(text)
      // An empty object can't be distinguished from one that was made, and its whitespace is not known. The command uses its copy then.
      const isEmpty = (object: unknown) => typeof object === 'object' && Object.keys(object ?? {}).length === 0
      if (!isEmpty(mcpServers) && !isEmpty(parsed(text))) expect(back).toBe(text)
      const { mcpServers: left = {}, ...others } = parsed(back)
      expect([left, others]).toEqual([mcpServers ?? {}, rest])
    }),
    { numRuns: scaled(4000) },
  )
})

test('an entry is removed from anywhere, with every comment left', () => {
  fc.assert(
    fc.property(
      objectText(others.map((list) => distinct([...list, ['files', '{ "command": "polyfs" }']]))),
      (section) => {
        const text = `{ "mcpServers": ${section} }`
        const back = withoutJsonEntry(text, place)
        const { files: _, ...rest } = parsed(text).mcpServers as Record<string, unknown>
        expect(parsed(back)).toEqual(
          Object.keys(rest).length === 0 ? onlyIf(parsed(back).mcpServers) : { mcpServers: rest },
        )
      },
    ),
    { numRuns: scaled(4000) },
  )
})

const tomlLines = fc.array(
  fc.constantFrom(
    'a = 1',
    '# [mcpServers.files]',
    '',
    's = """\n[x]\n"""',
    '[t]',
    '[t.u]',
    'b = [\n  [1],\n]',
    '[[list]]',
    '[mcpServers.other]',
    "'q k' = 'v'",
    '[mcpServers]',
    'c = { d = 1 }',
  ),
  { maxLength: 8 },
)
const tomlTexts = fc
  .tuple(tomlLines, fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, eol, ends]) => lines.join('\n').replaceAll('\n', eol) + (ends && lines.length > 0 ? eol : ''))
  .filter((text) => {
    try {
      return parseToml(text) !== undefined
    } catch {
      return false
    }
  })

test('a TOML file has the table more, and removing it gives back the bytes', () => {
  fc.assert(
    fc.property(tomlTexts, (text) => {
      const after = withTomlEntry(text, place, value)
      expect(after.startsWith(text)).toBe(true)
      expect(tomlEntry(after, place)).toEqual(value)
      expect(withTomlEntry(after, place, value)).toBe(after)
      const more = `${after}\n# of the next\n[next]\nz = 1\n`
      expect(withoutTomlEntry(more, place)).toContain('# of the next\n[next]\nz = 1\n')
      expect(withoutTomlEntry(after, place)).toBe(text)
    }),
    { numRuns: scaled(2000) },
  )
})

/** Whether `after` is `before` with at most a comma and, later, one piece put in. */
function isInsertion(before: string, after: string): boolean {
  let end = 0
  while (end < before.length && before.at(-1 - end) === after.at(-1 - end)) end++
  for (let tail = end; tail >= 0; tail--) {
    const head = before.slice(0, before.length - tail)
    if (after.startsWith(head)) return true
    for (let at = 0; at <= head.length; at++) {
      if (after.startsWith(`${head.slice(0, at)},${head.slice(at)}`)) return true
    }
  }
  return false
}

function parsed(text: string): Record<string, unknown> {
  return parseJson(text.replace('\uFEFF', ''), [], { allowTrailingComma: true })
}

function onlyIf(mcpServers: unknown): object {
  return mcpServers === undefined ? {} : { mcpServers }
}
